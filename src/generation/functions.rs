//! The ancestor's names for what a [`Generator`] does.

use super::fault::GenerationError;
use super::generator::Generator;
use super::model::Model;
use super::outcome::{Generation, StreamGeneration};
use crate::uniform::UniformSource;
use crate::{Sampler, Step};

/// [`Generator::run`] with no prompt.
///
/// # Errors
///
/// [`GenerationError`], with the tokens and steps so far.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Error, ParkMiller, Sampler, Version, generation::generate};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut model = |context: &[u32]| Ok::<_, Error>(if context.is_empty() { [5.0, 0.0] } else { [0.0, 5.0] });
/// let told = generate(&mut sampler, &mut ParkMiller::new(42)?, &mut model, 5, &[1]).unwrap();
/// assert_eq!(told.tokens, [0, 1]);
/// # Ok::<(), Error>(())
/// ```
pub fn generate<U, M>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    model: &mut M,
    limit: usize,
    end_tokens: &[u32],
) -> Result<Generation, GenerationError<M::Error>>
where
    U: UniformSource + ?Sized,
    M: Model + ?Sized,
{
    generate_from_prompt(sampler, uniforms, model, &[], limit, end_tokens)
}

/// [`Generator::run`].
///
/// # Errors
///
/// [`GenerationError`], with the tokens and steps so far.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Error, ParkMiller, Sampler, Version, generation::generate_from_prompt};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut model = |context: &[u32]| Ok::<_, Error>(if context.len() == 2 { [5.0, 0.0] } else { [0.0, 5.0] });
/// let told = generate_from_prompt(&mut sampler, &mut ParkMiller::new(4)?, &mut model, &[7, 8], 5, &[1]).unwrap();
/// assert_eq!(told.tokens, [0, 1]);
/// # Ok::<(), Error>(())
/// ```
pub fn generate_from_prompt<U, M>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    model: &mut M,
    prompt: &[u32],
    limit: usize,
    end_tokens: &[u32],
) -> Result<Generation, GenerationError<M::Error>>
where
    U: UniformSource + ?Sized,
    M: Model + ?Sized,
{
    Generator::new(limit)
        .prompt(prompt)
        .end_tokens(end_tokens)
        .run(sampler, uniforms, model)
}

/// [`Generator::stream`].
///
/// # Errors
///
/// [`GenerationError`], with the tokens so far.
///
/// # Examples
///
/// ```
/// use mirostat::generation::{StopReason, generate_stream};
/// use mirostat::{Config, Error, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut model = |context: &[u32]| Ok::<_, Error>([2.0, 1.0]);
/// let mut left = 3;
/// let stop_at_the_third = |_: &_| {
///     left -= 1;
///     left > 0
/// };
/// let told = generate_stream(&mut sampler, &mut ParkMiller::new(3)?, &mut model, &[], 10, &[], stop_at_the_third).unwrap();
/// assert_eq!((told.count(), told.reason), (3, StopReason::Observer));
/// # Ok::<(), Error>(())
/// ```
pub fn generate_stream<U, M>(
    sampler: &mut Sampler,
    uniforms: &mut U,
    model: &mut M,
    prompt: &[u32],
    limit: usize,
    end_tokens: &[u32],
    observer: impl FnMut(&Step) -> bool,
) -> Result<StreamGeneration, GenerationError<M::Error>>
where
    U: UniformSource + ?Sized,
    M: Model + ?Sized,
{
    Generator::new(limit)
        .prompt(prompt)
        .end_tokens(end_tokens)
        .stream(sampler, uniforms, model, observer)
}
