//! Synthetic rows, runs on them, and what the runs say: whether a controller holds its target, and at what price.
//!
//! A [`Scenario`] is a family of rows that needs no model; [`run_scenario`] steps a session along it, [`compare_scenario`] both
//! versions, [`sweep_targets`] both for every target, and [`run_baseline_scenario`] a fixed sampler, which holds no target. The
//! rest reads traces: by segments, by hits, by repetition, as CSV.
//!
//! Every row is f64 and takes the exact door, so that the figures are the same on every machine; with [`ParkMiller`](crate::ParkMiller)
//! for the uniforms they are those of the ancestor. Nothing here is meant for the loop of a server.
//!
//! # Examples
//!
//! ```
//! use mirostat::experiments::{Scenario, compare_scenario, comparison_csv};
//! use mirostat::{Config, ParkMiller};
//! let (scenario, config) = (Scenario::static_zipf(1.15), Config::new(3.0)?);
//! let comparison = compare_scenario(config, scenario, 256, 1000, &ParkMiller::new(42)?)?;
//! assert!((comparison.v2.mean_surprise - 3.0).abs() < 0.02);
//! println!("{}", comparison_csv(&comparison, config.tau()));
//! # Ok::<(), mirostat::Error>(())
//! ```

mod baseline;
mod baseline_run;
mod check;
mod comparison;
mod csv;
mod repetition;
mod rows;
mod run;
mod scenario;
mod segments;
mod sweep;

pub use baseline::Baseline;
pub use baseline_run::{
    BaselineStep, baseline_mean_surprise, run_baseline_scenario, run_baseline_static,
};
pub use comparison::{Comparison, compare_scenario};
pub use csv::{comparison_csv, sweep_csv};
pub use repetition::{distinct_token_rate, repeated_ngram_rate, trace_tokens};
pub use rows::zipf_logits;
pub use run::{run_alternating, run_scenario, run_static};
pub use scenario::{Scenario, scenario_logits};
pub use segments::{segment_mean_errors, segment_summaries, target_hit_rate};
pub use sweep::{SweepPoint, calibrated_targets, sweep_targets};
