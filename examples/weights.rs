//! The ancestor's weights: what the next step keeps of a row of weights, and then the step.
//!
//! `cargo run --release --example weights`
#![forbid(unsafe_code)]

use mirostat::{Config, Result, Sampler, Version};

fn main() -> Result<()> {
    let weights = [8.0, 4.0, 2.0, 1.0];
    let mut session = Sampler::new(Config::new(2.0)?, Version::V2)?;

    // Nothing moves yet.
    let preview = session.preview_weights(&weights)?;
    println!(
        "preview keep={} mass={} expected_surprise={} mu={}",
        preview.kept_tokens, preview.retained_mass, preview.expected_surprise, preview.mu
    );

    let step = session.sample_weights(&weights, 0.7)?;
    println!(
        "token={} keep={} mu={}",
        step.token, step.kept, step.mu_after
    );
    Ok(())
}
