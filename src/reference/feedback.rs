//! The feedback that steers mu.

use crate::error::{Error, Result};

/// Mu after a token of the given surprise.
///
/// μ′ = μ − η·(S − τ), the feedback lines of Algorithm 1 of arXiv 2007.14966 (e = S − τ, then μ = μ − η·e). Nothing is clamped: an
/// unreachable target moves mu without bound.
///
/// **Units.** Mu, surprise and tau in bits, eta dimensionless.
///
/// # Errors
///
/// [`Error::NumericalFailure`] when the result is not finite.
///
/// # Examples
///
/// ```
/// use mirostat::reference::feedback;
/// assert_eq!(feedback(4.0, 2.0, 2.0, 0.1)?, 4.0);
/// assert!(feedback(4.0, f64::INFINITY, 2.0, 0.1).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn feedback(mu_bits: f64, surprise_bits: f64, tau_bits: f64, eta: f64) -> Result<f64> {
    let after = mu_bits - eta * (surprise_bits - tau_bits);
    if after.is_finite() {
        Ok(after)
    } else {
        Err(Error::NumericalFailure { quantity: "mu" })
    }
}
