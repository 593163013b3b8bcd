//! What a run of steps amounts to: summary, spread, and means that go along with it.
//!
//! Every mean here is the exact sum of its numbers, kept as a whole number in fixed point, divided once: within one unit in the last
//! place, whatever the order, the length or the size of the numbers. So traces that were taken apart merge to the same bits, and a
//! number that leaves a window leaves nothing behind.
//!
//! # Examples
//!
//! ```
//! use mirostat::trace::{summarize, trace_spread};
//! use mirostat::{Config, Sampler, Tape, Version};
//! let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
//! let mut tape = Tape::new(&[0.2, 0.7, 0.1]);
//! let rows = [[3.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.5, 0.0]];
//! let steps = rows.iter().map(|row| sampler.sample_with(row, &mut tape)).collect::<Result<Vec<_>, _>>()?;
//! let summary = summarize(&steps, 2.0)?;
//! assert!((summary.mean_surprise - 1.200072976090768).abs() < 1e-12);
//! assert_eq!(trace_spread(&steps)?.maximum_kept, 3);
//! # Ok::<(), mirostat::Error>(())
//! ```

mod accumulator;
mod exact_sum;
mod means;
mod spread;
mod window;

pub use accumulator::{TraceAccumulator, TraceSummary, summarize};
pub use means::{rolling_surprise, running_surprise};
pub use spread::{TraceSpread, trace_spread};
pub use window::SurpriseWindow;

use crate::{Error, Result};

/// A surprise is finite and not negative; whatever is not comes from a step that no sampler made.
fn is_surprise(bits: f64) -> bool {
    bits.is_finite() && bits >= 0.0
}

fn check_surprise(bits: f64) -> Result<()> {
    if is_surprise(bits) {
        Ok(())
    } else {
        Err(Error::NumericalFailure {
            quantity: "the surprise of a step",
        })
    }
}

fn no_steps() -> Error {
    Error::InvalidParameter {
        name: "steps",
        value: 0.0,
        expected: "at least one step",
    }
}
