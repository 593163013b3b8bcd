//! What one read of a row tells: its greatest logit, the sum of its weights, the same for each block, and whether it is sound.

use crate::block::{BLOCK, Maxima, add_four, load_four, pad, prefetch};
use crate::exp::{Exp, Frame};
use crate::group_max::block_max;
use crate::lanes::{FULL, Lanes};
use crate::level::{Kernel, run_in_frame};
use crate::{Element, Engine, Numerics};

/// The row as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The greatest logit, +0.0 where that is a zero.
    pub max: f32,
    /// The units of the weights.
    pub frame: Frame,
    /// The sum of the weights, block sums added in id order.
    pub total: f64,
    /// Logits that are −∞.
    pub masked: usize,
    /// Finite logits whose weight is 0 in f32: they may still have a probability above 0 in f64.
    pub faint: usize,
}

impl Summary {
    /// ln Σ e^(x / temperature), in nats.
    #[must_use]
    pub fn log_z_nats(&self) -> f64 {
        let shift = f64::from(self.frame.shift) * self.frame.scale;
        (libm::log2(self.total) + f64::from(self.frame.reference) + shift) * core::f64::consts::LN_2
    }
}

/// Why a row has no summary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The first logit that is NaN or +∞.
    Invalid {
        /// Its position.
        index: usize,
        /// The logit.
        value: f32,
    },
    /// Every logit is −∞.
    AllMasked,
}

/// Reads `row` once (extreme rows twice or three times): weights are 2^(x·`scale` − N).
///
/// `maxima` and `sums` receive what is known of each block. |x·scale| may be anything up to the largest f32 times 2^21.
///
/// # Errors
///
/// [`Fault`], with the first place of a NaN or +∞.
///
/// # Panics
///
/// If `maxima` or `sums` have fewer entries than the row has blocks.
pub fn stats<E: Element>(
    engine: Engine,
    row: &[E],
    scale: f64,
    maxima: &mut [Maxima],
    sums: &mut [f32],
) -> Result<Summary, Fault> {
    let blocks = crate::blocks(row.len());
    assert!(
        maxima.len() >= blocks && sums.len() >= blocks,
        "one entry a block"
    );
    let reach = match engine.numerics() {
        Numerics::Fused => FUSED_REACH,
        Numerics::Portable => PORTABLE_REACH,
    };
    let ahead = engine.ahead();
    let pass = engine.run(Stats::<E, false> {
        row,
        ahead,
        scale,
        reach,
        frame: None,
        maxima: &mut *maxima,
        sums: &mut *sums,
    });
    if pass.nan || pass.max == f32::INFINITY {
        return Err(first_invalid(row).unwrap_or(Fault::AllMasked));
    }
    if pass.max == f32::NEG_INFINITY {
        return Err(Fault::AllMasked);
    }
    let at = f64::from(pass.max) * scale;
    if at.abs() <= reach && (MISLED_BELOW..MISLED).contains(&(at - f64::from(pass.frame.reference)))
    {
        return Ok(pass.summary(row.len(), blocks));
    }
    Ok(again(
        engine,
        row,
        scale,
        (pass.max, at.abs() <= reach),
        maxima,
        sums,
    ))
}

/// Beyond this many bits from 0 the split of x·c into whole and rest loses digits.
const FUSED_REACH: f64 = 262_144.0;
/// The same without fused multiply-adds: n times the short part of 1/c must be exact for all of [N − 125, N + 90].
const PORTABLE_REACH: f64 = 3_840.0;
/// A greatest logit so many bits above N means that the first thousand logits misled the choice of N.
const MISLED: f64 = 90.0;
/// The same below N, where weights begin to vanish: the first thousand were masked, and N was chosen around 0.
const MISLED_BELOW: f64 = -8.0;

/// The summary of a sound row whose first thousand logits misled, or whose logits are extreme: the maximum is known first.
#[cold]
fn again<E: Element>(
    engine: Engine,
    row: &[E],
    scale: f64,
    (max, within_reach): (f32, bool),
    maxima: &mut [Maxima],
    sums: &mut [f32],
) -> Summary {
    let ahead = engine.ahead();
    let shape = if within_reach {
        Frame::around(max, scale)
    } else {
        Frame::below(max, scale)
    };
    let (reach, frame) = (f64::INFINITY, Some(shape));
    let pass = run_in_frame!(
        engine,
        shape,
        Stats::<E> {
            row,
            ahead,
            scale,
            reach,
            frame,
            maxima,
            sums
        }
    );
    pass.summary(row.len(), crate::blocks(row.len()))
}

/// The first logit that is NaN or +∞.
#[cold]
pub(crate) fn first_invalid<E: Element>(row: &[E]) -> Option<Fault> {
    row.iter().enumerate().find_map(|(index, x)| {
        let value = x.value();
        (value.is_nan() || value == f32::INFINITY).then_some(Fault::Invalid { index, value })
    })
}

struct Stats<'a, E, const SHIFTED: bool> {
    row: &'a [E],
    ahead: usize,
    scale: f64,
    /// |x·scale| up to which an N may be chosen from the first logits.
    reach: f64,
    /// The units, where they are known already.
    frame: Option<Frame>,
    maxima: &'a mut [Maxima],
    sums: &'a mut [f32],
}

struct Pass {
    max: f32,
    frame: Frame,
    total: f64,
    nan: bool,
    masked: usize,
    weightless: usize,
}

impl Pass {
    fn summary(&self, logits: usize, blocks: usize) -> Summary {
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

/// Lane maxima and weight sum of one block, and whether all of its logits have weight. The order of the additions is the contract.
#[inline(always)]
fn read_block<L: Lanes, E: Element, const SHIFTED: bool>(
    l: L,
    exp: &Exp<L>,
    block: &[E; BLOCK],
    (depth, ahead): (usize, usize),
) -> (L::F, f32, bool) {
    let (quarters, _) = block.as_chunks::<64>();
    let (mut most, mut sum) = (l.splat(f32::NEG_INFINITY), l.splat(0.0));
    let mut all = l.ge(sum, sum);
    for quarter in &quarters[..depth] {
        prefetch(l, quarter, ahead);
        let x = load_four(l, quarter);
        most = l.max(l.max(l.max(x[0], x[1]), l.max(x[2], x[3])), most);
        let (w, m) = exp.four::<SHIFTED>(x);
        sum = l.add(sum, add_four(l, w));
        all = l.and(all, l.and(l.and(m[0], m[1]), l.and(m[2], m[3])));
    }
    (most, l.sum(sum), l.bits(all) == FULL)
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

impl<E: Element, const SHIFTED: bool> Kernel for Stats<'_, E, SHIFTED> {
    type Output = Pass;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Pass {
        let (blocks, rest) = self.row.as_chunks::<BLOCK>();
        let frame = match self.frame {
            Some(frame) => frame,
            None => first_frame(l, blocks, rest, self.scale, self.reach),
        };
        let exp = Exp::new(l, frame);
        // Four, but the compiler must not know: it would unroll the block and spill a third of it to the stack.
        let pace = (core::hint::black_box(4), self.ahead);
        let (mut most, mut total) = (l.splat(f32::NEG_INFINITY), 0.0);
        let (mut nan, mut masked, mut weightless) = (false, 0, 0);
        for ((block, maxima), sum) in blocks.iter().zip(&mut *self.maxima).zip(&mut *self.sums) {
            let (m, s, all) = read_block::<L, E, SHIFTED>(l, &exp, block, pace);
            l.store(m, &mut maxima.0);
            *sum = s;
            total += f64::from(s);
            most = l.max(m, most);
            if !all {
                let (n, a, b) = inspect::<L, E, SHIFTED>(l, &exp, block);
                nan |= n;
                masked += a as usize;
                weightless += b as usize;
            }
        }
        if !rest.is_empty() {
            let block = pad(rest);
            let (m, s, _) = read_block::<L, E, SHIFTED>(l, &exp, &block, pace);
            l.store(m, &mut self.maxima[blocks.len()].0);
            self.sums[blocks.len()] = s;
            total += f64::from(s);
            most = l.max(m, most);
            let (n, a, b) = inspect::<L, E, SHIFTED>(l, &exp, &block);
            nan |= n;
            masked += a as usize;
            weightless += b as usize;
        }
        Pass {
            max: l.top(most),
            frame,
            total,
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
