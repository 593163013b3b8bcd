//! mu ← mu − eta·(surprise − tau), held within the bounds where there are any.

use crate::step::Limit;
use crate::{Config, Result, reference};

/// Mu after a step, and the bound that acted.
pub(crate) fn feedback(
    config: &Config,
    mu_bits: f64,
    surprise_bits: f64,
) -> Result<(f64, Option<Limit>)> {
    let free = reference::feedback(mu_bits, surprise_bits, config.tau(), config.eta())?;
    Ok(match config.mu_bounds() {
        Some((lowest, _)) if free < lowest => (lowest, Some(Limit::Lower)),
        Some((_, highest)) if free > highest => (highest, Some(Limit::Upper)),
        _ => (free, None),
    })
}
