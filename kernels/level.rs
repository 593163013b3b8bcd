//! Which instructions this machine has, and how a kernel is run on them.

use crate::lanes::{Lanes, base::Base, native::Native16};
#[cfg(target_arch = "aarch64")]
use pulp::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};

/// Runs a kernel that is written for both kinds of frame: with a shift, or without, as nearly all are.
macro_rules! run_in_frame {
    ($engine:expr, $frame:expr, $kernel:ident::<$($generic:tt),+> { $($field:ident),* $(,)? }) => {
        if $frame.shift == 0.0 {
            $engine.run($kernel::<$($generic),+, false> { $($field),* })
        } else {
            $engine.run($kernel::<$($generic),+, true> { $($field),* })
        }
    };
}
pub(crate) use run_in_frame;

/// Work over a row, written once for every level: a struct of arguments and one generic body.
///
/// The body must be `#[inline(always)]`, as must every helper it calls with vectors, and no closure may touch a vector: what is
/// not inlined is compiled without the instructions of the level, thirty times slower and without a warning.
pub(crate) trait Kernel {
    type Output;
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Whether multiply-adds round once. Within one of the two, every level gives the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numerics {
    /// Fused multiply-adds: needs the hardware's.
    Fused,
    /// Every multiplication and addition rounds: runs everywhere.
    Portable,
}

/// A family of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Level {
    /// AVX-512 (x86-64-v4): sixteen lanes in one register.
    Avx512,
    /// AVX2 and FMA (x86-64-v3): eight lanes in each of two registers.
    Avx2,
    /// NEON (aarch64): four lanes in each of four registers.
    Neon,
    /// What the target of the build has at least; never fused.
    Base,
}

impl Level {
    /// Every level that this build knows, best first, whether or not this machine has it.
    pub const ALL: [Self; 4] = [Self::Avx512, Self::Avx2, Self::Neon, Self::Base];

    /// The level's name in reports: `avx512`, `avx2`, `neon`, `base`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Avx2 => "avx2",
            Self::Neon => "neon",
            Self::Base => "base",
        }
    }
}

/// A level that is known to be present, with the numerics to run there: what every kernel takes first.
///
/// A fused base level cannot be expressed. The value is small and `Copy`; asking the CPU happens only when it is made.
#[derive(Clone, Copy, Debug)]
pub struct Engine(Mode);

#[derive(Clone, Copy, Debug)]
enum Mode {
    #[cfg(target_arch = "x86_64")]
    FusedV4(V4),
    #[cfg(target_arch = "x86_64")]
    PortableV4(V4),
    #[cfg(target_arch = "x86_64")]
    FusedV3(V3),
    #[cfg(target_arch = "x86_64")]
    PortableV3(V3),
    #[cfg(target_arch = "aarch64")]
    FusedNeon(Neon),
    #[cfg(target_arch = "aarch64")]
    PortableNeon(Neon),
    Base,
}

impl Engine {
    /// The engine of `level` and `numerics`, if this machine has it.
    #[must_use]
    pub fn new(level: Level, numerics: Numerics) -> Option<Self> {
        let mode = match (level, numerics) {
            #[cfg(target_arch = "x86_64")]
            (Level::Avx512, Numerics::Fused) => Mode::FusedV4(V4::try_new()?),
            #[cfg(target_arch = "x86_64")]
            (Level::Avx512, Numerics::Portable) => Mode::PortableV4(V4::try_new()?),
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2, Numerics::Fused) => Mode::FusedV3(V3::try_new()?),
            #[cfg(target_arch = "x86_64")]
            (Level::Avx2, Numerics::Portable) => Mode::PortableV3(V3::try_new()?),
            #[cfg(target_arch = "aarch64")]
            (Level::Neon, Numerics::Fused) => Mode::FusedNeon(Neon::try_new()?),
            #[cfg(target_arch = "aarch64")]
            (Level::Neon, Numerics::Portable) => Mode::PortableNeon(Neon::try_new()?),
            (Level::Base, Numerics::Portable) => Mode::Base,
            _ => return None,
        };
        Some(Self(mode))
    }

    /// The fastest engine of these numerics; `None` where fused multiply-adds are asked for and the hardware has none.
    #[must_use]
    pub fn best(numerics: Numerics) -> Option<Self> {
        Level::ALL
            .into_iter()
            .find_map(|level| Self::new(level, numerics))
    }

    /// Fused where the hardware can, else portable.
    #[must_use]
    pub fn detect() -> Self {
        Self::best(Numerics::Fused)
            .or_else(|| Self::best(Numerics::Portable))
            .unwrap_or(Self(Mode::Base))
    }

    /// Every engine of this machine, best level first: a test runs on all of them.
    #[must_use]
    pub fn available() -> Vec<Self> {
        Level::ALL
            .into_iter()
            .flat_map(|level| {
                [Numerics::Fused, Numerics::Portable].map(|numerics| Self::new(level, numerics))
            })
            .flatten()
            .collect()
    }

    /// The level that kernels run on.
    #[must_use]
    pub const fn level(self) -> Level {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Mode::FusedV4(_) | Mode::PortableV4(_) => Level::Avx512,
            #[cfg(target_arch = "x86_64")]
            Mode::FusedV3(_) | Mode::PortableV3(_) => Level::Avx2,
            #[cfg(target_arch = "aarch64")]
            Mode::FusedNeon(_) | Mode::PortableNeon(_) => Level::Neon,
            Mode::Base => Level::Base,
        }
    }

    /// The numerics that kernels run with.
    #[must_use]
    pub const fn numerics(self) -> Numerics {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Mode::FusedV4(_) | Mode::FusedV3(_) => Numerics::Fused,
            #[cfg(target_arch = "aarch64")]
            Mode::FusedNeon(_) => Numerics::Fused,
            _ => Numerics::Portable,
        }
    }

    /// Runs `kernel` with the instructions of the level.
    #[inline]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Mode::FusedV4(simd) => simd.vectorize(Call {
                lanes: Native16::<V4, 1, true>(simd),
                kernel,
            }),
            #[cfg(target_arch = "x86_64")]
            Mode::PortableV4(simd) => simd.vectorize(Call {
                lanes: Native16::<V4, 1, false>(simd),
                kernel,
            }),
            #[cfg(target_arch = "x86_64")]
            Mode::FusedV3(simd) => simd.vectorize(Call {
                lanes: Native16::<V3, 2, true>(simd),
                kernel,
            }),
            #[cfg(target_arch = "x86_64")]
            Mode::PortableV3(simd) => simd.vectorize(Call {
                lanes: Native16::<V3, 2, false>(simd),
                kernel,
            }),
            #[cfg(target_arch = "aarch64")]
            Mode::FusedNeon(simd) => simd.vectorize(Call {
                lanes: Native16::<Neon, 4, true>(simd),
                kernel,
            }),
            #[cfg(target_arch = "aarch64")]
            Mode::PortableNeon(simd) => simd.vectorize(Call {
                lanes: Native16::<Neon, 4, false>(simd),
                kernel,
            }),
            Mode::Base => kernel.run(Base),
        }
    }
}

impl PartialEq for Engine {
    fn eq(&self, other: &Self) -> bool {
        (self.level(), self.numerics()) == (other.level(), other.numerics())
    }
}

impl Eq for Engine {}

/// A kernel with its lanes, in the shape that pulp's `vectorize` takes.
struct Call<L, K> {
    lanes: L,
    kernel: K,
}

impl<L: Lanes, K: Kernel> pulp::NullaryFnOnce for Call<L, K> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.kernel.run(self.lanes)
    }
}
