//! The penalties for presence and for frequency.

use super::history::History;
use super::logit::{Logit, check_row};
use super::penalty::penalize;
use super::token_ids::check_ids;
use crate::{Error, Result};

/// The row with every token of the history made less likely, by a cost for being there and a cost for each time.
///
/// (l − presence) − frequency·c for a token that stands c > 0 times in the history, in this order of operations. −∞ stays −∞. Negative
/// costs reward.
///
/// **Units.** Logits and costs in nats.
///
/// # Errors
///
/// In this order: [`Error::InvalidParameter`] when the presence or the frequency cost is not finite; [`Error::EmptyRow`],
/// [`Error::RowTooLong`], [`Error::InvalidLogit`] at the first NaN or +∞, [`Error::AllMasked`]; [`Error::TokenOutsideVocabulary`] at the
/// first such id of the history; [`Error::NumericalFailure`] when the answer leaves the finite numbers of the element. The row that comes
/// back has as many finite logits as the one that went in.
///
/// # Cost
///
/// Allocates the answer and a [`History`], whose sort is O(n log n).
///
/// # Examples
///
/// ```
/// use mirostat::processors::penalize_counts;
/// assert_eq!(penalize_counts(&[5.0, 4.0, 3.0], &[0, 0, 1], 1.0, 0.5)?, [3.0, 2.5, 3.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn penalize_counts(
    logits: &[f64],
    history: &[u32],
    presence: f64,
    frequency: f64,
) -> Result<Vec<f64>> {
    check_costs(presence, frequency)?;
    check_row(logits)?;
    check_ids(history, logits.len())?;
    let mut penalized = logits.to_vec();
    let history = History::from_prompt(history);
    apply(&mut penalized, &history, presence, frequency)?;
    Ok(penalized)
}

/// [`penalize_counts`] where the row lies, with a history that is kept; the difference in f64 is rounded once.
///
/// **Units.** Logits and costs in nats.
///
/// # Errors
///
/// Those of [`penalize_counts`], with [`Error::TokenOutsideVocabulary`] at the least such id; the row is then as it was.
///
/// # Cost
///
/// One read of the row for its check; then only the distinct tokens of the history, twice. No allocation.
///
/// # Examples
///
/// ```
/// use mirostat::processors::{History, penalize_counts_in_place};
/// let mut history = History::new();
/// history.record(2);
/// let mut row = [0.0_f32; 3];
/// penalize_counts_in_place(&mut row, &history, 0.25, 0.5)?;
/// assert_eq!(row, [0.0, 0.0, -0.75]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn penalize_counts_in_place<E: Logit>(
    logits: &mut [E],
    history: &History,
    presence: f64,
    frequency: f64,
) -> Result<()> {
    check_costs(presence, frequency)?;
    check_row(logits)?;
    history.check(logits.len())?;
    apply(logits, history, presence, frequency)
}

fn apply<E: Logit>(
    logits: &mut [E],
    history: &History,
    presence: f64,
    frequency: f64,
) -> Result<()> {
    penalize(logits, history, |logit, count| {
        (logit - presence) - frequency * f64::from(count)
    })
}

fn check_costs(presence: f64, frequency: f64) -> Result<()> {
    for (name, value) in [("presence", presence), ("frequency", frequency)] {
        if !value.is_finite() {
            return Err(Error::InvalidParameter {
                name,
                value,
                expected: "finite",
            });
        }
    }
    Ok(())
}
