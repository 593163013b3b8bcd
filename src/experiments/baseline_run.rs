//! A fixed sampler along a scenario: what surprise it gives when nobody steers it.

use super::baseline::{Baseline, Cut};
use super::check;
use super::rows::ScenarioRows;
use super::scenario::Scenario;
use crate::reference::Distribution;
use crate::uniform::UniformSource;
use crate::{Error, Result};

/// One draw of a fixed sampler, measured as Mirostat measures its own.
///
/// **Units.** Surprise in bits, kept in tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct BaselineStep {
    /// The token.
    pub token: u32,
    /// Its probability in the row as it came: before temperature and truncation.
    pub probability: f64,
    /// −log2 of that probability, in bits; +0.0 for a certain token.
    pub surprise_bits: f64,
    /// How many tokens the truncation kept.
    pub kept: usize,
}

/// A row as it came, and as the baseline cuts it.
struct Measured {
    original: Distribution,
    cut: Cut,
}

impl Measured {
    fn of(baseline: Baseline, logits: &[f64]) -> Result<Self> {
        Ok(Self {
            original: Distribution::from_logits(logits, 1.0)?,
            cut: Cut::of(baseline, logits)?,
        })
    }

    /// A uniform is used up only by a draw that succeeds, as everywhere.
    fn step<U: UniformSource + ?Sized>(&self, uniforms: &mut U) -> Result<BaselineStep> {
        let token = self.cut.draw(uniforms.peek()?)?;
        uniforms.advance();
        Ok(BaselineStep {
            token,
            probability: self.original.probability(token),
            surprise_bits: self.original.surprise_bits(token),
            kept: self.cut.kept.count,
        })
    }
}

/// Draws `steps` tokens of one row by a fixed sampler, each with the next of `uniforms`.
///
/// **Units.** Logits in nats, surprises in bits.
///
/// # Errors
///
/// Faults of the row and of the baseline's parameter, even for 0 steps; then those of the uniforms, which stand after the last draw that
/// succeeded.
///
/// # Cost
///
/// The row is read and ranked once; a draw walks the kept tokens.
///
/// # Examples
///
/// ```
/// use mirostat::ParkMiller;
/// use mirostat::experiments::{Baseline, baseline_mean_surprise, run_baseline_static, zipf_logits};
/// let row = zipf_logits(256, 1.15);
/// let trace = run_baseline_static(Baseline::TopK(6), &mut ParkMiller::new(42)?, &row, 1000)?;
/// assert!((baseline_mean_surprise(&trace)? - 3.089354784987253).abs() < 1e-12);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn run_baseline_static<U>(
    baseline: Baseline,
    uniforms: &mut U,
    logits: &[f64],
    steps: usize,
) -> Result<Vec<BaselineStep>>
where
    U: UniformSource + ?Sized,
{
    let row = Measured::of(baseline, logits)?;
    (0..steps).map(|_| row.step(uniforms)).collect()
}

/// Draws `steps` tokens by a fixed sampler along a scenario, each with the next of `uniforms`.
///
/// **Units.** Surprises in bits.
///
/// # Errors
///
/// Those of the scenario as [`run_scenario`](super::run_scenario), even for 0 steps; then those of the baseline's parameter and
/// of the uniforms, which stand after the last draw that succeeded.
///
/// # Cost
///
/// Every row is read and ranked anew.
///
/// # Examples
///
/// ```
/// use mirostat::Uniforms;
/// use mirostat::experiments::{Baseline, Scenario, baseline_mean_surprise, run_baseline_scenario};
/// let drift = Scenario::drifting_zipf(0.7, 1.7);
/// let trace = run_baseline_scenario(Baseline::TopP(0.9), &mut Uniforms::new(42, 0), drift, 256, 100)?;
/// assert!(trace[0].kept > trace[99].kept);
/// assert!(baseline_mean_surprise(&trace[..20])? > baseline_mean_surprise(&trace[80..])?); // nothing is held
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn run_baseline_scenario<U>(
    baseline: Baseline,
    uniforms: &mut U,
    scenario: Scenario,
    vocabulary: usize,
    steps: usize,
) -> Result<Vec<BaselineStep>>
where
    U: UniformSource + ?Sized,
{
    let mut rows = ScenarioRows::new(scenario, vocabulary, steps)?;
    let step = |index| Measured::of(baseline, rows.at(index))?.step(uniforms);
    (0..steps).map(step).collect()
}

/// The mean surprise of a fixed sampler's draws, in bits: Σ sᵢ / n.
///
/// # Errors
///
/// [`Error::InvalidParameter`] if there are none; [`Error::NumericalFailure`] if the sum is not finite, which no run makes.
///
/// # Examples
///
/// ```
/// use mirostat::Tape;
/// use mirostat::experiments::{Baseline, baseline_mean_surprise, run_baseline_static};
/// let trace = run_baseline_static(Baseline::Temperature(2.0), &mut Tape::new(&[0.1, 0.9]), &[0.0; 4], 2)?;
/// assert_eq!(baseline_mean_surprise(&trace)?, 2.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn baseline_mean_surprise(trace: &[BaselineStep]) -> Result<f64> {
    check::at_least_one("steps", trace.len())?;
    let sum: f64 = trace.iter().map(|step| step.surprise_bits).sum();
    if !sum.is_finite() {
        return Err(Error::NumericalFailure {
            quantity: "the sum of surprises",
        });
    }
    Ok(sum / trace.len() as f64)
}
