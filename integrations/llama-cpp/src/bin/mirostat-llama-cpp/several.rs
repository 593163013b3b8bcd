//! `--sequences`: several texts at once.

use std::io::{self, Write as _};
use std::time::Instant;

use mirostat::generation::StopReason;
use mirostat::{Config, Sampler, Uniforms};
use mirostat_llama_cpp::{Sequences, Session, Weights, write_together};
use mirostat_textgen::{
    Fault, Generated, Integration, Moment, Request, SamplerOptions, Unfinished, check_places,
    open_model,
};
use serde::Serialize;

use crate::{Arguments, INTEGRATION};

/// All that is told of the texts.
#[derive(Serialize)]
struct Told<'a> {
    integration: Integration,
    sampler: &'a SamplerOptions,
    prompt: String,
    prompt_tokens: &'a [u32],
    times: Times,
    texts: Vec<Text>,
}

#[derive(Serialize)]
struct Text {
    text: String,
    reason: StopReason,
    mean_surprise_bits: f64,
    steps: Vec<Moment>,
}

pub(crate) fn run(arguments: &Arguments, count: usize) -> Result<(), Fault> {
    let version = arguments.version("--sequences");
    let options = &arguments.options;
    check_places(&options.report)?;
    let config = Config::builder(options.sampler.tau)
        .eta(options.sampler.eta)
        .temperature(options.sampler.temperature)
        .build()?;
    let sampler = Sampler::new(config, version)?;
    let mut sessions: Vec<Session> = (0..count)
        .map(|session| Session {
            sampler: sampler.clone(),
            uniforms: Uniforms::new(options.sampler.seed, session as u64),
        })
        .collect();

    let before = Instant::now();
    let (path, _) = open_model(options.model.as_deref())?;
    let weights = Weights::load(&path, arguments.verbose)?;
    let load_s = before.elapsed().as_secs_f64();
    let prompt = weights.tokens(&options.prompt_text());
    let request = Request {
        prompt: &prompt,
        limit: options.max_tokens,
        stop_at_end: !options.ignore_end,
    };
    let length = weights.length_of(&request)?;
    let mut sequences = Sequences::new(&weights, count, length, arguments.threads.get())?;
    let generated = write_together(&weights, &mut sequences, &mut sessions, &request)?;

    let times = Times::of(&generated, load_s);
    let texts = generated
        .into_iter()
        .map(|text| Text::new(&weights, text))
        .collect::<Result<Vec<_>, _>>()?;
    let mut out = io::stdout().lock();
    for (i, text) in texts.iter().enumerate() {
        if !options.quiet {
            writeln!(out, "--- text {i}, {:.3} bits", text.mean_surprise_bits)?;
        }
        writeln!(out, "{}", text.text)?;
    }
    if let Some(place) = &options.report {
        let told = Told {
            integration: INTEGRATION,
            sampler: &options.sampler,
            prompt: options.prompt_text(),
            prompt_tokens: &prompt,
            times,
            texts,
        };
        let json = serde_json::to_string_pretty(&told).map_err(io::Error::from)?;
        Unfinished::write(place, &(json + "\n"))?.finish()?;
    }
    if !options.quiet {
        let mut err = io::stderr().lock();
        writeln!(
            err,
            "\nsampler   {}, {count} texts at once",
            options.sampler.in_words()
        )?;
        writeln!(
            err,
            "speed     {:.1} tokens/s, all together",
            times.tokens_per_s
        )?;
        writeln!(
            err,
            "sampling  {:.1} µs a token, {:.3} % of the model's time",
            times.sampling_mean_us,
            100.0 * times.sampling_share
        )?;
    }
    Ok(())
}

impl Text {
    fn new(weights: &Weights, Generated { moments, reason }: Generated) -> Result<Self, Fault> {
        let mut bytes = Vec::new();
        for moment in &moments {
            bytes.extend(weights.piece(moment.token)?);
        }
        let bits = moments
            .iter()
            .fold(0.0, |sum, moment| sum + moment.surprise_bits);
        Ok(Self {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            reason,
            mean_surprise_bits: bits / moments.len().max(1) as f64,
            steps: moments,
        })
    }
}

/// The times of all texts together, their prompts' rows apart. A step's are its part of its batch's, so they sum up.
#[derive(Clone, Copy, Serialize)]
struct Times {
    load_s: f64,
    prompt_s: f64,
    tokens_per_s: f64,
    sampling_mean_us: f64,
    sampling_share: f64,
}

impl Times {
    fn of(texts: &[Generated], load_s: f64) -> Self {
        let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let later = || texts.iter().flat_map(|text| text.moments.iter().skip(1));
        let tokens = later().count() as f64;
        let model_us: f64 = later().map(|moment| moment.model_us).sum();
        let sampling_us: f64 = later().map(|moment| moment.sampling_us).sum();
        let prompts = texts.iter().filter_map(|text| text.moments.first());
        Self {
            load_s,
            prompt_s: prompts.map(|moment| moment.model_us / 1e6).sum(),
            tokens_per_s: ratio(tokens, (model_us + sampling_us) / 1e6),
            sampling_mean_us: ratio(sampling_us, tokens),
            sampling_share: ratio(sampling_us, model_us),
        }
    }
}
