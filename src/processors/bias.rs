//! A bias for every token.

use super::logit::{Logit, check_row, rounded};
use crate::{Error, Result};

/// The row with a bias added to every logit.
///
/// lᵢ + bᵢ. A masked token stays masked whatever its bias is.
///
/// Two things were cured here: the ancestor refused a NaN or infinite bias on a masked token, where it has no effect; and it let a sum that
/// overflows to −∞ become a mask.
///
/// **Units.** Logits and biases in nats.
///
/// # Errors
///
/// In this order: [`Error::LengthMismatch`] when there is not one bias for every logit; [`Error::EmptyRow`], [`Error::RowTooLong`],
/// [`Error::InvalidLogit`] at the first NaN or +∞, [`Error::AllMasked`]; then, token by token, [`Error::InvalidParameter`] when the bias of
/// a token that is not masked is NaN or infinite, and [`Error::NumericalFailure`] when the sum leaves the finite numbers of the element.
/// The row that comes back has as many finite logits as the one that went in. To mask a token, use [a mask](super::mask_logits).
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::processors::bias_logits;
/// assert_eq!(bias_logits(&[2.0, 1.0], &[0.0, 2.0])?, [2.0, 3.0]);
/// let masked = bias_logits(&[2.0, f64::NEG_INFINITY], &[0.0, f64::NAN])?;
/// assert_eq!(masked, [2.0, f64::NEG_INFINITY]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn bias_logits(logits: &[f64], biases: &[f64]) -> Result<Vec<f64>> {
    let mut biased = logits.to_vec();
    bias_logits_in_place(&mut biased, biases)?;
    Ok(biased)
}

/// [`bias_logits`] where the row lies, with biases of any element; the sum in f64 is rounded once.
///
/// **Units.** Logits and biases in nats.
///
/// # Errors
///
/// Those of [`bias_logits`]; the row is then as it was. In f16 a sum of 65520 or more overflows: a bias of −1e9 is refused, and is no mask.
///
/// # Cost
///
/// Three reads of the row, one write; no allocation.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, f16, processors::bias_logits_in_place};
/// let mut row = [f16::ONE; 2];
/// bias_logits_in_place(&mut row, &[-0.5_f32, 0.0])?;
/// assert_eq!(row.map(f64::from), [0.5, 1.0]);
/// let refused = bias_logits_in_place(&mut row, &[0.0, -1e9]);
/// assert_eq!(refused, Err(Error::NumericalFailure { quantity: "a biased logit" }));
/// # Ok::<(), Error>(())
/// ```
pub fn bias_logits_in_place<E: Logit, B: Logit>(logits: &mut [E], biases: &[B]) -> Result<()> {
    if biases.len() != logits.len() {
        return Err(Error::LengthMismatch {
            what: "biases",
            expected: logits.len(),
            found: biases.len(),
        });
    }
    check_row(logits)?;
    for (&logit, &bias) in logits.iter().zip(biases) {
        if !logit.is_masked() {
            check_bias(bias.widen())?;
            let _: E = rounded(logit.widen() + bias.widen(), "a biased logit")?;
        }
    }
    for (logit, &bias) in logits.iter_mut().zip(biases) {
        if !logit.is_masked() {
            *logit = E::narrow(logit.widen() + bias.widen());
        }
    }
    Ok(())
}

fn check_bias(bias: f64) -> Result<()> {
    if bias.is_finite() {
        return Ok(());
    }
    Err(Error::InvalidParameter {
        name: "the bias of a token that is not masked",
        value: bias,
        expected: "finite",
    })
}
