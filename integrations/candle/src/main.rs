//! Writes text with a language model in candle, one token at a time by a sampler of `mirostat`.
#![forbid(unsafe_code)]

use clap::Parser;
use mirostat_candle::text::{Llama, signature};
use mirostat_textgen::{Options, run};
use std::process::ExitCode;

/// Writes text with a language model in candle; RAYON_NUM_THREADS sets the threads
#[derive(Debug, Parser)]
#[command(name = "mirostat-candle", version)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let options = Arguments::parse().options;
    run(signature("mirostat-candle"), &options, Llama::load)
}
