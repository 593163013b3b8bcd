//! The entropy of a row, or of what was kept of it, as a sum of terms that are not negative.
//!
//! With M the greatest value, xᵢ = pᵢ / M and R the sum of all xᵢ but that of one greatest token, ln(T/M) = ln(1 + R), and so
//! H = ( ln(1 + R) + Σᵢ xᵢ·ln(1/xᵢ) / (1 + R) ) / ln 2. Every xᵢ is at most 1, so both terms are at least 0 and nothing cancels; and
//! R keeps what 1 + R would lose of it.

use core::f64::consts::LN_2;

use super::mass::{Prefix, check_total};
use crate::reference::order::check_weight;
use crate::{Error, Result};

/// The entropy of a row of probabilities or weights.
///
/// H = Σᵢ (pᵢ/T)·log₂(T/pᵢ) with T = Σᵢ pᵢ, where 0·log 0 is 0.
///
/// It is at least +0.0, and +0.0 exactly where one token has all the mass. The ancestor's (Σ −p·log₂ p) / T + log₂ T is the same number,
/// within 1e-12 for T near 1; this one is also accurate where those two terms are large, or where a row is nearly certain.
///
/// **Units.** Bits. The values need not sum to 1.
///
/// # Errors
///
/// [`Error::EmptyRow`]; [`Error::InvalidProbability`] at the first value that is NaN, infinite or negative; [`Error::NumericalFailure`]
/// when the sum is 0 or infinite.
///
/// # Cost
///
/// Four reads of the row, a logarithm per token; no allocation.
///
/// # Examples
///
/// ```
/// use mirostat::diagnostics::entropy;
/// assert_eq!(entropy(&[0.25; 4])?, 2.0);
/// assert_eq!(entropy(&[8.0, 0.0, 8.0])?, 1.0);
/// assert_eq!(entropy(&[0.0, 1.0])?.to_bits(), 0.0_f64.to_bits());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn entropy(probabilities: &[f64]) -> Result<f64> {
    if probabilities.is_empty() {
        return Err(Error::EmptyRow);
    }
    for (index, &value) in probabilities.iter().enumerate() {
        check_weight(index, value)?;
    }
    check_total(probabilities.iter().copied(), "the total weight")?;
    Ok(entropy_bits(probabilities.iter().copied()))
}

/// The entropy of the first `keep` tokens of an order, renormalised.
///
/// H = Σᵢ qᵢ·log₂(1/qᵢ) with qᵢ = p(oᵢ) / Σⱼ p(oⱼ), which is the [expected surprise](super::expected_prefix_surprise) plus log₂ of the
/// [mass](super::prefix_mass), without the rounding of that sum. At least +0.0, and +0.0 exactly where one token has all the mass.
///
/// **Units.** Bits. The values need not sum to 1.
///
/// # Errors
///
/// Those of [`prefix_mass`](super::prefix_mass).
///
/// # Cost
///
/// One flag per token is allocated for the check of the order; a logarithm per kept token.
///
/// # Examples
///
/// ```
/// use mirostat::diagnostics::prefix_entropy;
/// assert_eq!(prefix_entropy(&[0.5, 0.25, 0.25], &[1, 2, 0], 2)?, 1.0);
/// assert_eq!(prefix_entropy(&[0.3, 0.7], &[0, 1], 1)?, 0.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn prefix_entropy(probabilities: &[f64], order: &[u32], keep: usize) -> Result<f64> {
    let prefix = Prefix::of(probabilities, order, keep)?;
    Ok(entropy_bits(prefix.values()))
}

/// Of checked values with a sum above 0.
fn entropy_bits(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (place, greatest) = first_greatest(values.clone());
    let mut others = 0.0;
    let mut surplus_nats = 0.0;
    for (index, value) in values.enumerate() {
        let x = value / greatest;
        if index != place && x > 0.0 {
            others += x;
            surplus_nats -= x * libm::log(x);
        }
    }
    (libm::log1p(others) + surplus_nats / (1.0 + others)) / LN_2
}

/// Where the greatest value first is, and the value.
pub(super) fn first_greatest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let mut best = (0, 0.0);
    for (index, value) in values.enumerate() {
        if value > best.1 {
            best = (index, value);
        }
    }
    best
}
