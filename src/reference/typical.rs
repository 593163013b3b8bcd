//! Locally typical: keep the tokens whose surprise is nearest to the entropy of the row.

use core::f64::consts::LN_2;

use super::distribution::Distribution;
use super::kept::Kept;
use super::order::{check_order, check_weight};
use super::probability::{sum_in_order, surprise};
use super::top_p::{check_share, cut_to_mass, shortest_prefix};
use crate::error::{Error, Result};

/// All token ids, the most typical first.
///
/// Ascending deviation δᵢ = |−log₂ pᵢ − H|, ties to the smaller id, with H = Σᵢ −pᵢ·log₂ pᵢ / T + log₂ T the entropy of the values over
/// their sum T. A token of probability 0 deviates by +∞ and comes last.
///
/// **Units.** Deviations in bits.
///
/// # Errors
///
/// [`Error::EmptyRow`]; [`Error::InvalidProbability`] at the first value that is NaN, infinite or negative;
/// [`Error::NumericalFailure`] when the sum is 0 or infinite; [`Error::InvalidProbability`] at the first value above 1.
///
/// # Cost
///
/// Allocates one id and one f64 per token, and sorts the ids.
///
/// # Examples
///
/// ```
/// use mirostat::reference::typical_order;
/// assert_eq!(typical_order(&[0.4, 0.3, 0.2, 0.1])?, [1, 2, 0, 3]);
/// assert_eq!(typical_order(&[0.5, 0.0, 0.5])?, [0, 2, 1]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn typical_order(probabilities: &[f64]) -> Result<Vec<u32>> {
    let entropy = entropy_bits(probabilities)?;
    let mut deviations = Vec::with_capacity(probabilities.len());
    for (index, &value) in probabilities.iter().enumerate() {
        deviations.push(if value == 0.0 {
            f64::INFINITY
        } else {
            let bits = surprise(value).map_err(|_| Error::InvalidProbability { index, value })?;
            (bits - entropy).abs()
        });
    }
    let mut tokens: Vec<u32> = (0..).take(probabilities.len()).collect();
    sort_by_deviation(&mut tokens, &deviations);
    Ok(tokens)
}

/// The number of leading tokens of a typical order that together reach the threshold.
///
/// The smallest n with Σᵢ₌₁ⁿ p(oᵢ) >= P, the sum from left to right, the edge inclusive; all tokens of the order where rounding keeps the
/// sum below P. The order is that of [`typical_order`], but any permutation is taken.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when the threshold is not in (0, 1]; [`Error::EmptyRow`], [`Error::LengthMismatch`],
/// [`Error::InvalidOrder`] when the order is no permutation of the row, with [`Error::InvalidProbability`] at a value that is NaN,
/// infinite or negative.
///
/// # Cost
///
/// One flag per token is allocated for the check of the order.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{typical_order, typical_prefix_size};
/// let p = [0.4, 0.3, 0.2, 0.1];
/// assert_eq!(typical_prefix_size(&p, &typical_order(&p)?, 0.45)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn typical_prefix_size(probabilities: &[f64], order: &[u32], threshold: f64) -> Result<usize> {
    check_typical(threshold)?;
    check_order(probabilities, order)?;
    Ok(shortest_prefix(probabilities, order, threshold))
}

/// What typical sampling keeps of a row: the fewest tokens, the most typical first, whose probabilities together reach the threshold.
///
/// {o₁, …, oₙ}, with o the order of ascending |−log₂ pᵢ − H|, ties to the smaller id, H the entropy of the row, and n the smallest with
/// Σᵢ₌₁ⁿ p(oᵢ) >= P (Meister, Pimentel, Wiher and Cotterell, arXiv 2202.00666). Tokens are in this order, and the most probable need not
/// be among them. A threshold of 1 keeps the whole support, whatever the rounding of the sum; so does one that the rounded sum does not
/// reach. Tokens of probability 0 add nothing and are not counted.
///
/// **Units.** Deviations in bits.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when the threshold is not in (0, 1].
///
/// # Cost
///
/// Allocates one id and one f64 per token, and sorts the ids.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, typical_kept};
/// let row = Distribution::from_weights(&[0.5, 0.3, 0.2])?;
/// assert_eq!(typical_kept(&row, 0.0001)?.tokens, [1]);
/// assert_eq!(typical_kept(&row, 1.0)?.tokens, [1, 0, 2]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn typical_kept(distribution: &Distribution, threshold: f64) -> Result<Kept> {
    check_typical(threshold)?;
    let entropy = distribution.entropy_bits();
    let tokens = (0..).take(distribution.len());
    let deviations: Vec<f64> = tokens
        .clone()
        .map(|token| (distribution.surprise_bits(token) - entropy).abs())
        .collect();
    let mut support: Vec<u32> = tokens
        .filter(|&token| distribution.is_in_support(token))
        .collect();
    sort_by_deviation(&mut support, &deviations);
    Ok(cut_to_mass(distribution, support, threshold))
}

/// Ascending deviation, ties to the smaller id. No deviation is NaN, since every entropy is finite.
fn sort_by_deviation(tokens: &mut [u32], deviations_bits: &[f64]) {
    tokens.sort_unstable_by(|&a, &b| {
        deviations_bits[a as usize]
            .total_cmp(&deviations_bits[b as usize])
            .then(a.cmp(&b))
    });
}

/// The entropy of values over their sum, which need not be 1.
fn entropy_bits(probabilities: &[f64]) -> Result<f64> {
    if probabilities.is_empty() {
        return Err(Error::EmptyRow);
    }
    for (index, &value) in probabilities.iter().enumerate() {
        check_weight(index, value)?;
    }
    let total = sum_in_order(probabilities.iter().copied());
    if !(total.is_finite() && total > 0.0) {
        return Err(Error::NumericalFailure {
            quantity: "the total weight",
        });
    }
    let bits = sum_in_order(
        probabilities
            .iter()
            .filter(|&&p| p > 0.0)
            .map(|&p| -p * libm::log(p) / LN_2),
    );
    Ok(bits / total + libm::log(total) / LN_2)
}

pub(super) fn check_typical(threshold: f64) -> Result<()> {
    check_share("typical threshold", threshold)
}
