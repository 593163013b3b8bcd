//! Text from a GGUF by llama.cpp, its logits sampled by [`mirostat`] where they lie.
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
