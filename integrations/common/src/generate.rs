//! The loop: row, choice, piece of text, with a clock at each.

use crate::{Chooser, Fault, TextModel};
use mirostat::generation::{Logits as _, StopReason};
use serde::Serialize;
use std::time::{Duration, Instant};

/// What to write on, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// The tokens of the prompt.
    pub prompt: &'a [u32],
    /// The most tokens to generate.
    pub limit: usize,
    /// Whether an end token stops.
    pub stop_at_end: bool,
}

/// One generated token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Moment {
    /// The token.
    pub token: u32,
    /// Its surprise, in bits.
    pub surprise_bits: f64,
    /// How many tokens the rule kept.
    pub kept: usize,
    /// Mu that it was chosen with, in bits, of the rules that have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu_bits: Option<f64>,
    /// How long the model took for the row, in microseconds; the first row's is the time of the prompt.
    pub model_us: f64,
    /// How long the choice took, in microseconds.
    pub sampling_us: f64,
}

/// A text as tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    /// Its tokens, without the prompt, with the end token.
    pub moments: Vec<Moment>,
    /// Why it stopped.
    pub reason: StopReason,
}

/// Writes a text; `observer` gets every token with its bytes at once.
///
/// # Errors
///
/// [`Fault::EmptyPrompt`] and [`Fault::Context`] before the model is asked; then [`Fault::Vocabulary`], [`Fault::Row`], the model's and
/// the observer's own.
///
/// # Cost
///
/// The rows are read where they lie. The surprise of a rule that does not tell it is computed outside of the times.
pub fn generate<M: TextModel>(
    model: &mut M,
    chooser: &mut Chooser,
    request: &Request<'_>,
    mut observer: impl FnMut(&Moment, &[u8]) -> Result<(), Fault>,
) -> Result<Generated, Fault> {
    let Request {
        prompt,
        limit,
        stop_at_end,
    } = *request;
    if prompt.is_empty() {
        return Err(Fault::EmptyPrompt);
    }
    if prompt.len().saturating_add(limit) > model.context_limit() {
        return Err(Fault::Context {
            prompt: prompt.len(),
            limit,
            context: model.context_limit(),
        });
    }
    let vocabulary = model.vocabulary();
    let mut context = prompt.to_vec();
    let mut moments = Vec::with_capacity(limit);
    let mut reason = StopReason::Limit;
    for step in 0..limit {
        let refused = |error| Fault::Row { step, error };
        let before = Instant::now();
        let logits = model.logits(&context)?;
        let row = logits.row();
        let model_time = before.elapsed();
        if row.len() != vocabulary {
            return Err(Fault::Vocabulary {
                row: row.len(),
                tokenizer: vocabulary,
            });
        }
        let before = Instant::now();
        let choice = chooser.choose(row).map_err(refused)?;
        let sampling_time = before.elapsed();
        let moment = Moment {
            token: choice.token,
            surprise_bits: choice.surprise_bits(row).map_err(refused)?,
            kept: choice.kept,
            mu_bits: choice.step.map(|step| step.mu_before),
            model_us: microseconds(model_time),
            sampling_us: microseconds(sampling_time),
        };
        drop(logits);
        observer(&moment, &model.piece(choice.token)?)?;
        moments.push(moment);
        context.push(choice.token);
        if stop_at_end && model.end_tokens().contains(&choice.token) {
            reason = StopReason::EndToken;
            break;
        }
    }
    Ok(Generated { moments, reason })
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
