//! From scores to probabilities, from probabilities to ranks and bits.

use core::f64::consts::LN_2;

use super::order::{best, check_weight};
use crate::error::{Error, Result};

/// The probabilities of a row of logits.
///
/// pᵢ = exp(lᵢ − M) / Σⱼ exp(lⱼ − M), with M the greatest logit, and the sum taken from left to right.
///
/// **Units.** Logits in nats, probabilities dimensionless. A logit of −∞ masks its token: probability 0. So does one more than about
/// 745 below the greatest, whose exponential underflows. A row of one finite logit gives 1.
///
/// # Errors
///
/// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidLogit`] at the first NaN or +∞, [`Error::AllMasked`], in this order.
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::reference::probabilities;
/// assert_eq!(probabilities(&[0.0, f64::NEG_INFINITY])?, [1.0, 0.0]);
/// assert_eq!(probabilities(&[1e300, 1e300, -1e300])?, [0.5, 0.5, 0.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn probabilities(logits: &[f64]) -> Result<Vec<f64>> {
    let greatest = greatest_logit(logits)?;
    let weights: Vec<f64> = logits
        .iter()
        .map(|&logit| libm::exp(logit - greatest))
        .collect();
    Ok(divided_by_total(weights))
}

/// The probabilities of a row of weights.
///
/// pᵢ = (wᵢ / W) / Σⱼ (wⱼ / W), with W the greatest weight, so that weights near the end of the f64 range do not overflow.
///
/// **Units.** Weights and probabilities are dimensionless. A weight of 0 masks its token.
///
/// # Errors
///
/// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidProbability`] at the first weight that is NaN, infinite or negative,
/// [`Error::NumericalFailure`] when all are 0.
///
/// # Cost
///
/// Allocates the answer.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, reference::normalize_weights};
/// assert_eq!(normalize_weights(&[1e300, 1e300])?, [0.5, 0.5]);
/// assert_eq!(normalize_weights(&[1.0, -1.0]), Err(Error::InvalidProbability { index: 1, value: -1.0 }));
/// # Ok::<(), Error>(())
/// ```
pub fn normalize_weights(weights: &[f64]) -> Result<Vec<f64>> {
    let greatest = greatest_weight(weights)?;
    let scaled: Vec<f64> = weights.iter().map(|&weight| weight / greatest).collect();
    Ok(divided_by_total(scaled))
}

/// All token ids, the most probable first.
///
/// The order is by descending value, ties to the smaller id; −0.0 and +0.0 tie. The values need not sum to 1.
///
/// # Errors
///
/// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidProbability`] at the first value that is NaN, infinite or negative.
///
/// # Cost
///
/// Allocates the answer and sorts it.
///
/// # Examples
///
/// ```
/// use mirostat::reference::rank;
/// assert_eq!(rank(&[0.2, 0.4, 0.4])?, [1, 2, 0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn rank(probabilities: &[f64]) -> Result<Vec<u32>> {
    check_length(probabilities)?;
    check_weights(probabilities)?;
    Ok(best(probabilities, probabilities.len()))
}

/// The first `k` ids of [`rank`].
///
/// # Errors
///
/// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidParameter`] when `k` is 0 or above the length of the row,
/// [`Error::InvalidProbability`] at the first value that is NaN, infinite or negative, in this order.
///
/// # Cost
///
/// Allocates one id per token, selects, and sorts `k` of them.
///
/// # Examples
///
/// ```
/// use mirostat::reference::top_indices;
/// assert_eq!(top_indices(&[0.1, 0.3, 0.2, 0.3, 0.0, 0.1], 3)?, [1, 3, 2]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn top_indices(probabilities: &[f64], k: usize) -> Result<Vec<u32>> {
    check_length(probabilities)?;
    if k == 0 || k > probabilities.len() {
        return Err(Error::InvalidParameter {
            name: "k",
            value: k as f64,
            expected: "between one and the vocabulary size",
        });
    }
    check_weights(probabilities)?;
    Ok(best(probabilities, k))
}

/// The surprise of an event of probability `p`.
///
/// S(x) = −log₂ P(x), the quantity that Mirostat steers (section 2 of the paper), computed as −ln p / ln 2.
///
/// **Units.** Bits. Certainty gives +0.0, never −0.0.
///
/// # Errors
///
/// [`Error::InvalidProbability`] at index 0 when `p` is NaN, not above 0, or above 1.
///
/// # Examples
///
/// ```
/// use mirostat::reference::surprise;
/// assert_eq!(surprise(0.5)?, 1.0);
/// assert!(surprise(1.0)?.is_sign_positive());
/// assert!(surprise(0.0).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn surprise(p: f64) -> Result<f64> {
    if p > 0.0 && p <= 1.0 {
        // The sum turns the −0.0 of certainty into +0.0 and leaves every other value as it is.
        Ok(-libm::log(p) / LN_2 + 0.0)
    } else {
        Err(Error::InvalidProbability { index: 0, value: p })
    }
}

/// The check of a row of logits at the door, and its greatest logit.
pub(super) fn greatest_logit(logits: &[f64]) -> Result<f64> {
    check_length(logits)?;
    let mut greatest = f64::NEG_INFINITY;
    for (index, &value) in logits.iter().enumerate() {
        if value.is_nan() || value == f64::INFINITY {
            return Err(Error::InvalidLogit { index, value });
        }
        if value > greatest {
            greatest = value;
        }
    }
    if greatest == f64::NEG_INFINITY {
        return Err(Error::AllMasked);
    }
    Ok(greatest)
}

/// The check of a row of weights at the door, and its greatest weight.
pub(super) fn greatest_weight(weights: &[f64]) -> Result<f64> {
    check_length(weights)?;
    check_weights(weights)?;
    let greatest = weights.iter().fold(
        0.0,
        |greatest, &weight| if weight > greatest { weight } else { greatest },
    );
    if greatest > 0.0 {
        Ok(greatest)
    } else {
        Err(Error::NumericalFailure {
            quantity: "the total weight",
        })
    }
}

/// The sum from left to right, which is the order that every decision in this module relies on.
pub(super) fn sum_in_order(values: impl Iterator<Item = f64>) -> f64 {
    let mut sum = 0.0;
    for value in values {
        sum += value;
    }
    sum
}

fn divided_by_total(weights: Vec<f64>) -> Vec<f64> {
    let total = sum_in_order(weights.iter().copied());
    weights.into_iter().map(|weight| weight / total).collect()
}

fn check_length(row: &[f64]) -> Result<()> {
    match row.len() {
        0 => Err(Error::EmptyRow),
        len if u32::try_from(len).is_err() => Err(Error::RowTooLong { len }),
        _ => Ok(()),
    }
}

fn check_weights(weights: &[f64]) -> Result<()> {
    weights
        .iter()
        .enumerate()
        .try_for_each(|(index, &weight)| check_weight(index, weight))
}
