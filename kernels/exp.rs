//! Weights: w = 2^((x − shift)·c − N), where c = log2(e) / temperature and N is an even whole number.
//!
//! y = x − shift is split into n and a rest r so that y·c = n + r. 2^r is a polynomial, n − N is added to the exponent. N moves
//! exponents only, so the digits of a weight do not depend on it (even, so that ties of the rounding to n stay put). The shift is 0
//! for all but extreme rows; there it is the greatest logit, and the difference is exact near it (Sterbenz).
//!
//! Fused, n is a multiple of an eighth, and 2^n comes from a table of eight words that fits a register: what limits this loop is
//! the number of multiplications and comparisons, of which the table saves two in eleven against a polynomial on [−½, ½]. A table
//! of sixteen would save one more on AVX-512 and cost AVX2 three. Portable, n is whole: its level of last resort has no table look-up.

use crate::frame::Frame;
use crate::lanes::{Lanes, four};
use crate::tally::{LIFT, Tally, centre};

/// 2^r on [−½, ½], minimax, lowest power first.
const SEXTIC: [f64; 7] = [
    1.0,
    0.6931472149674864,
    0.24022652782749013,
    0.055503105519952495,
    0.00961769299262506,
    0.0013406643587536332,
    0.0001559467209569184,
];
/// (2^r − 1) / r on [−1/16, 1/16], minimax for 2^r, lowest power first.
const CUBIC: [f32; 3] = [0.693_147_21, 0.240_257_63, 0.055_496_22];
/// The bits of 2^(i/8), less i moved to the place where `look_up` adds it again.
const EIGHTHS: [u32; 8] = [
    0x3f80_0000,
    0x3f8b_95c2 - (1 << 20),
    0x3f98_37f0 - (2 << 20),
    0x3fa5_fed7 - (3 << 20),
    0x3fb5_04f3 - (4 << 20),
    0x3fc5_672a - (5 << 20),
    0x3fd7_44fd - (6 << 20),
    0x3fea_c0c7 - (7 << 20),
];
/// Weights below 2^−125 are 0.
pub(crate) const UNDERFLOW: f64 = 125.0;

/// The constants of one frame, spread over the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Exp<L: Lanes> {
    lanes: L,
    scale: L::F,
    magic: L::F,
    shift: L::F,
    floor: L::F,
    /// Fused: the rest of c. Portable: 1/c in two parts, the first short enough that n times it is exact.
    rest: [L::F; 2],
    /// Fused: the first three. Portable: all seven.
    coefficient: [L::F; 7],
    eighths: L::T,
}

impl<L: Lanes> Exp<L> {
    #[inline(always)]
    pub(crate) fn new(lanes: L, frame: Frame) -> Self {
        let Frame {
            scale, reference, ..
        } = frame;
        let high = scale as f32;
        let mut coefficient = [lanes.splat(1.0); 7];
        let rest;
        if L::FUSED {
            rest = [(scale - f64::from(high)) as f32, 0.0];
            let mut i = 0;
            while i < 3 {
                coefficient[i] = lanes.splat(CUBIC[i]);
                i += 1;
            }
        } else {
            let short = f32::from_bits((scale.recip() as f32).to_bits() & !0xfff);
            rest = [short, (scale.recip() - f64::from(short)) as f32];
            // r in units of y, not of y·c: the coefficients carry the powers of c, and take back the lift of k.
            let mut power = libm::exp2(-f64::from(LIFT));
            let mut i = 0;
            while i < 7 {
                coefficient[i] = lanes.splat((SEXTIC[i] * power) as f32);
                power *= scale;
                i += 1;
            }
        }
        // The words take back the lift of k too.
        let lift = i32::from(LIFT * 8) << 20;
        let eighths = EIGHTHS.map(|word| word.wrapping_sub(lift.cast_unsigned()));
        Self {
            lanes,
            scale: lanes.splat(high),
            magic: lanes.splat(centre::<L>() + f32::from(LIFT) - reference as f32),
            shift: lanes.splat(frame.shift),
            floor: lanes.splat(((f64::from(reference) - UNDERFLOW) / scale) as f32),
            rest: [lanes.splat(rest[0]), lanes.splat(rest[1])],
            coefficient,
            eighths: lanes.table(&eighths),
        }
    }

    /// Which of these logits have a weight above 0: none that is NaN.
    #[inline(always)]
    pub(crate) fn has_weight<const SHIFTED: bool>(&self, x: L::F) -> L::M {
        let l = self.lanes;
        l.ge(if SHIFTED { l.sub(x, self.shift) } else { x }, self.floor)
    }

    /// The weights of 64 logits, and which of them are above 0. Unless `SHIFTED`, the frame's shift must be 0.
    #[inline(always)]
    pub(crate) fn four<const SHIFTED: bool>(&self, x: [L::F; 4]) -> ([L::F; 4], [L::M; 4]) {
        let l = self.lanes;
        let y = if SHIFTED { self.shifted(x) } else { x };
        let (w, _) = self.split(y);
        let m = four!(j => l.ge(y[j], self.floor));
        (four!(j => l.keep(m[j], w[j])), m)
    }

    /// The same where all have weight, which the tally tells once it has counted the block: if not, these are no weights.
    #[inline(always)]
    pub(crate) fn four_tallied<const SHIFTED: bool>(
        &self,
        x: [L::F; 4],
        tally: &mut Tally<L>,
    ) -> [L::F; 4] {
        let (w, k) = self.split(if SHIFTED { self.shifted(x) } else { x });
        tally.count(k);
        w
    }

    /// 2^(y·c − N) for all that is not below the floor, and k.
    #[inline(always)]
    fn split(&self, y: [L::F; 4]) -> ([L::F; 4], [L::F; 4]) {
        if L::FUSED {
            self.by_eighths(y)
        } else {
            self.by_wholes(y)
        }
    }

    /// 64 logits less the frame's shift.
    #[inline(always)]
    pub(crate) fn shifted(&self, x: [L::F; 4]) -> [L::F; 4] {
        four!(j => self.lanes.sub(x[j], self.shift))
    }

    /// y·c = n + r with n a multiple of an eighth: 2^n from a table, 2^r − 1 by three coefficients.
    #[inline(always)]
    fn by_eighths(&self, y: [L::F; 4]) -> ([L::F; 4], [L::F; 4]) {
        let (l, a) = (self.lanes, self.coefficient);
        let k = four!(j => l.mul_add(y[j], self.scale, self.magic));
        let n = four!(j => l.sub(self.magic, k[j]));
        let t = four!(j => l.mul_add(y[j], self.scale, n[j]));
        let r = four!(j => l.mul_add(y[j], self.rest[0], t[j]));
        let s = four!(j => l.look_up(self.eighths, k[j]));
        let q = four!(j => l.mul_add(a[2], r[j], a[1]));
        let q = four!(j => l.mul_add(q[j], r[j], a[0]));
        let q = four!(j => l.mul(q[j], r[j]));
        (four!(j => l.mul_add(s[j], q[j], s[j])), k)
    }

    /// y·c = n + r with n whole: 2^r by seven coefficients, no fused operation and no table.
    #[inline(always)]
    fn by_wholes(&self, y: [L::F; 4]) -> ([L::F; 4], [L::F; 4]) {
        let l = self.lanes;
        let k = four!(j => l.add(l.mul(y[j], self.scale), self.magic));
        let n = four!(j => l.sub(k[j], self.magic));
        let t = four!(j => l.sub(y[j], l.mul(n[j], self.rest[0])));
        let r = four!(j => l.sub(t[j], l.mul(n[j], self.rest[1])));
        let mut p = four!(j => l.mul_add(self.coefficient[6], r[j], self.coefficient[5]));
        let mut i = 5;
        while i > 0 {
            i -= 1;
            p = four!(j => l.mul_add(p[j], r[j], self.coefficient[i]));
        }
        (four!(j => l.scale(p[j], k[j])), k)
    }
}

#[cfg(test)]
mod tests {
    use crate::weigh::weigh;
    use crate::{Engine, Frame, Numerics};

    /// The worst error over a sweep of logits, in units of the last place of the weight.
    fn worst_ulp(engine: Engine, scale: f64, reference: i32, from: f64, to: f64) -> f64 {
        let frame = Frame {
            scale,
            shift: 0.0,
            reference,
        };
        let count = 1 << 18;
        let logits: Vec<f32> = (0..count)
            .map(|i| (from + (to - from) * f64::from(i) / f64::from(count)) as f32)
            .collect();
        let mut weights = vec![0.0; logits.len()];
        weigh(engine, frame, &logits, &mut weights);
        let mut worst = 0.0_f64;
        for (&x, &w) in logits.iter().zip(&weights) {
            let exact = libm::exp2(frame.exponent(x));
            let (_, exponent) = libm::frexp(exact);
            let ulp = libm::exp2(f64::from(exponent - 24));
            worst = worst.max((f64::from(w) - exact).abs() / ulp);
        }
        worst
    }

    #[test]
    fn weights_are_within_their_budget_of_units_in_the_last_place() {
        for engine in Engine::available() {
            let budget = match engine.numerics() {
                Numerics::Fused => 1.25,
                Numerics::Portable => 1.5,
            };
            for scale in [core::f64::consts::LOG2_E, 1.0, 0.3, 2.5] {
                for (reference, from, to) in
                    [(0, -60.0, 0.0), (24, -40.0, 17.0), (-20, -20.0, 30.0)]
                {
                    let (from, to) = (from / scale, to / scale);
                    let worst = worst_ulp(engine, scale, reference, from, to);
                    assert!(
                        worst <= budget,
                        "{engine:?}, scale {scale}, N {reference}: {worst} ulp"
                    );
                }
            }
        }
    }

    #[test]
    fn the_reference_moves_exponents_only() {
        for engine in Engine::available() {
            let logits: Vec<f32> = (0..4096).map(|i| i as f32 * 0.0057 - 9.0).collect();
            let weights = |reference| {
                let mut weights = vec![0.0; logits.len()];
                weigh(
                    engine,
                    Frame {
                        scale: core::f64::consts::LOG2_E,
                        shift: 0.0,
                        reference,
                    },
                    &logits,
                    &mut weights,
                );
                weights
            };
            for (a, b) in weights(20).iter().zip(weights(-10)) {
                assert_eq!(a * 1_073_741_824.0, b, "{engine:?}");
            }
        }
    }

    #[test]
    fn what_is_below_the_floor_weighs_nothing() {
        for engine in Engine::available() {
            let frame = Frame {
                scale: core::f64::consts::LOG2_E,
                shift: 0.0,
                reference: 0,
            };
            let mut logits = [-87.0_f32; 16];
            logits[..6].copy_from_slice(&[f32::NEG_INFINITY, f32::MIN, -1e9, -126.0, -87.5, 0.0]);
            let mut weights = [1.0; 16];
            weigh(engine, frame, &logits, &mut weights);
            assert_eq!(weights[..5], [0.0; 5], "{engine:?}");
            assert_eq!(weights[5], 1.0, "{engine:?}");
        }
    }
}
