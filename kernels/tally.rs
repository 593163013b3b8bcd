//! Whether all logits of a block have weight, by additions: what limits the reading of a row is multiplications and comparisons.
//!
//! The split of a logit gives k, its exponent plus a centre plus [`LIFT`], rounded to a whole or an eighth. Added to a sum whose last
//! place is worth 256, k counts as the multiple of 256 nearest to it: as the centre from an exponent of −124, ties going to the even
//! multiple that the centre is. So sixteen k that are no lower bring the sum to sixteen centres above its start, at least.
//!
//! If one is lower, the sum stays below that. No other makes up for it unless its exponent rounds to 132, and of those the frame has
//! none: a first read whose greatest logit lies so far above N is thrown away (`MISLED` in `stats.rs`), and where the greatest is
//! known before, N is chosen by it. Nor do sixteen rounding errors: above 2^31 the low one costs 256 and nothing else is inexact,
//! and one that takes the sum below 2^31 costs it 2^30 at least. NaN and −∞ stay in the sum.
//!
//! From an exponent of −124 to one of −125, where weights end, is room for what k is off by: half a unit of rounding, and at most
//! 2^−6 because it is made with the high part of c.

use crate::exp::UNDERFLOW;
use crate::lanes::{FULL, Lanes};
use crate::stats::MISLED;

/// What is added to every k, so that exponents of −124 lie 128 below the centre.
pub(crate) const LIFT: i16 = 124 - 128;

/// Where k lie if wholes are split off: adding it to a small number leaves the nearest whole in the low bits.
const CENTRE: f32 = 12_582_912.0;

/// The same for eighths.
const CENTRE_EIGHTHS: f32 = CENTRE / 8.0;

/// The same for what these lanes split off.
pub(crate) const fn centre<L: Lanes>() -> f32 {
    if L::FUSED { CENTRE_EIGHTHS } else { CENTRE }
}

/// Where the sum starts, an even multiple of 256: from here to sixteen centres above, that is what the last place is worth.
const START: f32 = 3_221_225_472.0;

const _: () = assert!(MISLED < 131.5 && UNDERFLOW >= 124.0 + 0.5 + 1.0 / 64.0);
const _: () =
    assert!(START >= 2_147_483_648.0 && START + 16.0 * (CENTRE + 128.0) < 4_294_967_296.0);
const _: () =
    assert!(START % 512.0 == 0.0 && CENTRE % 512.0 == 0.0 && CENTRE_EIGHTHS % 512.0 == 0.0);

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
        let full = self.lanes.splat(START + 16.0 * centre::<L>());
        self.lanes.bits(self.lanes.ge(self.sum, full)) == FULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exp::Exp;
    use crate::level::Kernel;
    use crate::{Engine, Fault, Frame, Maxima, Summary, blocks, stats};

    /// What the tally says of a block in which one logit has this exponent and the others the other.
    struct AllWeigh(f32, f32);

    impl Kernel for AllWeigh {
        type Output = bool;

        fn run<L: Lanes>(self, l: L) -> bool {
            let frame = Frame {
                scale: 1.0,
                shift: 0.0,
                reference: 0,
            };
            let exp = Exp::new(l, frame);
            let mut tally = Tally::new(l);
            for quarter in 0..4 {
                let mut x = [l.splat(self.1); 4];
                if quarter == 2 {
                    x[1] = l.splat(self.0);
                }
                exp.four_tallied::<false>(x, &mut tally);
            }
            tally.all_weigh()
        }
    }

    #[test]
    fn the_tally_says_yes_exactly_where_all_exponents_reach_124_below() {
        for engine in Engine::available() {
            for others in [-124.0, -50.0, 0.0, 89.0] {
                for quarters in -520_i16..360 {
                    let x = f32::from(quarters) / 4.0;
                    let all = engine.run(AllWeigh(x, others));
                    // What lies in between may go either way.
                    if !(-124.5..-124.0).contains(&x) {
                        assert_eq!(all, x >= -124.0, "{engine:?} {x} {others}");
                    }
                }
            }
        }
    }

    #[test]
    fn an_empty_row_has_no_sums() {
        for engine in Engine::available() {
            assert_eq!(read(engine, &[]), Err(Fault::AllMasked));
            let (mut maxima, mut sums) = ([Maxima::NONE], [7.0]);
            let empty = stats::<f32>(engine, &[], 1.0, &mut maxima, &mut sums);
            assert_eq!((empty, sums), (Err(Fault::AllMasked), [7.0]));
        }
    }

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
