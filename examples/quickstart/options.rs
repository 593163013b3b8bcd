//! The command line.

use clap::{Parser, ValueEnum};
use mirostat::Version;
use std::path::PathBuf;
use std::time::Duration;

/// Turns rows of logits into tokens with Mirostat, times 64 sessions at once, and draws a closed loop.
#[derive(Debug, Parser)]
#[command(name = "quickstart")]
pub(crate) struct Options {
    /// Your own rows: a .npy file of float16 or float32, one- or two-dimensional, C order, little endian
    #[arg(long, value_name = "FILE.npy")]
    pub(crate) rows: Option<PathBuf>,
    /// Prompts and token texts of your rows, in the format of examples/data/smollm2-rows.json
    #[arg(long, value_name = "FILE.json", requires = "rows")]
    pub(crate) texts: Option<PathBuf>,
    /// The target surprise, in bits
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 3.0,
        allow_negative_numbers = true
    )]
    pub(crate) tau: f64,
    /// The learning rate: bits of mu per bit of error
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub(crate) eta: f64,
    /// The seed of all random draws
    #[arg(long, default_value_t = 42)]
    pub(crate) seed: u64,
    /// Which rule to run
    #[arg(long, value_enum, default_value_t = Which::Both)]
    version: Which,
    /// Where the plot goes [default: quickstart.svg in cargo's target folder]
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Times for 0.3 s per vocabulary instead of 2.5 s
    #[arg(long)]
    quick: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Which {
    V1,
    V2,
    Both,
}

impl Options {
    pub(crate) const fn versions(&self) -> &'static [Version] {
        match self.version {
            Which::V1 => &[Version::V1],
            Which::V2 => &[Version::V2],
            Which::Both => &[Version::V1, Version::V2],
        }
    }

    pub(crate) fn plot_path(&self) -> PathBuf {
        let default = || mirostat_figures::target_folder().join("quickstart.svg");
        self.plot.clone().unwrap_or_else(default)
    }

    pub(crate) const fn time_per_vocabulary(&self) -> Duration {
        Duration::from_millis(if self.quick { 300 } else { 2_500 })
    }
}
