//! The summary of a trace, gathered step by step or thread by thread.

use super::exact_sum::ExactSum;
use super::{check_surprise, no_steps};
use crate::{Error, Result, Step};

/// What a trace amounts to, against its target.
///
/// mean surprise = Σ sᵢ / n · mean kept = Σ kᵢ / n · mean absolute error = Σ |sᵢ − target| / n
///
/// **Units.** Surprises, errors and mu in bits; kept in tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TraceSummary {
    /// Steps, n.
    pub count: u64,
    /// Mean surprise, in bits.
    pub mean_surprise: f64,
    /// Mean number of tokens kept.
    pub mean_kept: f64,
    /// Mean distance between a step's surprise and the target, in bits.
    pub mean_absolute_error: f64,
    /// Mu after the last step, in bits.
    pub final_mu: f64,
}

/// A [`TraceSummary`] in the making.
///
/// The sums are exact, so steps in any order and traces merged in any grouping give the same means to the last bit, and two
/// accumulators are equal where they hold the same sums and the same last mu.
///
/// # Cost
///
/// About 600 bytes, none on the heap; a step costs some nanoseconds.
///
/// # Examples
///
/// ```
/// use mirostat::trace::TraceAccumulator;
/// use mirostat::{Config, Sampler, Uniforms, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut uniforms = Uniforms::new(1, 0);
/// let mut trace = TraceAccumulator::new(2.0)?;
/// for _ in 0..10 {
///     trace.push(&sampler.sample_with(&[3.0_f32, 2.0, 1.0], &mut uniforms)?)?;
/// }
/// let summary = trace.summary()?;
/// assert_eq!((summary.count, summary.final_mu), (10, sampler.mu()));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TraceAccumulator {
    target: f64,
    count: u64,
    surprise: ExactSum,
    error: ExactSum,
    kept: u128,
    final_mu: f64,
}

impl TraceAccumulator {
    /// An empty trace against a target of `target` bits.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] unless `target` is finite and positive.
    pub fn new(target: f64) -> Result<Self> {
        if !(target.is_finite() && target > 0.0) {
            return Err(Error::InvalidParameter {
                name: "target",
                value: target,
                expected: "finite and positive",
            });
        }
        Ok(Self {
            target,
            count: 0,
            surprise: ExactSum::ZERO,
            error: ExactSum::ZERO,
            kept: 0,
            final_mu: 0.0,
        })
    }

    /// The target, in bits.
    #[must_use]
    pub const fn target(&self) -> f64 {
        self.target
    }

    /// Steps so far.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Adds a step at the end.
    ///
    /// # Errors
    ///
    /// [`Error::NumericalFailure`] if the step's surprise is NaN, infinite or negative, its mu is NaN or infinite, or the count would
    /// pass u64; the trace is then as it was.
    pub fn push(&mut self, step: &Step) -> Result<()> {
        check_surprise(step.surprise_bits)?;
        if !step.mu_after.is_finite() {
            return Err(Error::NumericalFailure {
                quantity: "the mu of a step",
            });
        }
        self.count = self.count_with(1)?;
        self.surprise.add(step.surprise_bits);
        self.error.add((step.surprise_bits - self.target).abs());
        self.kept += step.kept as u128;
        self.final_mu = step.mu_after;
        Ok(())
    }

    /// Adds all steps of a later trace: the sums are then bit for bit those of one trace, and the final mu is the later one's.
    ///
    /// Merging an empty trace changes nothing.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if the two have different targets, [`Error::NumericalFailure`] if the count would pass u64; the
    /// trace is then as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::trace::TraceAccumulator;
    /// use mirostat::{Config, Sampler, Version};
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let [a, b] = [0.2, 0.8].map(|u| sampler.sample(&[3.0_f32, 2.0, 1.0], u).unwrap());
    /// let [mut whole, mut first, mut second] = [(); 3].map(|()| TraceAccumulator::new(2.0).unwrap());
    /// whole.push(&a)?;
    /// whole.push(&b)?;
    /// first.push(&a)?;
    /// second.push(&b)?;
    /// first.merge(&second)?;
    /// assert_eq!(first, whole);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn merge(&mut self, later: &Self) -> Result<()> {
        if later.target != self.target {
            return Err(Error::InvalidParameter {
                name: "target",
                value: later.target,
                expected: "the same in traces that are merged",
            });
        }
        self.count = self.count_with(later.count)?;
        self.surprise.merge(&later.surprise);
        self.error.merge(&later.error);
        self.kept += later.kept;
        if later.count > 0 {
            self.final_mu = later.final_mu;
        }
        Ok(())
    }

    /// The summary of the steps so far; each mean within one unit in the last place.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if there are none.
    pub fn summary(&self) -> Result<TraceSummary> {
        if self.count == 0 {
            return Err(no_steps());
        }
        Ok(TraceSummary {
            count: self.count,
            mean_surprise: self.surprise.mean(self.count),
            mean_kept: self.kept as f64 / self.count as f64,
            mean_absolute_error: self.error.mean(self.count),
            final_mu: self.final_mu,
        })
    }

    fn count_with(&self, more: u64) -> Result<u64> {
        self.count.checked_add(more).ok_or(Error::NumericalFailure {
            quantity: "the count of steps",
        })
    }
}

/// The summary of a finished trace: a [`TraceAccumulator`] that takes every step.
///
/// # Errors
///
/// [`Error::InvalidParameter`] unless `target` is finite and positive and there is a step; [`Error::NumericalFailure`] if a surprise is
/// NaN, infinite or negative, or a mu NaN or infinite.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version, trace::summarize};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let step = sampler.sample(&[0.0_f64; 4], 0.75)?;
/// let summary = summarize(&[step], 1.5)?;
/// assert_eq!((summary.mean_surprise, summary.mean_absolute_error, summary.mean_kept), (2.0, 0.5, 4.0));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn summarize(steps: &[Step], target: f64) -> Result<TraceSummary> {
    let mut trace = TraceAccumulator::new(target)?;
    for step in steps {
        trace.push(step)?;
    }
    trace.summary()
}
