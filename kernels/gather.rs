//! The logits that stay, in id order, listed where they are few.

use crate::block::{BLOCK, Blocks, Maxima, load_four};
use crate::candidates::{Candidates, FEW};
use crate::hits::find_hits;
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::stays::{Ends, Stays, view};
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
        hits: None,
        into,
    })
}

/// The same where only the first `hits` blocks of `into.hits` can hold what stays.
pub(crate) fn gather_hits<E: Element, S: Stays>(
    engine: Engine,
    row: &[E],
    maxima: &[Maxima],
    (stays, hits): (S, usize),
    into: &mut Candidates,
) -> Found {
    engine.run(Gather {
        row,
        maxima,
        stays,
        hits: Some(hits),
        into,
    })
}

struct Gather<'a, E, S> {
    row: &'a [E],
    maxima: &'a [Maxima],
    stays: S,
    hits: Option<usize>,
    into: &'a mut Candidates,
}

/// Blocks whose columns are copied before the first of them is looked at.
///
/// A column is written number by number. Read as a vector right then, it would wait until all of that has reached the cache.
const AT_ONCE: usize = 8;

impl<E: Element, S: Stays> Kernel for Gather<'_, E, S> {
    type Output = Found;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Found {
        let Self {
            row,
            maxima,
            stays,
            into,
            ..
        } = self;
        let hits = find_hits(l, &stays, maxima, self.hits, &mut into.hits);
        // A maximum may lie above what stays, and the lanes of the split block may hold only ties that go.
        if !S::CEILING && hits.lanes > FEW + 16 {
            return Found::Many;
        }
        let blocks = Blocks::of(row);
        let mut room = [E::FLOOR; BLOCK];
        let mut columns = [[E::FLOOR; 16]; AT_ONCE];
        let mut lanes = [0; AT_ONCE];
        let mut found = 0;
        let mut start = 0;
        while start < hits.blocks {
            let end = hits.blocks.min(start + AT_ONCE);
            let mut i = start;
            while i < end {
                let b = into.hits[i] as usize;
                let reaching = Ends::new(l, stays.interval(b)).reached_by(&maxima[b]);
                lanes[i - start] = reaching;
                if reaching.is_power_of_two() {
                    // Where few logits stay, as a rule no other lane can hold any.
                    let (vectors, _) = view(&stays, &blocks, b, &mut room).as_chunks::<16>();
                    let lane = reaching.trailing_zeros() as usize % 16;
                    let mut k = 0;
                    while k < 16 {
                        columns[i - start][k] = vectors[k][lane];
                        k += 1;
                    }
                }
                i += 1;
            }
            i = start;
            while i < end {
                let b = into.hits[i] as usize;
                let ends = Ends::new(l, stays.interval(b));
                let reaching = lanes[i - start];
                found = if reaching.is_power_of_two() {
                    let first = b * BLOCK + reaching.trailing_zeros() as usize;
                    let column = &columns[i - start];
                    append_column::<L, E, S>(l, (first, column), ends, into, found)
                } else {
                    let block = view(&stays, &blocks, b, &mut room);
                    append::<L, E, S>(l, (b, block), (ends, None), into, found)
                };
                if found > FEW {
                    return Found::Many;
                }
                i += 1;
            }
            start = end;
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
        found += list_four(
            l,
            ((b * BLOCK + q * 64) as u32, &quarters[q]),
            m,
            into,
            found,
        );
        q += 1;
    }
    found
}

/// The same of one lane of a block, its first logit having the id `first`.
#[inline(always)]
fn append_column<L: Lanes, E: Element, S: Stays>(
    l: L,
    (first, column): (usize, &[E; 16]),
    ends: Ends<L>,
    into: &mut Candidates,
    found: usize,
) -> usize {
    let mut mask = l.bits(ends.hold(S::CEILING, E::load(l, column)));
    let n = mask.count_ones() as usize;
    let mut i = 0;
    while i < 1 || mask != 0 {
        let k = mask.trailing_zeros() as usize % 16;
        into.ids[found + i] = (first + 16 * k) as u32;
        into.values[found + i] = column[k].value();
        mask &= mask.wrapping_sub(1);
        i += 1;
    }
    found + n
}

/// Lists those of 64 logits that the masks name, behind the first `at` of the list, the first logit having the id `first`; returns
/// how many.
///
/// Where they are few, how many makes no branch: two are written whether or not there are so many.
#[inline(always)]
pub(crate) fn list_four<L: Lanes, E: Element>(
    l: L,
    (first, logits): (u32, &[E; 64]),
    m: [L::M; 4],
    into: &mut Candidates,
    at: usize,
) -> usize {
    // One after the other: four shifts side by side would become a detour through a vector.
    let mut mask = four!(j => u64::from(l.bits(m[3 - j])))
        .into_iter()
        .fold(0, |mask, bits| mask << 16 | bits);
    let n = mask.count_ones() as usize;
    let (ids, values) = (&mut into.ids[at..at + 64], &mut into.values[at..at + 64]);
    let mut i = 0;
    while i < 2 || mask != 0 {
        let j = mask.trailing_zeros() % 64;
        ids[i] = first + j;
        values[i] = logits[j as usize].value();
        mask &= mask.wrapping_sub(1);
        i += 1;
    }
    n
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
