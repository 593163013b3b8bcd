//! The families of rows that need no model.

use super::check;
use super::rows::ScenarioRows;
use crate::Result;

/// A family of rows: which one a step gets depends on its place in the run.
///
/// Zipf's law with exponent s is lᵢ = −s·ln(i + 1); see [`zipf_logits`](super::zipf_logits). The exponents are checked on use.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{Scenario, scenario_logits};
/// assert_eq!(Scenario::uniform(), Scenario::Uniform);
/// assert_eq!(scenario_logits(Scenario::SpikeAndTail, 3, 0, 1)?, [5.0, 0.0, 0.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Scenario {
    /// Every step the same row of Zipf's law.
    StaticZipf {
        /// The exponent of Zipf's law, finite and positive.
        exponent: f64,
    },
    /// Two rows of Zipf's law in turn, the first at step 0.
    AlternatingZipf {
        /// The exponent at steps 0, 2, 4, …
        even: f64,
        /// The exponent at steps 1, 3, 5, …
        odd: f64,
    },
    /// An exponent that moves in equal parts from the first step to the last.
    DriftingZipf {
        /// The exponent at the first step, and of a run of one step.
        start: f64,
        /// The exponent at the last step.
        finish: f64,
    },
    /// Every token as likely as every other: logits of 0.
    Uniform,
    /// Two equal peaks: 3 at ids 0 and V/2, rounded down, −2 elsewhere.
    Bimodal,
    /// One peak on a flat tail: 5 at id 0, 0 elsewhere.
    SpikeAndTail,
}

impl Scenario {
    /// [`Scenario::StaticZipf`].
    #[must_use]
    pub const fn static_zipf(exponent: f64) -> Self {
        Self::StaticZipf { exponent }
    }

    /// [`Scenario::AlternatingZipf`].
    #[must_use]
    pub const fn alternating_zipf(even: f64, odd: f64) -> Self {
        Self::AlternatingZipf { even, odd }
    }

    /// [`Scenario::DriftingZipf`].
    #[must_use]
    pub const fn drifting_zipf(start: f64, finish: f64) -> Self {
        Self::DriftingZipf { start, finish }
    }

    /// [`Scenario::Uniform`].
    #[must_use]
    pub const fn uniform() -> Self {
        Self::Uniform
    }

    /// [`Scenario::Bimodal`].
    #[must_use]
    pub const fn bimodal() -> Self {
        Self::Bimodal
    }

    /// [`Scenario::SpikeAndTail`].
    #[must_use]
    pub const fn spike_and_tail() -> Self {
        Self::SpikeAndTail
    }

    pub(super) fn check(self) -> Result<()> {
        match self {
            Self::StaticZipf { exponent } => check::exponent(exponent),
            Self::AlternatingZipf { even, odd } => {
                check::exponent(even)?;
                check::exponent(odd)
            }
            Self::DriftingZipf { start, finish } => {
                check::exponent(start)?;
                check::exponent(finish)
            }
            Self::Uniform | Self::Bimodal | Self::SpikeAndTail => Ok(()),
        }
    }

    /// The exponent of the row at `index` of a run of `total` steps, where the row follows Zipf's law.
    pub(super) fn exponent(self, index: usize, total: usize) -> Option<f64> {
        match self {
            Self::StaticZipf { exponent } => Some(exponent),
            Self::AlternatingZipf { even, odd } => {
                Some(if index.is_multiple_of(2) { even } else { odd })
            }
            Self::DriftingZipf { start, finish } => {
                // A run of one step has no way to go.
                let last = total.saturating_sub(1).max(1);
                Some(start + (finish - start) * index as f64 / last as f64)
            }
            Self::Uniform | Self::Bimodal | Self::SpikeAndTail => None,
        }
    }
}

/// The row of one step: that of place `index` in a run of `total` steps.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) where `total` or `vocabulary` is 0, `index` is not below `total`,
/// or an exponent is not finite and positive; [`Error::RowTooLong`](crate::Error::RowTooLong) where a token id cannot name the vocabulary.
///
/// # Cost
///
/// Allocates the row and, for Zipf's law, as much again. A run takes the logarithms once, and lends one row to all its steps.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{Scenario, scenario_logits, zipf_logits};
/// let drift = Scenario::drifting_zipf(0.5, 1.5);
/// assert_eq!(scenario_logits(drift, 8, 5, 11)?, zipf_logits(8, 1.0)); // half way
/// assert_eq!(scenario_logits(Scenario::Bimodal, 5, 0, 1)?, [3.0, -2.0, 3.0, -2.0, -2.0]);
/// assert!(scenario_logits(drift, 8, 11, 11).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn scenario_logits(
    scenario: Scenario,
    vocabulary: usize,
    index: usize,
    total: usize,
) -> Result<Vec<f64>> {
    check::place(index, total)?;
    let mut rows = ScenarioRows::new(scenario, vocabulary, total)?;
    Ok(rows.at(index).to_vec())
}
