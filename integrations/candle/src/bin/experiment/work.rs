//! All texts, some at once.

use crate::figures::Figures;
use crate::plan::{self, PROMPTS};
use indicatif::{ProgressBar, ProgressStyle};
use mirostat_candle::text::Llama;
use mirostat_textgen::{Chooser, Fault, Request, SamplerOptions, TextModel as _, generate};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What one rule wrote after one prompt.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// The rule's place in the plan.
    pub(crate) rule: usize,
    pub(crate) name: String,
    pub(crate) prompt: usize,
    pub(crate) figures: Figures,
}

/// Writes a text for every rule and prompt, in that order, whoever wrote which.
pub(crate) fn write_all(
    model: &Llama,
    rules: &[SamplerOptions],
    tokens: usize,
    at_once: usize,
) -> Result<Vec<Text>, Fault> {
    let count = rules.len() * PROMPTS.len();
    let bar = ProgressBar::new((count * tokens) as u64).with_style(style());
    bar.enable_steady_tick(Duration::from_millis(500));
    let next = AtomicUsize::new(0);
    let texts = Mutex::new(vec![None; count]);
    let work = || -> Result<(), Fault> {
        let mut model = model.clone();
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            if place >= count {
                return Ok(());
            }
            let (rule, prompt) = (place / PROMPTS.len(), place % PROMPTS.len());
            let text = write(&mut model, rules, rule, prompt, tokens, &bar).inspect_err(|_| {
                // Nobody begins another one.
                next.store(count, Ordering::Relaxed);
            })?;
            texts.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(text);
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            let died = |_| Err(Fault::Runtime("a thread died".to_owned()));
            worker.join().unwrap_or_else(died)
        })
    })?;
    bar.finish_and_clear();
    let texts = texts.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(texts.into_iter().flatten().collect())
}

fn write(
    model: &mut Llama,
    rules: &[SamplerOptions],
    rule: usize,
    prompt: usize,
    tokens: usize,
    bar: &ProgressBar,
) -> Result<Text, Fault> {
    let prompt_tokens = model.tokens(PROMPTS[prompt])?;
    let mut chooser = Chooser::new(&rules[rule], prompt as u64)?;
    // Every text is equally long: where the model ends one it goes on with another.
    let request = Request {
        prompt: &prompt_tokens,
        limit: tokens,
        stop_at_end: false,
    };
    let generated = generate(model, &mut chooser, &request, |_, _| {
        bar.inc(1);
        Ok(())
    })?;
    Ok(Text {
        rule,
        name: plan::name(&rules[rule]),
        prompt,
        figures: Figures::of(&generated.moments, model.end_tokens())?,
    })
}

fn style() -> ProgressStyle {
    const TEMPLATE: &str = "{bar:40} {pos}/{len} tokens, {per_sec}, {elapsed}, {eta} to go";
    ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_bar())
}
