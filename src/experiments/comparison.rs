//! Both versions on the same rows with the same uniforms.

use super::check;
use super::run::for_each_step;
use super::scenario::Scenario;
use crate::trace::{TraceAccumulator, TraceSummary};
use crate::uniform::UniformSource;
use crate::{Config, Result, Sampler, Version};

/// What the two versions made of one scenario.
///
/// **Units.** Those of [`TraceSummary`]: surprises, errors and mu in bits, kept in tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Comparison {
    /// The run of version 1.
    pub v1: TraceSummary,
    /// The run of version 2.
    pub v2: TraceSummary,
}

impl Comparison {
    /// The mean surprise of version 1 less that of version 2, in bits.
    #[must_use]
    pub fn mean_surprise_gap(&self) -> f64 {
        self.v1.mean_surprise - self.v2.mean_surprise
    }
}

/// Runs a fresh session of each version along a scenario, and sums each up against the target of `config`.
///
/// Both begin with the same uniforms: each draws from a copy of `uniforms`, which does not move.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) for 0 steps; [`Error::Unsupported`](crate::Error::Unsupported) as
/// [`Sampler::new`]; else as [`run_scenario`](super::run_scenario).
///
/// # Cost
///
/// Two runs; no trace is kept, so the memory does not grow with the steps.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{Scenario, compare_scenario};
/// use mirostat::{Config, Uniforms};
/// let comparison = compare_scenario(Config::new(2.0)?, Scenario::Bimodal, 32, 100, &Uniforms::new(7, 0))?;
/// assert_eq!((comparison.v1.count, comparison.v2.count), (100, 100));
/// assert!(comparison.mean_surprise_gap().abs() < 1.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn compare_scenario<U>(
    config: Config,
    scenario: Scenario,
    vocabulary: usize,
    steps: usize,
    uniforms: &U,
) -> Result<Comparison>
where
    U: UniformSource + Clone,
{
    check::at_least_one("steps", steps)?;
    let run = |version| {
        let mut sampler = Sampler::new(config, version)?;
        let mut trace = TraceAccumulator::new(config.tau())?;
        for_each_step(
            &mut sampler,
            &mut uniforms.clone(),
            scenario,
            vocabulary,
            steps,
            |step| trace.push(&step),
        )?;
        trace.summary()
    };
    Ok(Comparison {
        v1: run(Version::V1)?,
        v2: run(Version::V2)?,
    })
}
