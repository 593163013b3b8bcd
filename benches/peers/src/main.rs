//! What a user would pick instead of `mirostat`, on the same rows: right or wrong first, then how long. `benches/README.md` says how.

mod batch;
mod chart;
mod check;
mod clock;
mod contestant;
mod first_token;
mod goals;
mod machine;
mod measure;
mod memory;
mod peer;
mod python;
mod record;
mod rows;
mod session;
mod splice;
mod table;
mod task;

use clap::{Args, Parser, Subcommand};
use clock::Clock;
use measure::Measurement;
use python::Python;
use record::{Record, Section};
use rows::{Cell, Kind, Source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use task::Task;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const VOCABULARIES: [usize; 5] = [32_000, 50_257, 128_256, 151_936, 262_144];

/// The measurement beside the peers; `benches/peers/run` is the way in.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Every task on every kind of rows, answers checked before the clock.
    Measure(Options),
    /// 1, 8 and 64 sessions on one and two threads.
    Batch(Options),
    /// What a session holds.
    Memory(Options),
    /// From the start of a process to its token.
    FirstToken(Options),
    /// Tables and chart from a record.
    Report {
        /// The record.
        record: PathBuf,
        /// The repository whose README takes the table.
        #[arg(long)]
        splice: Option<PathBuf>,
    },
    /// The folder's name for this processor.
    Slug,
    #[command(hide = true)]
    MemoryOf { name: String },
    #[command(hide = true)]
    FirstTokenOf { name: String, row: PathBuf },
}

#[derive(Args)]
struct Options {
    /// The JSON file whose section is written.
    #[arg(long)]
    record: PathBuf,
    /// The folder for rows on their way to Python.
    #[arg(long)]
    folder: PathBuf,
    /// The folder with the models' real rows.
    #[arg(long)]
    real_rows: Option<PathBuf>,
    /// How many MiB of rows are walked.
    #[arg(long, default_value_t = rows::POOL_MIB)]
    pool_mib: usize,
    /// A Python with numpy; without it the Rust side only.
    #[arg(long)]
    python: Option<PathBuf>,
    /// Not torch nor transformers, though Python is there.
    #[arg(long)]
    without_torch: bool,
    /// Of llm-like rows of 128,256 only, and fewer calls.
    #[arg(long)]
    quick: bool,
}

impl Options {
    fn source(&self) -> Source {
        Source::new(self.real_rows.clone()).with_pool_mib(self.pool_mib)
    }

    fn start_python(&self) -> Result<Option<Python>> {
        let start = |path: &Path| Python::start(path, !self.without_torch);
        self.python.as_deref().map(start).transpose()
    }

    /// The circumstances with Python's versions, if it runs.
    fn section<T>(&self, python: Option<&mut Python>, results: T) -> Result<Option<Section<T>>> {
        let versions = python.map_or(Ok(BTreeMap::new()), Python::versions)?;
        Ok(Some(Section {
            circumstances: machine::circumstances(versions),
            results,
        }))
    }
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Measure(options) => measure(&options),
        Command::Batch(options) => {
            let mut python = options.start_python()?;
            let calls = if options.quick { 5 } else { 21 };
            let results = batch::run(&options.source(), python.as_mut(), &options.folder, calls)?;
            let section = options.section(python.as_mut(), results)?;
            Record::update(&options.record, |record| record.batch = section)
        }
        Command::Memory(options) => {
            let section = options.section(None, memory::run()?)?;
            Record::update(&options.record, |record| record.memory = section)
        }
        Command::FirstToken(options) => {
            let python = options.python.as_deref();
            let with_torch = !options.without_torch;
            let processes = if options.quick { 3 } else { 21 };
            let results = first_token::run(
                &options.source(),
                python,
                with_torch,
                &options.folder,
                processes,
            )?;
            let section = options.section(options.start_python()?.as_mut(), results)?;
            Record::update(&options.record, |record| record.first_token = section)
        }
        Command::Report { record, splice } => report(&record, splice.as_deref()),
        Command::Slug => {
            println!("{}", machine::slug());
            Ok(())
        }
        Command::MemoryOf { name } => {
            println!("{}", serde_json::to_string(&memory::of(&name)?)?);
            Ok(())
        }
        Command::FirstTokenOf { name, row } => first_token::of(&name, &row),
    }
}

fn measure(options: &Options) -> Result<()> {
    let source = options.source();
    let mut cells = vec![Cell {
        kind: Kind::LlmLike,
        vocabulary: 128_256,
    }];
    let clock = if options.quick {
        Clock::QUICK
    } else {
        cells = [Kind::LlmLike, Kind::Flat, Kind::Iid]
            .into_iter()
            .flat_map(|kind| VOCABULARIES.map(|vocabulary| Cell { kind, vocabulary }))
            .chain(source.real_cells())
            .collect();
        Clock::LONG
    };
    let python = options.start_python()?;
    let mut measurement = Measurement::new(source, python, clock, options.folder.clone());
    measurement.check_draws(&Task::ALL)?;
    let mut results = Vec::new();
    for cell in cells {
        results.extend(measurement.cell(cell, &Task::ALL)?);
    }
    let section = options.section(measurement.python.as_mut(), results)?;
    Record::update(&options.record, |record| record.measured = section)
}

fn report(path: &Path, repository: Option<&Path>) -> Result<()> {
    let record = Record::read(path)?;
    if record.measured().is_empty() {
        return Err(format!("{}: nothing is measured there", path.display()).into());
    }
    let chart = path.with_file_name("peers.svg");
    chart::draw(&record, &chart)?;
    let main = table::main_table(&record);
    let others = table::other_tables(&record);
    std::fs::write(
        path.with_extension("md"),
        format!(
            "# Every cell of the record beside this file\n{}",
            table::full_tables(&record)
        ),
    )?;
    println!("\n{main}\n{others}");
    goals::lines(&record)
        .iter()
        .for_each(|line| println!("{line}"));
    if let Some(repository) = repository {
        let chart = std::path::absolute(&chart)?;
        let chart = chart.strip_prefix(std::path::absolute(repository)?)?;
        let picture = format!(
            "\n![Bars of the table above on a log scale]({})\n",
            chart.display()
        );
        splice::splice_file(&repository.join("README.md"), "peers", &(main + &picture))?;
        splice::splice_file(&repository.join("benches/README.md"), "peers", &others)?;
    }
    Ok(())
}
