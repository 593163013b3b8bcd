//! What every request says of its session: version and configuration.

use super::{Code, Error, Result};
use crate::{Config, Sampler, SamplerState, SurpriseBasis, Version};

/// The settings of a request, unchecked.
pub(super) struct Settings<'a> {
    pub(super) version: &'a str,
    pub(super) tau: f64,
    pub(super) eta: f64,
    pub(super) initial_mu: Option<f64>,
    pub(super) m: Option<usize>,
    pub(super) surprise_basis: Option<SurpriseBasis>,
}

impl Settings<'_> {
    fn checked(&self) -> Result<(Config, Version)> {
        let version = version_of(self.version)?;
        let mut builder = Config::builder(self.tau).eta(self.eta);
        if let Some(initial_mu) = self.initial_mu {
            builder = builder.initial_mu(initial_mu);
        }
        if let Some(m) = self.m {
            builder = builder.m(m);
        }
        if let Some(basis) = self.surprise_basis {
            builder = builder.surprise_basis(basis);
        }
        Ok((builder.build()?, version))
    }

    /// A session at its first step.
    pub(super) fn begin(&self) -> Result<Sampler> {
        let (config, version) = self.checked()?;
        Ok(Sampler::new(config, version)?)
    }

    /// The session that stands at a state.
    pub(super) fn resume(&self, mu: f64, steps: i64) -> Result<Sampler> {
        let (config, version) = self.checked()?;
        let counted = u64::try_from(steps).map_err(|_| crate::Error::InvalidParameter {
            name: "state_steps",
            value: steps as f64,
            expected: "non-negative",
        })?;
        let state = SamplerState::new(version, mu, counted)?;
        Ok(Sampler::from_state(config, state)?)
    }
}

/// Steps as the wire has them. They saturate, as those of a session do, only earlier.
pub(super) fn steps_of(sampler: &Sampler) -> i64 {
    i64::try_from(sampler.steps()).unwrap_or(i64::MAX)
}

pub(super) fn name_of(version: Version) -> String {
    match version {
        Version::V1 => "v1",
        Version::V2 => "v2",
    }
    .to_owned()
}

fn version_of(name: &str) -> Result<Version> {
    match name {
        "v1" => Ok(Version::V1),
        "v2" => Ok(Version::V2),
        _ => {
            let text = "version must be v1 or v2";
            Err(Error::new(Code::InvalidVersion, text.to_owned(), text))
        }
    }
}

/// A basis of surprise in small letters, or none.
pub(super) mod basis {
    use crate::SurpriseBasis;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Name {
        Original,
        Kept,
    }

    pub(in crate::json) fn serialize<S: Serializer>(
        basis: &Option<SurpriseBasis>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let name = |basis| match basis {
            SurpriseBasis::Original => Name::Original,
            SurpriseBasis::Kept => Name::Kept,
        };
        basis.map(name).serialize(serializer)
    }

    pub(in crate::json) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<SurpriseBasis>, D::Error> {
        let basis = |name| match name {
            Name::Original => SurpriseBasis::Original,
            Name::Kept => SurpriseBasis::Kept,
        };
        Ok(Option::deserialize(deserializer)?.map(basis))
    }
}
