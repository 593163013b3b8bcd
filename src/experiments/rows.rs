//! The rows of a scenario, one after another, in one buffer.
//!
//! Zipf's law: p(i) ∝ i^(−s) with ranks i from 1, so lᵢ = −s·ln i in nats. The logarithms are taken once a run, and only the
//! exponent changes along it.

use super::check;
use super::scenario::Scenario;
use crate::Result;

/// The row of Zipf's law, the likeliest token first: lᵢ = −`exponent`·ln(i + 1) for the ids i from 0.
///
/// **Units.** Logits in nats, the exponent dimensionless. The greatest logit is 0, at id 0. A row is empty for a vocabulary of 0, or
/// an exponent that is not finite and positive, and is then refused by whatever reads it.
///
/// # Cost
///
/// Allocates the row; one logarithm a token.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::zipf_logits;
/// use mirostat::reference::probabilities;
/// let p = probabilities(&zipf_logits(3, 1.0))?; // 1 : 1/2 : 1/3
/// assert!((p[0] - 6.0 / 11.0).abs() < 1e-15 && (p[2] - 2.0 / 11.0).abs() < 1e-15);
/// assert!(zipf_logits(3, 0.0).is_empty());
/// # Ok::<(), mirostat::Error>(())
/// ```
#[must_use]
pub fn zipf_logits(vocabulary: usize, exponent: f64) -> Vec<f64> {
    if check::exponent(exponent).is_err() {
        return Vec::new();
    }
    let mut row = vec![0.0; vocabulary];
    fill_zipf(&mut row, &log_ranks(vocabulary), exponent);
    row
}

fn log_ranks(vocabulary: usize) -> Vec<f64> {
    (1..=vocabulary)
        .map(|rank| libm::log(rank as f64))
        .collect()
}

fn fill_zipf(row: &mut [f64], log_ranks: &[f64], exponent: f64) {
    for (logit, log_rank) in row.iter_mut().zip(log_ranks) {
        *logit = -exponent * log_rank;
    }
}

/// The rows of a run of `total` steps.
#[derive(Debug)]
pub(super) struct ScenarioRows {
    scenario: Scenario,
    total: usize,
    /// None where the row never changes.
    log_ranks: Vec<f64>,
    row: Vec<f64>,
}

impl ScenarioRows {
    pub(super) fn new(scenario: Scenario, vocabulary: usize, total: usize) -> Result<Self> {
        check::vocabulary(vocabulary)?;
        scenario.check()?;
        let mut row = vec![0.0; vocabulary];
        match scenario {
            Scenario::Bimodal => {
                row.fill(-2.0);
                row[0] = 3.0;
                row[vocabulary / 2] = 3.0;
            }
            Scenario::SpikeAndTail => row[0] = 5.0,
            _ => {}
        }
        let log_ranks = match scenario.exponent(0, total) {
            Some(_) => log_ranks(vocabulary),
            None => Vec::new(),
        };
        Ok(Self {
            scenario,
            total,
            log_ranks,
            row,
        })
    }

    /// The row of step `index`. It is written anew for each step of Zipf's law: next to the exponentials of the step that is nothing.
    pub(super) fn at(&mut self, index: usize) -> &[f64] {
        if let Some(exponent) = self.scenario.exponent(index, self.total) {
            fill_zipf(&mut self.row, &self.log_ranks, exponent);
        }
        &self.row
    }
}
