//! Masking by a flag for every token.

use super::logit::{Logit, check_row};
use crate::{Error, Result};

/// The row with −∞ where a token is not allowed.
///
/// lᵢ where `allowed[i]`, else −∞.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// In this order: [`Error::LengthMismatch`] when there is not one flag for every logit; [`Error::EmptyRow`], [`Error::RowTooLong`],
/// [`Error::InvalidLogit`] at the first NaN or +∞, allowed or not, [`Error::AllMasked`]; and [`Error::AllMasked`] when no finite logit
/// is allowed.
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, processors::mask_logits};
/// assert_eq!(mask_logits(&[2.0, 1.0], &[false, true])?, [f64::NEG_INFINITY, 1.0]);
/// assert_eq!(mask_logits(&[1.0], &[false]), Err(Error::AllMasked));
/// # Ok::<(), Error>(())
/// ```
pub fn mask_logits(logits: &[f64], allowed: &[bool]) -> Result<Vec<f64>> {
    let mut masked = logits.to_vec();
    mask_logits_in_place(&mut masked, allowed)?;
    Ok(masked)
}

/// [`mask_logits`] where the row lies.
///
/// **Units.** Logits in nats.
///
/// # Errors
///
/// Those of [`mask_logits`]; the row is then as it was.
///
/// # Cost
///
/// At most two reads of the row, one write; no allocation.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, processors::mask_logits_in_place};
/// let mut row = [2.0_f32, 1.0];
/// assert!(mask_logits_in_place(&mut row, &[true]).is_err());
/// mask_logits_in_place(&mut row, &[false, true])?;
/// assert_eq!(row, [f32::NEG_INFINITY, 1.0]);
/// # Ok::<(), Error>(())
/// ```
pub fn mask_logits_in_place<E: Logit>(logits: &mut [E], allowed: &[bool]) -> Result<()> {
    if allowed.len() != logits.len() {
        return Err(Error::LengthMismatch {
            what: "flags of the mask",
            expected: logits.len(),
            found: allowed.len(),
        });
    }
    check_row(logits)?;
    if !logits
        .iter()
        .zip(allowed)
        .any(|(logit, &allowed)| allowed && !logit.is_masked())
    {
        return Err(Error::AllMasked);
    }
    for (logit, &allowed) in logits.iter_mut().zip(allowed) {
        if !allowed {
            *logit = E::MASKED;
        }
    }
    Ok(())
}
