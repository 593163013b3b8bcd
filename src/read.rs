//! A row that has been read for a step that is not taken yet.

use crate::reading::Reading;
use crate::row::Row;
use crate::scratch::Scratch;
use crate::step::{Proposal, Step};
use crate::{Result, Sampler};

/// A row that has been read and cut for a session: see [`Sampler::read`].
#[derive(Debug)]
pub struct Read<'a> {
    pub(crate) sampler: &'a mut Sampler,
    pub(crate) row: Row<'a>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) reading: Reading,
}

impl Read<'_> {
    /// Draws with `uniform` in [0, 1); changes nothing that matters, so any number of proposals may be made.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidUniform`](crate::Error::InvalidUniform).
    ///
    /// # Cost
    ///
    /// No read of the row unless thousands of tokens are kept; `f64` rows and m above 4,096 select anew.
    pub fn propose(&mut self, uniform: f64) -> Result<Proposal> {
        self.reading
            .choose(self.sampler, self.row, uniform, self.scratch)
    }

    /// Measures a token that the host chose, as a proposal; it must be among the kept.
    ///
    /// # Errors
    ///
    /// [`Error::TokenOutsideVocabulary`](crate::Error::TokenOutsideVocabulary), [`Error::TokenNotKept`](crate::Error::TokenNotKept).
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Scratch, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let mut scratch = Scratch::new();
    /// let mut read = sampler.read(&[2.0_f32, 1.0, f32::NEG_INFINITY], &mut scratch)?;
    /// assert!(read.propose_token(1)?.surprise_bits() > 1.0);
    /// assert!(read.propose_token(2).is_err());
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn propose_token(&mut self, token: u32) -> Result<Proposal> {
        self.reading
            .observe(self.sampler, self.row, token, false, self.scratch)
    }

    /// Feeds back a token that the host chose; it must be among the kept.
    ///
    /// The step is the one that a draw of the same token would have taken.
    ///
    /// # Errors
    ///
    /// [`Error::TokenOutsideVocabulary`](crate::Error::TokenOutsideVocabulary), [`Error::TokenNotKept`](crate::Error::TokenNotKept), [`Error::NumericalFailure`](crate::Error::NumericalFailure); the session is then as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Scratch, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let mut scratch = Scratch::new();
    /// let step = sampler.read(&[2.0_f32, 1.0], &mut scratch)?.observe(1)?;
    /// assert_eq!((step.token, sampler.mu()), (1, step.mu_after));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn observe(mut self, token: u32) -> Result<Step> {
        let proposal = self.propose_token(token)?;
        self.sampler.accept(proposal)
    }

    /// Feeds back a token that the host chose, kept or not; it must be of the support.
    ///
    /// # Errors
    ///
    /// As [`observe`](Self::observe).
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Scratch, Version};
    /// let config = Config::builder(1.0).initial_mu(0.0).build()?; // keeps the likeliest only
    /// let mut sampler = Sampler::new(config, Version::V2)?;
    /// let mut scratch = Scratch::new();
    /// assert!(sampler.read(&[2.0_f32, 1.0], &mut scratch)?.observe(1).is_err());
    /// assert!(sampler.read(&[2.0_f32, 1.0], &mut scratch)?.observe_any(1).is_ok());
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn observe_any(self, token: u32) -> Result<Step> {
        let proposal = self
            .reading
            .observe(self.sampler, self.row, token, true, self.scratch)?;
        self.sampler.accept(proposal)
    }

    /// ln Z of the row at the configured temperature, in nats.
    #[must_use]
    pub fn log_z_nats(&self) -> f64 {
        self.reading.log_z_nats()
    }

    /// Tokens of the support, as in [`Step::support`].
    #[must_use]
    pub fn support(&self) -> usize {
        self.reading.support()
    }
}
