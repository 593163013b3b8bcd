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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{Fake, Rule, next_letter};
    use crate::options::tests::parse;

    fn written(rule: Rule, request: &Request<'_>) -> (Result<Generated, Fault>, Fake, Vec<u8>) {
        let mut model = Fake::new(rule);
        let mut chooser = Chooser::new(&parse(&["--sampler", "greedy"]).sampler, 0).unwrap();
        let mut text = Vec::new();
        let generated = generate(&mut model, &mut chooser, request, |_, piece| {
            text.extend_from_slice(piece);
            Ok(())
        });
        (generated, model, text)
    }

    const ON: Request<'_> = Request {
        prompt: &[0],
        limit: 7,
        stop_at_end: false,
    };

    #[test]
    fn the_context_grows_by_the_token_that_was_chosen() {
        let (generated, model, text) = written(next_letter, &ON);
        let generated = generated.unwrap();
        assert_eq!(
            (text, generated.reason),
            (b"bcdabc".to_vec(), StopReason::Limit)
        );
        assert_eq!(model.asked.len(), 7);
        for (asked, moment) in model.asked[1..].iter().zip(&generated.moments) {
            assert_eq!(asked.last(), Some(&moment.token));
        }
        assert_eq!(model.asked[6], [0, 1, 2, 3, 4, 0, 1]);
    }

    #[test]
    fn an_end_token_stops_where_it_should_and_is_the_last() {
        let (generated, _, text) = written(
            next_letter,
            &Request {
                stop_at_end: true,
                ..ON
            },
        );
        let generated = generated.unwrap();
        assert_eq!(
            (text, generated.reason),
            (b"bcd".to_vec(), StopReason::EndToken)
        );
        assert_eq!(generated.moments.last().map(|moment| moment.token), Some(4));
    }

    #[test]
    fn no_prompt_and_a_context_that_is_too_long_do_not_reach_the_model() {
        let (generated, model, _) = written(next_letter, &Request { prompt: &[], ..ON });
        assert!(matches!(generated, Err(Fault::EmptyPrompt)) && model.asked.is_empty());
        let (generated, model, _) = written(next_letter, &Request { limit: 20, ..ON });
        let long = matches!(
            generated,
            Err(Fault::Context {
                prompt: 1,
                limit: 20,
                context: 20
            })
        );
        assert!(long && model.asked.is_empty());
        assert!(written(next_letter, &Request { limit: 19, ..ON }).0.is_ok());
    }

    #[test]
    fn rows_of_another_vocabulary_are_refused() {
        for rule in [(|_| vec![0.0; 4]) as Rule, |_| vec![0.0; 6]] {
            let (generated, _, text) = written(rule, &ON);
            assert!(matches!(
                generated,
                Err(Fault::Vocabulary { tokenizer: 5, .. })
            ));
            assert!(text.is_empty());
        }
    }

    #[test]
    fn a_nan_is_told_with_its_step_and_index() {
        let rule: Rule = |context| match context.len() {
            4 => vec![0.0, 0.0, f32::NAN, 0.0, 0.0],
            _ => next_letter(context),
        };
        let (generated, _, text) = written(rule, &ON);
        let fault = generated.unwrap_err();
        let said = "the row of step 3 was refused: the logit at index 2 is NaN";
        assert_eq!((fault.to_string().as_str(), text), (said, b"bcd".to_vec()));
        assert!(
            fault
                .advice()
                .is_some_and(|advice| advice.contains("integrations/model"))
        );
    }
}
