//! The order on tokens, and the check of an order that a caller hands in.

use core::cmp::Ordering;

use crate::error::{Error, Result};

/// Descending value, ties to the smaller id; −0.0 and +0.0 tie. The values are not NaN, since that is refused at the door.
pub(super) fn better_first(values: &[f64], a: u32, b: u32) -> Ordering {
    values[b as usize]
        .partial_cmp(&values[a as usize])
        .unwrap_or(Ordering::Equal)
        .then(a.cmp(&b))
}

/// The best `count` tokens, best first; all of them where there are fewer.
pub(super) fn best(values: &[f64], count: usize) -> Vec<u32> {
    let mut tokens: Vec<u32> = (0..).take(values.len()).collect();
    if count == 0 {
        return Vec::new();
    }
    if count < tokens.len() {
        tokens.select_nth_unstable_by(count - 1, |&a, &b| better_first(values, a, b));
        tokens.truncate(count);
    }
    tokens.sort_unstable_by(|&a, &b| better_first(values, a, b));
    tokens
}

/// An order must name every token of the row once, and each must have a usable probability.
pub(crate) fn check_order(probabilities: &[f64], order: &[u32]) -> Result<()> {
    if probabilities.is_empty() {
        return Err(Error::EmptyRow);
    }
    if order.len() != probabilities.len() {
        return Err(Error::LengthMismatch {
            what: "tokens of the order",
            expected: probabilities.len(),
            found: order.len(),
        });
    }
    check_tokens(probabilities, order)
}

/// A list of tokens may name each token of the row once at most, and each must have a usable probability.
pub(super) fn check_tokens(probabilities: &[f64], tokens: &[u32]) -> Result<()> {
    let mut named = vec![false; probabilities.len()];
    for (position, &token) in tokens.iter().enumerate() {
        let index = token as usize;
        if index >= probabilities.len() || named[index] {
            return Err(Error::InvalidOrder { position, token });
        }
        named[index] = true;
        check_weight(index, probabilities[index])?;
    }
    Ok(())
}

/// A weight or probability is finite and not negative.
pub(crate) fn check_weight(index: usize, value: f64) -> Result<()> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(Error::InvalidProbability { index, value })
    }
}
