//! The parameters of a session while they are being set, and their check.

use super::{Config, Numerics};
use crate::reference::{DrawOrder, KRule, SurpriseBasis, VocabularySize};
use crate::{Error, Result};

/// The paper's m.
pub(crate) const DEFAULT_M: usize = 100;

/// Parameters that have not been checked yet; see [`Config::builder`].
///
/// # Examples
///
/// ```
/// use mirostat::{Config, ConfigBuilder};
/// let base: ConfigBuilder = Config::builder(4.0).temperature(0.7);
/// let [slow, quick] = [0.05, 0.5].map(|eta| base.eta(eta).build());
/// assert_eq!((slow?.eta(), quick?.eta()), (0.05, 0.5));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct ConfigBuilder {
    pub(super) tau: f64,
    #[cfg_attr(feature = "serde", serde(default = "defaults::eta"))]
    pub(super) eta: f64,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) initial_mu: Option<f64>,
    #[cfg_attr(feature = "serde", serde(default = "defaults::m"))]
    pub(super) m: usize,
    #[cfg_attr(feature = "serde", serde(default = "defaults::temperature"))]
    pub(super) temperature: f64,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) draw_order: DrawOrder,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) k_rule: KRule,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) vocabulary_size: VocabularySize,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) surprise_basis: SurpriseBasis,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) mu_bounds: Option<(f64, f64)>,
    #[cfg_attr(feature = "serde", serde(default))]
    pub(super) numerics: Numerics,
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
    pub(super) const fn of(tau: f64) -> Self {
        Self {
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
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Error};
    /// let fault = Config::builder(4.0).eta(-0.1).m(1).build().unwrap_err();
    /// assert!(matches!(fault, Error::InvalidParameter { name: "eta", value: -0.1, .. }));
    /// ```
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
