//! The Zipf exponents of one row, remembered by m.

use crate::Result;
use std::sync::{Mutex, PoisonError};

/// How many are remembered: sessions that share a row rarely differ in m.
const REMEMBERED: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct Exponents(Mutex<Vec<(usize, f64)>>);

impl Exponents {
    /// The exponent of the fit to the best `m`, by `fit` where nobody has asked for it before.
    pub(crate) fn of(&self, m: usize, fit: impl FnOnce() -> Result<f64>) -> Result<f64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&(_, exponent)) = known.iter().find(|&&(of, _)| of == m) {
            return Ok(exponent);
        }
        let exponent = fit()?;
        if known.len() == REMEMBERED {
            known.remove(0);
        }
        known.push((m, exponent));
        Ok(exponent)
    }
}
