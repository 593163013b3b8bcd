//! Min-p: keep every token that is at least a fraction as probable as the best.

use super::distribution::Distribution;
use super::kept::Kept;
use super::order::check_order;
use crate::error::{Error, Result};

/// The number of leading tokens of an order that are at least a fraction as probable as its first, at least 1.
///
/// Counts while p(oᵢ) >= p(o₁)·f, and stops at the first token that fails. The edge is inclusive: f = 1 counts those tied with the
/// first, f = 0 every token, those of probability 0 included.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when the fraction is not in [0, 1]; [`Error::EmptyRow`], [`Error::LengthMismatch`],
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
/// use mirostat::reference::min_p_prefix_size;
/// assert_eq!(min_p_prefix_size(&[0.5, 0.3, 0.2], &[0, 1, 2], 0.5)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn min_p_prefix_size(probabilities: &[f64], order: &[u32], min_p: f64) -> Result<usize> {
    check_min_p(min_p)?;
    check_order(probabilities, order)?;
    let cutoff = probabilities[order[0] as usize] * min_p;
    Ok(prefix_from(probabilities, order, cutoff))
}

/// What min-p keeps of a row: every token that is at least a fraction as probable as the best.
///
/// {i : pᵢ >= p(o₁)·f}, with o the ranking of the row (Nguyen, Baker, Neo, Roush, Kirsch and Shwartz-Ziv, arXiv 2407.01082). Tokens are
/// best first, and ties at the edge are all kept: f = 1 keeps the best and all that tie with it. At f = 0, or where the product
/// underflows, `count` is that of all tokens, and `tokens` are those of them that can be drawn.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when the fraction is not in [0, 1].
///
/// # Cost
///
/// Sorts the row.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, min_p_kept};
/// let row = Distribution::from_weights(&[0.25, 0.5, 0.25])?;
/// assert_eq!(min_p_kept(&row, 0.5)?.tokens, [1, 0, 2]);
/// assert_eq!(min_p_kept(&row, 1.0)?.tokens, [1]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn min_p_kept(distribution: &Distribution, min_p: f64) -> Result<Kept> {
    check_min_p(min_p)?;
    let cutoff = distribution.probability(distribution.greatest()) * min_p;
    Ok(kept_from(distribution, cutoff))
}

/// What is left of a row when every token below the cutoff goes, but not the best.
pub(super) fn kept_from(distribution: &Distribution, cutoff: f64) -> Kept {
    let mut tokens = distribution.ranking(distribution.len());
    let count = prefix_from(distribution.probabilities(), &tokens, cutoff);
    tokens.truncate(count);
    tokens.retain(|&token| distribution.is_in_support(token));
    Kept { tokens, count }
}

/// The number of leading tokens at or above the cutoff, at least 1.
pub(super) fn prefix_from(probabilities: &[f64], order: &[u32], cutoff: f64) -> usize {
    order
        .iter()
        .take_while(|&&token| probabilities[token as usize] >= cutoff)
        .count()
        .max(1)
}

pub(super) fn check_min_p(min_p: f64) -> Result<()> {
    check_fraction("min-p", min_p)
}

/// A fraction is at least 0 and at most 1; NaN is refused with the rest.
pub(super) fn check_fraction(name: &'static str, value: f64) -> Result<()> {
    if !(0.0..=1.0).contains(&value) {
        return Err(Error::InvalidParameter {
            name,
            value,
            expected: "in [0, 1]",
        });
    }
    Ok(())
}
