//! What a session does with a prepared row.

use super::PreparedRow;
use super::cutting::Cutting;
use crate::candidates::CandidateSet;
use crate::listing::Order;
use crate::preview::Preview;
use crate::scratch::with_thread_scratch;
use crate::{Result, Sampler, Step};

impl Sampler {
    /// [`sample`](Self::sample) on a prepared row: the same step, bit for bit.
    ///
    /// # Errors
    ///
    /// Faults of the rule's numbers, then [`Error::InvalidUniform`](crate::Error::InvalidUniform); the session is then as it was.
    ///
    /// # Cost
    ///
    /// See [`PreparedRow`]. The scratch is the calling thread's.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, PreparedRow, Sampler, Version};
    /// let logits = [3.0_f32, 2.0, 1.0];
    /// let mut raw = Sampler::new(Config::new(2.0)?, Version::V1)?;
    /// let mut prepared = raw.clone();
    /// let row = PreparedRow::from_logits(&logits)?;
    /// assert_eq!(prepared.sample_prepared(&row, 0.7)?, raw.sample(&logits, 0.7)?);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn sample_prepared(&mut self, row: &PreparedRow, uniform: f64) -> Result<Step> {
        let step = self.foresee_prepared(row, uniform)?;
        self.commit(&step);
        Ok(step)
    }

    pub(crate) fn foresee_prepared(&self, row: &PreparedRow, uniform: f64) -> Result<Step> {
        with_thread_scratch(|scratch| {
            let cutting = Cutting::new(row, self, scratch)?;
            self.complete(cutting.choose(uniform, scratch)?)
        })
    }

    /// [`observe_token`](Self::observe_token) on a prepared row.
    ///
    /// # Errors
    ///
    /// Faults of the rule's numbers, then [`Error::TokenOutsideVocabulary`](crate::Error::TokenOutsideVocabulary), then
    /// [`Error::TokenNotKept`](crate::Error::TokenNotKept); the session is then as it was.
    ///
    /// # Cost
    ///
    /// See [`PreparedRow`].
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, PreparedRow, Sampler, Version};
    /// let row = PreparedRow::from_logits(&[3.0_f32, 2.0, 1.0])?;
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
    /// assert_eq!(sampler.observe_prepared_token(&row, 1)?.token, 1);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn observe_prepared_token(&mut self, row: &PreparedRow, token: u32) -> Result<Step> {
        let step = with_thread_scratch(|scratch| {
            let cutting = Cutting::new(row, self, scratch)?;
            self.complete(cutting.observe(token, scratch)?)
        })?;
        self.commit(&step);
        Ok(step)
    }

    /// [`preview`](Self::preview) of a prepared row.
    ///
    /// # Errors
    ///
    /// Faults of the rule's numbers.
    ///
    /// # Cost
    ///
    /// An exponential in f64 for each kept token, and 28 allocated bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, PreparedRow, Sampler, Version};
    /// let row = PreparedRow::from_weights(&[8.0, 4.0, 2.0, 1.0])?;
    /// let preview = Sampler::new(Config::new(2.0)?, Version::V2)?.preview_prepared(&row)?;
    /// assert!((preview.expected_surprise - 1.640223928941852).abs() < 1e-12);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn preview_prepared(&self, row: &PreparedRow) -> Result<Preview> {
        with_thread_scratch(|scratch| {
            let listing = Cutting::new(row, self, scratch)?.list(Order::Any, scratch)?;
            Ok(Preview::of(&listing, row.vocabulary(), self.mu()))
        })
    }

    /// [`candidates`](Self::candidates) of a prepared row.
    ///
    /// # Errors
    ///
    /// Faults of the rule's numbers.
    ///
    /// # Cost
    ///
    /// As [`preview_prepared`](Self::preview_prepared); a sort where more than 4,096 are kept. The vectors of the set are allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, PreparedRow, Sampler, Version};
    /// let row = PreparedRow::from_logits(&[1.0_f32, 3.0, 2.0])?;
    /// let set = Sampler::new(Config::new(2.0)?, Version::V1)?.candidates_prepared(&row)?;
    /// assert_eq!(set.tokens(), [1, 2, 0]);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn candidates_prepared(&self, row: &PreparedRow) -> Result<CandidateSet> {
        with_thread_scratch(|scratch| {
            let listing = Cutting::new(row, self, scratch)?.list(Order::Rank, scratch)?;
            Ok(CandidateSet::of(listing, self.mu()))
        })
    }
}
