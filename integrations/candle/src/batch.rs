//! The samplers of a batch of texts.

use crate::TensorRows;
use candle_core::{Error, Result, Tensor};
use mirostat::{
    BatchScratch, Config, Parallelism, Sampler, Step, UniformSource as _, Uniforms, Version,
    sample_batch_atomic,
};

/// A Mirostat session for every row of a batch, stepped at once.
///
/// Session i draws with session i of the seed's [`Uniforms`]: its tokens do not depend on the other rows.
///
/// # Examples
///
/// ```
/// use candle_core::{DType, Device, Tensor};
/// use mirostat::{Config, Version};
/// use mirostat_candle::MirostatBatch;
/// let mut batch = MirostatBatch::new(42, Config::new(3.0).unwrap(), Version::V2, 4)?;
/// let logits = Tensor::zeros((4, 32), DType::F16, &Device::Cpu)?; // from your model
/// assert_eq!(batch.sample(&logits)?.len(), 4);
/// assert_eq!(batch.steps()[3].kept, 32); // mu is 6 bits, and each of 32 equal tokens has 5
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug)]
pub struct MirostatBatch {
    samplers: Vec<Sampler>,
    uniforms: Vec<Uniforms>,
    draws: Vec<f64>,
    scratch: BatchScratch,
    steps: Vec<Step>,
}

impl MirostatBatch {
    /// As many sessions as the batch has rows, at their first step.
    ///
    /// # Errors
    ///
    /// As [`Sampler::new`].
    pub fn new(seed: u64, config: Config, version: Version, sessions: usize) -> Result<Self> {
        let sampler = Sampler::new(config, version).map_err(Error::wrap)?;
        let uniforms = (0..).map(|session| Uniforms::new(seed, session));
        Ok(Self {
            samplers: vec![sampler; sessions],
            uniforms: uniforms.take(sessions).collect(),
            draws: Vec::new(),
            scratch: BatchScratch::new(),
            steps: Vec::new(),
        })
    }

    /// Chooses the next token of every row of `[b, v]`, or of none.
    ///
    /// # Errors
    ///
    /// As [`TensorRows::new`]; what [`mirostat::BatchError`] says, with the row that was refused; where there are not as many rows as
    /// sessions; no session has moved then.
    ///
    /// # Cost
    ///
    /// As [`mirostat::step_batch`], over rayon's current pool, which is candle's own.
    pub fn sample(&mut self, logits: &Tensor) -> Result<Vec<u32>> {
        let rows = TensorRows::new(logits)?;
        self.draws.clear();
        for uniforms in &self.uniforms {
            self.draws.push(uniforms.peek().map_err(Error::wrap)?);
        }
        sample_batch_atomic(
            &mut self.samplers,
            rows.rows(),
            &self.draws,
            Parallelism::Auto,
            &mut self.scratch,
            &mut self.steps,
        )
        .map_err(Error::wrap)?;
        self.uniforms.iter_mut().for_each(Uniforms::advance);
        Ok(self.steps.iter().map(|step| step.token).collect())
    }

    /// What the last batch did, a step for each row; empty before the first, and after one that failed.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The sessions.
    #[must_use]
    pub fn samplers(&self) -> &[Sampler] {
        &self.samplers
    }
}
