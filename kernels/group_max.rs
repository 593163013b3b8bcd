//! The greatest logit of each lane of each block, and of the row: the cheapest thing that can be known of a row.

use crate::ahead::Ahead;
use crate::block::{BLOCK, Maxima, add_four, load_four, pad};
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::stats::{Fault, first_invalid};
use crate::{Element, Engine};

/// The greatest logit of `row`, +0.0 where that is a zero, with the lane maxima of each block in `maxima`.
///
/// One read. NaN is found by a plain sum of the logits, which no comparison can hide it from.
///
/// # Errors
///
/// [`Fault`], with the first place of a NaN or +∞.
///
/// # Panics
///
/// If `maxima` has fewer entries than the row has blocks.
pub fn group_max<E: Element>(
    engine: Engine,
    row: &[E],
    maxima: &mut [Maxima],
) -> Result<f32, Fault> {
    assert!(
        maxima.len() >= crate::blocks(row.len()),
        "one entry a block"
    );
    let ahead = Ahead::here();
    let (max, sum) = engine.run(GroupMax { row, ahead, maxima });
    // −∞ is an ordinary logit; NaN and +∞ in the sum may come of a fault or of finite logits too great to be added.
    if (sum.is_nan() || sum == f32::INFINITY)
        && let Some(fault) = first_invalid(row)
    {
        return Err(fault);
    }
    if max == f32::NEG_INFINITY {
        return Err(Fault::AllMasked);
    }
    Ok(max)
}

struct GroupMax<'a, E> {
    row: &'a [E],
    ahead: Ahead,
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

/// The lane maxima of one block, and `sum` with its logits added.
#[inline(always)]
fn read_block<L: Lanes, E: Element>(
    l: L,
    block: &[E; BLOCK],
    mut sum: [L::F; 4],
) -> (L::F, [L::F; 4]) {
    let (quarters, _) = block.as_chunks::<64>();
    let mut m = load_four(l, &quarters[0]);
    sum = four!(j => l.add(sum[j], m[j]));
    let mut q = 1;
    while q < 4 {
        let x = load_four(l, &quarters[q]);
        m = four!(j => l.max(x[j], m[j]));
        sum = four!(j => l.add(sum[j], x[j]));
        q += 1;
    }
    (l.max(l.max(m[0], m[1]), l.max(m[2], m[3])), sum)
}

impl<E: Element> Kernel for GroupMax<'_, E> {
    type Output = (f32, f32);

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> (f32, f32) {
        let (blocks, rest) = self.row.as_chunks::<BLOCK>();
        let mut most = l.splat(f32::NEG_INFINITY);
        let mut sum = [l.splat(0.0); 4];
        for (block, maxima) in blocks.iter().zip(&mut *self.maxima) {
            self.ahead.ask(l, block);
            let (m, s) = read_block(l, block, sum);
            l.store(m, &mut maxima.0);
            most = l.max(m, most);
            sum = s;
        }
        if !rest.is_empty() {
            let (m, s) = read_block(l, &pad(rest), sum);
            l.store(m, &mut self.maxima[blocks.len()].0);
            most = l.max(m, most);
            sum = s;
        }
        (l.top(most), l.sum(add_four(l, sum)))
    }
}
