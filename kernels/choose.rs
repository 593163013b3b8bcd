//! One candidate by its weight: the first, in a given order, whose running sum passes u times the total.
//!
//! Listed candidates are weighed relative to the greatest and rounded to multiples of 2^−39, so that every sum of them is exact in
//! f64 and the choice does not depend on how the sums were made. Candidates in blocks are summed by the one tree of the lanes.

use crate::block::{BLOCK, Blocks, Maxima, add_four, load_four};
use crate::candidates::{Candidates, FEW, value_of};
use crate::cut::Cut;
use crate::exp::{Exp, Frame};
use crate::lanes::{FULL, Lanes, four};
use crate::level::Kernel;
use crate::{Element, Engine};

/// What was chosen from a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// The position in the row.
    pub id: u32,
    /// The logit.
    pub logit: f32,
    /// The sum of the candidates' weights, the weight of `top` being 1.
    pub total: f64,
}

/// The candidates that a list holds, and the order in which a running sum goes through them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct List {
    /// Candidates at the front of the list, from 1 to [`FEW`].
    pub n: usize,
    /// How many of them are in order already; the others follow in rank order, wherever they stand.
    pub ordered: usize,
    /// The greatest logit of the list.
    pub top: f32,
    /// log2(e) / temperature.
    pub scale: f64,
}

/// Chooses among the listed candidates. One whose weight rounds to 0 is never chosen.
///
/// Candidates that are not in order are not sorted either: they are parted by mass until few are left.
pub fn choose_listed(engine: Engine, list: List, uniform: f64, from: &mut Candidates) -> Listed {
    engine.run(ChooseListed {
        list,
        uniform,
        from,
    })
}

struct ChooseListed<'a> {
    list: List,
    uniform: f64,
    from: &'a mut Candidates,
}

/// Candidates whose weights are summed before the running sum looks at them.
const CHUNK: usize = 64;

/// The nearest multiple of 2^−39 of a weight of at most 2.
#[inline(always)]
fn quantum(weight: f32) -> f64 {
    const SHIFT: f64 = 1.5 * 8192.0;
    (f64::from(weight) + SHIFT) - SHIFT
}

/// The sum of weights in multiples of 2^−39: exact, so any order will do, and eight run side by side.
#[inline(always)]
fn exact_sum(weights: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (eights, rest) = weights.as_chunks::<8>();
    for eight in eights {
        let mut j = 0;
        while j < 8 {
            sums[j] += quantum(eight[j]);
            j += 1;
        }
    }
    for &w in rest {
        sums[0] += quantum(w);
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

impl Kernel for ChooseListed<'_> {
    type Output = Listed;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Listed {
        let Self {
            list:
                List {
                    n,
                    ordered,
                    top,
                    scale,
                },
            uniform,
            from,
        } = self;
        let frame = Frame::below(top, scale);
        let exp = Exp::new(l, frame);
        let end = n.next_multiple_of(CHUNK);
        let chunks = end / CHUNK;
        // What lies behind the candidates is weighed along, and set to nothing.
        let mut parts = [0.0_f64; FEW / CHUNK];
        let mut total = 0.0;
        let (values, _) = from.values[..end].as_chunks::<CHUNK>();
        let (weights, _) = from.weights[..end].as_chunks_mut::<CHUNK>();
        let mut c = 0;
        while c < chunks {
            let x = load_four(l, &values[c]);
            let (v, _) = exp.four::<true>(x);
            let (to, _) = weights[c].as_chunks_mut::<16>();
            let mut j = 0;
            while j < 4 {
                l.store(v[j], &mut to[j]);
                j += 1;
            }
            if c + 1 == chunks && n < end {
                weights[c][n % CHUNK..].fill(0.0);
            }
            parts[c] = exact_sum(&weights[c]);
            total += parts[c];
            c += 1;
        }
        let target = uniform * total;
        let mut running = 0.0;
        let mut start = 0;
        while start + CHUNK <= ordered && running + parts[start / CHUNK] <= target {
            running += parts[start / CHUNK];
            start += CHUNK;
        }
        let mut at = start;
        while at < ordered {
            let sum = running + quantum(from.weights[at]);
            if sum > target {
                return Listed {
                    id: from.ids[at],
                    logit: from.values[at],
                    total,
                };
            }
            running = sum;
            at += 1;
        }
        if ordered < n {
            from.write_keys(n);
            if let Some(key) = part_by_mass(
                &mut from.keys[ordered..n],
                &mut from.weights[ordered..n],
                running,
                target,
            ) {
                return Listed {
                    id: key as u32,
                    logit: value_of(!(key >> 32) as u32),
                    total,
                };
            }
        }
        last_listed(from, ordered, n, total)
    }
}

/// Where rounding made u · total the total: the last candidate in order that has weight.
#[cold]
fn last_listed(from: &Candidates, ordered: usize, n: usize, total: f64) -> Listed {
    let unordered = (ordered..n)
        .filter(|&i| quantum(from.weights[i]) > 0.0)
        .max_by_key(|&i| from.keys[i]);
    if let Some(i) = unordered {
        let key = from.keys[i];
        return Listed {
            id: key as u32,
            logit: value_of(!(key >> 32) as u32),
            total,
        };
    }
    let i = from.weights[..ordered]
        .iter()
        .rposition(|&w| quantum(w) > 0.0)
        .unwrap_or(0);
    Listed {
        id: from.ids[i],
        logit: from.values[i],
        total,
    }
}

/// The key at which the running sum in key order passes the target: quickselect, weighed.
#[inline(always)]
fn part_by_mass(
    mut keys: &mut [u64],
    mut weights: &mut [f32],
    mut running: f64,
    target: f64,
) -> Option<u64> {
    while keys.len() > 12 {
        let (first, middle, last) = (keys[0], keys[keys.len() / 2], keys[keys.len() - 1]);
        let pivot = first.min(middle).max(last.min(first.max(middle)));
        let mut before = 0;
        let mut i = 0;
        while i < keys.len() {
            let goes_before = keys[i] <= pivot;
            keys.swap(i, before);
            weights.swap(i, before);
            before += usize::from(goes_before);
            i += 1;
        }
        let mass = exact_sum(&weights[..before]);
        let all_before = before == keys.len();
        if running + mass > target {
            if all_before {
                // The pivot is the greatest: set it aside as the last.
                let at = position_of(keys, pivot);
                keys.swap(at, before - 1);
                weights.swap(at, before - 1);
                let rest = running + exact_sum(&weights[..before - 1]);
                if rest <= target {
                    return Some(pivot);
                }
                before -= 1;
            }
            (keys, weights) = (&mut keys[..before], &mut weights[..before]);
        } else {
            if all_before {
                return None;
            }
            running += mass;
            (keys, weights) = (&mut keys[before..], &mut weights[before..]);
        }
    }
    let mut i = 1;
    while i < keys.len() {
        let mut j = i;
        while j > 0 && keys[j - 1] > keys[j] {
            keys.swap(j - 1, j);
            weights.swap(j - 1, j);
            j -= 1;
        }
        i += 1;
    }
    i = 0;
    while i < keys.len() {
        running += quantum(weights[i]);
        if running > target {
            return Some(keys[i]);
        }
        i += 1;
    }
    None
}

#[inline(always)]
fn position_of(keys: &[u64], key: u64) -> usize {
    let mut i = 0;
    while i + 1 < keys.len() && keys[i] != key {
        i += 1;
    }
    i
}

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
pub struct Kept<'a, E> {
    /// The logits.
    pub row: &'a [E],
    /// The units of its weights.
    pub frame: Frame,
    /// What stays.
    pub cut: Cut,
    /// The lane maxima of its blocks.
    pub maxima: &'a [Maxima],
    /// The weight sums of its blocks.
    pub sums: &'a [f32],
}

/// Chooses among all that stays in id order, reading the blocks that hold any.
///
/// The numbers of candidates and the sum of their weights come from the first walk over those blocks; a block that stays whole
/// costs comparisons only.
pub fn choose_in_blocks<E: Element>(
    engine: Engine,
    kept: Kept<'_, E>,
    uniform: f64,
    room: &mut Candidates,
) -> InBlocks {
    if kept.frame.shift == 0.0 {
        engine.run(ChooseInBlocks::<E, false> {
            kept,
            uniform,
            room,
        })
    } else {
        engine.run(ChooseInBlocks::<E, true> {
            kept,
            uniform,
            room,
        })
    }
}

struct ChooseInBlocks<'a, E, const SHIFTED: bool> {
    kept: Kept<'a, E>,
    uniform: f64,
    room: &'a mut Candidates,
}

/// The sum of the weights at or above `edge` in a block, by the one tree, and how many they are.
#[inline(always)]
fn masked_sum<L: Lanes, E: Element, const SHIFTED: bool>(
    l: L,
    exp: &Exp<L>,
    block: &[E; BLOCK],
    edge: L::F,
    stored: f32,
) -> (f32, u32) {
    let (quarters, _) = block.as_chunks::<64>();
    let zero = l.splat(0.0);
    let mut all = l.ge(zero, zero);
    let mut q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let m = four!(j => l.ge(x[j], edge));
        all = l.and(all, l.and(l.and(m[0], m[1]), l.and(m[2], m[3])));
        q += 1;
    }
    if l.bits(all) == FULL {
        return (stored, BLOCK as u32);
    }
    let (mut sum, mut count) = (zero, 0);
    q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let (w, _) = exp.four::<SHIFTED>(x);
        let m = four!(j => l.ge(x[j], edge));
        let w = four!(j => l.keep(m[j], w[j]));
        sum = l.add(sum, add_four(l, w));
        count += l.bits(m[0]).count_ones() + l.bits(m[1]).count_ones();
        count += l.bits(m[2]).count_ones() + l.bits(m[3]).count_ones();
        q += 1;
    }
    (l.sum(sum), count)
}

/// The weights of a block, 0 below `edge`.
#[inline(always)]
fn masked_weights<L: Lanes, E: Element, const SHIFTED: bool>(
    l: L,
    exp: &Exp<L>,
    block: &[E; BLOCK],
    edge: L::F,
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
            l.store(l.keep(l.ge(x[j], edge), w[j]), &mut to[4 * q + j]);
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

impl<E: Element, const SHIFTED: bool> Kernel for ChooseInBlocks<'_, E, SHIFTED> {
    type Output = InBlocks;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> InBlocks {
        let Self {
            kept:
                Kept {
                    row,
                    frame,
                    cut,
                    maxima,
                    sums,
                },
            uniform,
            room,
        } = self;
        let exp = Exp::new(l, frame);
        let blocks = Blocks::of(row);
        let mut view = [E::FLOOR; BLOCK];
        let (mut hits, mut total, mut kept) = (0, 0.0, 0);
        for (b, maxima) in maxima[..crate::blocks(row.len())].iter().enumerate() {
            let edge = l.splat(cut.edge_of_block(b));
            if l.bits(l.ge(l.load(&maxima.0), edge)) == 0 {
                continue;
            }
            let block = cut.view(&blocks, b, &mut view);
            let (part, count) = masked_sum::<L, E, SHIFTED>(l, &exp, block, edge, sums[b]);
            room.hits[hits] = b as u32;
            room.parts[hits] = part;
            hits += 1;
            total += f64::from(part);
            kept += count as usize;
        }
        let target = uniform * total;
        let (part, before) = walk(&room.parts[..hits], target, 0.0);
        let b = room.hits[part] as usize;
        let edge = l.splat(cut.edge_of_block(b));
        let block = cut.view(&blocks, b, &mut view);
        let weights = masked_weights::<L, E, SHIFTED>(l, &exp, block, edge);
        let (i, _) = walk(&weights, target, before);
        InBlocks {
            id: (b * BLOCK + i) as u32,
            kept,
            total,
        }
    }
}
