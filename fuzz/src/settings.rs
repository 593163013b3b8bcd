//! Configurations, with every option.

use crate::Number;
use arbitrary::Arbitrary;
use mirostat::{
    Config, ConfigBuilder, DrawOrder, KRule, Level, Numerics, SurpriseBasis, Version,
    VocabularySize,
};

/// A parameter: within its usual range, or anything.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Parameter {
    Usual(u16),
    Any(Number),
}

impl Parameter {
    fn within(self, lowest: f64, highest: f64) -> f64 {
        match self {
            Self::Usual(x) => lowest + (highest - lowest) * f64::from(x) / 65_535.0,
            Self::Any(number) => number.f64(),
        }
    }
}

/// What a configuration is made of.
#[derive(Arbitrary, Clone, Debug)]
pub struct Settings {
    pub tau: Parameter,
    pub eta: Option<Parameter>,
    pub initial_mu: Option<Parameter>,
    pub m: Option<u16>,
    pub temperature: Option<Parameter>,
    pub mu_bounds: Option<(Parameter, Parameter)>,
    pub choices: u8,
}

impl Settings {
    /// The builder, unchecked.
    pub fn builder(&self) -> ConfigBuilder {
        let mut builder = Config::builder(self.tau.within(0.01, 12.0));
        if let Some(eta) = self.eta {
            builder = builder.eta(eta.within(0.001, 1.0));
        }
        if let Some(mu) = self.initial_mu {
            builder = builder.initial_mu(mu.within(0.0, 20.0));
        }
        if let Some(m) = self.m {
            builder = builder.m(usize::from(m));
        }
        if let Some(temperature) = self.temperature {
            builder = builder.temperature(temperature.within(0.1, 4.0));
        }
        if let Some((lowest, highest)) = self.mu_bounds {
            builder = builder.mu_bounds(lowest.within(-10.0, 10.0), highest.within(0.0, 30.0));
        }
        let choice = |shift: u8, of: u8| self.choices / shift % of;
        builder
            .draw_order(
                [DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank][usize::from(choice(1, 3))],
            )
            .k_rule(
                [KRule::RoundHalfUp, KRule::PaperCode, KRule::Truncate][usize::from(choice(3, 3))],
            )
            .vocabulary_size(
                [VocabularySize::Row, VocabularySize::Support][usize::from(choice(9, 2))],
            )
            .surprise_basis(
                [SurpriseBasis::Original, SurpriseBasis::Kept][usize::from(choice(18, 2))],
            )
            .numerics(
                [Numerics::Auto, Numerics::Fused, Numerics::Portable][usize::from(choice(36, 3))],
            )
    }

    /// The configuration, if its parameters are sound.
    pub fn config(&self) -> Option<Config> {
        self.builder().build().ok()
    }
}

/// A level, whether or not this machine has it.
pub fn level(pick: u8) -> Level {
    Level::ALL[usize::from(pick) % Level::ALL.len()]
}

/// A version.
pub fn version(second: bool) -> Version {
    if second { Version::V2 } else { Version::V1 }
}
