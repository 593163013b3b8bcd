//! What is asked of a sampler.

use serde::{Deserialize, Serialize};

/// The k of both top-k tasks.
pub(crate) const K: usize = 40;
pub(crate) const TOP_P: f64 = 0.9;
pub(crate) const MIN_P: f64 = 0.05;
pub(crate) const TYPICAL: f64 = 0.95;
/// The chain: k 40, then p 0.95 of what is left, then min-p 0.05, then temperature 0.8.
pub(crate) const CHAIN_TOP_P: f64 = 0.95;
pub(crate) const CHAIN_TEMPERATURE: f64 = 0.8;

/// From a row of f32 logits to a token, but for the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Task {
    MirostatV2,
    MirostatV1,
    TopK,
    TopP,
    MinP,
    Typical,
    Draw,
    Chain,
    /// ln Z, or all probabilities: no token.
    Softmax,
}

impl Task {
    pub(crate) const ALL: [Self; 9] = [
        Self::MirostatV2,
        Self::MirostatV1,
        Self::TopK,
        Self::TopP,
        Self::MinP,
        Self::Typical,
        Self::Draw,
        Self::Chain,
        Self::Softmax,
    ];

    /// As the records write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::MirostatV2 => "mirostat_v2",
            Self::MirostatV1 => "mirostat_v1",
            Self::TopK => "top_k",
            Self::TopP => "top_p",
            Self::MinP => "min_p",
            Self::Typical => "typical",
            Self::Draw => "draw",
            Self::Chain => "chain",
            Self::Softmax => "softmax",
        }
    }

    /// As people read it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::MirostatV2 => "Mirostat V2",
            Self::MirostatV1 => "Mirostat V1",
            Self::TopK => "top-k 40",
            Self::TopP => "top-p 0.9",
            Self::MinP => "min-p 0.05",
            Self::Typical => "typical 0.95",
            Self::Draw => "softmax and draw",
            Self::Chain => "k 40, p 0.95, min-p 0.05, T 0.8",
            Self::Softmax => "softmax alone",
        }
    }
}
