//! Top-p, the nucleus: keep the fewest best tokens that hold a share of the probability.

use super::distribution::Distribution;
use super::kept::Kept;
use super::order::check_order;
use crate::error::{Error, Result};

/// The number of leading tokens of an order that together reach the threshold.
///
/// The smallest n with Σᵢ₌₁ⁿ p(oᵢ) >= P, the sum from left to right, the edge inclusive; all tokens of the order where rounding keeps the
/// sum below P.
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
/// use mirostat::reference::top_p_prefix_size;
/// assert_eq!(top_p_prefix_size(&[0.25, 0.125, 0.125, 0.5], &[3, 0, 1, 2], 0.75)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn top_p_prefix_size(probabilities: &[f64], order: &[u32], threshold: f64) -> Result<usize> {
    check_top_p(threshold)?;
    check_order(probabilities, order)?;
    Ok(shortest_prefix(probabilities, order, threshold))
}

/// What top-p keeps of a row: the fewest best tokens whose probabilities together reach the threshold.
///
/// {o₁, …, oₙ}, with o the ranking of the row and n the smallest with Σᵢ₌₁ⁿ p(oᵢ) >= P (Holtzman, Buys, Du, Forbes and Choi, arXiv
/// 1904.09751). Tokens are best first. A threshold of 1 keeps the whole support, whatever the rounding of the sum; so does one that the
/// rounded sum does not reach. Tokens of probability 0 add nothing and are not counted.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when the threshold is not in (0, 1].
///
/// # Cost
///
/// Sorts the row.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, top_p_kept};
/// let row = Distribution::from_weights(&[0.25, 0.125, 0.125, 0.5])?;
/// assert_eq!(top_p_kept(&row, 0.75)?.tokens, [3, 0]);
/// assert_eq!(top_p_kept(&row, 1.0)?.tokens, [3, 0, 1, 2]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn top_p_kept(distribution: &Distribution, threshold: f64) -> Result<Kept> {
    check_top_p(threshold)?;
    let mut tokens = distribution.ranking(distribution.len());
    tokens.retain(|&token| distribution.is_in_support(token));
    Ok(cut_to_mass(distribution, tokens, threshold))
}

/// The head of a list of all tokens of the support that reaches the threshold.
pub(super) fn cut_to_mass(
    distribution: &Distribution,
    mut support: Vec<u32>,
    threshold: f64,
) -> Kept {
    // The rounded sum can come to 1 before the last token, so 1 is not left to the sum.
    if threshold < 1.0 {
        let count = shortest_prefix(distribution.probabilities(), &support, threshold);
        support.truncate(count);
    }
    Kept {
        count: support.len(),
        tokens: support,
    }
}

/// The smallest n whose sum reaches the threshold, or all.
pub(super) fn shortest_prefix(probabilities: &[f64], order: &[u32], threshold: f64) -> usize {
    let mut mass = 0.0;
    for (before, &token) in order.iter().enumerate() {
        mass += probabilities[token as usize];
        if mass >= threshold {
            return before + 1;
        }
    }
    order.len()
}

pub(super) fn check_top_p(threshold: f64) -> Result<()> {
    check_share("top-p threshold", threshold)
}

/// A share of the probability is above 0 and at most 1; NaN is refused with the rest.
pub(super) fn check_share(name: &'static str, value: f64) -> Result<()> {
    if !(value > 0.0 && value <= 1.0) {
        return Err(Error::InvalidParameter {
            name,
            value,
            expected: "in (0, 1]",
        });
    }
    Ok(())
}
