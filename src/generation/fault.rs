//! What a generation that failed hands back.

use crate::{Error, Step};

/// Whose fault it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault<E> {
    /// The model's, in its own words.
    #[error("the model failed: {0}")]
    Model(#[source] E),
    /// A row or a uniform was refused, or mu would have left the finite numbers.
    #[error("the step failed: {0}")]
    Step(#[source] Error),
}

/// A generation that failed, with all that it had made.
///
/// The sampler and the uniforms stand after the last token here, so prompt ++ `tokens` as the next prompt goes on as if nothing had
/// happened.
///
/// # Examples
///
/// ```
/// use mirostat::generation::{Fault, Generator};
/// use mirostat::{Config, Sampler, Uniforms, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut uniforms = Uniforms::new(42, 0);
/// let mut model = |context: &[u32]| if context.len() < 3 { Ok([1.0_f32, 2.0]) } else { Err("out of memory") };
/// let broken = Generator::new(9).run(&mut sampler, &mut uniforms, &mut model).unwrap_err();
/// assert_eq!((broken.fault, broken.tokens.len(), broken.steps.len()), (Fault::Model("out of memory"), 3, 3));
/// assert_eq!(uniforms.step, 3); // a uniform is used up by a step that succeeds
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("after {} tokens: {fault}", tokens.len())]
pub struct GenerationError<E> {
    /// What went wrong.
    #[source]
    pub fault: Fault<E>,
    /// The tokens before it, without the prompt.
    pub tokens: Vec<u32>,
    /// Their steps; none from [`Generator::stream`](super::Generator::stream), whose observer has had them.
    pub steps: Vec<Step>,
}
