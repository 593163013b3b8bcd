//! Sampling with the host: the tokens that a rule keeps are shown, and the token that the host chose is fed back.

use crate::listing::{Listing, Order};
use crate::reading::{Reading, observe_exactly};
use crate::reference::Distribution;
use crate::row::Row;
use crate::scratch::{Scratch, with_thread_scratch};
use crate::{Result, Sampler, Step};

/// The tokens that a session would draw from at its present mu, with their probabilities.
///
/// In rank order: descending probability, smaller ids first among equals. Never empty; a token of probability 0 is never among
/// them. A copy: nothing of it changes when the session or the row does.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version};
/// let config = Config::builder(2.0).initial_mu(4.0).build()?;
/// let sampler = Sampler::new(config, Version::V2)?;
/// let set = sampler.candidates(&[3.0_f64, 2.0, 1.0, 0.0, -1.0, -2.0])?;
/// assert_eq!(set.tokens(), [0, 1, 2]);
/// assert_eq!(set.position(2), Some(2));
/// assert!((set.conditional().iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct CandidateSet {
    tokens: Vec<u32>,
    conditional: Vec<f64>,
    original: Vec<f64>,
    kept: usize,
    mu: f64,
}

impl CandidateSet {
    pub(crate) fn of(listing: Listing, mu: f64) -> Self {
        let Listing {
            tokens,
            probabilities: original,
            kept,
            ..
        } = listing;
        let mass: f64 = original.iter().sum();
        Self {
            tokens,
            conditional: original.iter().map(|p| p / mass).collect(),
            original,
            kept,
            mu,
        }
    }

    /// The tokens, in rank order.
    #[must_use]
    pub fn tokens(&self) -> &[u32] {
        &self.tokens
    }

    /// The probabilities among the kept tokens, aligned with [`tokens`](Self::tokens): pᵢ / Σ pⱼ, summed in rank order.
    #[must_use]
    pub fn conditional(&self) -> &[f64] {
        &self.conditional
    }

    /// The probabilities in the whole row, aligned with [`tokens`](Self::tokens).
    #[must_use]
    pub fn original(&self) -> &[f64] {
        &self.original
    }

    /// Mu that the set was made with, in bits.
    #[must_use]
    pub const fn mu(&self) -> f64 {
        self.mu
    }

    /// How many tokens the rule kept, as in [`Step::kept`]: version 1 counts masked tokens too, so this may exceed the number of
    /// [`tokens`](Self::tokens).
    #[must_use]
    pub const fn kept(&self) -> usize {
        self.kept
    }

    /// Where in the set a token stands; none if it is not a candidate.
    ///
    /// # Cost
    ///
    /// A walk through the set.
    #[must_use]
    pub fn position(&self, token: u32) -> Option<usize> {
        self.tokens.iter().position(|&t| t == token)
    }

    /// The probability of a token among the kept; none if it is not a candidate.
    ///
    /// # Cost
    ///
    /// A walk through the set.
    #[must_use]
    pub fn conditional_probability(&self, token: u32) -> Option<f64> {
        Some(self.conditional[self.position(token)?])
    }

    /// The probability of a token in the whole row; none if it is not a candidate.
    ///
    /// # Cost
    ///
    /// A walk through the set.
    #[must_use]
    pub fn original_probability(&self, token: u32) -> Option<f64> {
        Some(self.original[self.position(token)?])
    }
}

impl Sampler {
    /// The tokens that the session would draw from, for a host that draws itself; nothing changes.
    ///
    /// # Errors
    ///
    /// Faults of the row, then of the rule's numbers.
    ///
    /// # Cost
    ///
    /// One read of the row as a rule, in the thread's scratch, and a sort of what is kept; a second, scalar read where thousands are
    /// kept. The vectors of the set are allocated. `f64` rows take the reference.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let logits = [3.0_f32, 2.0, 1.0];
    /// let token = sampler.candidates(&logits)?.tokens()[1]; // the host's choice
    /// let step = sampler.observe_token(&logits, token)?;
    /// assert_eq!((step.token, step.kept, sampler.steps()), (1, 3, 1));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn candidates<'a>(&self, row: impl Into<Row<'a>>) -> Result<CandidateSet> {
        let row = row.into();
        with_thread_scratch(|scratch| {
            let reading = Reading::of_row(self, row, scratch)?;
            let listing = reading.list(self, row, Order::Rank, scratch)?;
            Ok(CandidateSet::of(listing, self.mu()))
        })
    }

    /// [`candidates`](Self::candidates) for weights, as in [`sample_weights`](Self::sample_weights).
    ///
    /// # Errors
    ///
    /// Faults of the weights, then of the rule's numbers.
    ///
    /// # Cost
    ///
    /// The reference: f64, sorted, allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let set = sampler.candidates_weights(&[1.0, 2.0, 1.0])?;
    /// assert_eq!((set.tokens(), set.original()), (&[1, 0, 2][..], &[0.5, 0.25, 0.25][..]));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn candidates_weights(&self, weights: &[f64]) -> Result<CandidateSet> {
        let distribution = Distribution::from_weights(weights)?;
        let listing = Listing::of_distribution(self, &distribution)?;
        Ok(CandidateSet::of(listing, self.mu()))
    }

    /// Feeds back a token that the host chose; it must be among the kept.
    ///
    /// The step is the one that [`sample`](Self::sample) would have returned had it drawn that token.
    ///
    /// # Errors
    ///
    /// Faults of the row, then of the rule's numbers, then [`Error::TokenOutsideVocabulary`](crate::Error::TokenOutsideVocabulary),
    /// then [`Error::TokenNotKept`](crate::Error::TokenNotKept), also for a token of probability 0; the session is then as it was.
    ///
    /// # Cost
    ///
    /// As [`sample`](Self::sample).
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Error, Sampler, Version};
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let logits = [3.0_f32, 2.0, f32::NEG_INFINITY];
    /// assert_eq!(sampler.observe_token(&logits, 2), Err(Error::TokenNotKept { token: 2 }));
    /// assert_eq!(sampler.observe_token(&logits, 0)?.kept, 2);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn observe_token<'a>(&mut self, row: impl Into<Row<'a>>, token: u32) -> Result<Step> {
        let row = row.into();
        with_thread_scratch(|scratch| self.read(row, scratch)?.observe(token))
    }

    /// [`observe_token`](Self::observe_token) for weights, as in [`sample_weights`](Self::sample_weights).
    ///
    /// # Errors
    ///
    /// Faults of the weights, then as [`observe_token`](Self::observe_token).
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
    /// let step = sampler.observe_weighted_token(&[8.0, 4.0, 2.0, 1.0], 1)?;
    /// assert_eq!((step.kept, (step.mu_after - 4.009310940439148).abs() < 1e-12), (4, true));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn observe_weighted_token(&mut self, weights: &[f64], token: u32) -> Result<Step> {
        let step = self.foresee_weighted_token(weights, token)?;
        self.commit(&step);
        Ok(step)
    }

    pub(crate) fn foresee_token(
        &self,
        row: Row<'_>,
        token: u32,
        scratch: &mut Scratch,
    ) -> Result<Step> {
        let reading = Reading::of_row(self, row, scratch)?;
        self.complete(reading.observe(self, row, token, false, scratch)?)
    }

    fn foresee_weighted_token(&self, weights: &[f64], token: u32) -> Result<Step> {
        let distribution = Distribution::from_weights(weights)?;
        self.complete(observe_exactly(self, &distribution, token, false)?)
    }
}
