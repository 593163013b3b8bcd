//! The time to the first token of a fresh process: started, a row read from a file, a session made, a token drawn, ended.

use crate::clock::quartiles;
use crate::python::interpreter_command;
use crate::record::{FirstToken, rounded};
use crate::rows::Source;
use crate::session::{CELL, names, session};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Everyone, so many processes each, in turns; without an interpreter the Rust side only.
pub(crate) fn run(
    source: &Source,
    interpreter: Option<&Path>,
    with_torch: bool,
    folder: &Path,
    processes: usize,
) -> Result<Vec<FirstToken>> {
    let path = folder.join("first.f32");
    let rows = source.so_many_rows(CELL, 1)?;
    std::fs::write(
        &path,
        rows.row(0)
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<u8>>(),
    )?;
    let this = std::env::current_exe()?;
    let mut everyone: Vec<(String, Command, Vec<[f64; 2]>)> = Vec::new();
    for name in names() {
        let mut command = Command::new(&this);
        command.args(["first-token-of", name]).arg(&path);
        everyone.push((name.to_owned(), command, Vec::new()));
    }
    if let Some(interpreter) = interpreter {
        for name in if with_torch {
            &["numpy", "torch"][..]
        } else {
            &["numpy"]
        } {
            let mut command = interpreter_command(interpreter, "first_token.py");
            command.arg(name).arg(&path);
            everyone.push(((*name).to_owned(), command, Vec::new()));
        }
    }
    // The first of each brings the programme into memory.
    for number in 0..=processes {
        for (name, command, times) in &mut everyone {
            let start = Instant::now();
            let output = command.output()?;
            let took = start.elapsed().as_secs_f64() * 1e3;
            let inside = String::from_utf8_lossy(&output.stdout)
                .trim()
                .parse::<f64>();
            let inside = inside
                .map_err(|e| format!("{name}: {e}: {}", String::from_utf8_lossy(&output.stderr)))?;
            if number > 0 {
                times.push([took, inside / 1e3]);
            }
        }
    }
    let median = |times: &[[f64; 2]], i: usize| {
        let of: Vec<f64> = times.iter().map(|t| t[i]).collect();
        rounded(quartiles(&of)[1])
    };
    let one = |(peer, _, times): (String, Command, Vec<[f64; 2]>)| FirstToken {
        peer,
        vocabulary: CELL.vocabulary,
        process_ms: median(&times, 0),
        sampler_ms: median(&times, 1),
        processes,
    };
    Ok(everyone.into_iter().map(one).collect())
}

/// What the fresh process does; prints the µs from the making of the session to its token.
pub(crate) fn of(name: &str, path: &Path) -> Result<()> {
    let bytes = std::fs::read(path)?;
    let (fours, _) = bytes.as_chunks::<4>();
    let row: Vec<f32> = fours.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let start = Instant::now();
    let mut session = session(name).ok_or_else(|| format!("{name} is not compiled in"))?;
    std::hint::black_box(session(&row)?);
    println!("{}", start.elapsed().as_secs_f64() * 1e6);
    Ok(())
}
