//! One candidate by its weight, where candidates are too many to list: in id order, block by block.
//!
//! Candidates are summed by the one tree of the lanes, under a mask where a block holds others too.

use crate::block::{BLOCK, Blocks, Maxima, add_four, count_four, load_four};
use crate::candidates::Candidates;
use crate::exp::Exp;
use crate::frame::Frame;
use crate::lanes::{FULL, Lanes, four};
use crate::level::{Kernel, run_in_frame};
use crate::stays::{Ends, Stays, view};
use crate::{Element, Engine};

/// What was chosen from blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InBlocks {
    /// The position in the row.
    pub id: u32,
    /// Candidates in all.
    pub kept: usize,
    /// The sum of the candidates' weights, in the row's frame.
    pub total: f64,
}

/// A row, and what of it stays.
#[derive(Clone, Copy, Debug)]
pub struct Kept<'a, E, S> {
    /// The logits.
    pub row: &'a [E],
    /// The units of its weights.
    pub frame: Frame,
    /// What stays.
    pub stays: S,
    /// The lane maxima of its blocks.
    pub maxima: &'a [Maxima],
    /// The weight sums of its blocks.
    pub sums: &'a [f32],
}

impl<'a, E, S: Stays> Kept<'a, E, S> {
    /// The same row, of which something else stays.
    pub fn with<T>(self, stays: T) -> Kept<'a, E, T> {
        Kept {
            row: self.row,
            frame: self.frame,
            stays,
            maxima: self.maxima,
            sums: self.sums,
        }
    }
}

/// Chooses among all that stays in id order where `kept.sums` are the weights of what stays in each block: no read of the row but one
/// block. `total` is their sum.
///
/// The same as [`choose_in_blocks`], which makes those sums.
pub fn choose_whole<E: Element, S: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    total: f64,
    uniform: f64,
) -> u32 {
    let sums = &kept.sums[..crate::blocks(kept.row.len())];
    let target = uniform * total;
    let (block, before) = walk(sums, target, 0.0);
    run_in_frame!(
        engine,
        kept.frame,
        ChooseInBlock::<E, S> {
            kept,
            block,
            target,
            before,
        }
    )
}

struct ChooseInBlock<'a, E, S, const SHIFTED: bool> {
    kept: Kept<'a, E, S>,
    block: usize,
    target: f64,
    before: f64,
}

impl<E: Element, S: Stays, const SHIFTED: bool> Kernel for ChooseInBlock<'_, E, S, SHIFTED> {
    type Output = u32;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> u32 {
        let Self {
            kept: Kept {
                row, frame, stays, ..
            },
            block: b,
            target,
            before,
        } = self;
        let exp = Exp::new(l, frame);
        let blocks = Blocks::of(row);
        let mut room = [E::FLOOR; BLOCK];
        let ends = Ends::new(l, stays.interval(b));
        let block = view(&stays, &blocks, b, &mut room);
        let weights = masked_weights::<L, E, S, SHIFTED>(l, &exp, block, ends);
        let (i, _) = walk(&weights, target, before);
        (b * BLOCK + i) as u32
    }
}

/// Chooses among all that stays in id order, reading the blocks that hold any.
///
/// The numbers of candidates and the sum of their weights come from the first walk over those blocks; a block that stays whole
/// costs comparisons only.
pub fn choose_in_blocks<E: Element, S: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    uniform: f64,
    room: &mut Candidates,
) -> InBlocks {
    run_in_frame!(
        engine,
        kept.frame,
        ChooseInBlocks::<E, S> {
            kept,
            uniform,
            room,
        }
    )
}

struct ChooseInBlocks<'a, E, S, const SHIFTED: bool> {
    kept: Kept<'a, E, S>,
    uniform: f64,
    room: &'a mut Candidates,
}

/// The sum of the weights between `ends` in a block, by the one tree, and how many they are.
#[inline(always)]
fn masked_sum<L: Lanes, E: Element, S: Stays, const SHIFTED: bool>(
    l: L,
    exp: &Exp<L>,
    block: &[E; BLOCK],
    ends: Ends<L>,
    stored: f32,
) -> (f32, usize) {
    let (quarters, _) = block.as_chunks::<64>();
    let zero = l.splat(0.0);
    let mut all = l.ge(zero, zero);
    let mut q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let m = four!(j => ends.hold(S::CEILING, x[j]));
        all = l.and(all, l.and(l.and(m[0], m[1]), l.and(m[2], m[3])));
        q += 1;
    }
    if l.bits(all) == FULL {
        return (stored, BLOCK);
    }
    let (mut sum, mut count) = (zero, 0);
    q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let (w, _) = exp.four::<SHIFTED>(x);
        let m = four!(j => ends.hold(S::CEILING, x[j]));
        let w = four!(j => l.keep(m[j], w[j]));
        sum = l.add(sum, add_four(l, w));
        count += count_four(l, m);
        q += 1;
    }
    (l.sum(sum), count)
}

/// The weights of a block, 0 outside `ends`.
#[inline(always)]
fn masked_weights<L: Lanes, E: Element, S: Stays, const SHIFTED: bool>(
    l: L,
    exp: &Exp<L>,
    block: &[E; BLOCK],
    ends: Ends<L>,
) -> [f32; BLOCK] {
    let mut weights = [0.0; BLOCK];
    let (quarters, _) = block.as_chunks::<64>();
    let (to, _) = weights.as_chunks_mut::<16>();
    let mut q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let (w, _) = exp.four::<SHIFTED>(x);
        let mut j = 0;
        while j < 4 {
            let m = ends.hold(S::CEILING, x[j]);
            l.store(l.keep(m, w[j]), &mut to[4 * q + j]);
            j += 1;
        }
        q += 1;
    }
    weights
}

/// The part in which the target falls, and the running sum before it; the last part above 0 if it falls in none.
#[inline(always)]
fn walk(sums: &[f32], target: f64, before: f64) -> (usize, f64) {
    let (mut at, mut last, mut running) = (before, (0, before), before);
    for (i, &s) in sums.iter().enumerate() {
        running += f64::from(s);
        if s > 0.0 {
            last = (i, at);
        }
        if running > target {
            return (i, at);
        }
        at = running;
    }
    last
}

impl<E: Element, S: Stays, const SHIFTED: bool> Kernel for ChooseInBlocks<'_, E, S, SHIFTED> {
    type Output = InBlocks;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> InBlocks {
        let Self {
            kept:
                Kept {
                    row,
                    frame,
                    stays,
                    maxima,
                    sums,
                },
            uniform,
            room,
        } = self;
        let exp = Exp::new(l, frame);
        let blocks = Blocks::of(row);
        let mut view_room = [E::FLOOR; BLOCK];
        let (mut hits, mut total, mut kept) = (0, 0.0, 0);
        for (b, maxima) in maxima[..crate::blocks(row.len())].iter().enumerate() {
            let ends = Ends::new(l, stays.interval(b));
            if ends.reached_by(maxima) == 0 {
                continue;
            }
            let block = view(&stays, &blocks, b, &mut view_room);
            let (part, count) = masked_sum::<L, E, S, SHIFTED>(l, &exp, block, ends, sums[b]);
            room.hits[hits] = b as u32;
            room.parts[hits] = part;
            hits += 1;
            total += f64::from(part);
            kept += count;
        }
        let target = uniform * total;
        let (part, before) = walk(&room.parts[..hits], target, 0.0);
        let choice = ChooseInBlock::<E, S, SHIFTED> {
            kept: self.kept,
            block: room.hits[part] as usize,
            target,
            before,
        };
        InBlocks {
            id: choice.run(l),
            kept,
            total,
        }
    }
}
