//! mu ← mu − eta·(surprise − tau), held within the bounds where there are any.

use crate::step::Limit;
use crate::{Config, Result, reference};

/// Mu after a step, and the bound that acted.
pub(crate) fn feedback(
    config: &Config,
    mu_bits: f64,
    surprise_bits: f64,
) -> Result<(f64, Option<Limit>)> {
    let (tau, eta) = (config.tau(), config.eta());
    let Some((lowest, highest)) = config.mu_bounds() else {
        return Ok((reference::feedback(mu_bits, surprise_bits, tau, eta)?, None));
    };
    // Beyond the finite numbers is beyond a bound.
    let free = mu_bits - eta * (surprise_bits - tau);
    Ok(if free < lowest {
        (lowest, Some(Limit::Lower))
    } else if free > highest {
        (highest, Some(Limit::Upper))
    } else {
        (reference::feedback(mu_bits, surprise_bits, tau, eta)?, None)
    })
}
