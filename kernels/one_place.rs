//! One candidate by a running measure among those in one place of an order, however many they are.

use crate::block::BLOCK;
use crate::candidates::ordinal;
use crate::choose_in_blocks::Kept;
use crate::count::nth_equal;
use crate::order::{Order, Until};
use crate::select::By;
use crate::stays::Stays;
use crate::weigh::{weigh, weight_of};
use crate::{Element, Engine};

/// The candidate that stands after `before`, but not after `until`, at which the running measure in id order passes `target`: its
/// id and its logit.
pub(crate) fn in_one_place<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    [before, until]: [Until<S, O>; 2],
    (by, target): (By, f64),
) -> (u32, f32) {
    if let Some(logit) = sole_logit(until.ends(), before.ends()) {
        return (nth_of_equals(engine, kept, logit, (by, target)), logit);
    }
    let (mut running, mut last) = (0.0, (0, 0.0));
    let mut logits = [f32::NEG_INFINITY; BLOCK];
    let mut weights = [0.0; BLOCK];
    for (b, block) in kept.row.chunks(BLOCK).enumerate() {
        for ((i, x), logit) in block.iter().enumerate().zip(&mut logits) {
            let (id, x) = ((b * BLOCK + i) as u32, x.value());
            let here = until.keeps(id, x) && !before.keeps(id, x);
            *logit = if here { x } else { f32::NEG_INFINITY };
        }
        logits[block.len()..].fill(f32::NEG_INFINITY);
        weigh(engine, kept.frame, &logits, &mut weights);
        for (i, (&x, &weight)) in logits.iter().zip(&weights).enumerate() {
            if weight > 0.0 {
                last = ((b * BLOCK + i) as u32, x);
                running += by.of(weight);
                if running > target {
                    return last;
                }
            }
        }
    }
    last
}

/// The logit that the first interval holds and the second, which lies within it, does not, if it is one.
pub(crate) fn sole_logit(outer: (f32, f32), inner: (f32, f32)) -> Option<f32> {
    let count = |(low, high)| (i64::from(ordinal(high)) - i64::from(ordinal(low)) + 1).max(0);
    let sole = count(outer) - count(inner) == 1;
    sole.then_some(if outer.0 == inner.0 { outer.1 } else { outer.0 })
}

/// Of equal logits, which weigh the same, the one at which the running measure passes `target`: its place is a division.
fn nth_of_equals<E: Element, S: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    logit: f32,
    (by, target): (By, f64),
) -> u32 {
    let weight = by.of(weight_of(engine, kept.frame, logit));
    let place = target / weight;
    let mut place = if weight > 0.0 && place > 0.0 {
        place as usize
    } else {
        0
    };
    // The quotient may have been rounded up to a whole.
    if place > 0 && place as f64 * weight > target {
        place -= 1;
    }
    let row = match kept.stays.last_tie() {
        last if kept.stays.is_tie(logit) && (last as usize) < kept.row.len() => {
            &kept.row[..=last as usize]
        }
        _ => kept.row,
    };
    nth_equal(engine, row, logit, place) as u32
}
