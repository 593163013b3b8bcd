//! The mean surprise along a trace.

use super::exact_sum::ExactSum;
use super::window::SurpriseWindow;
use super::{check_surprise, is_surprise};
use crate::{Error, Result, Step};

/// The mean surprise of the steps up to each step.
///
/// meanᵢ = (s₀ + … + sᵢ) / (i + 1), in **bits**, within one unit in the last place. An empty trace has none; from a step on whose
/// surprise is NaN, infinite or negative, the means are NaN.
///
/// # Cost
///
/// Allocates the answer; linear.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version, trace::running_surprise};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let steps = [sampler.sample(&[0.0_f64; 4], 0.0)?, sampler.sample(&[0.0_f64; 2], 0.0)?];
/// assert_eq!(running_surprise(&steps), [2.0, 1.5]);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[must_use]
pub fn running_surprise(steps: &[Step]) -> Vec<f64> {
    let mut sum = ExactSum::ZERO;
    let mut sound = true;
    let means = steps.iter().zip(1..).map(|(step, count)| {
        sound &= is_surprise(step.surprise_bits);
        if !sound {
            return f64::NAN;
        }
        sum.add(step.surprise_bits);
        sum.mean(count)
    });
    means.collect()
}

/// The mean surprise of the last `window` steps up to each step; at the start, of those there are.
///
/// meanᵢ = (sⱼ + … + sᵢ) / (i − j + 1) with j = max(0, i − `window` + 1), in **bits**, within one unit in the last place: what has
/// left the window has no part in it. An empty trace has no means.
///
/// # Errors
///
/// [`Error::InvalidParameter`] if `window` is 0, [`Error::NumericalFailure`] if a surprise is NaN, infinite or negative.
///
/// # Cost
///
/// Allocates the answer and min(`window`, steps) numbers; linear, whatever the window.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version, trace::rolling_surprise};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let steps = [4, 2, 8].map(|n| sampler.sample(&vec![0.0_f64; n], 0.0).unwrap());
/// assert_eq!(rolling_surprise(&steps, 2)?, [2.0, 1.5, 2.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn rolling_surprise(steps: &[Step], window: usize) -> Result<Vec<f64>> {
    if window == 0 {
        return Err(Error::InvalidParameter {
            name: "window",
            value: 0.0,
            expected: "at least one step",
        });
    }
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let mut seen = SurpriseWindow::new(window.min(steps.len()))?;
    let means = steps.iter().map(|step| {
        check_surprise(step.surprise_bits)?;
        seen.push(step.surprise_bits)?;
        seen.mean()
    });
    means.collect()
}
