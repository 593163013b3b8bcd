//! The mean surprise of what was kept, against the whole row.

use core::f64::consts::LN_2;

use super::mass::Prefix;
use crate::Result;

/// The mean surprise of a token drawn among the first `keep` tokens of an order, measured in the whole row.
///
/// E = Σᵢ p(oᵢ)·log₂(1/p(oᵢ)) / Σᵢ p(oᵢ), where 0·log 0 is 0: what a step of Mirostat is expected to observe. Certainty gives +0.0.
///
/// **Units.** Bits.
///
/// # Errors
///
/// Those of [`prefix_mass`](super::prefix_mass); then [`Error::InvalidProbability`](crate::Error::InvalidProbability) at the first value
/// above 1, anywhere in the row; then [`Error::InvalidParameter`](crate::Error::InvalidParameter) when the row sums to more than 1.01.
///
/// # Cost
///
/// One flag per token is allocated for the check of the order; a logarithm per kept token.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, diagnostics::expected_prefix_surprise};
/// assert_eq!(expected_prefix_surprise(&[0.5, 0.25, 0.25], &[0, 1, 2], 3)?, 1.5);
/// let refused = expected_prefix_surprise(&[0.5, 4.0], &[0, 1], 1);
/// assert_eq!(refused, Err(Error::InvalidProbability { index: 1, value: 4.0 }));
/// # Ok::<(), Error>(())
/// ```
pub fn expected_prefix_surprise(probabilities: &[f64], order: &[u32], keep: usize) -> Result<f64> {
    let prefix = Prefix::of_distribution(probabilities, order, keep)?;
    let mut sum_nats = 0.0;
    for p in prefix.values() {
        if p > 0.0 {
            sum_nats -= p * libm::log(p);
        }
    }
    Ok(sum_nats / prefix.mass / LN_2)
}
