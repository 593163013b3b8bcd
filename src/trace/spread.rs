//! How a trace's surprises lie: extremes, variance and quantiles.

use super::exact_sum::ExactSum;
use super::{check_surprise, no_steps};
use crate::{Error, Result, Step};

/// Extremes, variance and quantiles of a trace's surprises, and the extremes of what was kept.
///
/// variance = Σ (sᵢ − s̄)² / n, of the population. A quantile q is the surprise at place ⌊(n − 1)·q⌋ of the ascending order, with no
/// interpolation: of an even number the median is the lower of the middle two.
///
/// **Units.** Surprises in bits, their variance in bits², kept in tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TraceSpread {
    /// The least surprise, in bits.
    pub minimum: f64,
    /// The greatest surprise, in bits.
    pub maximum: f64,
    /// The variance of the surprises over the population, in bits²; +0.0 for one step.
    pub variance: f64,
    /// The quantile 1/2 of the surprises, in bits.
    pub median: f64,
    /// The quantile 9/10 of the surprises, in bits.
    pub p90: f64,
    /// The fewest tokens kept.
    pub minimum_kept: usize,
    /// The most tokens kept.
    pub maximum_kept: usize,
}

/// The spread of a trace.
///
/// # Errors
///
/// [`Error::InvalidParameter`] if there are no steps; [`Error::NumericalFailure`] if a surprise is NaN, infinite or negative, or a
/// squared deviation leaves the finite numbers.
///
/// # Cost
///
/// Allocates one f64 a step; linear, for quantiles are selected, not sorted.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version, trace::trace_spread};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let steps = [0.2, 0.8].map(|u| sampler.sample(&[3.0_f64, 2.0, 1.0], u).unwrap());
/// let spread = trace_spread(&steps)?;
/// assert_eq!(spread.median, spread.minimum); // the lower of two
/// assert_eq!(spread.maximum_kept, 3);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn trace_spread(steps: &[Step]) -> Result<TraceSpread> {
    let Some(first) = steps.first() else {
        return Err(no_steps());
    };
    let mut sum = ExactSum::ZERO;
    let mut surprises = Vec::with_capacity(steps.len());
    let (mut minimum_kept, mut maximum_kept) = (first.kept, first.kept);
    for step in steps {
        check_surprise(step.surprise_bits)?;
        sum.add(step.surprise_bits);
        surprises.push(step.surprise_bits + 0.0); // −0.0 becomes +0.0
        minimum_kept = minimum_kept.min(step.kept);
        maximum_kept = maximum_kept.max(step.kept);
    }
    let variance = variance(&surprises, sum.mean(steps.len() as u64))?;

    let last = surprises.len() - 1;
    let place_of_p90 = last - last.div_ceil(10); // ⌊last·9/10⌋
    let (_, &mut median, above) = surprises.select_nth_unstable_by(last / 2, f64::total_cmp);
    let p90 = match place_of_p90.checked_sub(last / 2 + 1) {
        Some(place) => *above.select_nth_unstable_by(place, f64::total_cmp).1,
        None => median,
    };
    Ok(TraceSpread {
        minimum: surprises.iter().copied().fold(f64::INFINITY, f64::min),
        maximum: surprises.iter().copied().fold(0.0, f64::max),
        variance,
        median,
        p90,
        minimum_kept,
        maximum_kept,
    })
}

fn variance(surprises: &[f64], mean: f64) -> Result<f64> {
    let mut sum = ExactSum::ZERO;
    for surprise in surprises {
        let square = (surprise - mean) * (surprise - mean);
        if !square.is_finite() {
            return Err(Error::NumericalFailure {
                quantity: "the variance of the surprises",
            });
        }
        sum.add(square);
    }
    Ok(sum.mean(surprises.len() as u64))
}
