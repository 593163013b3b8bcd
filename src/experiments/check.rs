//! What experiments refuse, in one place.

use crate::{Error, Result};

fn refuse<T>(name: &'static str, value: f64, expected: &'static str) -> Result<T> {
    Err(Error::InvalidParameter {
        name,
        value,
        expected,
    })
}

/// A row has a token, and no more than a token id can name.
pub(super) fn vocabulary(tokens: usize) -> Result<()> {
    if tokens == 0 {
        return refuse("vocabulary", 0.0, "at least one token");
    }
    if u32::try_from(tokens).is_err() {
        return Err(Error::RowTooLong { len: tokens });
    }
    Ok(())
}

/// Zipf's law with an exponent of 0 is [`Scenario::Uniform`](super::Scenario::Uniform), and is asked for by that name.
pub(super) fn exponent(exponent: f64) -> Result<()> {
    if exponent.is_finite() && exponent > 0.0 {
        return Ok(());
    }
    refuse("exponent", exponent, "finite and positive")
}

/// A mean of nothing is no number.
pub(super) fn at_least_one(name: &'static str, count: usize) -> Result<()> {
    if count > 0 {
        return Ok(());
    }
    refuse(name, 0.0, "at least one")
}

/// A place in a run that is `total` rows long.
pub(super) fn place(index: usize, total: usize) -> Result<()> {
    at_least_one("total", total)?;
    if index < total {
        return Ok(());
    }
    refuse("index", index as f64, "below the total")
}

pub(super) fn target(bits: f64) -> Result<()> {
    if bits.is_finite() && bits > 0.0 {
        return Ok(());
    }
    refuse("target", bits, "finite and positive")
}

pub(super) fn tolerance(bits: f64) -> Result<()> {
    if bits.is_finite() && bits >= 0.0 {
        return Ok(());
    }
    refuse("tolerance", bits, "finite and non-negative")
}
