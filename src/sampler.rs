//! One session: rule, choice and feedback.

use crate::config::Numerics;
use crate::engine::{self, Engine};
use crate::feedback::feedback;
use crate::reading::{Reading, choose_exactly};
use crate::reference::Distribution;
use crate::row::Row;
use crate::scratch::{Scratch, with_thread_scratch};
use crate::step::{Proposal, Step};
use crate::uniform::UniformSource;
use crate::{Config, Error, Level, Result, Version};

/// One session of Mirostat: a configuration, mu, and a step count.
///
/// Each step reads a row of logits, keeps what the version's rule keeps at the present mu, draws one token and moves mu against the
/// error of its surprise: mu ← mu − eta·(surprise − tau) (Basu et al., "Mirostat", ICLR 2021, algorithm 1). An error changes nothing.
///
/// Small, `Clone` and `Send`; all buffers are lent. Two clones are two independent sessions.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Uniforms, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let mut uniforms = Uniforms::new(42, 0);
/// let logits = [4.0_f32, 3.1, 2.4, 1.8, 1.0, 0.2];
/// let step = sampler.sample_with(&logits, &mut uniforms)?;
/// println!("token {} at {:.3} bits, {} kept", step.token, step.surprise_bits, step.kept);
/// assert_eq!(sampler.steps(), 1);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    pub(crate) config: Config,
    pub(crate) version: Version,
    pub(crate) engine: Engine,
    pub(crate) mu: f64,
    pub(crate) steps: u64,
}

impl Sampler {
    /// A session at its first step, on the fastest instructions of this machine for the configured arithmetic.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if [`Numerics::Fused`] is asked for and the hardware has no fused multiply-add.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let sampler = Sampler::new(Config::new(3.0)?, Version::V1)?;
    /// assert_eq!((sampler.mu(), sampler.steps()), (6.0, 0));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn new(config: Config, version: Version) -> Result<Self> {
        Ok(Self::at_start(
            config,
            version,
            engine::fastest(config.numerics())?,
        ))
    }

    /// A session that runs on a given level: for tests and benches, which compare levels.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if this machine lacks the level, or the level the configured arithmetic.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Level, Sampler, Version};
    /// let levels = Level::ALL.into_iter().filter_map(|l| Sampler::on_level(Config::new(3.0).ok()?, Version::V2, l).ok());
    /// let tokens: Vec<u32> = levels.map(|mut s| s.sample(&[1.0_f32, 2.0, 3.0], 0.5).unwrap().token).collect();
    /// assert!(tokens.iter().all(|&t| t == tokens[0]));
    /// ```
    pub fn on_level(config: Config, version: Version, level: Level) -> Result<Self> {
        let engine = engine::on_level(config.numerics(), level).ok_or(Error::Unsupported {
            what: "this level with this arithmetic",
        })?;
        Ok(Self::at_start(config, version, engine))
    }

    const fn at_start(config: Config, version: Version, engine: Engine) -> Self {
        Self {
            config,
            version,
            engine,
            mu: config.initial_mu(),
            steps: 0,
        }
    }

    /// The configuration.
    #[must_use]
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The rule.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// Mu, in bits.
    #[must_use]
    pub const fn mu(&self) -> f64 {
        self.mu
    }

    /// Steps taken.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// The instructions that the kernels run on.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.engine.level()
    }

    /// The arithmetic that the kernels run with: never [`Numerics::Auto`].
    #[must_use]
    pub const fn numerics(&self) -> Numerics {
        engine::numerics(self.engine)
    }

    pub(crate) const fn engine(&self) -> Engine {
        self.engine
    }

    /// One step: reads `row`, draws with `uniform` in [0, 1), feeds back.
    ///
    /// # Errors
    ///
    /// Faults of the row, then of the rule's numbers, then [`Error::InvalidUniform`]; the session is then as it was.
    ///
    /// # Cost
    ///
    /// One read of the row as a rule; more where it is extreme or thousands of tokens are kept. The scratch is the calling thread's,
    /// and after the first call with rows of this length nothing allocates (but for `f64` rows, and m above 4,096).
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V1)?;
    /// let step = sampler.sample(&[4.0_f32, 2.0, 1.0], 0.42)?;
    /// assert_eq!((step.token, step.kept), (0, 3));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn sample<'a>(&mut self, row: impl Into<Row<'a>>, uniform: f64) -> Result<Step> {
        with_thread_scratch(|scratch| self.sample_in(row, uniform, scratch))
    }

    /// [`sample`](Self::sample) in a scratch that the caller lends.
    ///
    /// # Errors
    ///
    /// As [`sample`](Self::sample).
    ///
    /// # Cost
    ///
    /// As [`sample`](Self::sample); nothing allocates once the scratch has room for rows of this length.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Scratch, Version, f16};
    /// let mut scratch = Scratch::for_vocabulary(3);
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let halves = [4.0, 2.0, 1.0].map(f16::from_f32);
    /// assert_eq!(sampler.sample_in(&halves, 0.42, &mut scratch)?.token, 0);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn sample_in<'a>(
        &mut self,
        row: impl Into<Row<'a>>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Result<Step> {
        let step = self.foresee(row.into(), uniform, scratch)?;
        self.commit(&step);
        Ok(step)
    }

    /// [`sample`](Self::sample) with the next number of `source`, which is used up only if the step succeeds.
    ///
    /// # Errors
    ///
    /// As [`sample`](Self::sample), and those of the source.
    ///
    /// # Cost
    ///
    /// As [`sample`](Self::sample), and that of the source.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Uniforms, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let mut uniforms = Uniforms::new(1, 0);
    /// assert!(sampler.sample_with(&[f32::NAN], &mut uniforms).is_err());
    /// assert_eq!(uniforms.step, 0); // not used up
    /// sampler.sample_with(&[1.0_f32, 2.0], &mut uniforms)?;
    /// assert_eq!(uniforms.step, 1);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn sample_with<'a>(
        &mut self,
        row: impl Into<Row<'a>>,
        source: &mut (impl UniformSource + ?Sized),
    ) -> Result<Step> {
        let uniform = source.peek()?;
        let step = self.sample(row, uniform)?;
        source.advance();
        Ok(step)
    }

    /// [`sample`](Self::sample) for weights: non-negative numbers in proportion to probabilities, any sum. The temperature does not
    /// act on them.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyRow`], [`Error::InvalidProbability`] at the first weight that is negative, NaN or infinite,
    /// [`Error::NumericalFailure`] if all are 0; then as [`sample`](Self::sample).
    ///
    /// # Cost
    ///
    /// The reference: f64, sorted, allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let step = sampler.sample_weights(&[8.0, 4.0, 2.0, 1.0], 0.7)?;
    /// assert_eq!((step.token, step.kept), (1, 4));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn sample_weights(&mut self, weights: &[f64], uniform: f64) -> Result<Step> {
        let step = self.foresee_weights(weights, uniform)?;
        self.commit(&step);
        Ok(step)
    }

    /// The step that [`sample_weights`](Self::sample_weights) would take.
    pub(crate) fn foresee_weights(&self, weights: &[f64], uniform: f64) -> Result<Step> {
        let distribution = Distribution::from_weights(weights)?;
        self.complete(choose_exactly(self, &distribution, uniform)?)
    }

    /// The step that [`sample_in`](Self::sample_in) would take.
    pub(crate) fn foresee(
        &self,
        row: Row<'_>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Result<Step> {
        let reading = Reading::of_row(self, row, scratch)?;
        self.complete(reading.choose(self, row, uniform, scratch)?)
    }

    /// The step that a proposal makes.
    pub(crate) fn complete(&self, proposal: Proposal) -> Result<Step> {
        let (mu_after, limited) = feedback(&self.config, self.mu, proposal.surprise_bits)?;
        Ok(Step {
            token: proposal.token,
            probability: proposal.probability,
            surprise_bits: proposal.surprise_bits,
            kept: proposal.kept,
            support: proposal.support,
            mu_before: self.mu,
            mu_after,
            limited,
        })
    }

    pub(crate) const fn commit(&mut self, step: &Step) {
        self.mu = step.mu_after;
        self.steps = self.steps.saturating_add(1);
    }
}
