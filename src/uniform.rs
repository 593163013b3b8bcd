//! Where uniforms come from: a seekable ChaCha8 stream, the ancestor's Park–Miller generator, a tape.

use crate::{Error, Result};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A sequence of numbers in [0, 1), of which a position is used up only by a step that succeeds.
///
/// # Examples
///
/// ```
/// use mirostat::{Result, UniformSource};
/// /// Always the middle: for a demonstration.
/// struct Middle;
/// impl UniformSource for Middle {
///     fn peek(&self) -> Result<f64> {
///         Ok(0.5)
///     }
///     fn advance(&mut self) {}
/// }
/// assert_eq!(Middle.peek()?, 0.5);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub trait UniformSource {
    /// The number at the current position.
    ///
    /// # Errors
    ///
    /// Where the source has come to its end.
    fn peek(&self) -> Result<f64>;

    /// Moves to the next position.
    fn advance(&mut self);
}

/// The uniforms of one session of one seed: any position at once, the same numbers on every machine.
///
/// Number i is the u64 at word position 2i of the ChaCha8 stream (stream 0) whose key is the seed and the session as little-endian
/// u64 in bytes 0 to 15, the rest 0; shifted right by 11 and divided by 2^53. So two sessions never share numbers, a session's
/// numbers do not depend on how many others there are, and a saved session goes on where it was.
///
/// # Examples
///
/// ```
/// use mirostat::{UniformSource, Uniforms};
/// let mut uniforms = Uniforms::new(42, 7);
/// let first = uniforms.peek()?;
/// uniforms.advance();
/// assert_ne!(uniforms.peek()?, first);
/// assert_eq!(Uniforms { seed: 42, session: 7, step: 0 }.peek()?, first);
/// # Ok::<(), mirostat::Error>(())
/// ```
///
/// # Cost
///
/// One ChaCha8 block a number, about 0.1 µs; no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Uniforms {
    /// The seed of a run.
    pub seed: u64,
    /// Which of the run's sessions.
    pub session: u64,
    /// The position: how many numbers have been used up.
    pub step: u64,
}

impl Uniforms {
    /// The first position of a session.
    #[must_use]
    pub const fn new(seed: u64, session: u64) -> Self {
        Self {
            seed,
            session,
            step: 0,
        }
    }
}

impl UniformSource for Uniforms {
    fn peek(&self) -> Result<f64> {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[8..16].copy_from_slice(&self.session.to_le_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_word_pos(2 * u128::from(self.step));
        Ok((stream.next_u64() >> 11) as f64 / 9_007_199_254_740_992.0)
    }

    fn advance(&mut self) {
        self.step = self.step.wrapping_add(1);
    }
}

/// The minimal-standard generator of Park and Miller (1988), x ← 16807·x mod 2^31 − 1: the ancestor's, for parity only.
///
/// It resolves 31 bits, and small seeds begin with tiny numbers.
///
/// # Examples
///
/// ```
/// use mirostat::ParkMiller;
/// let mut generator = ParkMiller::new(1)?;
/// assert_eq!([generator.next_int(), generator.next_int()], [16_807, 282_475_249]);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "u32", into = "u32"))]
pub struct ParkMiller {
    state: u32,
}

impl ParkMiller {
    const MODULUS: u32 = 2_147_483_647;

    /// The generator whose state is `seed`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] unless `seed` is from 1 to 2147483646.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::ParkMiller;
    /// assert!(ParkMiller::new(0).is_err());
    /// assert_eq!(ParkMiller::new(1)?.next_int(), 16_807);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn new(seed: u32) -> Result<Self> {
        if !(1..Self::MODULUS).contains(&seed) {
            return Err(Error::InvalidParameter {
                name: "seed",
                value: f64::from(seed),
                expected: "in 1..2147483646",
            });
        }
        Ok(Self { state: seed })
    }

    const fn following(&self) -> u32 {
        (self.state as u64 * 16_807 % Self::MODULUS as u64) as u32
    }

    /// Advances, and returns the new state.
    pub const fn next_int(&mut self) -> u32 {
        self.state = self.following();
        self.state
    }

    /// Advances, and returns the new state divided by 2147483647: strictly between 0 and 1.
    pub fn next_uniform(&mut self) -> f64 {
        f64::from(self.next_int()) / f64::from(Self::MODULUS)
    }

    /// The state, without advancing.
    #[must_use]
    pub const fn state(&self) -> u32 {
        self.state
    }
}

impl UniformSource for ParkMiller {
    fn peek(&self) -> Result<f64> {
        Ok(f64::from(self.following()) / f64::from(Self::MODULUS))
    }

    fn advance(&mut self) {
        self.next_int();
    }
}

impl TryFrom<u32> for ParkMiller {
    type Error = Error;

    fn try_from(seed: u32) -> Result<Self> {
        Self::new(seed)
    }
}

impl From<ParkMiller> for u32 {
    fn from(generator: ParkMiller) -> Self {
        generator.state
    }
}

/// Uniforms that were written down before, played once.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Tape, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut tape = Tape::new(&[0.2, 0.8]);
/// sampler.sample_with(&[3.0_f32, 2.0, 1.0], &mut tape)?;
/// assert_eq!(tape.position(), 1);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tape<'a> {
    draws: &'a [f64],
    position: usize,
}

impl<'a> Tape<'a> {
    /// A tape at its beginning.
    #[must_use]
    pub const fn new(draws: &'a [f64]) -> Self {
        Self { draws, position: 0 }
    }

    /// How many draws have been used up.
    #[must_use]
    pub const fn position(&self) -> usize {
        self.position
    }
}

impl UniformSource for Tape<'_> {
    fn peek(&self) -> Result<f64> {
        self.draws
            .get(self.position)
            .copied()
            .ok_or(Error::UniformsExhausted {
                length: self.draws.len(),
            })
    }

    fn advance(&mut self) {
        self.position += 1;
    }
}
