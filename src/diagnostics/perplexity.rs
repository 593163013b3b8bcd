//! From bits per token to the number of equally likely tokens they stand for.

use crate::{Error, Result};

/// The perplexity that belongs to a mean surprise.
///
/// 2^bits, exact where the bits are a whole number.
///
/// **Units.** Bits per token in, a number of tokens out.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when the bits are not finite or below 0, [`Error::NumericalFailure`] from 1024 bits on, where 2^bits is
/// above every f64.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, diagnostics::perplexity};
/// assert_eq!(perplexity(2.0)?, 4.0);
/// assert_eq!(perplexity(1024.0), Err(Error::NumericalFailure { quantity: "the perplexity" }));
/// # Ok::<(), Error>(())
/// ```
pub fn perplexity(average_bits: f64) -> Result<f64> {
    if !(average_bits.is_finite() && average_bits >= 0.0) {
        return Err(Error::InvalidParameter {
            name: "average_bits",
            value: average_bits,
            expected: "finite and non-negative",
        });
    }
    let perplexity = libm::exp2(average_bits);
    if perplexity.is_finite() {
        Ok(perplexity)
    } else {
        Err(Error::NumericalFailure {
            quantity: "the perplexity",
        })
    }
}
