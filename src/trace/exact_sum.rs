//! A sum of non-negative numbers that never rounds.
//!
//! Every finite f64 is m·2^(e − 1074) with whole m < 2^53 and 0 ≤ e ≤ 2045, so a sum of fewer than 2^64 of them is a whole number of
//! 2^−1074, of at most 2,162 bits. It is held as such: adding is integer addition, taking away is its undoing, order is nothing.

/// 34 · 64 = 2,176 bits.
const LIMBS: usize = 34;

/// Σ xᵢ for xᵢ ≥ 0, in units of 2^−1074, the lowest limb first.
///
/// Fewer than 2^64 numbers are in it at a time: the callers count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExactSum {
    limbs: [u64; LIMBS],
}

impl ExactSum {
    pub(super) const ZERO: Self = Self { limbs: [0; LIMBS] };

    /// Adds a finite number that is not negative.
    pub(super) fn add(&mut self, value: f64) {
        let (first, parts) = digits(value);
        let mut carry = 0;
        for (i, limb) in self.limbs[first..].iter_mut().enumerate() {
            if i >= parts.len() && carry == 0 {
                return;
            }
            let part = parts.get(i).copied().unwrap_or(0);
            (*limb, carry) = add_with_carry(*limb, part, carry);
        }
        debug_assert_eq!(carry, 0, "more numbers than the sum has room for");
    }

    /// Takes away a number that was added before.
    pub(super) fn subtract(&mut self, value: f64) {
        let (first, parts) = digits(value);
        let mut borrow = false;
        for (i, limb) in self.limbs[first..].iter_mut().enumerate() {
            if i >= parts.len() && !borrow {
                return;
            }
            let part = parts.get(i).copied().unwrap_or(0);
            let (less, under) = limb.overflowing_sub(part);
            let (less, under_again) = less.overflowing_sub(u64::from(borrow));
            (*limb, borrow) = (less, under || under_again);
        }
        debug_assert!(!borrow, "a number that was never added");
    }

    /// Adds all that another sum holds.
    pub(super) fn merge(&mut self, other: &Self) {
        let mut carry = 0;
        for (limb, &part) in self.limbs.iter_mut().zip(&other.limbs) {
            (*limb, carry) = add_with_carry(*limb, part, carry);
        }
        debug_assert_eq!(carry, 0, "more numbers than the sum has room for");
    }

    /// The sum divided by `count`, within one unit in the last place for counts up to 2^53; +0.0 for an empty sum.
    ///
    /// Where the sum itself is beyond the f64 range the mean is still right.
    pub(super) fn mean(&self, count: u64) -> f64 {
        let Some(top) = self.limbs.iter().rposition(|&limb| limb != 0) else {
            return 0.0;
        };
        // The 64 leading bits; what lies below them counts only as to whether it is 0.
        let shift = self.limbs[top].leading_zeros();
        let below = if top > 0 { self.limbs[top - 1] } else { 0 };
        let pair = ((u128::from(self.limbs[top]) << 64) | u128::from(below)) << shift;
        let (leading, rest) = ((pair >> 64) as u64, pair as u64);
        let sticky = rest != 0 || self.limbs[..top.saturating_sub(1)].iter().any(|&l| l != 0);
        let significand = (leading | u64::from(sticky)) as f64;
        let exponent = 64 * top as i32 - shift as i32 - 1074;
        // No mean is above the greatest of its numbers, whatever the rounding of a sum of such.
        libm::scalbn(significand / count as f64, exponent).min(f64::MAX)
    }
}

/// The first limb that a number reaches, and what it has in that limb and the next.
fn digits(value: f64) -> (usize, [u64; 2]) {
    debug_assert!(value.is_finite() && value >= 0.0, "{value}");
    let bits = value.abs().to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as usize);
    let (m, e) = match exponent {
        0 => (fraction, 0),
        _ => (fraction | 1 << 52, exponent - 1),
    };
    let wide = u128::from(m) << (e % 64);
    (e / 64, [wide as u64, (wide >> 64) as u64])
}

fn add_with_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = u128::from(a) + u128::from(b) + u128::from(carry);
    (sum as u64, (sum >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::ExactSum;

    fn sum(values: &[f64]) -> ExactSum {
        let mut sum = ExactSum::ZERO;
        for &value in values {
            sum.add(value);
        }
        sum
    }

    #[test]
    fn one_number_comes_back_as_it_went_in() {
        let least = f64::from_bits(1);
        for value in [
            0.0,
            least,
            f64::MIN_POSITIVE - least,
            f64::MIN_POSITIVE,
            0.1,
            1.0,
            f64::MAX,
        ] {
            assert_eq!(sum(&[value]).mean(1).to_bits(), value.to_bits());
        }
    }

    #[test]
    fn nothing_is_too_small_to_count() {
        let mut sum = sum(&[1e300, 5e-324, 1.0]);
        sum.subtract(1e300);
        sum.subtract(1.0);
        assert_eq!(sum.mean(1), 5e-324);
        sum.subtract(5e-324);
        assert_eq!(sum, ExactSum::ZERO);
    }

    #[test]
    fn a_sum_beyond_the_range_has_a_mean_within_it() {
        let mut sum = sum(&[f64::MAX; 3]);
        assert_eq!(sum.mean(3), f64::MAX);
        sum.merge(&sum.clone());
        assert_eq!(sum.mean(6), f64::MAX);
    }

    #[test]
    fn half_way_goes_to_even_and_a_hair_above_goes_up() {
        let (ulp, one) = (f64::EPSILON, 1.0);
        assert_eq!(sum(&[one, ulp / 2.0]).mean(1), one);
        assert_eq!(sum(&[one, ulp / 2.0, 1e-300]).mean(1), one + ulp);
    }
}
