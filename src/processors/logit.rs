//! The elements that a row of logits can have: widened exactly, rounded once.

use half::{bf16, f16};
use number::Number;

use crate::row::check_len;
use crate::{Error, Result};

/// An element of a row of logits: `f32`, `f16`, `bf16` or `f64`.
///
/// Arithmetic on it is in f64, and the answer is rounded once, to the nearest, ties to even, on every machine. The trait is sealed.
///
/// # Examples
///
/// ```
/// use mirostat::{f16, processors::{Logit, bias_logits_in_place}};
/// fn lift<E: Logit>(row: &mut [E; 2]) -> mirostat::Result<()> {
///     bias_logits_in_place(row, &[1.5, 0.0])
/// }
/// let mut half = [f16::ONE; 2];
/// lift(&mut half)?;
/// assert_eq!(half.map(f32::from), [2.5, 1.0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[expect(
    private_bounds,
    reason = "sealed: one rounding must be known for each type"
)]
pub trait Logit: Number + Copy + Send + Sync + 'static {}

impl Logit for f32 {}
impl Logit for f16 {}
impl Logit for bf16 {}
impl Logit for f64 {}

/// The door: a row has an entry, a `u32` names each, none is NaN or +∞, and one at least is finite.
pub(super) fn check_row<E: Logit>(row: &[E]) -> Result<()> {
    check_len(row.len())?;
    let (mut refused, mut masked) = (false, true);
    for &logit in row {
        refused |= logit.is_refused();
        masked &= logit.is_masked();
    }
    if refused {
        for (index, &logit) in row.iter().enumerate() {
            if logit.is_refused() {
                let value = logit.widen();
                return Err(Error::InvalidLogit { index, value });
            }
        }
    }
    if masked {
        return Err(Error::AllMasked);
    }
    Ok(())
}

/// A computed logit in the precision of its row, where it must still be finite.
pub(super) fn rounded<E: Logit>(value: f64, quantity: &'static str) -> Result<E> {
    let logit = E::narrow(value);
    if logit.is_refused() || logit.is_masked() {
        return Err(Error::NumericalFailure { quantity });
    }
    Ok(logit)
}

pub(super) mod number {
    use half::{bf16, f16};

    /// What a processor needs of an element.
    pub(in crate::processors) trait Number: Copy {
        /// −∞.
        const MASKED: Self;
        /// The same value.
        fn widen(self) -> f64;
        /// The nearest value, ties to even.
        fn narrow(value: f64) -> Self;
        /// NaN or +∞.
        fn is_refused(self) -> bool;
        /// −∞.
        fn is_masked(self) -> bool;
    }

    impl Number for f64 {
        const MASKED: Self = Self::NEG_INFINITY;
        fn widen(self) -> f64 {
            self
        }
        fn narrow(value: f64) -> Self {
            value
        }
        fn is_refused(self) -> bool {
            self.is_nan() | (self == Self::INFINITY)
        }
        fn is_masked(self) -> bool {
            self == Self::NEG_INFINITY
        }
    }

    impl Number for f32 {
        const MASKED: Self = Self::NEG_INFINITY;
        fn widen(self) -> f64 {
            f64::from(self)
        }
        fn narrow(value: f64) -> Self {
            value as Self
        }
        fn is_refused(self) -> bool {
            self.is_nan() | (self == Self::INFINITY)
        }
        fn is_masked(self) -> bool {
            self == Self::NEG_INFINITY
        }
    }

    macro_rules! half_precision {
        ($($element:ty),*) => {$(
            impl Number for $element {
                const MASKED: Self = Self::NEG_INFINITY;
                fn widen(self) -> f64 {
                    f64::from(self)
                }
                fn narrow(value: f64) -> Self {
                    Self::from_f32(to_odd(value))
                }
                fn is_refused(self) -> bool {
                    // On bits, without a conversion: +∞ and every NaN, of either sign.
                    let bits = self.to_bits();
                    ((bits >= Self::INFINITY.to_bits()) & (bits < 0x8000))
                        | (bits > Self::NEG_INFINITY.to_bits())
                }
                fn is_masked(self) -> bool {
                    self.to_bits() == Self::NEG_INFINITY.to_bits()
                }
            }
        )*};
    }
    half_precision!(f16, bf16);

    /// Rounds to f32 so that rounding once more, to half precision, is as if done at once: what is not exact goes towards zero and gets
    /// an odd last bit, which no midpoint of a narrower element has. `half` itself rounds f64 twice or truncates, as the machine is.
    fn to_odd(value: f64) -> f32 {
        let near = value as f32;
        let back = f64::from(near);
        if back == value || value.is_nan() {
            return near;
        }
        let beyond = back.abs() > value.abs();
        f32::from_bits((near.to_bits() - u32::from(beyond)) | 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_is_rounded_once() {
        // Just above the midpoint of 1 and 1 + 2^-10 in f16: f32 rounds it to the midpoint, and ties to even would then take 1.
        let above = 1.0 + 2_f64.powi(-11) + 2_f64.powi(-40);
        assert_eq!(f16::narrow(above), f16::from_bits(0x3c01));
        assert_eq!(f16::narrow(-above), f16::from_bits(0xbc01));
        assert_eq!(f16::narrow(1.0 + 2_f64.powi(-11)), f16::ONE);
        let above = 1.0 + 2_f64.powi(-8) + 2_f64.powi(-40);
        assert_eq!(bf16::narrow(above), bf16::from_bits(0x3f81));
        let below = 1.0 + 3.0 * 2_f64.powi(-8) - 2_f64.powi(-40);
        assert_eq!(bf16::narrow(below), bf16::from_bits(0x3f81));
    }

    #[test]
    fn the_ends_of_the_range_round_as_ieee_says() {
        assert_eq!(f16::narrow(65_519.999_999_999), f16::MAX);
        assert_eq!(f16::narrow(65_520.0), f16::INFINITY);
        assert_eq!(f16::narrow(-1e300), f16::NEG_INFINITY);
        assert_eq!(bf16::narrow(1e300), bf16::INFINITY);
        assert_eq!(f16::narrow(2_f64.powi(-25)).to_bits(), 0);
        assert_eq!(f16::narrow(2_f64.powi(-25) * (1.0 + 1e-15)).to_bits(), 1);
        assert_eq!(f16::narrow(-1e-300).to_bits(), 0x8000);
        assert_eq!(bf16::narrow(2_f64.powi(-134)).to_bits(), 0);
        assert!(f16::narrow(f64::NAN).is_nan() && bf16::narrow(f64::NAN).is_nan());
    }

    #[test]
    fn every_half_is_sorted_into_refused_masked_or_finite() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            let refused = |x: f64| x.is_nan() || x == f64::INFINITY;
            assert_eq!(half.is_refused(), refused(half.widen()));
            assert_eq!(brain.is_refused(), refused(brain.widen()));
            assert_eq!(half.is_masked(), half.widen() == f64::NEG_INFINITY);
            assert_eq!(brain.is_masked(), brain.widen() == f64::NEG_INFINITY);
            if !half.is_nan() {
                assert_eq!(f16::narrow(half.widen()).to_bits(), bits);
            }
            if !brain.is_nan() {
                assert_eq!(bf16::narrow(brain.widen()).to_bits(), bits);
            }
        }
    }
}
