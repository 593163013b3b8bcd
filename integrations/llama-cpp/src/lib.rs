//! Text from a GGUF by llama.cpp, its logits sampled by [`mirostat`] where they lie.
//!
//! # Examples
//!
//! Two texts at once, a token each:
//!
//! ```no_run
//! use mirostat::{BatchScratch, Config, Job, Parallelism, Sampler, Version, step_batch};
//! use mirostat_llama_cpp::{Sequences, Weights};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let weights = Weights::load("model.gguf".as_ref(), false)?;
//! let mut sequences = Sequences::new(&weights, 2, 256, 1)?;
//! for (i, text) in ["The sea", "A king of old"].iter().enumerate() {
//!     sequences.feed(i, &weights.tokens(text))?;
//! }
//! sequences.decode()?;
//!
//! let mut samplers = vec![Sampler::new(Config::new(3.0)?, Version::V2)?; 2];
//! let mut jobs: Vec<Job> = samplers
//!     .iter_mut()
//!     .enumerate()
//!     .filter_map(|(i, sampler)| Some(Job { sampler, row: sequences.logits(i)?.into(), uniform: 0.5 }))
//!     .collect();
//! let (mut scratch, mut steps) = (BatchScratch::new(), Vec::new());
//! step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut steps);
//! for (i, step) in steps.into_iter().enumerate() {
//!     sequences.feed(i, &[step?.token])?;
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod comparison;
mod log;
mod peer;
mod refusal;
mod sequences;
mod text;
mod together;
mod weights;

pub use comparison::{Aim, Driver, Race, race};
pub use peer::Peer;
pub use sequences::Sequences;
pub use text::Llama;
pub use together::{Session, write_together};
pub use weights::Weights;
