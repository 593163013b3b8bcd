#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batch;
mod config;
mod error;
mod feedback;
mod reading;
pub mod reference;
mod row;
mod rules;
mod sampler;
mod scratch;
mod state;
mod step;
mod summary;
mod survivors;
mod uniform;

pub use batch::{
    BatchError, BatchScratch, Job, Parallelism, sample_batch, sample_batch_atomic, step_batch,
    step_batch_atomic,
};
pub use config::{Config, ConfigBuilder, Numerics};
pub use error::{Error, Result};
pub use half::{bf16, f16};
pub(crate) use mirostat_kernels::Engine;
pub use mirostat_kernels::Level;
pub use reference::{DrawOrder, KRule, SurpriseBasis, Version, VocabularySize};
pub use row::{Matrix, Row, Rows};
pub use sampler::{Read, Sampler};
pub use scratch::{Scratch, release_thread_scratch};
pub use state::{Checkpoint, SamplerState};
pub use step::{Limit, Proposal, Step};
pub use summary::{greatest, log_z_nats, row_entropy_bits};
pub use uniform::{ParkMiller, Tape, UniformSource, Uniforms};
