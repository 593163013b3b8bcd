//! The first read of a row: lane maxima and weight sums of its blocks, and whether it is sound.

use crate::Element;
use crate::ahead::Ahead;
use crate::block::{BLOCK, Maxima, add_four, load_four, pad};
use crate::exp::Exp;
use crate::frame::Frame;
use crate::group_max::block_max;
use crate::lanes::{FULL, Lanes, four};
use crate::late_sums::LateSums;
use crate::level::Kernel;
use crate::stats::Summary;
use crate::tally::Tally;

/// With `SHIFTED`, for frames with a shift; with `MOMENT`, the weighted sum of the logits too.
pub(crate) struct StatsPass<'a, E, const MOMENT: bool, const SHIFTED: bool> {
    pub(crate) row: &'a [E],
    pub(crate) ahead: Ahead,
    pub(crate) scale: f64,
    /// |x·scale| up to which an N may be chosen from the first logits.
    pub(crate) reach: f64,
    /// The units, where they are known already.
    pub(crate) frame: Option<Frame>,
    pub(crate) maxima: &'a mut [Maxima],
    pub(crate) sums: &'a mut [f32],
}

/// What a pass finds.
pub(crate) struct Pass {
    pub(crate) max: f32,
    pub(crate) frame: Frame,
    pub(crate) total: f64,
    /// Σ w·(x − the frame's origin).
    pub(crate) moment: f64,
    pub(crate) nan: bool,
    masked: usize,
    weightless: usize,
}

impl Pass {
    pub(crate) fn summary(&self, logits: usize, blocks: usize) -> Summary {
        let padding = blocks * BLOCK - logits;
        Summary {
            max: self.max,
            frame: self.frame,
            total: self.total,
            masked: self.masked - padding,
            faint: self.weightless - self.masked,
        }
    }
}

/// What one block holds.
struct Part<L: Lanes> {
    /// The maxima of its lanes.
    most: L::F,
    /// Σ w, lane by lane.
    sum: L::F,
    /// Σ w·(x − origin), lane by lane.
    moment: L::F,
    /// Whether all of its logits have weight: if not, only a `WARY` read has the sums.
    all: bool,
}

/// After a block with logits without weight so many are expected to have some: to be wrong takes a twentieth of a block more, to read
/// a block twice takes all of it.
const WARY_BLOCKS: u32 = 8;

/// Reads one block. The order of the additions is the contract.
#[inline(always)]
fn read_block<L: Lanes, E: Element, const MOMENT: bool, const SHIFTED: bool, const WARY: bool>(
    l: L,
    exp: &Exp<L>,
    origin: L::F,
    block: &[E; BLOCK],
    (depth, ahead): (usize, Ahead),
) -> Part<L> {
    let (quarters, _) = block.as_chunks::<64>();
    let zero = l.splat(0.0);
    let (mut most, mut sum, mut moment) = (l.splat(f32::NEG_INFINITY), zero, zero);
    let mut all = l.ge(zero, zero);
    let mut tally = Tally::new(l);
    for quarter in &quarters[..depth] {
        ahead.ask_all(l, quarter);
        let x = load_four(l, quarter);
        most = l.max(l.max(l.max(x[0], x[1]), l.max(x[2], x[3])), most);
        let (w, m) = if WARY {
            exp.four::<SHIFTED>(x)
        } else {
            (exp.four_tallied::<SHIFTED>(x, &mut tally), [all; 4])
        };
        all = l.and(all, l.and(l.and(m[0], m[1]), l.and(m[2], m[3])));
        sum = l.add(sum, add_four(l, w));
        if MOMENT {
            let d = four!(j => l.sub(x[j], origin));
            // 0·(−∞) must be 0: the product is kept only where there is weight.
            let d = four!(j => l.keep(m[j], l.mul(w[j], d[j])));
            moment = l.add(moment, add_four(l, d));
        }
    }
    let all = if WARY {
        l.bits(all) == FULL
    } else {
        tally.all_weigh()
    };
    Part {
        most,
        sum,
        moment,
        all,
    }
}

/// NaN, and the numbers of −∞ and of logits without weight, in a block that has one of the three.
///
/// A NaN has no weight, so blocks whose logits all have weight need no test of their own: the sound row pays nothing.
#[inline(always)]
fn inspect<L: Lanes, E: Element, const SHIFTED: bool>(
    l: L,
    exp: &Exp<L>,
    block: &[E; BLOCK],
) -> (bool, u32, u32) {
    let lowest = l.splat(f32::MIN);
    let (vectors, _) = block.as_chunks::<16>();
    let (mut nan, mut finite, mut weighted) = (0, 0, 0);
    let mut i = 0;
    while i < 16 {
        let x = E::load(l, &vectors[i]);
        nan |= l.bits(l.unordered(x, x));
        finite += l.bits(l.ge(x, lowest)).count_ones();
        weighted += l.bits(exp.has_weight::<SHIFTED>(x)).count_ones();
        i += 1;
    }
    (nan != 0, BLOCK as u32 - finite, BLOCK as u32 - weighted)
}

impl<E: Element, const MOMENT: bool, const SHIFTED: bool> Kernel
    for StatsPass<'_, E, MOMENT, SHIFTED>
{
    type Output = Pass;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Pass {
        let (blocks, rest) = self.row.as_chunks::<BLOCK>();
        let frame = match self.frame {
            Some(frame) => frame,
            None => first_frame(l, blocks, rest, self.scale, self.reach),
        };
        let exp = Exp::new(l, frame);
        let origin = l.splat(frame.origin());
        // Four, but the compiler must not know: it would unroll the block and spill a third of it to the stack.
        let pace = (core::hint::black_box(4), self.ahead);
        let mut sums = LateSums::new(l, self.sums);
        let mut moments = LateSums::new(l, &mut []);
        let mut most = l.splat(f32::NEG_INFINITY);
        let (mut nan, mut masked, mut weightless) = (false, 0, 0);
        // Blocks that are read with comparisons at once: where logits without weight were, more are to be expected.
        let mut wary = 0_u32;
        let last = pad(rest);
        let all = blocks.iter().chain((!rest.is_empty()).then_some(&last));
        for (b, (block, maxima)) in all.zip(self.maxima).enumerate() {
            let part = 'read: {
                if wary == 0 {
                    let part =
                        read_block::<L, E, MOMENT, SHIFTED, false>(l, &exp, origin, block, pace);
                    if part.all {
                        break 'read part;
                    }
                }
                read_block::<L, E, MOMENT, SHIFTED, true>(l, &exp, origin, block, pace)
            };
            l.store(part.most, &mut maxima.0);
            sums.push(b, part.sum);
            if MOMENT {
                moments.push(b, part.moment);
            }
            most = l.max(part.most, most);
            wary = if part.all {
                wary.saturating_sub(1)
            } else {
                WARY_BLOCKS
            };
            if !part.all {
                let (n, a, b) = inspect::<L, E, SHIFTED>(l, &exp, block);
                nan |= n;
                masked += a as usize;
                weightless += b as usize;
            }
        }
        Pass {
            max: l.top(most),
            frame,
            total: sums.total(),
            moment: moments.total(),
            nan,
            masked,
            weightless,
        }
    }
}

/// The frame around the greatest of the first thousand logits; around 0 where that is no use.
#[inline(always)]
fn first_frame<L: Lanes, E: Element>(
    l: L,
    blocks: &[[E; BLOCK]],
    rest: &[E],
    scale: f64,
    reach: f64,
) -> Frame {
    let mut most = l.splat(f32::NEG_INFINITY);
    for block in &blocks[..blocks.len().min(4)] {
        most = l.max(block_max(l, block), most);
    }
    if blocks.len() < 4 {
        most = l.max(block_max(l, &pad(rest)), most);
    }
    let most = l.top(most);
    let at = f64::from(most) * scale;
    Frame::around(if at.abs() <= reach { most } else { 0.0 }, scale)
}
