//! Mirostat for [candle](https://github.com/huggingface/candle).
//!
//! [`MirostatProcessor`] stands where candle's `LogitsProcessor` stood, [`MirostatBatch`] steps a whole batch, and [`TensorRows`] lends the
//! rows of a tensor to whatever of `mirostat` reads rows, without a copy where the tensor lies on the CPU with its rows in one piece.
//!
//! # Examples
//!
//! ```
//! use candle_core::{Device, Tensor};
//! use mirostat::{Config, Version};
//! use mirostat_candle::MirostatProcessor;
//!
//! let logits = Tensor::new(&[4.0_f32, 3.1, 2.4, 1.8, 1.0, 0.2], &Device::Cpu)?; // from your model
//! let mut processor = MirostatProcessor::mirostat(42, Config::new(3.0).unwrap(), Version::V2)?;
//! let token: u32 = processor.sample(&logits)?;
//! assert_eq!(processor.last_step().map(|step| step.token), Some(token));
//! # Ok::<(), candle_core::Error>(())
//! ```
#![forbid(unsafe_code)]

mod batch;
mod processor;
mod rows;
#[cfg(feature = "text")]
pub mod text;

pub use batch::MirostatBatch;
pub use processor::MirostatProcessor;
pub use rows::TensorRows;
