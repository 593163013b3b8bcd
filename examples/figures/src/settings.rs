//! What all figures have in common.

use crate::draw::grouped;
use mirostat::{Config, ParkMiller, Result};

/// The target of every run but those that try many, in bits.
pub(crate) const TAU: f64 = 3.0;
/// The ancestor's vocabulary, small enough to see what happens.
pub(crate) const VOCABULARY: usize = 256;

/// What a user chooses.
///
/// # Examples
///
/// ```
/// let settings = mirostat_figures::Settings { seed: 42, steps: 2000 };
/// assert_eq!(settings.note(), "eta 0.1, 2,000 steps, seed 42");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The seed of every run: each begins with the same draws. Not every number is one; see [`ParkMiller::new`].
    pub seed: u32,
    /// The steps of every run, at least one.
    pub steps: usize,
}

impl Settings {
    /// The settings in words.
    #[must_use]
    pub fn note(&self) -> String {
        let steps = if self.steps == 1 { "step" } else { "steps" };
        format!(
            "eta 0.1, {} {steps}, seed {}",
            grouped(self.steps),
            self.seed
        )
    }

    pub(crate) fn uniforms(&self) -> Result<ParkMiller> {
        ParkMiller::new(self.seed)
    }

    pub(crate) fn config(&self) -> Result<Config> {
        Config::new(TAU)
    }
}
