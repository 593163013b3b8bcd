//! The penalty for having been said before.

use super::history::History;
use super::logit::{Logit, check_row};
use super::penalty::penalize;
use super::token_ids::check_ids;
use crate::{Error, Result};

/// The row with every token of the history made less likely, once, however often it stands there.
///
/// With r the penalty: l·r where l < 0, l/r where l >= 0 (Keskar et al., "CTRL", arXiv 1909.05858, §4.1, as all engines read it for
/// logits of either sign). −∞ stays −∞, and a logit of 0 stays 0, since it has no size to divide.
///
/// What was cured here: the ancestor let a product that overflows to −∞ become a mask.
///
/// **Units.** Logits in nats, the penalty dimensionless; 1 changes nothing.
///
/// # Errors
///
/// In this order: [`Error::InvalidParameter`] when the penalty is not finite or below 1; [`Error::EmptyRow`], [`Error::RowTooLong`],
/// [`Error::InvalidLogit`] at the first NaN or +∞, [`Error::AllMasked`]; [`Error::TokenOutsideVocabulary`] at the first such id of the
/// history; [`Error::NumericalFailure`] when a product leaves the finite numbers of the element. The row that comes back has as many
/// finite logits as the one that went in.
///
/// # Cost
///
/// Allocates the answer and a [`History`], whose sort is O(n log n).
///
/// # Examples
///
/// ```
/// use mirostat::processors::penalize_repetition;
/// assert_eq!(penalize_repetition(&[4.0, -2.0, 1.0], &[0, 0, 1], 2.0)?, [2.0, -4.0, 1.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn penalize_repetition(logits: &[f64], history: &[u32], penalty: f64) -> Result<Vec<f64>> {
    check_penalty(penalty)?;
    check_row(logits)?;
    check_ids(history, logits.len())?;
    let mut penalized = logits.to_vec();
    apply(&mut penalized, &History::from_prompt(history), penalty)?;
    Ok(penalized)
}

/// [`penalize_repetition`] where the row lies, with a history that is kept; the quotient in f64 is rounded once.
///
/// **Units.** Logits in nats, the penalty dimensionless.
///
/// # Errors
///
/// Those of [`penalize_repetition`], with [`Error::TokenOutsideVocabulary`] at the least such id; the row is then as it was.
///
/// # Cost
///
/// One read of the row for its check; then only the distinct tokens of the history, twice. No allocation.
///
/// # Examples
///
/// ```
/// use mirostat::processors::{History, penalize_repetition_in_place};
/// let history = History::from_prompt(&[0, 0, 1]);
/// let mut row = [4.0_f32, -2.0, 1.0];
/// penalize_repetition_in_place(&mut row, &history, 2.0)?;
/// assert_eq!(row, [2.0, -4.0, 1.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn penalize_repetition_in_place<E: Logit>(
    logits: &mut [E],
    history: &History,
    penalty: f64,
) -> Result<()> {
    check_penalty(penalty)?;
    check_row(logits)?;
    history.check(logits.len())?;
    apply(logits, history, penalty)
}

fn apply<E: Logit>(logits: &mut [E], history: &History, penalty: f64) -> Result<()> {
    penalize(logits, history, |logit, _| penalized(logit, penalty))
}

fn penalized(logit: f64, penalty: f64) -> f64 {
    if logit < 0.0 {
        logit * penalty
    } else {
        logit / penalty
    }
}

fn check_penalty(penalty: f64) -> Result<()> {
    if penalty.is_finite() && penalty >= 1.0 {
        return Ok(());
    }
    Err(Error::InvalidParameter {
        name: "penalty",
        value: penalty,
        expected: "finite and at least one",
    })
}
