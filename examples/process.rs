//! The ancestor's processors: a row is penalised by its history, then cut down to an allow list, then sampled.
//!
//! `cargo run --release --example process`
#![forbid(unsafe_code)]

use mirostat::processors::{allow_token_ids, penalize_counts};
use mirostat::reference::probabilities;
use mirostat::{Config, Result, Sampler, Version};

fn main() -> Result<()> {
    let (row, history) = ([3.0, 2.0, 1.0, 0.0], [0, 0, 1]);
    let (presence, frequency) = (0.5, 0.25);
    let penalized = penalize_counts(&row, &history, presence, frequency)?;
    println!("penalized={penalized:?}");

    let allowed = allow_token_ids(&penalized, &[1, 2])?;
    println!("probabilities={:?}", probabilities(&allowed)?);

    let mut session = Sampler::new(Config::new(1.5)?, Version::V2)?;
    let step = session.sample(&allowed, 0.6)?;
    println!(
        "token={} surprise={} keep={} mu={}",
        step.token, step.surprise_bits, step.kept, step.mu_after
    );
    Ok(())
}
