//! Top-k: keep the k best tokens.

use super::distribution::Distribution;
use super::kept::Kept;
use crate::error::{Error, Result};

/// What top-k keeps of a row: the k best tokens.
///
/// {o₁, …, o_k}, with o the ranking of the row (Fan, Lewis and Dauphin, arXiv 1805.04833). Exactly k: among tokens tied at the edge those
/// of smaller id are kept. `count` is k, and `tokens` are those of the k best that can be drawn, best first.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when `k` is 0 or above the length of the row.
///
/// # Cost
///
/// Selects from the row and sorts the selection.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, top_k_kept};
/// let row = Distribution::from_logits(&[1.0, 2.0, 2.0, 2.0, 3.0], 1.0)?;
/// assert_eq!(top_k_kept(&row, 3)?.tokens, [4, 1, 2]);
/// assert!(top_k_kept(&row, 0).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn top_k_kept(distribution: &Distribution, k: usize) -> Result<Kept> {
    check_k(k, distribution.len())?;
    let mut tokens = distribution.ranking(k);
    tokens.retain(|&token| distribution.is_in_support(token));
    Ok(Kept { tokens, count: k })
}

/// K names a part of the vocabulary that is not empty.
pub(super) fn check_k(k: usize, vocabulary: usize) -> Result<()> {
    if k == 0 || k > vocabulary {
        return Err(Error::InvalidParameter {
            name: "k",
            value: k as f64,
            expected: "between one and the vocabulary size",
        });
    }
    Ok(())
}
