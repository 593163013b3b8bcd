//! Masking by a list of tokens: only these, or none of these.

use super::logit::{Logit, check_row};
use super::window::Window;
use crate::{Error, Result};

/// The row with −∞ at the listed tokens.
///
/// −∞ where i is in `ids`, else lᵢ. A token may be listed twice; an empty list leaves the row as it is.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// In this order: [`Error::TokenOutsideVocabulary`] at the first such id of the list; [`Error::EmptyRow`], [`Error::RowTooLong`],
/// [`Error::InvalidLogit`] at the first NaN or +∞, blocked or not, [`Error::AllMasked`]; and [`Error::AllMasked`] when no finite logit is
/// left.
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, processors::block_token_ids};
/// let row = block_token_ids(&[3.0, 2.0, 1.0], &[0, 2, 2])?;
/// assert_eq!(row, [f64::NEG_INFINITY, 2.0, f64::NEG_INFINITY]);
/// let refused = block_token_ids(&[3.0, 2.0, 1.0], &[3]);
/// assert_eq!(refused, Err(Error::TokenOutsideVocabulary { token: 3, vocabulary: 3 }));
/// # Ok::<(), Error>(())
/// ```
pub fn block_token_ids(logits: &[f64], ids: &[u32]) -> Result<Vec<f64>> {
    let mut row = logits.to_vec();
    block_token_ids_in_place(&mut row, ids)?;
    Ok(row)
}

/// [`block_token_ids`] where the row lies.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// Those of [`block_token_ids`]; the row is then as it was.
///
/// # Cost
///
/// Two reads of the row and of the list; no allocation. Where the list is as long as the row has finite logits, up to one more read of
/// the row, and one of the list for every 32,768 tokens, to see that one is left.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, processors::block_token_ids_in_place};
/// let mut row = [2.0_f32, 1.0];
/// assert_eq!(block_token_ids_in_place(&mut row, &[1, 0]), Err(Error::AllMasked));
/// assert_eq!(row, [2.0, 1.0]);
/// block_token_ids_in_place(&mut row, &[0])?;
/// assert_eq!(row, [f32::NEG_INFINITY, 1.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn block_token_ids_in_place<E: Logit>(logits: &mut [E], ids: &[u32]) -> Result<()> {
    check_ids(ids, logits.len())?;
    check_row(logits)?;
    let finite = logits.iter().filter(|logit| !logit.is_masked()).count();
    // A shorter list than this cannot name them all.
    if ids.len() >= finite && !one_is_left(logits, ids) {
        return Err(Error::AllMasked);
    }
    for &id in ids {
        logits[id as usize] = E::MASKED;
    }
    Ok(())
}

fn one_is_left<E: Logit>(logits: &[E], ids: &[u32]) -> bool {
    Window::over(logits.len(), ids).any(|window| {
        (window.start..window.end).any(|token| !logits[token].is_masked() && !window.lists(token))
    })
}

/// The row with −∞ at all but the listed tokens.
///
/// lᵢ where i is in `ids`, else −∞. A token may be listed twice.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// In this order: [`Error::TokenOutsideVocabulary`] at the first such id of the list; [`Error::EmptyRow`], [`Error::RowTooLong`],
/// [`Error::InvalidLogit`] at the first NaN or +∞, allowed or not, [`Error::AllMasked`]; and [`Error::AllMasked`] when no finite logit is
/// listed, as with an empty list.
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, processors::allow_token_ids};
/// assert_eq!(allow_token_ids(&[3.0, 2.0], &[1])?, [f64::NEG_INFINITY, 2.0]);
/// assert_eq!(allow_token_ids(&[3.0, 2.0], &[]), Err(Error::AllMasked));
/// # Ok::<(), Error>(())
/// ```
pub fn allow_token_ids(logits: &[f64], ids: &[u32]) -> Result<Vec<f64>> {
    let mut row = logits.to_vec();
    allow_token_ids_in_place(&mut row, ids)?;
    Ok(row)
}

/// [`allow_token_ids`] where the row lies.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// Those of [`allow_token_ids`]; the row is then as it was.
///
/// # Cost
///
/// One read and one write of the row, and one read of the list for every 32,768 tokens; no allocation.
///
/// # Examples
///
/// ```
/// use mirostat::processors::allow_token_ids_in_place;
/// let mut row = [3.0_f32, 2.0, 1.0];
/// allow_token_ids_in_place(&mut row, &[2, 0])?;
/// assert_eq!(row, [3.0, f32::NEG_INFINITY, 1.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn allow_token_ids_in_place<E: Logit>(logits: &mut [E], ids: &[u32]) -> Result<()> {
    check_ids(ids, logits.len())?;
    check_row(logits)?;
    if ids.iter().all(|&id| logits[id as usize].is_masked()) {
        return Err(Error::AllMasked);
    }
    for window in Window::over(logits.len(), ids) {
        for (token, logit) in (window.start..).zip(&mut logits[window.start..window.end]) {
            if !window.lists(token) {
                *logit = E::MASKED;
            }
        }
    }
    Ok(())
}

/// Every id of a list names a token of the row.
pub(super) fn check_ids(ids: &[u32], vocabulary: usize) -> Result<()> {
    match ids.iter().find(|&&id| id as usize >= vocabulary) {
        Some(&token) => Err(Error::TokenOutsideVocabulary { token, vocabulary }),
        None => Ok(()),
    }
}
