//! Several texts at once: one batch of llama.cpp, one batch of steps.

use std::time::Instant;

use mirostat::generation::StopReason;
use mirostat::{BatchScratch, Job, Parallelism, Sampler, UniformSource as _, Uniforms, step_batch};
use mirostat_textgen::{Fault, Generated, Moment, Request};

use crate::{Sequences, Weights};

/// What draws the tokens of one text.
#[derive(Clone, Debug)]
pub struct Session {
    /// The sampler.
    pub sampler: Sampler,
    /// Its draws.
    pub uniforms: Uniforms,
}

/// Writes a text for every session, all on the same prompt.
///
/// A text that ends leaves the batch. The times of a [`Moment`] are those of its batch divided by the texts in it, so that they sum to
/// what all of them took.
///
/// A step here is bit for bit the step that the session would take alone on the same row. Whether llama.cpp computes the same row in
/// a batch and alone is not ours to say: it promises nothing.
///
/// # Errors
///
/// [`Fault::EmptyPrompt`], [`Fault::Context`], [`Fault::Runtime`], [`Fault::Row`].
///
/// # Panics
///
/// If there are more sessions than sequences, or the sequences are not new.
pub fn write_together(
    weights: &Weights,
    sequences: &mut Sequences<'_>,
    sessions: &mut [Session],
    request: &Request<'_>,
) -> Result<Vec<Generated>, Fault> {
    weights.length_of(request)?;
    let mut texts = vec![
        Generated {
            moments: Vec::with_capacity(request.limit),
            reason: StopReason::Limit,
        };
        sessions.len()
    ];
    for sequence in 0..sessions.len() {
        sequences.feed(sequence, request.prompt)?;
    }
    let mut going: Vec<usize> = (0..sessions.len()).collect();
    let (mut scratch, mut steps) = (BatchScratch::new(), Vec::new());
    for step in 0..request.limit {
        if going.is_empty() {
            break;
        }
        let refused = |error| Fault::Row { step, error };
        let before = Instant::now();
        sequences.decode()?;
        let model_time = before.elapsed();

        let before = Instant::now();
        let mut jobs = Vec::with_capacity(going.len());
        for (sequence, session) in sessions.iter_mut().enumerate() {
            // Those that have ended were not fed, so they have no row.
            if let Some(logits) = sequences.logits(sequence) {
                jobs.push(Job {
                    sampler: &mut session.sampler,
                    row: logits.into(),
                    uniform: session.uniforms.peek().map_err(refused)?,
                });
            }
        }
        step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut steps);
        let sampling_time = before.elapsed();

        let share_us = 1e6 / going.len() as f64;
        let mut stay = Vec::with_capacity(going.len());
        for (&sequence, step) in going.iter().zip(&steps) {
            let step = step.map_err(refused)?;
            sessions[sequence].uniforms.advance();
            let moment = Moment {
                token: step.token,
                surprise_bits: step.surprise_bits,
                kept: step.kept,
                mu_bits: Some(step.mu_before),
                model_us: model_time.as_secs_f64() * share_us,
                sampling_us: sampling_time.as_secs_f64() * share_us,
            };
            texts[sequence].moments.push(moment);
            if request.stop_at_end && weights.end_tokens().contains(&step.token) {
                texts[sequence].reason = StopReason::EndToken;
            } else {
                stay.push(sequence);
            }
        }
        going = stay;
        if step + 1 < request.limit {
            for &sequence in &going {
                let last = texts[sequence].moments.last().map(|moment| moment.token);
                sequences.feed(sequence, last.as_slice())?;
            }
        }
    }
    Ok(texts)
}
