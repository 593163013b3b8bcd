//! The figures of the experiments: how a session moves, and what surprise each sampler gives on which row.
//!
//! [`draw_all`] makes them, [`write()`] puts them into a folder with a page that shows them. Of a seed and a number of steps the text of
//! a figure is the same on every machine. [`draw`] is what one's own picture is drawn with.
#![forbid(unsafe_code)]

mod across;
mod calibration;
mod contender;
pub mod draw;
mod fault;
mod figure;
mod files;
mod kept;
mod mu;
mod page;
#[cfg(feature = "png")]
mod png;
mod reach;
mod real_rows;
mod settings;
mod surprise;
mod traces;
mod zipf_rows;

pub use across::AcrossRows;
pub use calibration::{CalibratedRow, calibration, measure_calibration};
pub use fault::Fault;
pub use figure::{Figure, draw_all, runs};
pub use files::{target_folder, write, write_whole};
pub use kept::kept;
pub use mu::mu;
pub use real_rows::{measure_real_rows, real_rows};
pub use settings::Settings;
pub use surprise::surprise;
pub use traces::Traces;
pub use zipf_rows::{measure_zipf_rows, zipf_rows};
