//! The ancestor's sweep: which targets can be held on a row of Zipf's law; as CSV.
//!
//! `cargo run --release --example sweep` shows a bar where standard error is a terminal.
#![forbid(unsafe_code)]

use indicatif::ProgressBar;
use mirostat::experiments::{Scenario, SweepPoint, sweep_csv, sweep_targets};
use mirostat::{ParkMiller, Result};

fn main() -> Result<()> {
    let targets = [1.5, 2.5, 3.5, 4.5];
    // Hidden by itself where nobody watches.
    let bar = ProgressBar::new(targets.len() as u64);
    let advance = |_: &SweepPoint| bar.inc(1);
    let points = sweep_targets(
        &targets,
        0.1,
        Scenario::static_zipf(1.15),
        256,
        1000,
        &ParkMiller::new(42)?,
        Some(&advance),
    )?;
    bar.finish_and_clear();
    print!("{}", sweep_csv(&points));
    Ok(())
}
