//! Whether a trace holds its target all along.

use super::check;
use crate::trace::{TraceSummary, summarize};
use crate::{Result, Step};

/// The summaries of consecutive pieces of `size` steps; the last piece may be shorter, and an empty trace has none.
///
/// **Units.** Those of [`TraceSummary`]; the target in bits.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) if `size` is 0 or `target` is not finite and positive;
/// [`Error::NumericalFailure`](crate::Error::NumericalFailure) as [`summarize`].
///
/// # Cost
///
/// Linear; allocates a summary for each piece.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{run_static, segment_summaries};
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let trace = run_static(&mut sampler, &mut ParkMiller::new(9)?, 16, 1.0, 10)?;
/// let counts: Vec<u64> = segment_summaries(&trace, 2.0, 4)?.iter().map(|piece| piece.count).collect();
/// assert_eq!(counts, [4, 4, 2]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn segment_summaries(trace: &[Step], target: f64, size: usize) -> Result<Vec<TraceSummary>> {
    check::at_least_one("size", size)?;
    check::target(target)?;
    trace
        .chunks(size)
        .map(|piece| summarize(piece, target))
        .collect()
}

/// How far the mean surprise of each piece of `size` steps is from the target: |mean − target|, in bits.
///
/// # Errors
///
/// As [`segment_summaries`].
///
/// # Cost
///
/// As [`segment_summaries`].
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{Scenario, run_scenario, segment_mean_errors};
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let trace = run_scenario(&mut sampler, &mut ParkMiller::new(5)?, Scenario::Uniform, 4, 6)?;
/// assert_eq!(segment_mean_errors(&trace, 1.5, 4)?, [0.5, 0.5]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn segment_mean_errors(trace: &[Step], target: f64, size: usize) -> Result<Vec<f64>> {
    let pieces = segment_summaries(trace, target, size)?;
    Ok(pieces
        .iter()
        .map(|piece| (piece.mean_surprise - target).abs())
        .collect())
}

/// The fraction of steps whose surprise is within `tolerance` bits of the target: |sᵢ − target| ≤ tolerance.
///
/// **Units.** Target and tolerance in bits, the answer in [0, 1].
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) if there are no steps, `target` is not finite and positive, or
/// `tolerance` is not finite and not negative. (The ancestor let infinities pass.)
///
/// # Cost
///
/// One read of the trace.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{run_static, target_hit_rate};
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let trace = run_static(&mut sampler, &mut ParkMiller::new(9)?, 16, 1.0, 10)?;
/// assert_eq!(target_hit_rate(&trace, 2.0, 0.5)?, 0.7);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn target_hit_rate(trace: &[Step], target: f64, tolerance: f64) -> Result<f64> {
    check::at_least_one("steps", trace.len())?;
    check::target(target)?;
    check::tolerance(tolerance)?;
    let hits = trace
        .iter()
        .filter(|step| (step.surprise_bits - target).abs() <= tolerance)
        .count();
    Ok(hits as f64 / trace.len() as f64)
}
