//! Our Mirostat beside llama.cpp's own: on the same rows, in the same run.

use std::f64::consts::LOG2_E;
use std::time::{Duration, Instant};

use mirostat::{Config, Error, Sampler, Uniforms, Version};
use mirostat_textgen::{Fault, Request};
use serde::Serialize;

use crate::{Peer, Sequences, Weights};

/// Whose token is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Driver {
    /// Ours.
    Mirostat,
    /// llama.cpp's.
    LlamaCpp,
}

impl Driver {
    /// `mirostat` or `llama.cpp`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mirostat => "mirostat",
            Self::LlamaCpp => "llama.cpp",
        }
    }
}

/// What both samplers are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The version of Mirostat.
    pub version: Version,
    /// The target and the rate; what else is in it is ours alone.
    pub config: Config,
    /// The seed; the two have different generators, so it means different draws.
    pub seed: u64,
}

/// A text that one of the two wrote, while both drew on every row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Race {
    /// Who wrote it.
    pub driver: Driver,
    /// Its tokens.
    pub tokens: Vec<u32>,
    /// The surprise of each in its row, −log2 p over the whole vocabulary.
    pub surprise_bits: Vec<f64>,
    /// The model's time for each, in microseconds; the first is that of the prompt.
    pub model_us: Vec<f64>,
    /// What our step took on each row, in microseconds.
    pub mirostat_us: Vec<f64>,
    /// What llama.cpp's took on the same rows.
    pub llama_cpp_us: Vec<f64>,
}

/// Lets `driver` write a text, and both samplers draw on each of its rows, by turns first.
///
/// Both clocks run from the context to the token: ours asks llama.cpp for the row and reads it in place; llama.cpp copies it into its
/// array of candidates, kept from step to step, and sorts. The one that does not drive feeds its own draws back to its own mu.
///
/// # Errors
///
/// [`Fault::EmptyPrompt`], [`Fault::Context`], [`Fault::Runtime`], [`Fault::Parameter`], [`Fault::Row`], and the observer's own.
pub fn race(
    weights: &Weights,
    driver: Driver,
    aim: Aim,
    request: &Request<'_>,
    threads: usize,
    mut observer: impl FnMut(u32) -> Result<(), Fault>,
) -> Result<Race, Fault> {
    let length = weights.length_of(request)?;
    let Aim {
        version,
        config,
        seed,
    } = aim;
    let (tau, eta) = (config.tau(), config.eta());
    let mut ours = Sampler::new(config, version)?;
    let mut uniforms = Uniforms::new(seed, 0);
    let mut theirs = Peer::new(weights, version, tau, eta, seed);
    let mut sequences = Sequences::new(weights, 1, length, threads)?;
    let mut race = Race {
        driver,
        tokens: Vec::with_capacity(request.limit),
        surprise_bits: Vec::with_capacity(request.limit),
        model_us: Vec::with_capacity(request.limit),
        mirostat_us: Vec::with_capacity(request.limit),
        llama_cpp_us: Vec::with_capacity(request.limit),
    };
    sequences.feed(0, request.prompt)?;
    for step in 0..request.limit {
        let refused = |error| Fault::Row { step, error };
        let before = Instant::now();
        sequences.decode()?;
        race.model_us.push(microseconds(before.elapsed()));

        // Refuses an unsound row, which llama.cpp's would not, and brings it into the cache for both.
        let log_z_nats = row(&sequences)
            .and_then(mirostat::log_z_nats)
            .map_err(refused)?;
        let mut our_turn = || {
            let before = Instant::now();
            let drawn = row(&sequences).and_then(|row| ours.sample_with(row, &mut uniforms));
            (drawn, microseconds(before.elapsed()))
        };
        let mut their_turn = || {
            let before = Instant::now();
            let token = theirs.sample(&sequences, 0);
            (token, microseconds(before.elapsed()))
        };
        let ((drawn, our_us), (their_token, their_us)) = if step % 2 == 0 {
            let first = our_turn();
            (first, their_turn())
        } else {
            let first = their_turn();
            (our_turn(), first)
        };
        race.mirostat_us.push(our_us);
        race.llama_cpp_us.push(their_us);

        let token = match driver {
            Driver::Mirostat => drawn.map_err(refused)?.token,
            Driver::LlamaCpp => their_token,
        };
        let logit = f64::from(row(&sequences).map_err(refused)?[token as usize]);
        // Rounding can bring a certain token below 0.
        let bits = ((log_z_nats - logit) * LOG2_E).max(0.0);
        race.tokens.push(token);
        race.surprise_bits.push(bits);
        observer(token)?;
        if request.stop_at_end && weights.end_tokens().contains(&token) {
            break;
        }
        if race.tokens.len() < request.limit {
            sequences.feed(0, &[token])?;
        }
    }
    Ok(race)
}

fn row<'a>(sequences: &'a Sequences<'_>) -> Result<&'a [f32], Error> {
    sequences.logits(0).ok_or(Error::EmptyRow)
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
