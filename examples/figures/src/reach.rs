//! Between which bits the mean surprise of a row can be steered.

use mirostat::{Result, Row, greatest, log_z_nats, row_entropy_bits};
use std::f64::consts::LOG2_E;

/// The least and the most that keeping the likeliest tokens can give on a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    /// The surprise of the likeliest token: what is left when everything else is cut.
    pub(crate) floor_bits: f64,
    /// The row's entropy: the mean surprise when nothing is cut.
    pub(crate) entropy_bits: f64,
}

impl Reach {
    pub(crate) fn of<'a>(row: impl Into<Row<'a>>) -> Result<Self> {
        let row = row.into();
        let (_, greatest) = greatest(row)?;
        Ok(Self {
            floor_bits: (log_z_nats(row)? - greatest) * LOG2_E,
            entropy_bits: row_entropy_bits(row)?,
        })
    }
}
