//! The fixed samplers that Mirostat is measured against.

use crate::Result;
use crate::reference::{Distribution, Kept, Truncation, draw};

/// A sampler without feedback: one truncation, or a temperature.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::Baseline;
/// assert_eq!(Baseline::TopK(1).sample(&[2.0, 3.0, 1.0], 0.99)?, 1);
/// assert!(Baseline::MinP(1.1).sample(&[4.0, 0.0], 0.5).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Baseline {
    /// The k likeliest tokens, k from 1 to the row's length.
    TopK(usize),
    /// The fewest likeliest tokens that hold this share of the probability, in (0, 1].
    TopP(f64),
    /// The whole row, its logits divided by this, finite and positive.
    Temperature(f64),
    /// Every token at least this fraction as probable as the likeliest, in [0, 1].
    MinP(f64),
    /// Every token of at least this probability, in [0, 1].
    Epsilon(f64),
    /// The fewest tokens of the most typical surprise that hold this share of the probability, in (0, 1].
    Typical(f64),
}

impl Baseline {
    /// What it keeps of a row at its temperature.
    #[must_use]
    pub const fn truncation(self) -> Truncation {
        match self {
            Self::TopK(k) => Truncation::TopK(k),
            Self::TopP(share) => Truncation::TopP(share),
            Self::Temperature(_) => Truncation::None,
            Self::MinP(fraction) => Truncation::MinP(fraction),
            Self::Epsilon(least) => Truncation::Epsilon(least),
            Self::Typical(share) => Truncation::Typical(share),
        }
    }

    /// What it divides logits by; 1 but for [`Baseline::Temperature`].
    #[must_use]
    pub const fn temperature(self) -> f64 {
        match self {
            Self::Temperature(temperature) => temperature,
            _ => 1.0,
        }
    }

    /// Draws a token of a row, by the reference, with `uniform` in [0, 1) running in the order in which the truncation ranks.
    ///
    /// **Units.** Logits in nats.
    ///
    /// # Errors
    ///
    /// Faults of the row, then [`Error::InvalidParameter`](crate::Error::InvalidParameter) for the baseline's parameter, then
    /// [`Error::InvalidUniform`](crate::Error::InvalidUniform).
    ///
    /// # Cost
    ///
    /// Allocates and ranks; [`FixedSampler`](crate::FixedSampler) is the fast one.
    pub fn sample(self, logits: &[f64], uniform: f64) -> Result<u32> {
        Cut::of(self, logits)?.draw(uniform)
    }
}

/// A row cut by a baseline, for as many draws as one likes.
#[derive(Debug)]
pub(super) struct Cut {
    tempered: Distribution,
    pub(super) kept: Kept,
}

impl Cut {
    pub(super) fn of(baseline: Baseline, logits: &[f64]) -> Result<Self> {
        let tempered = Distribution::from_logits(logits, baseline.temperature())?;
        let kept = baseline.truncation().kept(&tempered)?;
        Ok(Self { tempered, kept })
    }

    pub(super) fn draw(&self, uniform: f64) -> Result<u32> {
        draw(&self.tempered, &self.kept.tokens, uniform)
    }
}
