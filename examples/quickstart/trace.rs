//! A session in a closed loop: every step's surprise moves the mu that the next step is drawn with.

use crate::fault::Fault;
use crate::source::Source;
use mirostat::{Config, Sampler, Uniforms, Version};

pub(crate) const STEPS: usize = 2_000;

/// What a session did, step by step.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) version: Version,
    pub(crate) tau: f64,
    pub(crate) eta: f64,
    pub(crate) surprise_bits: Vec<f64>,
    /// Mu that each step was drawn with.
    pub(crate) mu_bits: Vec<f64>,
}

/// Goes round the rows for [`STEPS`] steps.
pub(crate) fn record(
    source: &Source,
    config: Config,
    version: Version,
    seed: u64,
) -> Result<Trace, Fault> {
    let rows = source.rows()?;
    let mut session = Sampler::new(config, version)?;
    let mut uniforms = Uniforms::new(seed, 1);
    let (mut surprise_bits, mut mu_bits) = (Vec::new(), Vec::new());
    for i in 0..STEPS {
        let step = session.sample_with(rows.get(i % rows.len()), &mut uniforms)?;
        surprise_bits.push(step.surprise_bits);
        mu_bits.push(step.mu_before);
    }
    Ok(Trace {
        version,
        tau: config.tau(),
        eta: config.eta(),
        surprise_bits,
        mu_bits,
    })
}

pub(crate) fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// The mean of the `window` numbers up to each one; at the start, of those there are.
pub(crate) fn running_mean(numbers: &[f64], window: usize) -> Vec<f64> {
    (1..=numbers.len())
        .map(|end| mean(&numbers[end.saturating_sub(window)..end]))
        .collect()
}
