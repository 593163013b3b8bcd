#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod ancestor;
mod batch;
mod candidates;
mod config;
pub mod diagnostics;
mod engine;
mod error;
pub mod experiments;
mod feedback;
mod fixed;
pub mod generation;
#[cfg(feature = "json")]
pub mod json;
mod listing;
mod measure;
mod prepared;
mod preview;
pub mod processors;
mod read;
mod reading;
pub mod reference;
mod replay;
mod row;
mod rules;
mod sampler;
mod scratch;
mod state;
mod step;
mod summary;
mod survivors;
pub mod trace;
mod uniform;

pub use batch::{
    BatchError, BatchScratch, Job, Parallelism, observe_batch, observe_batch_atomic, preview_batch,
    sample_batch, sample_batch_atomic, sample_batch_weights, sample_batch_weights_atomic,
    step_batch, step_batch_atomic,
};
pub use candidates::CandidateSet;
pub use config::{Config, ConfigBuilder, Numerics};
pub(crate) use engine::Engine;
pub use error::{Error, Result};
pub use fixed::{
    Drawn, FixedSampler, sample_epsilon, sample_min_p, sample_temperature, sample_top_k,
    sample_top_p, sample_typical,
};
pub use half::{bf16, f16};
pub use mirostat_kernels::Level;
pub use prepared::PreparedRow;
pub use preview::Preview;
pub use read::Read;
pub use reference::{DrawOrder, KRule, SurpriseBasis, Version, VocabularySize};
pub use replay::{
    ReplayError, replay, replay_atomic, sample_shared_prepared, sample_shared_prepared_atomic,
};
pub use row::{Matrix, Row, Rows};
pub use sampler::Sampler;
pub use scratch::{Scratch, release_thread_scratch};
pub use state::{Checkpoint, SamplerState};
pub use step::{Limit, Proposal, Step};
pub use summary::{greatest, log_z_nats, row_entropy_bits};
pub use uniform::{ParkMiller, Tape, UniformSource, Uniforms};
