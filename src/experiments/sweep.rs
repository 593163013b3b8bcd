//! Many targets on one scenario: which of them can be held.

use super::check;
use super::comparison::{Comparison, compare_scenario};
use super::scenario::Scenario;
use crate::uniform::UniformSource;
use crate::{Config, Result};

/// What both versions made of one target.
///
/// **Units.** Bits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SweepPoint {
    /// The target surprise, in bits.
    pub target: f64,
    /// The runs at this target.
    pub comparison: Comparison,
}

impl SweepPoint {
    /// How far the mean surprise of version 1 is from the target: |mean − target|, in bits.
    #[must_use]
    pub fn v1_error(&self) -> f64 {
        (self.comparison.v1.mean_surprise - self.target).abs()
    }

    /// How far the mean surprise of version 2 is from the target: |mean − target|, in bits.
    #[must_use]
    pub fn v2_error(&self) -> f64 {
        (self.comparison.v2.mean_surprise - self.target).abs()
    }
}

/// [`compare_scenario`] for every target, with the learning rate `eta` and the defaults of [`Config`]; points in the order of the targets.
///
/// Every run begins with the same uniforms, a copy of `uniforms`. `progress`, if there is one, is shown each point when it is done, on
/// the thread that made it and in the order in which they get done; the points themselves never depend on threads.
///
/// **Units.** Targets in bits, eta in bits of mu per bit of error.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) where there is no target, or at the first target that [`Config`]
/// refuses, before anything runs; else as [`compare_scenario`], of the first target in order that fails.
///
/// # Cost
///
/// Two runs a target. With the feature `rayon` the targets are shared out among the threads of rayon's current pool.
///
/// # Examples
///
/// ```
/// use mirostat::ParkMiller;
/// use mirostat::experiments::{Scenario, calibrated_targets, sweep_targets};
/// let (scenario, uniforms) = (Scenario::static_zipf(1.15), ParkMiller::new(42)?);
/// let points = sweep_targets(&[1.5, 2.5, 3.5], 0.1, scenario, 256, 1000, &uniforms, None)?;
/// assert!(points[0].v1_error() > 0.5); // a row's likeliest token has 2.12 bits: 1.5 is out of reach
/// assert_eq!(calibrated_targets(&points, 0.1)?, [2.5, 3.5]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sweep_targets<U>(
    targets: &[f64],
    eta: f64,
    scenario: Scenario,
    vocabulary: usize,
    steps: usize,
    uniforms: &U,
    progress: Option<&(dyn Fn(&SweepPoint) + Sync)>,
) -> Result<Vec<SweepPoint>>
where
    U: UniformSource + Clone + Sync,
{
    check::at_least_one("targets", targets.len())?;
    let configs: Vec<Config> = targets
        .iter()
        .map(|&target| Config::builder(target).eta(eta).build())
        .collect::<Result<_>>()?;
    let points = map(&configs, |&config| {
        let point = SweepPoint {
            target: config.tau(),
            comparison: compare_scenario(config, scenario, vocabulary, steps, uniforms)?,
        };
        if let Some(progress) = progress {
            progress(&point);
        }
        Ok(point)
    });
    // Collected before it is judged: of several faults, that of the first target is told, whoever found one first.
    points.into_iter().collect()
}

/// A target is hundreds of microseconds of work at the least, and handing it out some ten: two are worth sharing.
#[cfg(feature = "rayon")]
fn map<T: Send>(configs: &[Config], work: impl Fn(&Config) -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    if configs.len() < 2 {
        return configs.iter().map(work).collect();
    }
    // A target at a time: some take longer than others, since they keep more.
    configs.par_iter().with_max_len(1).map(&work).collect()
}

#[cfg(not(feature = "rayon"))]
fn map<T>(configs: &[Config], work: impl Fn(&Config) -> T) -> Vec<T> {
    configs.iter().map(work).collect()
}

/// The targets that both versions held within `tolerance` bits, in the order of the points.
///
/// **Units.** Bits.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) unless `tolerance` is finite and not negative.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::calibrated_targets;
/// assert!(calibrated_targets(&[], 0.1)?.is_empty());
/// assert!(calibrated_targets(&[], f64::INFINITY).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn calibrated_targets(points: &[SweepPoint], tolerance: f64) -> Result<Vec<f64>> {
    check::tolerance(tolerance)?;
    let held = |point: &&SweepPoint| point.v1_error().max(point.v2_error()) <= tolerance;
    Ok(points
        .iter()
        .filter(held)
        .map(|point| point.target)
        .collect())
}
