//! What is saved of a session: a state that travels, and a checkpoint that stays.

use crate::{Config, Error, Numerics, Result, Version};

/// The number of the state format that this version writes.
const FORMAT: u32 = 1;

/// All that a session has learned: mu, its step count, and which rule and arithmetic it ran with.
///
/// Small, `Copy`, and serialisable (feature `serde`) with the same checks as [`SamplerState::new`]: a file with NaN, a negative step
/// count, an unknown field or another format number is refused. A format that prints numbers must read back the same f64 for the
/// session to go on bit for bit: for `serde_json` that is its feature `float_roundtrip`.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version};
/// let config = Config::new(3.0)?;
/// let mut sampler = Sampler::new(config, Version::V2)?;
/// sampler.sample(&[3.0_f32, 2.0, 1.0], 0.7)?;
/// let copy = Sampler::from_state(config, sampler.state())?;
/// assert_eq!(copy.mu(), sampler.mu());
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct SamplerState {
    version: Version,
    numerics: Numerics,
    mu: f64,
    steps: u64,
}

impl SamplerState {
    /// A state of `version` at `mu` bits after `steps` steps, for whatever arithmetic the configuration asks for.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] unless `mu` is finite; it may be negative.
    pub fn new(version: Version, mu: f64, steps: u64) -> Result<Self> {
        if !mu.is_finite() {
            return Err(Error::InvalidParameter {
                name: "mu",
                value: mu,
                expected: "finite",
            });
        }
        Ok(Self {
            version,
            numerics: Numerics::Auto,
            mu,
            steps,
        })
    }

    pub(crate) const fn of(version: Version, numerics: Numerics, mu: f64, steps: u64) -> Self {
        Self {
            version,
            numerics,
            mu,
            steps,
        }
    }

    /// The rule.
    #[must_use]
    pub const fn version(&self) -> Version {
        self.version
    }

    /// The arithmetic that the session ran with; [`Numerics::Auto`] where none is on record.
    #[must_use]
    pub const fn numerics(&self) -> Numerics {
        self.numerics
    }

    /// Mu, in bits.
    #[must_use]
    pub const fn mu(&self) -> f64 {
        self.mu
    }

    /// Steps taken.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.steps
    }
}

/// A state as it stands in a file.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Written {
    format: u32,
    version: Version,
    numerics: Numerics,
    mu: f64,
    steps: u64,
}

impl TryFrom<Written> for SamplerState {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        if written.format != FORMAT {
            return Err(Error::ForeignState {
                what: "its format number is not 1",
            });
        }
        let state = Self::new(written.version, written.mu, written.steps)?;
        Ok(Self {
            numerics: written.numerics,
            ..state
        })
    }
}

impl From<SamplerState> for Written {
    fn from(state: SamplerState) -> Self {
        let SamplerState {
            version,
            numerics,
            mu,
            steps,
        } = state;
        Self {
            format: FORMAT,
            version,
            numerics,
            mu,
            steps,
        }
    }
}

/// A place in a session to come back to, with the configuration and the version that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoint {
    pub(crate) config: Config,
    pub(crate) state: SamplerState,
}

impl Checkpoint {
    /// Mu, in bits.
    #[must_use]
    pub const fn mu(&self) -> f64 {
        self.state.mu
    }

    /// Steps taken.
    #[must_use]
    pub const fn steps(&self) -> u64 {
        self.state.steps
    }
}
