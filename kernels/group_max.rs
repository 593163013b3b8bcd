//! The greatest logit of each lane of each block, and of the row: the cheapest thing that can be known of a row.

use crate::block::{BLOCK, Maxima, load_four, pad};
use crate::lanes::Lanes;
use crate::level::Kernel;
use crate::{Element, Engine};

/// The greatest logit of `row`, with the lane maxima of each block in `maxima`; −∞ where nothing is above it.
///
/// One read. NaN is not looked for, and may hide other logits.
///
/// # Panics
///
/// If `maxima` has fewer entries than the row has blocks.
pub fn group_max<E: Element>(engine: Engine, row: &[E], maxima: &mut [Maxima]) -> f32 {
    assert!(
        maxima.len() >= crate::blocks(row.len()),
        "one entry a block"
    );
    engine.run(GroupMax { row, maxima })
}

struct GroupMax<'a, E> {
    row: &'a [E],
    maxima: &'a mut [Maxima],
}

/// The lane maxima of one block.
#[inline(always)]
pub(crate) fn block_max<L: Lanes, E: Element>(l: L, block: &[E; BLOCK]) -> L::F {
    let (quarters, _) = block.as_chunks::<64>();
    let mut m = load_four(l, &quarters[0]);
    let mut q = 1;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        m = [
            l.max(x[0], m[0]),
            l.max(x[1], m[1]),
            l.max(x[2], m[2]),
            l.max(x[3], m[3]),
        ];
        q += 1;
    }
    l.max(l.max(m[0], m[1]), l.max(m[2], m[3]))
}

impl<E: Element> Kernel for GroupMax<'_, E> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> f32 {
        let (blocks, rest) = self.row.as_chunks::<BLOCK>();
        let mut most = l.splat(f32::NEG_INFINITY);
        for (block, maxima) in blocks.iter().zip(&mut *self.maxima) {
            let m = block_max(l, block);
            l.store(m, &mut maxima.0);
            most = l.max(m, most);
        }
        if !rest.is_empty() {
            let m = block_max(l, &pad(rest));
            l.store(m, &mut self.maxima[blocks.len()].0);
            most = l.max(m, most);
        }
        l.top(most)
    }
}
