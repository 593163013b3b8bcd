//! A session of Mirostat V2 by its peer's name: what the parts that start processes of their own have in common.

use crate::peer::ours;
use crate::rows::{Cell, Kind};
use mirostat::Version;

/// From a row to a token.
pub(crate) type Session = Box<dyn FnMut(&[f32]) -> Result<u32, String>>;

pub(crate) const CELL: Cell = Cell {
    kind: Kind::LlmLike,
    vocabulary: 128_256,
};

/// Whoever is compiled in.
pub(crate) fn names() -> Vec<&'static str> {
    vec![
        ours::NAME,
        #[cfg(feature = "llama-cpp")]
        crate::peer::llama_cpp::NAME,
        #[cfg(feature = "token-sampling")]
        crate::peer::token_sampling::NAME,
    ]
}

/// A session of a peer; none where it is not compiled in.
pub(crate) fn session(name: &str) -> Option<Session> {
    if name == ours::NAME {
        let mut sampler = ours::session(Version::V2, CELL);
        return Some(Box::new(move |row| {
            let step = sampler.sample(row, 0.5).map_err(|e| e.to_string())?;
            Ok(step.token)
        }));
    }
    #[cfg(feature = "llama-cpp")]
    if name == crate::peer::llama_cpp::NAME {
        let mut chain = crate::peer::llama_cpp::LlamaCpp::new(crate::task::Task::MirostatV2, CELL)?;
        return Some(Box::new(move |row| chain.step(row)));
    }
    #[cfg(feature = "token-sampling")]
    if name == crate::peer::token_sampling::NAME {
        let mut chain = crate::peer::token_sampling::Session::mirostat_v2(CELL);
        return Some(Box::new(move |row| chain.step(row)));
    }
    None
}
