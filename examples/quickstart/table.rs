//! One pass of a session over the rows, a line per step.

use crate::fault::Fault;
use crate::format::{bits, grouped, quoted, tail};
use crate::source::Source;
use mirostat::{Config, Sampler, Uniforms, Version};
use std::io::Write;

/// Lines that are shown of a long file.
const SHOWN: usize = 24;
const PROMPT_WIDTH: usize = 28;
const TEXT_WIDTH: usize = 13;

pub(crate) fn print(
    out: &mut impl Write,
    source: &Source,
    config: Config,
    version: Version,
    seed: u64,
) -> Result<(), Fault> {
    writeln!(out, "{version:?} {}", explanation(version))?;
    writeln!(
        out,
        "{:<PROMPT_WIDTH$}  {:>7}  {:<TEXT_WIDTH$}  {:>11}  {:>8}  {:>7}  mu, bits",
        "prompt", "token", "text", "probability", "surprise", "kept"
    )?;
    let rows = source.rows()?;
    let mut session = Sampler::new(config, version)?;
    let mut uniforms = Uniforms::new(seed, 0);
    for i in 0..source.len().min(SHOWN) {
        let step = session.sample_with(rows.get(i), &mut uniforms)?;
        let prompt = match source.prompt(i) {
            Some(prompt) => tail(prompt, PROMPT_WIDTH),
            None => format!("row {i}"),
        };
        let text = match source.text(i, step.token) {
            Some(text) => quoted(text, TEXT_WIDTH),
            None => format!("#{}", step.token),
        };
        writeln!(
            out,
            "{prompt:<PROMPT_WIDTH$}  {:>7}  {text:<TEXT_WIDTH$}  {:>11.6}  {:>8.3}  {:>7}  {:>6} -> {}",
            step.token,
            step.probability,
            step.surprise_bits,
            grouped(step.kept),
            bits(step.mu_before),
            bits(step.mu_after),
        )?;
    }
    if source.len() > SHOWN {
        writeln!(out, "(the first {SHOWN} of {} rows)", grouped(source.len()))?;
    }
    writeln!(
        out,
        "A surprise above tau, {:?} bits, lowers mu by eta times the excess; one below raises it.\n",
        config.tau()
    )?;
    Ok(())
}

const fn explanation(version: Version) -> &'static str {
    match version {
        Version::V1 => {
            "fits a Zipf law to the likeliest tokens, works out from it and mu how many to keep, and draws one."
        }
        Version::V2 => {
            "keeps the tokens whose surprise is at most mu bits (the likeliest always), and draws one."
        }
    }
}
