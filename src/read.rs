//! A step in two halves: a row is read and cut once, then proposals are made and one is accepted.

use crate::reading::Reading;
use crate::row::Row;
use crate::scratch::Scratch;
use crate::step::{Proposal, Step};
use crate::{Error, Result, Sampler};

/// A row that has been read and cut for a session: see [`Sampler::read`].
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Scratch, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let mut scratch = Scratch::new();
/// let read = sampler.read(&[2.0_f32, 1.0, f32::NEG_INFINITY], &mut scratch)?;
/// assert_eq!(read.support(), 2);
/// assert_eq!(read.observe(1)?.token, 1);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Debug)]
pub struct Read<'a> {
    pub(crate) sampler: &'a mut Sampler,
    pub(crate) row: Row<'a>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) reading: Reading,
}

impl Sampler {
    /// Reads a row once and cuts it, for as many proposals and one observation as the host likes, at no further read.
    ///
    /// # Errors
    ///
    /// Faults of the row, then of the rule's numbers.
    ///
    /// # Cost
    ///
    /// One read of the row as a rule, as [`Sampler::sample`]; nothing allocates once the scratch has room for rows of this length (but
    /// for `f64` rows, and m above 4,096).
    ///
    /// # Examples
    ///
    /// A grammar refuses tokens until one fits; mu moves once, for the token that was accepted:
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Scratch, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let mut scratch = Scratch::new();
    /// let mut read = sampler.read(&[2.0_f32, 1.5, 1.0], &mut scratch)?;
    /// let proposal = [0.1, 0.6, 0.9].into_iter().map(|u| read.propose(u)).find(|p| p.is_ok_and(|p| p.token() == 1));
    /// let step = sampler.accept(proposal.expect("one of three")?)?;
    /// assert_eq!((step.token, sampler.steps()), (1, 1));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn read<'a>(
        &'a mut self,
        row: impl Into<Row<'a>>,
        scratch: &'a mut Scratch,
    ) -> Result<Read<'a>> {
        let row = row.into();
        let reading = Reading::of_row(self, row, scratch)?;
        reading.check_rule(self)?;
        Ok(Read {
            sampler: self,
            row,
            scratch,
            reading,
        })
    }

    /// Feeds back a proposal: the step is then taken.
    ///
    /// It must be a proposal of this session: of two sessions that stand at the same step and mu, one cannot tell the other's.
    ///
    /// # Errors
    ///
    /// [`Error::StaleProposal`] if the session has moved since the proposal was made, or is of the other version, [`Error::NumericalFailure`] if mu would leave
    /// the finite numbers.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Error, Sampler, Scratch, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let proposal = sampler.read(&[2.0_f32, 1.0], &mut Scratch::new())?.propose(0.1)?;
    /// sampler.accept(proposal)?;
    /// assert_eq!(sampler.accept(proposal), Err(Error::StaleProposal { proposed: 0, current: 1 }));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn accept(&mut self, proposal: Proposal) -> Result<Step> {
        let made_here = proposal.version == self.version
            && proposal.step == self.steps
            && proposal.mu.to_bits() == self.mu.to_bits();
        if !made_here {
            return Err(Error::StaleProposal {
                proposed: proposal.step,
                current: self.steps,
            });
        }
        let step = self.complete(proposal)?;
        self.commit(&step);
        Ok(step)
    }
}

impl Read<'_> {
    /// Draws with `uniform` in [0, 1); changes nothing that matters, so any number of proposals may be made.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidUniform`].
    ///
    /// # Cost
    ///
    /// No read of the row unless thousands of tokens are kept; `f64` rows and m above 4,096 select anew.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Scratch, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let mut scratch = Scratch::new();
    /// let mut read = sampler.read(&[2.0_f32, 2.0], &mut scratch)?;
    /// assert_eq!([read.propose(0.2)?.token(), read.propose(0.8)?.token()], [0, 1]);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn propose(&mut self, uniform: f64) -> Result<Proposal> {
        self.reading
            .choose(self.sampler, self.row, uniform, self.scratch)
    }

    /// Measures a token that the host chose, as a proposal; it must be among the kept.
    ///
    /// # Errors
    ///
    /// [`Error::TokenOutsideVocabulary`], [`Error::TokenNotKept`].
    ///
    /// # Cost
    ///
    /// As [`propose`](Self::propose).
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
    /// [`Error::TokenOutsideVocabulary`], [`Error::TokenNotKept`], [`Error::NumericalFailure`]; the session is then as it was.
    ///
    /// # Cost
    ///
    /// As [`propose`](Self::propose).
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
    /// # Cost
    ///
    /// As [`propose`](Self::propose).
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
