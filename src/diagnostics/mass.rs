//! The mass of a prefix, and the door that every prefix comes through.

use crate::reference::order::check_order;
use crate::{Error, Result};

/// How far above 1 a row of probabilities may sum: half precision rounds each by up to 2⁻⁸ of itself.
const SLACK: f64 = 0.01;

/// The mass of the first `keep` tokens of an order.
///
/// m = Σᵢ p(oᵢ), from left to right.
///
/// **Units.** That of the values, which need not sum to 1.
///
/// # Errors
///
/// In this order: [`Error::EmptyRow`], [`Error::LengthMismatch`], [`Error::InvalidOrder`] when the order is no permutation of the row,
/// with [`Error::InvalidProbability`] at a value that is NaN, infinite or negative; [`Error::InvalidParameter`] when `keep` is 0 or above
/// the length of the order; [`Error::NumericalFailure`] when the mass is 0 or infinite.
///
/// # Cost
///
/// One flag per token is allocated for the check of the order.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, diagnostics::prefix_mass};
/// assert_eq!(prefix_mass(&[0.5, 0.25, 0.25], &[0, 1, 2], 2)?, 0.75);
/// let refused = prefix_mass(&[0.0, 1.0], &[0, 1], 1);
/// assert_eq!(refused, Err(Error::NumericalFailure { quantity: "the mass of the prefix" }));
/// # Ok::<(), Error>(())
/// ```
pub fn prefix_mass(probabilities: &[f64], order: &[u32], keep: usize) -> Result<f64> {
    Ok(Prefix::of(probabilities, order, keep)?.mass)
}

/// The kept part of a row, checked.
#[derive(Clone, Copy)]
pub(super) struct Prefix<'a> {
    probabilities: &'a [f64],
    tokens: &'a [u32],
    /// Above 0 and finite.
    pub(super) mass: f64,
}

impl<'a> Prefix<'a> {
    pub(super) fn of(probabilities: &'a [f64], order: &'a [u32], keep: usize) -> Result<Self> {
        check_order(probabilities, order)?;
        if keep == 0 || keep > order.len() {
            return Err(Error::InvalidParameter {
                name: "keep",
                value: keep as f64,
                expected: "between one and the vocabulary size",
            });
        }
        let mut prefix = Self {
            probabilities,
            tokens: &order[..keep],
            mass: 0.0,
        };
        prefix.mass = check_total(prefix.values(), "the mass of the prefix")?;
        Ok(prefix)
    }

    /// The same, of values that are probabilities as they stand, and not weights that want a division.
    pub(super) fn of_distribution(
        probabilities: &'a [f64],
        order: &'a [u32],
        keep: usize,
    ) -> Result<Self> {
        let prefix = Self::of(probabilities, order, keep)?;
        if let Some(index) = probabilities.iter().position(|&p| p > 1.0) {
            return Err(Error::InvalidProbability {
                index,
                value: probabilities[index],
            });
        }
        let total = sum_in_order(probabilities.iter().copied());
        if total > 1.0 + SLACK {
            return Err(Error::InvalidParameter {
                name: "the sum of the probabilities",
                value: total,
                expected: "at most 1, or 1.01 for what rounding adds",
            });
        }
        Ok(prefix)
    }

    /// The values of the kept tokens, in their order.
    pub(super) fn values(self) -> impl Iterator<Item = f64> + Clone {
        self.tokens
            .iter()
            .map(move |&token| self.probabilities[token as usize])
    }
}

/// The sum of checked values, which must be above 0 and finite.
pub(super) fn check_total(
    values: impl Iterator<Item = f64>,
    quantity: &'static str,
) -> Result<f64> {
    let total = sum_in_order(values);
    if total.is_finite() && total > 0.0 {
        Ok(total)
    } else {
        Err(Error::NumericalFailure { quantity })
    }
}

fn sum_in_order(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}
