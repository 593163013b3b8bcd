//! Mirostat V2: keep every token whose surprise is at most mu.

use super::distribution::Distribution;
use super::kept::Kept;
use super::mirostat_v1::check_mu;
use super::order::check_order;
use crate::error::{Error, Result};

/// The number of leading tokens of an order whose surprise is at most mu, at least 1.
///
/// Counts while p > 0 and p >= 2^(−μ), with an exact power of two, and stops at the first token that fails. The edge is inclusive.
///
/// **Units.** Mu in bits.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when mu is not finite; [`Error::EmptyRow`], [`Error::LengthMismatch`], [`Error::InvalidOrder`] when the
/// order is no permutation of the row, with [`Error::InvalidProbability`] at a value that is NaN, infinite or negative, or above 1 among
/// the tokens counted.
///
/// # Examples
///
/// ```
/// use mirostat::reference::v2_prefix_size;
/// assert_eq!(v2_prefix_size(&[0.5, 0.25, 0.125, 0.125], &[0, 1, 2, 3], 2.0)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn v2_prefix_size(probabilities: &[f64], order: &[u32], mu_bits: f64) -> Result<usize> {
    check_mu(mu_bits)?;
    check_order(probabilities, order)?;
    let threshold = libm::exp2(-mu_bits);
    let mut count = 0;
    for &token in order {
        let index = token as usize;
        let value = probabilities[index];
        if value > 1.0 {
            return Err(Error::InvalidProbability { index, value });
        }
        if !(value > 0.0 && value >= threshold) {
            break;
        }
        count += 1;
    }
    Ok(count.max(1))
}

/// What V2 keeps of a row: every token with −log₂ p <= mu, or the single best where there is none.
///
/// The truncation of the paper's algorithm without a Zipf fit (arXiv 2007.14966; "mirostat 2.0" in the authors' code). The test is
/// p > 0 and p >= 2^(−μ), with an exact power of two, so a token of exactly n bits is kept at mu = n. Tokens are in ascending id, and
/// ties at the edge are all kept. A mu that is NaN keeps the best.
///
/// **Units.** Mu in bits.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, v2_kept};
/// let flat = Distribution::from_logits(&[0.0; 8], 1.0)?;
/// assert_eq!(v2_kept(&flat, 3.0).count, 8);
/// assert_eq!(v2_kept(&flat, 2.999).tokens, [0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[must_use]
pub fn v2_kept(distribution: &Distribution, mu_bits: f64) -> Kept {
    let threshold = libm::exp2(-mu_bits);
    let mut tokens: Vec<u32> = (0..)
        .zip(distribution.probabilities())
        .filter(|&(token, &p)| distribution.is_in_support(token) && p >= threshold)
        .map(|(token, _)| token)
        .collect();
    if tokens.is_empty() {
        tokens.push(distribution.greatest());
    }
    Kept {
        count: tokens.len(),
        tokens,
    }
}
