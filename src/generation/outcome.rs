//! What a generation comes to.

use crate::Step;

/// Why a generation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StopReason {
    /// As many tokens as asked for.
    Limit,
    /// The last token is an end token; this goes before the observer's word, and both before the limit.
    EndToken,
    /// The observer said stop.
    Observer,
}

/// The tokens of a generation with their steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Generation {
    /// The tokens, without the prompt, with the end token.
    pub tokens: Vec<u32>,
    /// The step of each token.
    pub steps: Vec<Step>,
    /// Why it stopped.
    pub reason: StopReason,
}

/// The tokens of a generation whose steps went to an observer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StreamGeneration {
    /// The tokens, without the prompt, with the end token.
    pub tokens: Vec<u32>,
    /// Why it stopped.
    pub reason: StopReason,
}

impl StreamGeneration {
    /// How many tokens there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.tokens.len()
    }
}
