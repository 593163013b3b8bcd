//! One text's sampler, in the place of candle's.

use crate::TensorRows;
use candle_core::{Error, Result, Tensor};
use mirostat::reference::Truncation;
use mirostat::{Config, FixedSampler, Sampler, Step, UniformSource as _, Uniforms, Version};

/// A drop-in for `candle_transformers::generation::LogitsProcessor`: a row of logits in, a token out.
///
/// Beside Mirostat it takes the samplers of `mirostat` that have no target, so that a programme needs one type. The uniforms are those of
/// [`Uniforms`], so a seed gives other tokens than candle's generator would, and the same on every machine for the same logits. What
/// `sample_f` does to probabilities is done to the logits before.
///
/// # Examples
///
/// ```
/// use candle_core::{Device, Tensor};
/// use mirostat_candle::MirostatProcessor;
/// let logits = Tensor::new(&[1.0_f32, 3.0, 2.0], &Device::Cpu)?;
/// let mut greedy = MirostatProcessor::new(299_792_458, None, None)?; // was LogitsProcessor::new
/// assert_eq!(greedy.sample(&logits)?, 1);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MirostatProcessor {
    rule: Rule,
    uniforms: Uniforms,
    last_step: Option<Step>,
}

#[derive(Clone, Debug)]
enum Rule {
    Mirostat(Sampler),
    Fixed(FixedSampler),
}

impl MirostatProcessor {
    /// What `LogitsProcessor::new` would make: the likeliest token without a temperature or with one below 1e-7, else the nucleus, or
    /// the whole row where `top_p` is none or outside of (0, 1).
    ///
    /// # Errors
    ///
    /// For a temperature outside of [2^−20, 2^20].
    pub fn new(seed: u64, temperature: Option<f64>, top_p: Option<f64>) -> Result<Self> {
        // Not `< 1e-7`, which would let a NaN through as no temperature.
        let (truncation, temperature) = match temperature.filter(|t| !matches!(t, ..1e-7)) {
            None => (Truncation::TopK(1), 1.0),
            Some(temperature) => {
                let inside = top_p.filter(|p| 0.0 < *p && *p < 1.0);
                (
                    inside.map_or(Truncation::None, Truncation::TopP),
                    temperature,
                )
            }
        };
        let sampler = FixedSampler::new(truncation)
            .and_then(|sampler| sampler.with_temperature(temperature))
            .map_err(Error::wrap)?;
        Ok(Self::fixed(seed, sampler))
    }

    /// Mirostat at its first step.
    ///
    /// # Errors
    ///
    /// As [`Sampler::new`].
    pub fn mirostat(seed: u64, config: Config, version: Version) -> Result<Self> {
        let sampler = Sampler::new(config, version).map_err(Error::wrap)?;
        Ok(Self::of(Rule::Mirostat(sampler), seed))
    }

    /// A sampler without a target.
    #[must_use]
    pub const fn fixed(seed: u64, sampler: FixedSampler) -> Self {
        Self::of(Rule::Fixed(sampler), seed)
    }

    const fn of(rule: Rule, seed: u64) -> Self {
        Self {
            rule,
            uniforms: Uniforms::new(seed, 0),
            last_step: None,
        }
    }

    /// Chooses the next token from one row, `[v]` or `[1, v]`; what fails changes nothing.
    ///
    /// # Errors
    ///
    /// As [`TensorRows::new`]; for more than one row; what [`mirostat::Error`] says, as of a NaN with its index.
    ///
    /// # Cost
    ///
    /// As [`Sampler::sample`]; no copy of the row where [`TensorRows`] needs none.
    pub fn sample(&mut self, logits: &Tensor) -> Result<u32> {
        let rows = TensorRows::new(logits)?;
        if rows.len() != 1 {
            return Err(Error::msg(format!(
                "{} rows of logits for one text: a batch takes MirostatBatch",
                rows.len()
            )));
        }
        let uniform = self.uniforms.peek().map_err(Error::wrap)?;
        let token = match &mut self.rule {
            Rule::Mirostat(sampler) => {
                let step = sampler.sample(rows.get(0), uniform).map_err(Error::wrap)?;
                self.last_step = Some(step);
                step.token
            }
            Rule::Fixed(sampler) => {
                sampler
                    .draw(rows.get(0), uniform)
                    .map_err(Error::wrap)?
                    .token
            }
        };
        self.uniforms.advance();
        Ok(token)
    }

    /// What Mirostat did last; nothing before the first step, and with a sampler without a target.
    #[must_use]
    pub const fn last_step(&self) -> Option<&Step> {
        self.last_step.as_ref()
    }

    /// The session, unless the sampler has no target.
    #[must_use]
    pub const fn sampler(&self) -> Option<&Sampler> {
        match &self.rule {
            Rule::Mirostat(sampler) => Some(sampler),
            Rule::Fixed(_) => None,
        }
    }
}
