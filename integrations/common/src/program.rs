//! The programme of an integration, all but its runtime.

use crate::files::{Unfinished, check_place};
use crate::report::{Ground, Report};
use crate::{Chooser, Fault, Options, Request, TextModel, generate, open_model, plot};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The names that a report is signed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Integration {
    /// The programme.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The runtime.
    pub runtime: &'static str,
    /// The runtime's version.
    pub runtime_version: &'static str,
}

/// Writes a text to standard output as it comes, and the report to standard error; files are written at the end, all or none.
///
/// `load` gets the model's path and the open file, at its beginning.
///
/// A fault is printed with what to do about it, and makes the exit code 1.
pub fn run<M: TextModel>(
    integration: Integration,
    options: &Options,
    load: impl FnOnce(&Path, File) -> Result<M, Fault>,
) -> ExitCode {
    match write(integration, options, load, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) if fault.reader_went_away() => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{}: {fault}", integration.program);
            if let Some(advice) = fault.advice() {
                eprintln!("{}: {advice}", integration.program);
            }
            ExitCode::FAILURE
        }
    }
}

fn write<M: TextModel>(
    integration: Integration,
    options: &Options,
    load: impl FnOnce(&Path, File) -> Result<M, Fault>,
    out: &mut impl Write,
) -> Result<(), Fault> {
    // What can be refused is refused before the model is loaded.
    let mut chooser = Chooser::new(&options.sampler, 0)?;
    for place in [&options.report, &options.plot].into_iter().flatten() {
        check_place(place)?;
    }
    let before = Instant::now();
    let (path, file) = open_model(options.model.as_deref())?;
    let mut model = load(&path, file)?;
    let load = before.elapsed();

    let prompt = model.tokens(&options.prompt_text())?;
    let request = Request {
        prompt: &prompt,
        limit: options.max_tokens,
        stop_at_end: !options.ignore_end,
    };
    let mut text = Vec::new();
    let mut begun = false;
    let generated = generate(&mut model, &mut chooser, &request, |_, piece| {
        if !begun && !options.chat && !options.quiet {
            out.write_all(options.prompt.as_bytes())?;
        }
        begun = true;
        text.extend_from_slice(piece);
        out.write_all(piece)?;
        Ok(out.flush()?)
    })?;
    out.write_all(b"\n")?;

    let ground = Ground {
        integration,
        options,
        model: path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        vocabulary: model.vocabulary(),
        prompt_tokens: prompt,
        load,
    };
    let report = Report::new(ground, generated, &text);
    write_files(&report, options)?;
    if !options.quiet {
        writeln!(io::stderr(), "\n{report}")?;
    }
    Ok(())
}

/// Writes all beside their places before the first is moved there.
fn write_files(report: &Report, options: &Options) -> Result<(), Fault> {
    let mut files = Vec::new();
    if let Some(path) = &options.report {
        let json = serde_json::to_string_pretty(report).map_err(io::Error::from)?;
        files.push(Unfinished::write(path, &(json + "\n"))?);
    }
    if let Some(path) = &options.plot {
        files.push(Unfinished::write(path, &plot::draw(report)?)?);
    }
    files.into_iter().try_for_each(Unfinished::finish)
}
