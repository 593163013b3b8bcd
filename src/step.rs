//! What a step, and a proposal of one, tell.

use crate::Version;

/// What one committed step did.
///
/// # Units
///
/// Surprise and mu in bits. Ids are positions in the row.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(1.0)?, Version::V2)?;
/// let step = sampler.sample(&[0.0_f32, 0.0, f32::NEG_INFINITY], 0.6)?;
/// assert_eq!((step.token, step.surprise_bits, step.kept, step.support), (1, 1.0, 2, 2));
/// assert_eq!((step.mu_before, step.mu_after), (2.0, 2.0)); // on target, so mu stays
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Step {
    /// The token.
    pub token: u32,
    /// Its probability in the distribution that [`Config::surprise_basis`](crate::Config::surprise_basis) names: the whole row, or
    /// the kept tokens renormalised.
    pub probability: f64,
    /// −log2 of that probability, in bits; +0.0 for a certain token.
    pub surprise_bits: f64,
    /// How many tokens the rule kept. Version 1 counts masked tokens as the ancestor does, so this may exceed `support`.
    pub kept: usize,
    /// Tokens of the support: those whose weight exp((l − max) / T) is above 0 in f64. Only they are ever drawn.
    pub support: usize,
    /// Mu that the choice was made with, in bits.
    pub mu_before: f64,
    /// Mu after the feedback, in bits.
    pub mu_after: f64,
    /// Which bound of mu acted, if there are bounds and one did.
    pub limited: Option<Limit>,
}

/// A bound that held mu back.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Limit, Sampler, Version};
/// let config = Config::builder(9.0).mu_bounds(0.0, 18.0).build()?; // 9 bits are out of reach of two tokens
/// let mut sampler = Sampler::new(config, Version::V2)?;
/// assert_eq!(sampler.sample(&[1.0_f32, 1.0], 0.5)?.limited, Some(Limit::Upper));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Limit {
    /// Mu would have fallen below its lower bound.
    Lower,
    /// Mu would have risen above its upper bound.
    Upper,
}

/// A token that was drawn or named but not fed back yet.
///
/// Making one changes nothing; [`Sampler::accept`](crate::Sampler::accept) feeds it back. It is valid for the session that made it,
/// or a clone, at the step that it was made at.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Scratch, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let proposal = sampler.read(&[2.0_f32, 1.0], &mut Scratch::new())?.propose(0.1)?;
/// assert_eq!((proposal.token(), sampler.steps()), (0, 0));
/// assert_eq!(sampler.accept(proposal)?.token, 0);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Proposal {
    pub(crate) token: u32,
    pub(crate) probability: f64,
    pub(crate) surprise_bits: f64,
    pub(crate) kept: usize,
    pub(crate) support: usize,
    pub(crate) version: Version,
    pub(crate) step: u64,
    pub(crate) mu: f64,
}

impl Proposal {
    /// The token.
    #[must_use]
    pub const fn token(&self) -> u32 {
        self.token
    }

    /// Its probability, as in [`Step::probability`].
    #[must_use]
    pub const fn probability(&self) -> f64 {
        self.probability
    }

    /// Its surprise in bits, as in [`Step::surprise_bits`].
    #[must_use]
    pub const fn surprise_bits(&self) -> f64 {
        self.surprise_bits
    }

    /// How many tokens the rule kept, as in [`Step::kept`].
    #[must_use]
    pub const fn kept(&self) -> usize {
        self.kept
    }

    /// Tokens of the support, as in [`Step::support`].
    #[must_use]
    pub const fn support(&self) -> usize {
        self.support
    }

    /// The number of the step that it was made at, counted from 0.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.step
    }
}
