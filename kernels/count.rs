//! How many logits stand at or above each of four edges, and where the n-th of equal ones stands.

use crate::block::{BLOCK, Blocks, load_four};
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::{Element, Engine};

/// For each edge, the number of logits at or above it. One read of the row.
pub fn count_at_least<E: Element>(engine: Engine, row: &[E], edges: [f32; 4]) -> [usize; 4] {
    engine.run(Count { row, edges })
}

struct Count<'a, E> {
    row: &'a [E],
    edges: [f32; 4],
}

/// Blocks after which lane counts, kept as f32, are taken off: 16 logits a lane and block stay exact far beyond that.
const FLUSH: usize = 1 << 16;

impl<E: Element> Kernel for Count<'_, E> {
    type Output = [usize; 4];

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> [usize; 4] {
        let edge = four!(j => l.splat(self.edges[j]));
        let (zero, one) = (l.splat(0.0), l.splat(1.0));
        let blocks = Blocks::of(self.row);
        let end = crate::blocks(self.row.len());
        let mut total = [0; 4];
        let mut b = 0;
        while b < end {
            let stop = end.min(b + FLUSH);
            let mut lanes = [zero; 4];
            while b < stop {
                let (quarters, _) = blocks.get(b).as_chunks::<64>();
                let mut q = 0;
                while q < 4 {
                    let x = load_four(l, &quarters[q]);
                    let mut i = 0;
                    while i < 4 {
                        lanes = four!(j => l.add(lanes[j], l.keep(l.ge(x[i], edge[j]), one)));
                        i += 1;
                    }
                    q += 1;
                }
                b += 1;
            }
            let sums = four!(j => l.sum(lanes[j]));
            total = four!(j => total[j] + sums[j] as usize);
        }
        total
    }
}

/// The position of the `n`-th (from 0) of the logits equal to `value`; of the last of them where they are fewer.
pub(crate) fn nth_equal<E: Element>(engine: Engine, row: &[E], value: f32, n: usize) -> usize {
    engine.run(NthEqual { row, value, n })
}

struct NthEqual<'a, E> {
    row: &'a [E],
    value: f32,
    n: usize,
}

impl<E: Element> Kernel for NthEqual<'_, E> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> usize {
        let (at, above) = (l.splat(self.value), l.splat(self.value.next_up()));
        let blocks = Blocks::of(self.row);
        let (mut left, mut last) = (self.n, 0);
        let mut b = 0;
        while b < crate::blocks(self.row.len()) {
            let block = blocks.get(b);
            let (vectors, _) = block.as_chunks::<16>();
            let mut i = 0;
            while i < 16 {
                let x = E::load(l, &vectors[i]);
                let mut mask = l.bits(l.ge(x, at)) & !l.bits(l.ge(x, above));
                let here = mask.count_ones() as usize;
                let start = b * BLOCK + i * 16;
                if left < here {
                    while left > 0 {
                        mask &= mask - 1;
                        left -= 1;
                    }
                    return start + mask.trailing_zeros() as usize;
                }
                if here > 0 {
                    last = start + mask.ilog2() as usize;
                }
                left -= here;
                i += 1;
            }
            b += 1;
        }
        last
    }
}
