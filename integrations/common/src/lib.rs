//! What the integrations of `mirostat` into model runtimes share, so that each is little more than its runtime.
//!
//! A runtime implements [`TextModel`]; [`run`] does the rest of the programme: the model's file is found, the prompt is read, tokens
//! are chosen and streamed, times are taken, the report is printed and written. [`generate`] is the loop alone.
//!
//! # Examples
//!
//! A model of three tokens that never changes its mind:
//!
//! ```
//! use clap::Parser;
//! use mirostat::generation::Model;
//! use mirostat_textgen::{Chooser, Fault, Options, Request, TextModel, generate};
//!
//! struct Letters;
//!
//! impl Model for Letters {
//!     type Logits<'a> = [f32; 3];
//!     type Error = Fault;
//!     fn logits(&mut self, _context: &[u32]) -> Result<[f32; 3], Fault> {
//!         Ok([2.0, 1.0, 0.5])
//!     }
//! }
//!
//! impl TextModel for Letters {
//!     fn vocabulary(&self) -> usize { 3 }
//!     fn context_limit(&self) -> usize { 100 }
//!     fn end_tokens(&self) -> &[u32] { &[2] }
//!     fn tokens(&self, text: &str) -> Result<Vec<u32>, Fault> {
//!         Ok(text.bytes().map(|b| u32::from(b - b'a')).collect())
//!     }
//!     fn piece(&self, token: u32) -> Result<Vec<u8>, Fault> { Ok(vec![b'a' + token as u8]) }
//! }
//!
//! #[derive(Parser)]
//! struct Arguments {
//!     #[command(flatten)]
//!     options: Options,
//! }
//! let options = Arguments::parse_from(["letters", "--sampler", "greedy", "--max-tokens", "4"]).options;
//! let mut chooser = Chooser::new(&options.sampler, 0)?;
//! let mut text = Vec::new();
//! let request = Request { prompt: &[1], limit: options.max_tokens, stop_at_end: true };
//! let told = generate(&mut Letters, &mut chooser, &request, |_, piece| Ok(text.extend(piece)))?;
//! assert_eq!((text, told.moments.len()), (b"aaaa".to_vec(), 4));
//! # Ok::<(), Fault>(())
//! ```
#![forbid(unsafe_code)]

mod chooser;
#[cfg(test)]
mod fake;
mod fault;
mod files;
mod find;
mod format;
mod generate;
mod model;
mod options;
mod plot;
mod program;
mod report;

pub use chooser::{Choice, Chooser};
pub use fault::Fault;
pub use files::{Unfinished, check_places};
pub use find::{MODEL_FILE, open_model};
pub use format::grouped;
pub use generate::{Generated, Moment, Request, generate};
pub use model::TextModel;
pub use options::{Kind, Options, SamplerOptions, chat};
pub use program::{Integration, exit_code, run};
pub use report::{Report, Timing};
