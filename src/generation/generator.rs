//! The loop: model, step, observer.

use super::fault::{Fault, GenerationError};
use super::model::{Logits, Model};
use super::outcome::{Generation, StopReason, StreamGeneration};
use crate::uniform::UniformSource;
use crate::{Sampler, Step};

/// How to generate: from which prompt, how far, and at which tokens to stop.
///
/// # Examples
///
/// ```
/// use mirostat::generation::{Generator, StopReason};
/// use mirostat::{Config, Error, Sampler, Tape, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut model = |context: &[u32]| Ok::<_, Error>([2.0_f64, 1.0, 0.5]);
/// let generator = Generator::new(10).end_tokens(&[1, 2]);
/// let told = generator.run(&mut sampler, &mut Tape::new(&[0.1, 0.9]), &mut model).unwrap();
/// assert_eq!((told.tokens, told.reason), (vec![0, 2], StopReason::EndToken));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Generator<'a> {
    prompt: &'a [u32],
    limit: usize,
    end_tokens: &'a [u32],
}

impl<'a> Generator<'a> {
    /// At most `limit` tokens, from nothing, with no end token.
    pub const fn new(limit: usize) -> Self {
        Self {
            prompt: &[],
            limit,
            end_tokens: &[],
        }
    }

    /// What the context begins with; nothing unless set. Ids are not checked: what they mean is the model's matter.
    pub const fn prompt(mut self, tokens: &'a [u32]) -> Self {
        self.prompt = tokens;
        self
    }

    /// The tokens that end a text, and are its last; none unless set.
    pub const fn end_tokens(mut self, tokens: &'a [u32]) -> Self {
        self.end_tokens = tokens;
        self
    }

    /// Generates, and keeps every step.
    ///
    /// # Errors
    ///
    /// As [`stream`](Self::stream), with the steps so far.
    ///
    /// # Cost
    ///
    /// As [`stream`](Self::stream), and a list of the steps.
    pub fn run<U, M>(
        &self,
        sampler: &mut Sampler,
        uniforms: &mut U,
        model: &mut M,
    ) -> Result<Generation, GenerationError<M::Error>>
    where
        U: UniformSource + ?Sized,
        M: Model + ?Sized,
    {
        let mut steps = Vec::new();
        let record = |step: &Step| {
            steps.push(*step);
            true
        };
        match self.stream(sampler, uniforms, model, record) {
            Ok(StreamGeneration { tokens, reason }) => Ok(Generation {
                tokens,
                steps,
                reason,
            }),
            Err(error) => Err(GenerationError { steps, ..error }),
        }
    }

    /// Generates, and shows every step to `observer`, the end token's too; where it returns false, generation stops.
    ///
    /// At each turn the model reads the context, the sampler steps on its row with the next uniform, and the observer sees the step.
    /// Then an end token stops before the observer's word, and that before the limit. A limit of 0 asks neither the model nor the
    /// uniforms for anything.
    ///
    /// # Errors
    ///
    /// [`GenerationError`] with the tokens so far: [`Fault::Model`] as the model gave it, [`Fault::Step`] for a row or a uniform that
    /// was refused. The sampler and the uniforms are as the last step left them: a step that fails uses up nothing.
    ///
    /// # Cost
    ///
    /// The context is one vector that grows at its end; it is never rebuilt. Rows are read where they lie, in the thread's scratch.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::generation::{Generator, StopReason};
    /// use mirostat::{Config, Error, Sampler, Uniforms, Version};
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let mut model = |context: &[u32]| Ok::<_, Error>([2.0_f32, 1.0]);
    /// let mut bits = 0.0;
    /// let told = Generator::new(1_000)
    ///     .stream(&mut sampler, &mut Uniforms::new(3, 0), &mut model, |step| {
    ///         bits += step.surprise_bits;
    ///         bits < 10.0
    ///     })
    ///     .unwrap();
    /// assert_eq!(told.reason, StopReason::Observer);
    /// assert!(told.count() < 1_000);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stream<U, M>(
        &self,
        sampler: &mut Sampler,
        uniforms: &mut U,
        model: &mut M,
        mut observer: impl FnMut(&Step) -> bool,
    ) -> Result<StreamGeneration, GenerationError<M::Error>>
    where
        U: UniformSource + ?Sized,
        M: Model + ?Sized,
    {
        let mut context = self.prompt.to_vec();
        let mut reason = StopReason::Limit;
        for _ in 0..self.limit {
            let step = match turn(sampler, uniforms, model, &context) {
                Ok(step) => step,
                Err(fault) => {
                    return Err(GenerationError {
                        fault,
                        tokens: self.generated(context),
                        steps: Vec::new(),
                    });
                }
            };
            context.push(step.token);
            let goes_on = observer(&step);
            if self.end_tokens.contains(&step.token) {
                reason = StopReason::EndToken;
                break;
            }
            if !goes_on {
                reason = StopReason::Observer;
                break;
            }
        }
        Ok(StreamGeneration {
            tokens: self.generated(context),
            reason,
        })
    }

    /// What of a context is not the prompt.
    fn generated(&self, mut context: Vec<u32>) -> Vec<u32> {
        context.drain(..self.prompt.len());
        context
    }
}

fn turn<U, M>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    model: &mut M,
    context: &[u32],
) -> Result<Step, Fault<M::Error>>
where
    U: UniformSource + ?Sized,
    M: Model + ?Sized,
{
    let logits = model.logits(context).map_err(Fault::Model)?;
    sampler
        .sample_with(logits.row(), uniforms)
        .map_err(Fault::Step)
}
