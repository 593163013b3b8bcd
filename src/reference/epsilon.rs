//! Epsilon: keep every token of at least a fixed probability.

use super::distribution::Distribution;
use super::kept::Kept;
use super::min_p::{check_fraction, kept_from, prefix_from};
use super::order::check_order;
use crate::error::Result;

/// The number of leading tokens of an order whose probability is at least epsilon, at least 1.
///
/// Counts while p(oᵢ) >= ε, and stops at the first token that fails. The edge is inclusive: ε = 0 counts every token, those of
/// probability 0 included.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) when epsilon is not in [0, 1];
/// [`Error::EmptyRow`](crate::Error::EmptyRow), [`Error::LengthMismatch`](crate::Error::LengthMismatch),
/// [`Error::InvalidOrder`](crate::Error::InvalidOrder) when the order is no permutation of the row, with
/// [`Error::InvalidProbability`](crate::Error::InvalidProbability) at a value that is NaN, infinite or negative.
///
/// # Cost
///
/// One flag per token is allocated for the check of the order.
///
/// # Examples
///
/// ```
/// use mirostat::reference::epsilon_prefix_size;
/// assert_eq!(epsilon_prefix_size(&[0.5, 0.3, 0.2], &[0, 1, 2], 0.25)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn epsilon_prefix_size(probabilities: &[f64], order: &[u32], epsilon: f64) -> Result<usize> {
    check_epsilon(epsilon)?;
    check_order(probabilities, order)?;
    Ok(prefix_from(probabilities, order, epsilon))
}

/// What epsilon keeps of a row: every token whose probability is at least epsilon, or the single best where there is none.
///
/// {i : pᵢ >= ε} (Hewitt, Manning and Liang, arXiv 2210.15191, with the edge inclusive). Tokens are best first, and ties at the edge are
/// all kept; where no token reaches ε, ties with the best are not: the smallest id stays alone. At ε = 0 `count` is that of all tokens,
/// and `tokens` are those of them that can be drawn.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) when epsilon is not in [0, 1].
///
/// # Cost
///
/// Sorts the row.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, epsilon_kept};
/// let flat = Distribution::from_logits(&[0.0; 4], 1.0)?;
/// assert_eq!(epsilon_kept(&flat, 0.25)?.tokens, [0, 1, 2, 3]);
/// assert_eq!(epsilon_kept(&flat, 0.5)?.tokens, [0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn epsilon_kept(distribution: &Distribution, epsilon: f64) -> Result<Kept> {
    check_epsilon(epsilon)?;
    Ok(kept_from(distribution, epsilon))
}

pub(super) fn check_epsilon(epsilon: f64) -> Result<()> {
    check_fraction("epsilon", epsilon)
}
