//! From a model to a text: context in, row out, step, and again.
//!
//! xₜ ~ Mirostat(model(prompt, x₀ … xₜ₋₁)), until an end token, the observer or the limit says stop.
//!
//! A [`Model`] is anything that turns a context into a row of logits: a closure that returns an owned row, or a type of yours whose
//! rows are borrowed from it, so that f32, f16, bf16 and f64 rows reach the kernels without a copy. Any
//! [`UniformSource`](crate::UniformSource) serves.
//!
//! # Examples
//!
//! ```
//! use mirostat::generation::{Generator, StopReason};
//! use mirostat::{Config, Error, Sampler, Uniforms, Version};
//! let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
//! let mut uniforms = Uniforms::new(42, 0);
//! let mut model = |context: &[u32]| Ok::<_, Error>(if context.len() < 4 { [9.0_f32, 0.0] } else { [0.0, 90.0] });
//! let told = Generator::new(20).prompt(&[7, 8]).end_tokens(&[1]).run(&mut sampler, &mut uniforms, &mut model).unwrap();
//! assert_eq!((told.tokens.last(), told.reason), (Some(&1), StopReason::EndToken));
//! # Ok::<(), Error>(())
//! ```

mod fault;
mod functions;
mod generator;
mod model;
mod outcome;

pub use fault::{Fault, GenerationError};
pub use functions::{generate, generate_from_prompt, generate_stream};
pub use generator::Generator;
pub use model::{Logits, Model};
pub use outcome::{Generation, StopReason, StreamGeneration};
