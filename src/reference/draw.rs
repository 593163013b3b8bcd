//! The draw: a uniform is turned into a token.

use super::distribution::Distribution;
use super::order::{check_order, check_tokens};
use super::probability::sum_in_order;
use crate::error::{Error, Result};

/// The order in which the draw walks the kept tokens.
///
/// All orders give the same law of the token; they differ in which token belongs to which uniform.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, DrawOrder, Rule, Version, choose};
/// let distribution = Distribution::from_logits(&[1.0, 3.0], 1.0)?;
/// let by = |draw_order| Rule { version: Version::V2, draw_order, ..Rule::default() };
/// assert_eq!(choose(&distribution, &by(DrawOrder::Rank), 6.0, 0.9)?.token, 0);
/// assert_eq!(choose(&distribution, &by(DrawOrder::Id), 6.0, 0.9)?.token, 1);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DrawOrder {
    /// The order in which the rule itself ranks: descending probability for V1 and truncations by rank, ascending id for V2, ascending
    /// deviation for locally typical.
    #[default]
    Rule,
    /// Ascending id.
    Id,
    /// Descending probability, ties to the smaller id.
    Rank,
}

/// Draws among the first `keep` tokens of an order.
///
/// The token is the first whose running sum of probabilities, along the order, is strictly above u·(the sum of all `keep`). A token of
/// probability 0 is never drawn; where rounding leaves none, it is the last with probability above 0.
///
/// # Errors
///
/// In this order: [`Error::InvalidUniform`] outside [0, 1); [`Error::InvalidParameter`] when `keep` is 0 or above the length of the
/// order; [`Error::EmptyRow`], [`Error::LengthMismatch`], [`Error::InvalidOrder`] when the order is no permutation of the row, with
/// [`Error::InvalidProbability`] at a value that is NaN, infinite or negative; [`Error::NumericalFailure`] when the sum is 0 or infinite.
///
/// # Cost
///
/// One flag per token is allocated for the check of the order.
///
/// # Examples
///
/// ```
/// use mirostat::reference::draw_prefix;
/// assert_eq!(draw_prefix(&[0.6, 0.3, 0.1], &[0, 1, 2], 2, 0.999)?, 1);
/// assert!(draw_prefix(&[0.6, 0.3, 0.1], &[0, 1, 2], 2, 1.0).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn draw_prefix(probabilities: &[f64], order: &[u32], keep: usize, uniform: f64) -> Result<u32> {
    check_uniform(uniform)?;
    if keep == 0 || keep > order.len() {
        return Err(Error::InvalidParameter {
            name: "keep",
            value: keep as f64,
            expected: "between one and the vocabulary size",
        });
    }
    check_order(probabilities, order)?;
    walk(probabilities, &order[..keep], uniform)
}

/// Draws among a list of candidates, in the order of the list.
///
/// The walk is that of [`draw_prefix`]; the list may name any part of the row.
///
/// # Errors
///
/// In this order: [`Error::InvalidUniform`] outside [0, 1); [`Error::EmptyRow`]; [`Error::InvalidParameter`] when the list is empty or
/// longer than the row; [`Error::InvalidOrder`] at a token that is outside the row or repeated, with [`Error::InvalidProbability`] at a
/// value that is NaN, infinite or negative; [`Error::NumericalFailure`] when the sum is 0 or infinite.
///
/// # Cost
///
/// One flag per token is allocated for the check of the list.
///
/// # Examples
///
/// ```
/// use mirostat::reference::draw_candidates;
/// assert_eq!(draw_candidates(&[0.5, 0.25, 0.25], &[2, 0], 0.3)?, 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn draw_candidates(probabilities: &[f64], candidates: &[u32], uniform: f64) -> Result<u32> {
    check_uniform(uniform)?;
    if probabilities.is_empty() {
        return Err(Error::EmptyRow);
    }
    if candidates.is_empty() || candidates.len() > probabilities.len() {
        return Err(Error::InvalidParameter {
            name: "candidates",
            value: candidates.len() as f64,
            expected: "a list of between one token and the vocabulary size",
        });
    }
    check_tokens(probabilities, candidates)?;
    walk(probabilities, candidates, uniform)
}

/// Draws among tokens of a distribution, in the order given.
///
/// The walk is that of [`draw_prefix`], over the probabilities of the distribution.
///
/// # Errors
///
/// [`Error::InvalidUniform`] outside [0, 1), [`Error::TokenOutsideVocabulary`], and [`Error::NumericalFailure`] when no token of the list
/// has a probability above 0.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, draw};
/// let flat = Distribution::from_logits(&[0.0; 4], 1.0)?;
/// assert_eq!(draw(&flat, &[0, 1, 2, 3], 0.75)?, 3);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn draw(distribution: &Distribution, tokens_in_order: &[u32], uniform: f64) -> Result<u32> {
    check_uniform(uniform)?;
    let vocabulary = distribution.len();
    if let Some(&token) = tokens_in_order
        .iter()
        .find(|&&token| token as usize >= vocabulary)
    {
        return Err(Error::TokenOutsideVocabulary { token, vocabulary });
    }
    walk(distribution.probabilities(), tokens_in_order, uniform)
}

/// Inversion of the distribution function: the first token with u·total < running sum, strictly.
fn walk(probabilities: &[f64], tokens: &[u32], uniform: f64) -> Result<u32> {
    let probability = |token: u32| probabilities[token as usize];
    let total = sum_in_order(tokens.iter().map(|&token| probability(token)));
    if !(total.is_finite() && total > 0.0) {
        return Err(Error::NumericalFailure {
            quantity: "the probability of the kept tokens",
        });
    }
    let threshold = uniform * total;
    let mut running = 0.0;
    let mut last_with_mass = None;
    for &token in tokens {
        running += probability(token);
        if threshold < running {
            return Ok(token);
        }
        if probability(token) > 0.0 {
            last_with_mass = Some(token);
        }
    }
    // Only rounding leads here, with a uniform just below 1.
    last_with_mass.ok_or(Error::NumericalFailure {
        quantity: "the probability of the kept tokens",
    })
}

/// A uniform must be a number in [0, 1).
pub(crate) fn check_uniform(uniform: f64) -> Result<()> {
    if (0.0..1.0).contains(&uniform) {
        Ok(())
    } else {
        Err(Error::InvalidUniform { value: uniform })
    }
}
