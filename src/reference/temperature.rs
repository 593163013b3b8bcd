//! Temperature: the row is flattened or sharpened before anything is cut.

use super::probability::greatest_logit;
use crate::error::{Error, Result};

/// The logits of a row at a temperature.
///
/// lᵢ′ = (lᵢ − M) / T, with M the greatest logit, so that the greatest becomes exactly 0. A logit of −∞ stays, and a finite one that
/// leaves the f64 range becomes −∞, which masks its token. [`Distribution::from_logits`](super::Distribution::from_logits) at the
/// temperature T has the same bits as of this row at the temperature 1.
///
/// **Units.** Logits in nats, the temperature dimensionless. There is no temperature 0: greedy is a rule of its own, top-k with k = 1.
///
/// # Errors
///
/// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidLogit`] at the first NaN or +∞ anywhere, [`Error::AllMasked`], then
/// [`Error::InvalidParameter`] when the temperature is not finite and above 0.
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::reference::with_temperature;
/// assert_eq!(with_temperature(&[4.0, 3.0, 1.0], 0.5)?, [0.0, -2.0, -6.0]);
/// assert_eq!(with_temperature(&[7.0, f64::NEG_INFINITY], 2.0)?, [0.0, f64::NEG_INFINITY]);
/// assert!(with_temperature(&[4.0, 3.0, 1.0], 0.0).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn with_temperature(logits: &[f64], temperature: f64) -> Result<Vec<f64>> {
    let greatest = greatest_logit(logits)?;
    if !(temperature.is_finite() && temperature > 0.0) {
        return Err(Error::InvalidParameter {
            name: "temperature",
            value: temperature,
            expected: "finite and positive",
        });
    }
    Ok(logits
        .iter()
        .map(|&logit| (logit - greatest) / temperature)
        .collect())
}
