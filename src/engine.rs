//! Which instructions and which arithmetic a session gets.

use crate::{Error, Level, Numerics, Result};
pub(crate) use mirostat_kernels::Engine;
use mirostat_kernels::Numerics::{Fused, Portable};

/// The fastest of this machine for an arithmetic.
pub(crate) fn fastest(numerics: Numerics) -> Result<Engine> {
    match numerics {
        Numerics::Auto => Some(Engine::detect()),
        Numerics::Fused => Engine::best(Fused),
        Numerics::Portable => Engine::best(Portable),
    }
    .ok_or(Error::Unsupported {
        what: "fused numerics without fused multiply-adds",
    })
}

/// A level in an arithmetic, fused where that is open and the level can; none where this machine lacks it.
pub(crate) fn on_level(numerics: Numerics, level: Level) -> Option<Engine> {
    match numerics {
        Numerics::Auto => Engine::new(level, Fused).or_else(|| Engine::new(level, Portable)),
        Numerics::Fused => Engine::new(level, Fused),
        Numerics::Portable => Engine::new(level, Portable),
    }
}

/// The arithmetic of an engine: never [`Numerics::Auto`].
pub(crate) const fn numerics(engine: Engine) -> Numerics {
    match engine.numerics() {
        Fused => Numerics::Fused,
        Portable => Numerics::Portable,
    }
}
