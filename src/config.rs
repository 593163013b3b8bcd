//! What a session is told once: its target, its step size and the choices where good engines disagree.

use crate::reference::{DrawOrder, KRule, SurpriseBasis, VocabularySize};
use crate::{Error, Result};

/// The paper's m.
pub(crate) const DEFAULT_M: usize = 100;

/// Which arithmetic the kernels use.
///
/// Within one of the two, a row gives the same bits on every instruction set, thread count, batch size and order; between the two,
/// a few steps in a million differ.
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
    /// [`Error::InvalidParameter`] unless `tau` and 2·`tau` are finite and `tau` is positive.
    pub fn new(tau: f64) -> Result<Self> {
        Self::builder(tau).build()
    }

    /// The same, with any of the other parameters set before they are checked together by [`ConfigBuilder::build`].
    pub const fn builder(tau: f64) -> ConfigBuilder {
        ConfigBuilder {
            tau,
            eta: 0.1,
            initial_mu: None,
            m: DEFAULT_M,
            temperature: 1.0,
            draw_order: DrawOrder::Rule,
            k_rule: KRule::RoundHalfUp,
            vocabulary_size: VocabularySize::Row,
            surprise_basis: SurpriseBasis::Original,
            mu_bounds: None,
            numerics: Numerics::Auto,
        }
    }

    /// A builder that holds these parameters, to change some of them.
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

/// Parameters that have not been checked yet; see [`Config::builder`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct ConfigBuilder {
    tau: f64,
    #[cfg_attr(feature = "serde", serde(default = "defaults::eta"))]
    eta: f64,
    #[cfg_attr(feature = "serde", serde(default))]
    initial_mu: Option<f64>,
    #[cfg_attr(feature = "serde", serde(default = "defaults::m"))]
    m: usize,
    #[cfg_attr(feature = "serde", serde(default = "defaults::temperature"))]
    temperature: f64,
    #[cfg_attr(feature = "serde", serde(default))]
    draw_order: DrawOrder,
    #[cfg_attr(feature = "serde", serde(default))]
    k_rule: KRule,
    #[cfg_attr(feature = "serde", serde(default))]
    vocabulary_size: VocabularySize,
    #[cfg_attr(feature = "serde", serde(default))]
    surprise_basis: SurpriseBasis,
    #[cfg_attr(feature = "serde", serde(default))]
    mu_bounds: Option<(f64, f64)>,
    #[cfg_attr(feature = "serde", serde(default))]
    numerics: Numerics,
}

#[cfg(feature = "serde")]
mod defaults {
    use super::Config;

    pub(super) fn eta() -> f64 {
        Config::builder(1.0).eta
    }

    pub(super) fn m() -> usize {
        Config::builder(1.0).m
    }

    pub(super) fn temperature() -> f64 {
        Config::builder(1.0).temperature
    }
}

impl ConfigBuilder {
    /// The learning rate, finite and positive; 0.1 unless set.
    pub const fn eta(mut self, eta: f64) -> Self {
        self.eta = eta;
        self
    }

    /// Where mu starts, in bits, finite and not negative; 2·tau unless set.
    pub const fn initial_mu(mut self, bits: f64) -> Self {
        self.initial_mu = Some(bits);
        self
    }

    /// How many of the best tokens version 1 fits to, at least 2; 100 unless set. Above 4,096 the step takes the slow, exact door.
    pub const fn m(mut self, m: usize) -> Self {
        self.m = m;
        self
    }

    /// What logits are divided by, in [2^−20, 2^20]; 1 unless set. Probabilities and surprises are then of the tempered row. Costs
    /// nothing. Weights are taken as they are.
    pub const fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = temperature;
        self
    }

    /// The order in which a uniform runs through the kept tokens; the rule's own unless set.
    pub const fn draw_order(mut self, order: DrawOrder) -> Self {
        self.draw_order = order;
        self
    }

    /// How version 1 turns its estimate into a whole k; round half up unless set.
    pub const fn k_rule(mut self, rule: KRule) -> Self {
        self.k_rule = rule;
        self
    }

    /// What version 1 takes for the size of the vocabulary; the row's length unless set.
    pub const fn vocabulary_size(mut self, size: VocabularySize) -> Self {
        self.vocabulary_size = size;
        self
    }

    /// Of which distribution probability and surprise are reported and fed back; the original one unless set.
    pub const fn surprise_basis(mut self, basis: SurpriseBasis) -> Self {
        self.surprise_basis = basis;
        self
    }

    /// Holds mu in [`lowest`, `highest`] bits after every step, so that a target out of reach does not wind it up. Off unless set;
    /// [`Step::limited`](crate::Step) says when a bound acted. mu starts within the bounds.
    pub const fn mu_bounds(mut self, lowest: f64, highest: f64) -> Self {
        self.mu_bounds = Some((lowest, highest));
        self
    }

    /// Which arithmetic the kernels use; [`Numerics::Auto`] unless set.
    pub const fn numerics(mut self, numerics: Numerics) -> Self {
        self.numerics = numerics;
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] for the first parameter, in the order of the builder's fields, that is out of range.
    pub fn build(self) -> Result<Config> {
        let refuse = |name, value, expected| {
            Err(Error::InvalidParameter {
                name,
                value,
                expected,
            })
        };
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if !positive(self.tau) {
            return refuse("tau", self.tau, "finite and positive");
        }
        if !positive(self.eta) {
            return refuse("eta", self.eta, "finite and positive");
        }
        let mut initial_mu = self.initial_mu.unwrap_or(2.0 * self.tau);
        if !(initial_mu.is_finite() && initial_mu >= 0.0) {
            return refuse("initial_mu", initial_mu, "finite and non-negative");
        }
        if self.m < 2 {
            return refuse("m", self.m as f64, "at least two");
        }
        check_temperature(self.temperature)?;
        if let Some((lowest, highest)) = self.mu_bounds {
            if !lowest.is_finite() {
                return refuse("mu_bounds.lowest", lowest, "finite");
            }
            if !(highest.is_finite() && highest >= lowest) {
                return refuse(
                    "mu_bounds.highest",
                    highest,
                    "finite and not below the lowest",
                );
            }
            initial_mu = initial_mu.clamp(lowest, highest);
        }
        Ok(Config {
            checked: self,
            initial_mu,
        })
    }
}

/// The temperature, if the kernels can scale by it.
pub(crate) fn check_temperature(temperature: f64) -> Result<f64> {
    if (1.0 / 1_048_576.0..=1_048_576.0).contains(&temperature) {
        return Ok(temperature);
    }
    Err(Error::InvalidParameter {
        name: "temperature",
        value: temperature,
        expected: "from 2^-20 to 2^20",
    })
}

impl TryFrom<ConfigBuilder> for Config {
    type Error = Error;

    fn try_from(builder: ConfigBuilder) -> Result<Self> {
        builder.build()
    }
}

impl From<Config> for ConfigBuilder {
    fn from(config: Config) -> Self {
        config.checked
    }
}
