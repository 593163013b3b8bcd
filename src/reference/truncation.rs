//! The fixed truncations, one of which a caller chooses.

use super::distribution::Distribution;
use super::epsilon::{check_epsilon, epsilon_kept};
use super::kept::Kept;
use super::min_p::{check_min_p, min_p_kept};
use super::top_k::{check_k, top_k_kept};
use super::top_p::{check_top_p, top_p_kept};
use super::typical::{check_typical, typical_kept};
use crate::error::Result;

/// A truncation without memory: what it keeps of a row depends on the row alone.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, Truncation, draw};
/// let row = Distribution::from_logits(&[1.0, 3.0, 2.0], 1.0)?;
/// let kept = Truncation::TopP(0.9).kept(&row)?;
/// assert_eq!(kept.tokens, [1, 2]);
/// assert_eq!(draw(&row, &kept.tokens, 0.99)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Truncation {
    /// Every token that can be drawn, best first; `count` is that of all tokens.
    #[default]
    None,
    /// The k best tokens: [`top_k_kept`].
    TopK(usize),
    /// The fewest best tokens that hold this share of the probability, in (0, 1]: [`top_p_kept`].
    TopP(f64),
    /// Every token at least this fraction as probable as the best, in [0, 1]: [`min_p_kept`].
    MinP(f64),
    /// Every token of at least this probability, in [0, 1]: [`epsilon_kept`].
    Epsilon(f64),
    /// The fewest most typical tokens that hold this share of the probability, in (0, 1]: [`typical_kept`].
    Typical(f64),
}

impl Truncation {
    /// What the truncation keeps of a row, in the order in which it ranks.
    ///
    /// At least one token is kept, and none of probability 0.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) as [`check`](Self::check), and when k is above the length of the row.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::reference::{Distribution, Truncation};
    /// let row = Distribution::from_logits(&[1.0, f64::NEG_INFINITY, 2.0], 1.0)?;
    /// let all = Truncation::None.kept(&row)?;
    /// assert_eq!((all.tokens, all.count), (vec![2, 0], 3));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn kept(&self, distribution: &Distribution) -> Result<Kept> {
        match *self {
            Self::None => top_k_kept(distribution, distribution.len()),
            Self::TopK(k) => top_k_kept(distribution, k),
            Self::TopP(threshold) => top_p_kept(distribution, threshold),
            Self::MinP(min_p) => min_p_kept(distribution, min_p),
            Self::Epsilon(epsilon) => epsilon_kept(distribution, epsilon),
            Self::Typical(threshold) => typical_kept(distribution, threshold),
        }
    }

    /// The check of the parameter that needs no row.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) when k is 0, or a real parameter is NaN or outside its range.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::reference::Truncation;
    /// assert!(Truncation::MinP(0.05).check().is_ok());
    /// assert!(Truncation::TopP(f64::NAN).check().is_err());
    /// ```
    pub fn check(&self) -> Result<()> {
        match *self {
            Self::None => Ok(()),
            Self::TopK(k) => check_k(k, usize::MAX),
            Self::TopP(threshold) => check_top_p(threshold),
            Self::MinP(min_p) => check_min_p(min_p),
            Self::Epsilon(epsilon) => check_epsilon(epsilon),
            Self::Typical(threshold) => check_typical(threshold),
        }
    }
}
