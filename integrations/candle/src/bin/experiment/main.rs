//! The closed loop on a real model: does Mirostat hold its target where top-p and top-k do not?
//!
//! Every rule writes on after every prompt, with the same seeds; the figures go to `results/`, the summary to standard output.
#![forbid(unsafe_code)]

mod figures;
mod plan;
mod plot;
mod table;
mod work;

use clap::Parser;
use mirostat_candle::text::{Llama, signature};
use mirostat_textgen::{Fault, Unfinished, check_places, exit_code, open_model};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures how well Mirostat holds its target on a real model, and top-p and top-k beside it
///
/// Texts are written side by side, so candle's own threads are in the way: set RAYON_NUM_THREADS=1.
#[derive(Debug, Parser)]
#[command(name = "experiment", version)]
struct Arguments {
    /// The model, a GGUF file [default: $MIROSTAT_MODEL, or what `bash integrations/model` got]
    #[arg(long, value_name = "FILE.gguf")]
    model: Option<PathBuf>,
    /// Tokens of every text
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u16).range(8..=4000))]
    tokens: u16,
    /// The seed of all random draws
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Texts at once [default: the machine's threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    at_once: Option<u16>,
    /// The folder of closed-loop.csv, closed-loop.md and closed-loop.svg [default: results/ of this crate]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    exit_code("experiment", run(&Arguments::parse()))
}

fn run(arguments: &Arguments) -> Result<(), Fault> {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
    let folder = arguments.out.clone().unwrap_or_else(ours);
    let places = ["csv", "md", "svg"].map(|end| folder.join("closed-loop").with_extension(end));
    check_places(&places)?;
    let (path, file) = open_model(arguments.model.as_deref())?;
    let model = Llama::load(&path, file)?;

    let rules = plan::rules(arguments.seed);
    let at_once = arguments.at_once.map_or_else(
        || std::thread::available_parallelism().map_or(1, usize::from),
        usize::from,
    );
    let texts = work::write_all(&model, &rules, usize::from(arguments.tokens), at_once)?;

    let signature = signature("experiment");
    let ground = format!(
        "{} {} on {} {}, {}, {} tokens a text, seed {}",
        signature.program,
        signature.version,
        signature.runtime,
        signature.runtime_version,
        path.file_name().unwrap_or_default().to_string_lossy(),
        arguments.tokens,
        arguments.seed,
    );
    let summary = table::summary(&ground, &rules, &texts);
    let contents = [
        table::csv(&texts),
        summary.clone(),
        plot::draw(&rules, &texts)?,
    ];
    let files = places.iter().zip(&contents);
    let unfinished: Vec<Unfinished> = files
        .map(|(place, content)| Unfinished::write(place, content))
        .collect::<Result<_, _>>()?;
    unfinished.into_iter().try_for_each(Unfinished::finish)?;
    write!(io::stdout(), "{summary}")?;
    Ok(())
}
