//! What a step would choose from, in four numbers, before it is taken.

use crate::listing::{Listing, Order};
use crate::reading::Reading;
use crate::reference::Distribution;
use crate::row::Row;
use crate::scratch::{Scratch, with_thread_scratch};
use crate::{Result, Sampler};

/// What the rule would keep at the present mu.
///
/// # Units
///
/// Expected surprise and mu in bits; mass is a probability, and rounding may leave it a last digit from 1.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version};
/// let config = Config::builder(2.0).initial_mu(4.0).build()?;
/// let preview = Sampler::new(config, Version::V2)?.preview(&[3.0_f64, 2.0, 1.0, 0.0, -1.0, -2.0])?;
/// assert_eq!((preview.vocabulary, preview.kept_tokens), (6, 3));
/// assert!((preview.retained_mass - 0.9525741268224331).abs() < 1e-12);
/// assert!((preview.expected_surprise - 1.2709897091437294).abs() < 1e-12);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use]
pub struct Preview {
    /// Tokens of the row, masked ones included.
    pub vocabulary: usize,
    /// How many tokens the rule keeps, as in [`Step::kept`](crate::Step::kept).
    pub kept_tokens: usize,
    /// The probability of all kept tokens together in the whole row: Σ p.
    pub retained_mass: f64,
    /// The mean of the original surprise over the kept tokens, renormalised: Σ p·log2(1/p) / Σ p, in bits.
    pub expected_surprise: f64,
    /// Mu that the preview was made with, in bits.
    pub mu: f64,
}

impl Preview {
    pub(crate) fn of(listing: &Listing, vocabulary: usize, mu: f64) -> Self {
        let (mut mass, mut surprise) = (0.0, 0.0);
        for (&p, &bits) in listing.probabilities.iter().zip(&listing.surprises_bits) {
            mass += p;
            surprise += p * bits;
        }
        Self {
            vocabulary,
            kept_tokens: listing.kept,
            retained_mass: mass,
            expected_surprise: surprise / mass,
            mu,
        }
    }
}

impl Sampler {
    /// What the rule would keep of a row at the present mu; nothing is drawn and nothing changes.
    ///
    /// # Errors
    ///
    /// Faults of the row, then of the rule's numbers.
    ///
    /// # Cost
    ///
    /// One read of the row as a rule, in the thread's scratch, and an exponential in f64 for each kept token; a second, scalar read
    /// where thousands are kept. Allocates 28 bytes for each kept token. `f64` rows take the reference.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let preview = sampler.preview(&[3.0_f32, 2.0, 1.0])?;
    /// assert_eq!((preview.kept_tokens, preview.mu, sampler.steps()), (3, 4.0, 0));
    /// assert!((preview.expected_surprise - 1.2008929779783635).abs() < 1e-6);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn preview<'a>(&self, row: impl Into<Row<'a>>) -> Result<Preview> {
        with_thread_scratch(|scratch| self.preview_in(row.into(), scratch))
    }

    pub(crate) fn preview_in(&self, row: Row<'_>, scratch: &mut Scratch) -> Result<Preview> {
        let reading = Reading::of_row(self, row, scratch)?;
        let listing = reading.list(self, row, Order::Any, scratch)?;
        Ok(Preview::of(&listing, row.len(), self.mu()))
    }

    /// [`preview`](Self::preview) for weights, as in [`sample_weights`](Self::sample_weights).
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
    /// let preview = Sampler::new(Config::new(2.0)?, Version::V2)?.preview_weights(&[8.0, 4.0, 2.0, 1.0])?;
    /// assert_eq!((preview.kept_tokens, preview.retained_mass), (4, 1.0));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn preview_weights(&self, weights: &[f64]) -> Result<Preview> {
        let distribution = Distribution::from_weights(weights)?;
        let listing = Listing::of_distribution(self, &distribution)?;
        Ok(Preview::of(&listing, weights.len(), self.mu()))
    }
}
