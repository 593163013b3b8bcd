//! The ancestor's batch: two sessions step together, or, when one row is bad, not at all.
//!
//! `cargo run --release --example batch`
#![forbid(unsafe_code)]

use mirostat::{
    BatchScratch, Config, Parallelism, Row, Sampler, Step, Version, sample_batch_atomic,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let config = Config::new(2.0)?;
    let mut sessions = [
        Sampler::new(config, Version::V1)?,
        Sampler::new(config, Version::V2)?,
    ];
    let (mut scratch, mut steps) = (BatchScratch::new(), Vec::<Step>::new());
    let mut batch = |sessions: &mut [Sampler], rows: &[Row<'_>], steps: &mut Vec<Step>| {
        let (uniforms, threads) = ([0.2, 0.8], Parallelism::Auto);
        sample_batch_atomic(sessions, rows, &uniforms, threads, &mut scratch, steps)
    };

    let good = [Row::from(&[3.0, 2.0, 1.0]), Row::from(&[2.0, 1.0, 0.0])];
    batch(&mut sessions, &good, &mut steps)?;
    for (session, step) in sessions.iter().zip(&steps) {
        println!(
            "{:?} token={} keep={} mu={}",
            session.version(),
            step.token,
            step.kept,
            step.mu_after
        );
    }

    let bad = [Row::from(&[3.0, 2.0, 1.0]), Row::F64(&[])];
    match batch(&mut sessions, &bad, &mut steps) {
        Ok(()) => println!("an empty row was taken"),
        Err(fault) => println!("refused: {fault}"),
    }
    for session in &sessions {
        println!(
            "{:?} steps={} mu={}",
            session.version(),
            session.steps(),
            session.mu()
        );
    }
    Ok(())
}
