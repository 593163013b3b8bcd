//! What a truncation costs: the divergence of what was kept from the whole.

use core::f64::consts::LN_2;

use super::mass::Prefix;
use crate::Result;

/// The Kullback–Leibler divergence of the first `keep` tokens of an order, renormalised, from the whole row.
///
/// KL(q ‖ p) = Σᵢ qᵢ·log₂(qᵢ / p(oᵢ)) with qᵢ = p(oᵢ)/m, which is −log₂ m, the kept mass in bits.
///
/// Never below +0.0: a mass that rounding left at or above 1, as that of a whole row, gives +0.0.
///
/// **Units.** Bits.
///
/// # Errors
///
/// Those of [`expected_prefix_surprise`](super::expected_prefix_surprise).
///
/// # Cost
///
/// One flag per token is allocated for the check of the order.
///
/// # Examples
///
/// ```
/// use mirostat::diagnostics::prefix_kl;
/// assert_eq!(prefix_kl(&[0.5, 0.25, 0.25], &[0, 1, 2], 1)?, 1.0);
/// assert_eq!(prefix_kl(&[0.5, 0.25, 0.25], &[0, 1, 2], 3)?.to_bits(), 0.0_f64.to_bits());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn prefix_kl(probabilities: &[f64], order: &[u32], keep: usize) -> Result<f64> {
    let prefix = Prefix::of_distribution(probabilities, order, keep)?;
    if prefix.mass < 1.0 {
        Ok(-libm::log(prefix.mass) / LN_2)
    } else {
        Ok(0.0)
    }
}
