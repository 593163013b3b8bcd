//! What is saved of a session: a state that travels, and a checkpoint that stays.

use crate::engine;
use crate::{Config, Error, Numerics, Result, Sampler, Version};

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
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{SamplerState, Version};
    /// assert_eq!(SamplerState::new(Version::V2, -0.5, 3)?.steps(), 3);
    /// assert!(SamplerState::new(Version::V2, f64::NAN, 3).is_err());
    /// # Ok::<(), mirostat::Error>(())
    /// ```
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
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let here = sampler.checkpoint();
/// let _ = sampler.sample(&[2.0_f32, 1.0], 0.9)?;
/// assert_eq!((here.mu(), here.steps(), sampler.steps()), (6.0, 0, 1));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoint {
    config: Config,
    state: SamplerState,
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

impl Sampler {
    /// A session that goes on where `state` was taken.
    ///
    /// Where the configuration leaves the arithmetic open, the state's is taken, so that the session goes on with the same bits. A mu
    /// outside the configured bounds is kept until the next step brings it back.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignState`] if the state is of another arithmetic than the configuration asks for, [`Error::Unsupported`] if
    /// this machine lacks it.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, SamplerState, Version};
    /// let state = SamplerState::new(Version::V1, 4.5, 12)?;
    /// let sampler = Sampler::from_state(Config::new(3.0)?, state)?;
    /// assert_eq!((sampler.mu(), sampler.steps()), (4.5, 12));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn from_state(config: Config, state: SamplerState) -> Result<Self> {
        let asked = config.numerics();
        if asked != Numerics::Auto
            && state.numerics() != Numerics::Auto
            && asked != state.numerics()
        {
            return Err(Error::ForeignState {
                what: "it ran with another arithmetic than the configuration asks for",
            });
        }
        let numerics = if asked == Numerics::Auto {
            state.numerics()
        } else {
            asked
        };
        let engine = engine::fastest(numerics)?;
        Ok(Self {
            config,
            version: state.version(),
            engine,
            mu: state.mu(),
            steps: state.steps(),
        })
    }

    /// Back to the first step.
    pub fn reset(&mut self) {
        (self.mu, self.steps) = (self.config.initial_mu(), 0);
    }

    /// An independent session that stands where this one does; the same as `clone`.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// All that the session has learned.
    #[must_use]
    pub const fn state(&self) -> SamplerState {
        SamplerState::of(self.version, self.numerics(), self.mu, self.steps)
    }

    /// A place to come back to with [`restore`](Self::restore).
    #[must_use]
    pub const fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            config: self.config,
            state: self.state(),
        }
    }

    /// Goes back, or forth, to a checkpoint of a session with the same configuration, version and arithmetic.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignCheckpoint`]; the session is then as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version};
    /// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
    /// let here = sampler.checkpoint();
    /// sampler.sample(&[2.0_f32, 1.0], 0.1)?;
    /// sampler.restore(&here)?;
    /// assert_eq!((sampler.mu(), sampler.steps()), (6.0, 0));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        let Checkpoint { config, state } = *checkpoint;
        if config != self.config
            || state.version() != self.version
            || state.numerics() != self.numerics()
        {
            return Err(Error::ForeignCheckpoint);
        }
        (self.mu, self.steps) = (state.mu(), state.steps());
        Ok(())
    }
}
