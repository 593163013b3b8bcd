//! Whether all logits of a block have weight, by additions: what limits the reading of a row is multiplications and comparisons.
//!
//! The split of a logit gives k = its exponent + [`LIFT`] + a centre, rounded to a whole or an eighth. Added to a sum whose last place
//! is worth 256, k counts as the multiple of 256 nearest to it, which is the centre from an exponent of −124 to one of 132. So sixteen
//! k make the sum sixteen centres greater at least, unless one of them is lower: then it stays below, for no other can make up
//! for it but an exponent beyond 132, and a frame that gives such is not used (see `MISLED`). NaN and −∞ stay in the sum.

use crate::lanes::{FULL, Lanes};

/// What is added to every k, so that 128 below the centre is the last exponent of a weight for certain: weights end at −125.
pub(crate) const LIFT: i8 = -4;

/// Where k lie if wholes are split off: adding it to a small number leaves the nearest whole in the low bits.
pub(crate) const CENTRE: f32 = 12_582_912.0;

/// The same for eighths.
pub(crate) const CENTRE_EIGHTHS: f32 = CENTRE / 8.0;

/// Where the sum starts: from here to sixteen centres above, the last place of an f32 is worth 256.
const START: f32 = 3_221_225_472.0;

/// One sum for each lane of a block.
#[derive(Clone, Copy)]
pub(crate) struct Tally<L: Lanes> {
    lanes: L,
    sum: L::F,
}

impl<L: Lanes> Tally<L> {
    #[inline(always)]
    pub(crate) fn new(lanes: L) -> Self {
        Self {
            lanes,
            sum: lanes.splat(START),
        }
    }

    /// Counts the k of 64 logits.
    #[inline(always)]
    pub(crate) fn count(&mut self, k: [L::F; 4]) {
        for k in k {
            self.sum = self.lanes.add(self.sum, k);
        }
    }

    /// Whether all of the 256 that were counted have weight. It may say no where the least weighs less than 2^−124.
    #[inline(always)]
    pub(crate) fn all_weigh(self) -> bool {
        let centre = if L::FUSED { CENTRE_EIGHTHS } else { CENTRE };
        let full = self.lanes.splat(START + 16.0 * centre);
        self.lanes.bits(self.lanes.ge(self.sum, full)) == FULL
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Fault, Maxima, Summary, blocks, stats};

    const PLACES: [usize; 8] = [0, 15, 16, 100, 255, 256, 300, 511];

    fn read(engine: Engine, row: &[f32]) -> Result<Summary, Fault> {
        let n = blocks(row.len());
        let (mut maxima, mut sums) = (vec![Maxima::NONE; n], vec![0.0; n]);
        stats(engine, row, 1.0, &mut maxima, &mut sums)
    }

    /// Reads two blocks of logits, 0 but for those named: weights are 2^x.
    fn read_with(engine: Engine, logits: &[(usize, f32)]) -> Result<Summary, Fault> {
        let mut row = [0.0; 512];
        for &(place, x) in logits {
            row[place] = x;
        }
        read(engine, &row)
    }

    #[test]
    fn one_logit_without_weight_is_seen_wherever_it_stands() {
        for engine in Engine::available() {
            for place in PLACES {
                for sixteenths in 1900_i16..2100 {
                    let x = f32::from(sixteenths) / -16.0;
                    let summary = read_with(engine, &[(place, x)]).expect("a sound row");
                    assert_eq!(
                        summary.faint,
                        usize::from(x < -125.0),
                        "{engine:?} {place} {x}"
                    );
                    assert_eq!(
                        (summary.total, summary.masked),
                        (511.0, 0),
                        "{engine:?} {place} {x}"
                    );
                }
                for x in [
                    -130.0,
                    -500.0,
                    -1e4,
                    -1e6,
                    -2e6,
                    -1e7,
                    -1e9,
                    -1e30,
                    f32::MIN,
                ] {
                    let summary = read_with(engine, &[(place, x)]).expect("a sound row");
                    assert_eq!(
                        (summary.total, summary.faint),
                        (511.0, 1),
                        "{engine:?} {place} {x}"
                    );
                }
                let summary =
                    read_with(engine, &[(place, f32::NEG_INFINITY)]).expect("a sound row");
                assert_eq!(
                    (summary.total, summary.masked),
                    (511.0, 1),
                    "{engine:?} {place}"
                );
            }
        }
    }

    #[test]
    fn a_great_logit_does_not_make_up_for_one_without_weight() {
        for engine in Engine::available() {
            for great in [
                1.0_f32, 60.0, 89.0, 91.0, 131.0, 133.0, 260.0, 1000.0, 1e6, 1e30,
            ] {
                // Behind the first thousand, where N is chosen, and in one lane.
                let mut row = vec![0.0_f32; 2048];
                (row[1800], row[1816]) = (great, -130.0);
                let summary = read(engine, &row).expect("a sound row");
                let faint = row
                    .iter()
                    .filter(|&&x| great >= 90.0 && x < great - 125.0)
                    .count();
                let faint = if great >= 90.0 { faint } else { 1 };
                assert_eq!(summary.faint, faint, "{engine:?} {great}");
                let total: f64 = row
                    .iter()
                    .map(|&x| libm::exp2(f64::from(x) - f64::from(great)))
                    .sum();
                let nats = (libm::log2(total) + f64::from(great)) * core::f64::consts::LN_2;
                assert!(
                    (summary.log_z_nats() - nats).abs() <= 1e-6 * nats.abs(),
                    "{engine:?} {great}"
                );
            }
        }
    }

    #[test]
    fn nan_is_seen_whatever_its_bits_and_beside_infinity() {
        for engine in Engine::available() {
            for place in PLACES {
                for bits in [
                    0x7fc0_0000,
                    0xffc0_0000,
                    0x7f80_0001,
                    0x7fff_ffff,
                    0xff80_0200,
                ] {
                    for other in [0.0, f32::NEG_INFINITY, 1e30, f32::INFINITY] {
                        let logits = [(place, f32::from_bits(bits)), (place ^ 16, other)];
                        let fault = read_with(engine, &logits);
                        let index = if other == f32::INFINITY {
                            place.min(place ^ 16)
                        } else {
                            place
                        };
                        assert!(
                            matches!(fault, Err(Fault::Invalid { index: at, .. }) if at == index),
                            "{engine:?} {place} {bits:x} {other}: {fault:?}"
                        );
                    }
                }
            }
        }
    }
}
