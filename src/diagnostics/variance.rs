//! The variance of the surprise of what was kept, by two passes.

use core::f64::consts::LN_2;

use super::entropy::first_greatest;
use super::mass::Prefix;
use crate::Result;

/// The variance of the surprise of a token drawn among the first `keep` tokens of an order.
///
/// Var = Σᵢ qᵢ·(Iᵢ − Σⱼ qⱼ·Iⱼ)² with qᵢ = p(oᵢ) / Σⱼ p(oⱼ) and Iᵢ = log₂(1/p(oᵢ)). Tokens of probability 0 count as 0.
///
/// The surprises are taken relative to that of the most probable kept token, which leaves the variance as it is; then the mean, then the
/// squares around it. So it is never below +0.0, is +0.0 exactly for equal probabilities, and keeps its digits where the surprises are
/// large and close together. The ancestor's Σ q·I² − (Σ q·I)² agrees to 1e-12 on rows of ordinary surprises (2/9 there is
/// 0.2222222222222223), and loses about as many digits as the squared mean exceeds the variance.
///
/// **Units.** Bits². The values need not sum to 1.
///
/// # Errors
///
/// Those of [`prefix_mass`](super::prefix_mass).
///
/// # Cost
///
/// One flag per token is allocated for the check of the order; two logarithms per kept token.
///
/// # Examples
///
/// ```
/// use mirostat::diagnostics::prefix_surprise_variance;
/// assert_eq!(prefix_surprise_variance(&[0.5, 0.25, 0.25], &[0, 1, 2], 3)?, 0.25);
/// assert_eq!(prefix_surprise_variance(&[0.3, 0.1, 0.3, 0.3], &[0, 2, 3, 1], 3)?, 0.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn prefix_surprise_variance(probabilities: &[f64], order: &[u32], keep: usize) -> Result<f64> {
    let prefix = Prefix::of(probabilities, order, keep)?;
    let (_, greatest) = first_greatest(prefix.values());
    let mut total = 0.0;
    let mut sum_nats = 0.0;
    for (x, nats) in relative(prefix, greatest) {
        total += x;
        sum_nats += x * nats;
    }
    let mean_nats = sum_nats / total;
    let mut squares = 0.0;
    for (x, nats) in relative(prefix, greatest) {
        squares += x * (nats - mean_nats) * (nats - mean_nats);
    }
    Ok(squares / total / (LN_2 * LN_2))
}

/// The weight of each kept token relative to the greatest, and how much more its surprise is.
fn relative(prefix: Prefix<'_>, greatest: f64) -> impl Iterator<Item = (f64, f64)> {
    prefix
        .values()
        .map(move |p| p / greatest)
        .filter(|&x| x > 0.0)
        .map(|x| (x, -libm::log(x)))
}
