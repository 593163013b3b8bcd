//! The first programme: real rows of logits become tokens, 64 sessions at once are timed, and a closed loop is drawn.
//!
//! `cargo run --release --example quickstart` needs no model and no network; `-- --help` lists the options.
#![forbid(unsafe_code)]

mod fault;
mod format;
mod npy;
mod options;
mod plot;
mod source;
mod table;
mod throughput;
mod trace;

use clap::Parser;
use fault::Fault;
use mirostat::{Config, Sampler, Version};
use options::Options;
use source::Source;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Options::parse(), &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) if fault.reader_went_away() => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("quickstart: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options, out: &mut impl Write) -> Result<(), Fault> {
    // Everything that can be refused is refused before the first line.
    let config = Config::builder(options.tau).eta(options.eta).build()?;
    let source = Source::open(options.rows.as_deref(), options.texts.as_deref())?;
    let plot_path = options.plot_path();
    plot::make_folder_of(&plot_path)?;

    let session = Sampler::new(config, Version::V2)?;
    let numerics = format!("{:?}", session.numerics()).to_lowercase();
    let machine = format!("{}, {numerics}", session.level().name());
    writeln!(
        out,
        "mirostat {} on {machine}, {} · tau {:?} bits, eta {:?}, seed {}",
        env!("CARGO_PKG_VERSION"),
        format::count(throughput::threads(), "thread"),
        config.tau(),
        config.eta(),
        options.seed,
    )?;
    writeln!(out, "Rows: {}\n", source.description())?;

    for &version in options.versions() {
        table::print(out, &source, config, version, options.seed)?;
    }
    throughput::print(out, config, options)?;

    let version = options.versions()[options.versions().len() - 1];
    let trace = trace::record(&source, config, version, options.seed)?;
    plot::write(&plot_path, &trace, &source)?;
    writeln!(
        out,
        "{} steps of one {version:?} session in a closed loop: mean surprise {:.3} bits, of the last {} {:.3}; tau is {:?}, mu ended at {}.",
        format::grouped(trace::STEPS),
        trace::mean(&trace.surprise_bits),
        format::grouped(trace::STEPS / 2),
        trace::mean(&trace.surprise_bits[trace::STEPS / 2..]),
        config.tau(),
        format::bits(trace.mu_bits[trace::STEPS - 1]),
    )?;
    writeln!(out, "The plot is in {}", plot_path.display())?;
    Ok(())
}
