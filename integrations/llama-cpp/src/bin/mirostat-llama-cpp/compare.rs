//! `--compare`: our Mirostat beside llama.cpp's own.

use std::io::{self, Write as _};

use mirostat::Config;
use mirostat_llama_cpp::{Aim, Driver, Race, Weights, race};
use mirostat_textgen::{
    Fault, Integration, Request, SamplerOptions, Unfinished, check_places, open_model,
};
use serde::Serialize;

use crate::{Arguments, INTEGRATION};

/// All that is told of the two texts.
#[derive(Serialize)]
struct Told<'a> {
    integration: Integration,
    sampler: &'a SamplerOptions,
    prompt: String,
    prompt_tokens: &'a [u32],
    races: &'a [Race],
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Fault> {
    let version = arguments.version("--compare");
    let options = &arguments.options;
    if options.sampler.temperature != 1.0 {
        arguments.refuse("--compare is for --temperature 1");
    }
    let config = Config::builder(options.sampler.tau)
        .eta(options.sampler.eta)
        .build()?;
    check_places(&options.report)?;
    let (path, _) = open_model(options.model.as_deref())?;
    let weights = Weights::load(&path, arguments.verbose)?;
    let prompt = weights.tokens(&options.prompt_text());
    let request = Request {
        prompt: &prompt,
        limit: options.max_tokens,
        stop_at_end: !options.ignore_end,
    };
    // Asked before a word is written.
    weights.length_of(&request)?;
    let aim = Aim {
        version,
        config,
        seed: options.sampler.seed,
    };
    let mut out = io::stdout().lock();
    let mut races = Vec::new();
    for driver in [Driver::Mirostat, Driver::LlamaCpp] {
        if !options.quiet {
            writeln!(out, "--- text by {}", driver.name())?;
        }
        races.push(race(
            &weights,
            driver,
            aim,
            &request,
            arguments.threads.get(),
            |token| {
                out.write_all(&weights.piece(token)?)?;
                Ok(out.flush()?)
            },
        )?);
        writeln!(out)?;
    }
    if let Some(place) = &options.report {
        let told = Told {
            integration: INTEGRATION,
            sampler: &options.sampler,
            prompt: options.prompt_text(),
            prompt_tokens: &prompt,
            races: &races,
        };
        let json = serde_json::to_string_pretty(&told).map_err(io::Error::from)?;
        Unfinished::write(place, &(json + "\n"))?.finish()?;
    }
    if !options.quiet {
        print(&options.sampler, &races)?;
    }
    Ok(())
}

/// The table. Times are medians, the prompt's row apart; 0 where a text is too short for them.
fn print(sampler: &SamplerOptions, races: &[Race]) -> Result<(), Fault> {
    let mut out = io::stderr().lock();
    writeln!(out, "\n{}", sampler.in_words())?;
    writeln!(
        out,
        "{:<14}{:>8}{:>14}{:>16}{:>14}{:>16}{:>8}",
        "text by", "tokens", "bits - tau", "model, µs", "mirostat, µs", "llama.cpp, µs", "times"
    )?;
    for race in races {
        let [model, ours, theirs] = [&race.model_us, &race.mirostat_us, &race.llama_cpp_us]
            .map(|times| median(times.get(1..).unwrap_or_default()));
        writeln!(
            out,
            "{:<14}{:>8}{:>+14.3}{model:>16.0}{ours:>14.1}{theirs:>16.1}{:>8.1}",
            race.driver.name(),
            race.tokens.len(),
            mean(&race.surprise_bits) - sampler.tau,
            theirs / ours.max(f64::MIN_POSITIVE),
        )?;
    }
    Ok(())
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
}

fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}
