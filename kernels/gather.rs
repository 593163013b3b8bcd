//! The logits that stay, in id order, listed where they are few.

use crate::block::{BLOCK, Blocks, Maxima, load_four};
use crate::candidates::{Candidates, FEW};
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::stays::{Ends, Stays, split_block, view};
use crate::{Element, Engine};

/// How many logits stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// So many, all listed in id order.
    Few(usize),
    /// More than [`FEW`]: nothing is listed.
    Many,
}

/// Lists what stays of `row` in `into`; blocks whose maxima are too small are not read.
///
/// # Panics
///
/// If `into` was not reserved for the row, or `maxima` has fewer entries than the row has blocks.
pub fn gather<E: Element, S: Stays>(
    engine: Engine,
    row: &[E],
    maxima: &[Maxima],
    stays: S,
    into: &mut Candidates,
) -> Found {
    let maxima = &maxima[..crate::blocks(row.len())];
    engine.run(Gather {
        row,
        maxima,
        stays,
        into,
    })
}

struct Gather<'a, E, S> {
    row: &'a [E],
    maxima: &'a [Maxima],
    stays: S,
    into: &'a mut Candidates,
}

impl<E: Element, S: Stays> Kernel for Gather<'_, E, S> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Found {
        let Self {
            row, stays, into, ..
        } = self;
        let split = split_block(&stays);
        let (mut hits, mut groups) = (0, 0);
        for (b, maxima) in (0_u32..).zip(self.maxima) {
            let ends = Ends::new(l, stays.interval(b as usize));
            let hit = l.bits(ends.reached_by(l.load(&maxima.0)));
            into.hits[hits] = b;
            hits += usize::from(hit != 0);
            // A lane of the split block may hold only ties that go, and a maximum may lie above what stays.
            groups += if S::CEILING || b as usize == split {
                0
            } else {
                hit.count_ones() as usize
            };
        }
        if groups > FEW {
            return Found::Many;
        }
        let blocks = Blocks::of(row);
        let mut room = [E::FLOOR; BLOCK];
        let mut found = 0;
        let mut i = 0;
        while i < hits {
            let b = into.hits[i] as usize;
            let ends = Ends::new(l, stays.interval(b));
            let block = view(&stays, &blocks, b, &mut room);
            found = append::<L, E, S>(l, (b, block), (ends, None), into, found);
            if found > FEW {
                return Found::Many;
            }
            i += 1;
        }
        Found::Few(found)
    }
}

/// Appends the logits of block `b` that lie between the ends, but not between those of `except`.
#[inline(always)]
fn append<L: Lanes, E: Element, S: Stays>(
    l: L,
    (b, block): (usize, &[E; BLOCK]),
    (ends, except): (Ends<L>, Option<Ends<L>>),
    into: &mut Candidates,
    mut found: usize,
) -> usize {
    let (quarters, _) = block.as_chunks::<64>();
    let mut q = 0;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        let mut m = four!(j => ends.hold(S::CEILING, x[j]));
        if let Some(except) = except {
            m = four!(j => l.and_not(m[j], except.hold(S::CEILING, x[j])));
        }
        let bits = four!(j => u64::from(l.bits(m[j])));
        let mut mask = bits[0] | bits[1] << 16 | bits[2] << 32 | bits[3] << 48;
        while mask != 0 {
            let j = mask.trailing_zeros() as usize;
            into.ids[found] = (b * BLOCK + q * 64 + j) as u32;
            into.values[found] = quarters[q][j].value();
            found += 1;
            mask &= mask - 1;
        }
        q += 1;
    }
    found
}

/// Lists what stays of `row` but for the logits between the two of `except`, both included; where what stays has no ceiling, neither
/// has `except`. Reads the row.
pub(crate) fn gather_except<E: Element, S: Stays>(
    engine: Engine,
    row: &[E],
    stays: S,
    except: (f32, f32),
    into: &mut Candidates,
) -> Found {
    engine.run(GatherExcept {
        row,
        stays,
        except,
        into,
    })
}

struct GatherExcept<'a, E, S> {
    row: &'a [E],
    stays: S,
    except: (f32, f32),
    into: &'a mut Candidates,
}

impl<E: Element, S: Stays> Kernel for GatherExcept<'_, E, S> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Found {
        let Self {
            row, stays, into, ..
        } = self;
        let except = Ends::new(l, self.except);
        let blocks = Blocks::of(row);
        let mut room = [E::FLOOR; BLOCK];
        let mut found = 0;
        let mut b = 0;
        while b < crate::blocks(row.len()) {
            let ends = Ends::new(l, stays.interval(b));
            let block = view(&stays, &blocks, b, &mut room);
            found = append::<L, E, S>(l, (b, block), (ends, Some(except)), into, found);
            if found > FEW {
                return Found::Many;
            }
            b += 1;
        }
        Found::Few(found)
    }
}
