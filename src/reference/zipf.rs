//! The exponent of the Zipf law that fits the head of a row.

use super::order::check_order;
use crate::error::{Error, Result};

/// Flatter rows than this are read as having this exponent, so that 1/s stays finite.
const SMALLEST_EXPONENT: f64 = 1e-6;

/// The least-squares Zipf exponent of a sequence of gaps between neighbours in rank.
///
/// Under a Zipf law p(i) ∝ i^(−s), the gap bᵢ = ln(p(i) / p(i+1)) is s·tᵢ with tᵢ = ln((i+1) / i), ranks i counted from 1. The estimate
/// is ŝ = Σ tᵢ·bᵢ / Σ tᵢ² (Algorithm 1 of arXiv 2007.14966), raised to 1e-6 where it is below: flat rows, an empty sequence, or
/// negative slopes from an order that is not descending.
///
/// **Units.** Gaps in nats, the exponent dimensionless; it does not depend on the base of the logarithms.
///
/// # Errors
///
/// [`Error::NumericalFailure`] when the exponent is not finite.
///
/// # Examples
///
/// ```
/// use mirostat::reference::zipf_fit;
/// let gaps = [2.0_f64, 1.5, 4.0 / 3.0].map(|ratio| 2.0 * libm::log(ratio));
/// assert!((zipf_fit(gaps.into_iter())? - 2.0).abs() < 1e-12);
/// assert_eq!(zipf_fit([].into_iter())?, 1e-6);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn zipf_fit(gaps_nats: impl Iterator<Item = f64>) -> Result<f64> {
    zipf_slope((1..).map(zipf_step).zip(gaps_nats))
}

/// The step tᵢ = ln((i+1) / i) from a rank, counted from 1, to the next.
pub(crate) fn zipf_step(rank: usize) -> f64 {
    let rank = rank as f64;
    libm::log((rank + 1.0) / rank)
}

/// [`zipf_fit`] of steps tᵢ and gaps bᵢ that are both at hand.
pub(crate) fn zipf_slope(steps_and_gaps: impl Iterator<Item = (f64, f64)>) -> Result<f64> {
    let mut numerator = 0.0;
    let mut denominator = 0.0;
    for (step, gap) in steps_and_gaps {
        numerator += step * gap;
        denominator += step * step;
    }
    if denominator <= 0.0 {
        return Ok(SMALLEST_EXPONENT);
    }
    let exponent = numerator / denominator;
    if !exponent.is_finite() {
        return Err(Error::NumericalFailure {
            quantity: "the Zipf exponent",
        });
    }
    Ok(exponent.max(SMALLEST_EXPONENT))
}

/// The Zipf exponent of the first `m` tokens of an order.
///
/// [`zipf_fit`] of the gaps bᵢ = ln p(oᵢ) − ln p(oᵢ₊₁) between the first min(m, N) tokens of the order, which ends before the first
/// pair that has a probability of 0.
///
/// **Units.** Dimensionless.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when `m` is below 2; [`Error::LengthMismatch`] when the lengths differ or there are fewer than two
/// tokens; [`Error::InvalidOrder`] when the order is no permutation; [`Error::InvalidProbability`] at a value that is NaN, infinite
/// or negative; [`Error::NumericalFailure`] when the exponent is not finite.
///
/// # Cost
///
/// One flag per token is allocated for the check of the order.
///
/// # Examples
///
/// ```
/// use mirostat::reference::zipf_exponent;
/// let exponent = zipf_exponent(&[1.0, 1.0 / 4.0, 1.0 / 9.0, 1.0 / 16.0], &[0, 1, 2, 3], 4)?;
/// assert!((exponent - 2.0).abs() < 1e-12);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn zipf_exponent(probabilities: &[f64], order: &[u32], m: usize) -> Result<f64> {
    check_m(m)?;
    if order.len() == probabilities.len() && order.len() < 2 {
        return Err(Error::LengthMismatch {
            what: "ranked tokens for the Zipf fit",
            expected: 2,
            found: order.len(),
        });
    }
    check_order(probabilities, order)?;
    let head: Vec<f64> = order
        .iter()
        .take(m)
        .map(|&token| probabilities[token as usize])
        .collect();
    zipf_fit(
        head.windows(2)
            .take_while(|pair| pair[0] > 0.0 && pair[1] > 0.0)
            .map(|pair| libm::log(pair[0]) - libm::log(pair[1])),
    )
}

/// A slope needs two tokens.
pub(super) fn check_m(m: usize) -> Result<()> {
    if m < 2 {
        return Err(Error::InvalidParameter {
            name: "m",
            value: m as f64,
            expected: "at least two",
        });
    }
    Ok(())
}
