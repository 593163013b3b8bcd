//! Every figure of the experiments, and a page that shows them.
//!
//! `cargo run --release --example figures` writes SVG into `target/figures`; `--features mirostat-figures/png` beside it adds PNG. The
//! bar is shown where standard error is a terminal.
#![forbid(unsafe_code)]

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use mirostat_figures::{Fault, Settings, draw_all, runs, target_folder, write};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Draws every figure of the experiments, and makes a page that shows them.
#[derive(Debug, Parser)]
#[command(name = "figures")]
struct Options {
    /// The folder that the files go to [default: figures in cargo's target folder]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// The seed of all random draws
    #[arg(long, default_value_t = 42)]
    seed: u32,
    /// The steps of every run
    #[arg(long, default_value_t = 2_000, value_parser = steps)]
    steps: usize,
    /// Makes runs of 200 steps, to see whether everything works
    #[arg(long, conflicts_with = "steps")]
    quick: bool,
}

/// A run has a step, and no more than can be told apart on a screen and counted in a `u32`.
fn steps(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(steps @ 1..=1_000_000) => Ok(steps),
        _ => Err("must be a whole number from 1 to 1000000".to_owned()),
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("figures: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Fault> {
    let settings = Settings {
        seed: options.seed,
        steps: if options.quick { 200 } else { options.steps },
    };
    // Hidden by itself where nobody watches.
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(runs()).with_style(style);
    let figures = draw_all(settings, &|| bar.inc(1))?;
    bar.finish_and_clear();
    let folder = options
        .out
        .clone()
        .unwrap_or_else(|| target_folder().join("figures"));
    for file in write(&folder, &figures, settings)? {
        // A reader that went away is no mistake of anybody: the files are written.
        let _ = writeln!(io::stdout(), "{}", file.display());
    }
    Ok(())
}
