//! What a session is told once: its target, its step size and the choices where good engines disagree.

mod builder;

pub use builder::ConfigBuilder;
pub(crate) use builder::{DEFAULT_M, check_temperature};

use crate::Result;
use crate::reference::{DrawOrder, KRule, SurpriseBasis, VocabularySize};

/// Which arithmetic the kernels use.
///
/// Within one of the two, a row gives the same bits on every instruction set, thread count, batch size and order; between the two,
/// a few steps in a million differ.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Numerics, Sampler, Version};
/// let anywhere = Config::builder(3.0).numerics(Numerics::Portable).build()?;
/// assert_eq!(Sampler::new(anywhere, Version::V2)?.numerics(), Numerics::Portable);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Numerics {
    /// Fused where the hardware has fused multiply-adds, else portable.
    #[default]
    Auto,
    /// Fused multiply-adds (AVX-512, AVX2 with FMA, NEON): the fastest; an error elsewhere.
    Fused,
    /// No fused multiply-add: the same bits on every machine, some 1.2 to 1.5 times the time of the exponentials.
    Portable,
}

/// The parameters of a session, checked once.
///
/// # Units
///
/// tau and mu are surprises in **bits**; eta is bits of mu per bit of error; temperature divides logits (nats).
///
/// # Examples
///
/// ```
/// use mirostat::Config;
/// let plain = Config::new(5.0)?;
/// assert_eq!((plain.tau(), plain.eta(), plain.initial_mu(), plain.m()), (5.0, 0.1, 10.0, 100));
///
/// let tuned = Config::builder(5.0).eta(0.2).mu_bounds(0.0, 20.0).temperature(0.8).build()?;
/// assert_eq!(tuned.mu_bounds(), Some((0.0, 20.0)));
/// assert!(Config::builder(-1.0).build().is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "ConfigBuilder", into = "ConfigBuilder")
)]
pub struct Config {
    checked: ConfigBuilder,
    initial_mu: f64,
}

impl PartialEq for Config {
    /// Equal parameters are equal, whether set or left to their defaults.
    fn eq(&self, other: &Self) -> bool {
        let resolved = |config: &Self| ConfigBuilder {
            initial_mu: Some(config.initial_mu),
            ..config.checked
        };
        resolved(self) == resolved(other)
    }
}

impl Config {
    /// The paper's settings for a target of `tau` bits: eta 0.1, mu starting at 2·tau, m = 100.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`](crate::Error::InvalidParameter) unless `tau` and 2·`tau` are finite and `tau` is positive.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Error};
    /// assert_eq!(Config::new(5.0)?.initial_mu(), 10.0);
    /// assert!(matches!(Config::new(0.0), Err(Error::InvalidParameter { name: "tau", .. })));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn new(tau: f64) -> Result<Self> {
        Self::builder(tau).build()
    }

    /// The same, with any of the other parameters set before they are checked together by [`ConfigBuilder::build`].
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, reference::DrawOrder};
    /// let config = Config::builder(4.0).initial_mu(6.0).draw_order(DrawOrder::Id).build()?;
    /// assert_eq!((config.initial_mu(), config.draw_order()), (6.0, DrawOrder::Id));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub const fn builder(tau: f64) -> ConfigBuilder {
        ConfigBuilder::of(tau)
    }

    /// A builder that holds these parameters, to change some of them.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::Config;
    /// let warmer = Config::new(4.0)?.to_builder().temperature(1.3).build()?;
    /// assert_eq!((warmer.tau(), warmer.temperature()), (4.0, 1.3));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub const fn to_builder(&self) -> ConfigBuilder {
        self.checked
    }

    /// The target surprise, in bits.
    #[must_use]
    pub const fn tau(&self) -> f64 {
        self.checked.tau
    }

    /// The learning rate: how many bits mu moves per bit of error.
    #[must_use]
    pub const fn eta(&self) -> f64 {
        self.checked.eta
    }

    /// Where mu starts, in bits: 2·tau unless set.
    #[must_use]
    pub const fn initial_mu(&self) -> f64 {
        self.initial_mu
    }

    /// How many of the best tokens version 1 fits its Zipf exponent to.
    #[must_use]
    pub const fn m(&self) -> usize {
        self.checked.m
    }

    /// What logits are divided by.
    #[must_use]
    pub const fn temperature(&self) -> f64 {
        self.checked.temperature
    }

    /// The order in which a uniform runs through the kept tokens.
    #[must_use]
    pub const fn draw_order(&self) -> DrawOrder {
        self.checked.draw_order
    }

    /// How version 1 turns its estimate into a whole k.
    #[must_use]
    pub const fn k_rule(&self) -> KRule {
        self.checked.k_rule
    }

    /// What version 1 takes for the size of the vocabulary.
    #[must_use]
    pub const fn vocabulary_size(&self) -> VocabularySize {
        self.checked.vocabulary_size
    }

    /// Of which distribution probability and surprise are reported and fed back.
    #[must_use]
    pub const fn surprise_basis(&self) -> SurpriseBasis {
        self.checked.surprise_basis
    }

    /// Between which values mu is held, in bits, if it is.
    #[must_use]
    pub const fn mu_bounds(&self) -> Option<(f64, f64)> {
        self.checked.mu_bounds
    }

    /// Which arithmetic was asked for.
    #[must_use]
    pub const fn numerics(&self) -> Numerics {
        self.checked.numerics
    }
}
