//! The ancestor's first programme: the same row and the same draws for both versions, side by side.
//!
//! `cargo run --release --example main`
#![forbid(unsafe_code)]

use mirostat::{Config, Result, Sampler, Version};

fn main() -> Result<()> {
    let config = Config::new(2.5)?;
    let row = [4.0, 3.1, 2.4, 1.8, 1.0, 0.2];
    let mut sessions = [
        ("v1", Sampler::new(config, Version::V1)?),
        ("v2", Sampler::new(config, Version::V2)?),
    ];
    for uniform in [0.10, 0.75, 0.42, 0.91, 0.25] {
        for (name, session) in &mut sessions {
            let step = session.sample(&row, uniform)?;
            println!(
                "{name} token={} keep={} mu={}",
                step.token, step.kept, step.mu_after
            );
        }
    }
    Ok(())
}
