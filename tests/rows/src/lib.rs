//! Named rows of logits, shared by the tests, benches and fuzzers of `mirostat`.
//!
//! Every row is made from integers and the `libm` crate alone, so that its bits are the same on every machine.
#![forbid(unsafe_code)]

mod digest;
mod element;
mod named;
mod pool;
mod rng;
mod shape;

pub use digest::Digest;
pub use element::{bf16_row, f16_row};
pub use named::{Named, lengths, named};
pub use pool::Pool;
pub use rng::Rng;
pub use shape::{Normals, Shape, fill};
