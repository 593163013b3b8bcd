//! The logits that stay, in id order, found through the lane maxima: blocks without any are not read.

use crate::block::{BLOCK, Blocks, Maxima, load_four};
use crate::candidates::{Candidates, FEW};
use crate::cut::Cut;
use crate::lanes::Lanes;
use crate::level::Kernel;
use crate::{Element, Engine};

/// How many logits stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// So many, all listed in id order.
    Few(usize),
    /// More than [`FEW`]: nothing is listed.
    Many,
}

/// Lists what `cut` keeps of `row` in `into`.
///
/// # Panics
///
/// If `into` was not reserved for the row, or `maxima` has fewer entries than the row has blocks.
pub fn gather<E: Element>(
    engine: Engine,
    row: &[E],
    maxima: &[Maxima],
    cut: Cut,
    into: &mut Candidates,
) -> Found {
    let maxima = &maxima[..crate::blocks(row.len())];
    engine.run(Gather {
        row,
        maxima,
        cut,
        into,
    })
}

struct Gather<'a, E> {
    row: &'a [E],
    maxima: &'a [Maxima],
    cut: Cut,
    into: &'a mut Candidates,
}

/// Appends to `ids` and `values` the logits of a block that the mask of each quarter names.
#[inline(always)]
fn append<L: Lanes, E: Element>(
    l: L,
    block: &[E; BLOCK],
    edge: L::F,
    start: u32,
    into: &mut Candidates,
    mut found: usize,
) -> usize {
    let (quarters, _) = block.as_chunks::<64>();
    let mut q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let mut mask = 0;
        let mut j = 0;
        while j < 4 {
            mask |= u64::from(l.bits(l.ge(x[j], edge))) << (16 * j);
            j += 1;
        }
        while mask != 0 {
            let j = mask.trailing_zeros();
            into.ids[found] = start + q as u32 * 64 + j;
            into.values[found] = quarters[q][j as usize].value();
            found += 1;
            mask &= mask - 1;
        }
        q += 1;
    }
    found
}

impl<E: Element> Kernel for Gather<'_, E> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Found {
        let (cut, split) = (self.cut, self.cut.split_block());
        let (at, above) = (l.splat(cut.edge), l.splat(cut.edge.next_up()));
        let (mut hits, mut groups) = (0, 0);
        for (b, maxima) in (0_u32..).zip(self.maxima) {
            let edge = if b as usize > split { above } else { at };
            let hit = l.bits(l.ge(l.load(&maxima.0), edge));
            self.into.hits[hits] = b;
            hits += usize::from(hit != 0);
            // A lane of the split block may hold only ties that go.
            groups += if b as usize == split {
                0
            } else {
                hit.count_ones() as usize
            };
        }
        if groups > FEW {
            return Found::Many;
        }
        let blocks = Blocks::of(self.row);
        let mut found = 0;
        let mut i = 0;
        while i < hits {
            let b = self.into.hits[i] as usize;
            if b == split {
                let mut view = [E::FLOOR; BLOCK];
                let block = cut.view(&blocks, b, &mut view);
                found = append(l, block, at, (b * BLOCK) as u32, self.into, found);
            } else {
                let edge = if b > split { above } else { at };
                found = append(l, blocks.get(b), edge, (b * BLOCK) as u32, self.into, found);
            }
            if found > FEW {
                return Found::Many;
            }
            i += 1;
        }
        Found::Few(found)
    }
}

/// Lists what `cut` keeps of the logits below `until`, which must be at most [`FEW`], and says how many they are.
pub(crate) fn gather_below<E: Element>(
    engine: Engine,
    row: &[E],
    cut: Cut,
    until: f32,
    into: &mut Candidates,
) -> usize {
    engine.run(GatherBelow {
        row,
        cut,
        until,
        into,
    })
}

struct GatherBelow<'a, E> {
    row: &'a [E],
    cut: Cut,
    until: f32,
    into: &'a mut Candidates,
}

impl<E: Element> Kernel for GatherBelow<'_, E> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> usize {
        let until = l.splat(self.until);
        let blocks = Blocks::of(self.row);
        let mut view = [E::FLOOR; BLOCK];
        let mut found = 0;
        let mut b = 0;
        while b < crate::blocks(self.row.len()) {
            let from = l.splat(self.cut.edge_of_block(b));
            let (vectors, _) = self.cut.view(&blocks, b, &mut view).as_chunks::<16>();
            let mut i = 0;
            while i < 16 {
                let x = E::load(l, &vectors[i]);
                let mut mask = l.bits(l.ge(x, from)) & !l.bits(l.ge(x, until));
                while mask != 0 {
                    let j = mask.trailing_zeros() as usize;
                    self.into.ids[found] = (b * BLOCK + i * 16 + j) as u32;
                    self.into.values[found] = vectors[i][j].value();
                    found += 1;
                    mask &= mask - 1;
                }
                i += 1;
            }
            b += 1;
        }
        found
    }
}
