//! One session along a scenario.

use super::rows::ScenarioRows;
use super::scenario::Scenario;
use crate::uniform::UniformSource;
use crate::{Result, Sampler, Step};

/// Steps a session `steps` times on rows of a scenario, each with the next of `uniforms`.
///
/// The trace is the session's from where it stands: it is not reset.
///
/// **Units.** Those of [`Step`]: surprise and mu in bits.
///
/// # Errors
///
/// [`Error::InvalidParameter`](crate::Error::InvalidParameter) where `vocabulary` is 0 or an exponent is not finite and positive, and
/// [`Error::RowTooLong`](crate::Error::RowTooLong), even for 0 steps; nothing has moved then. After that, what
/// [`Sampler::sample_with`] refuses, such as a tape that ends: the session and the uniforms then stand after the last step that
/// succeeded.
///
/// # Cost
///
/// Allocates the trace, and at every step what the exact door allocates.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{Scenario, run_scenario};
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let trace = run_scenario(&mut sampler, &mut ParkMiller::new(5)?, Scenario::Uniform, 8, 10)?;
/// assert_eq!(trace.iter().map(|step| step.token).collect::<Vec<_>>(), [0, 5, 6, 2, 5, 0, 1, 3, 3, 5]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn run_scenario<U>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    scenario: Scenario,
    vocabulary: usize,
    steps: usize,
) -> Result<Vec<Step>>
where
    U: UniformSource + ?Sized,
{
    let mut trace = Vec::new();
    for_each_step(sampler, uniforms, scenario, vocabulary, steps, |step| {
        trace.push(step);
        Ok(())
    })?;
    Ok(trace)
}

/// [`run_scenario`] on [`Scenario::StaticZipf`]: every step on the same row.
///
/// # Errors
///
/// As [`run_scenario`].
///
/// # Cost
///
/// As [`run_scenario`].
///
/// # Examples
///
/// ```
/// use mirostat::experiments::run_static;
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V1)?;
/// let trace = run_static(&mut sampler, &mut ParkMiller::new(42)?, 32, 1.2, 20)?;
/// assert!((trace[19].mu_after - 6.188614004136806).abs() < 1e-12);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn run_static<U>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    vocabulary: usize,
    exponent: f64,
    steps: usize,
) -> Result<Vec<Step>>
where
    U: UniformSource + ?Sized,
{
    let scenario = Scenario::static_zipf(exponent);
    run_scenario(sampler, uniforms, scenario, vocabulary, steps)
}

/// [`run_scenario`] on [`Scenario::AlternatingZipf`]: a peaked row at even steps, a flat one at odd ones.
///
/// # Errors
///
/// As [`run_scenario`].
///
/// # Cost
///
/// As [`run_scenario`].
///
/// # Examples
///
/// ```
/// use mirostat::experiments::run_alternating;
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let trace = run_alternating(&mut sampler, &mut ParkMiller::new(7)?, 16, 2.0, 0.5, 4)?;
/// assert_eq!(trace.iter().map(|step| step.kept).collect::<Vec<_>>(), [6, 16, 6, 16]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn run_alternating<U>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    vocabulary: usize,
    peaked: f64,
    flat: f64,
    steps: usize,
) -> Result<Vec<Step>>
where
    U: UniformSource + ?Sized,
{
    let scenario = Scenario::alternating_zipf(peaked, flat);
    run_scenario(sampler, uniforms, scenario, vocabulary, steps)
}

/// The run itself, for those who keep no trace.
pub(super) fn for_each_step<U>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    scenario: Scenario,
    vocabulary: usize,
    steps: usize,
    mut take: impl FnMut(Step) -> Result<()>,
) -> Result<()>
where
    U: UniformSource + ?Sized,
{
    let mut rows = ScenarioRows::new(scenario, vocabulary, steps)?;
    for index in 0..steps {
        take(sampler.sample_with(rows.at(index), uniforms)?)?;
    }
    Ok(())
}
