//! One candidate by its weight in a given order, where candidates are many: found by mass, without sorting them.
//!
//! Let S(p) be the weight of the candidates at place p or before it. The candidate whose turn it is when the running sum passes the
//! target is the one with S(before it) <= target < S(with it). S is a sum by one fixed tree of terms that only vanish as places
//! move to the front, so it falls monotonically even in f32, and a bracket around the target can be narrowed until what is inside
//! can be listed.

use crate::block::BLOCK;
use crate::bracket::{Bracket, around, sampled};
use crate::candidates::{Candidates, ordinal};
use crate::choose::{List, last_keyed, pass_keyed};
use crate::choose_in_blocks::Kept;
use crate::count::nth_equal;
use crate::cut::Cut;
use crate::distance::Distance;
use crate::exp::{weigh, weight_of};
use crate::frame::Frame;
use crate::gather::{Found, gather_except};
use crate::masses::masses;
use crate::order::{Order, Rank, Until};
use crate::stays::Stays;
use crate::{Element, Engine};

/// What stays, weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// The greatest logit.
    pub top: f32,
    /// The sum of the candidates' weights, in the row's frame.
    pub total: f64,
}

/// Chooses among all that stays in rank order: greater logits first, smaller ids first among equals.
///
/// Two reads of the row as a rule, at most 30: the first pivots come from a sample of it.
pub fn mass_select<E: Element, S: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    mass: Mass,
    uniform: f64,
    room: &mut Candidates,
) -> u32 {
    let order = Rank {
        least: kept.stays.interval(0).0,
        top: mass.top,
    };
    let target = uniform * mass.total;
    due(engine, kept, order, (target, mass.total), room).0
}

/// The cut that keeps the fewest of what stays, by rank, that weigh at least `least` together; all where rounding lets nothing
/// reach it.
///
/// Cost as [`mass_select`].
pub fn mass_cut<E: Element>(
    engine: Engine,
    kept: Kept<'_, E, Cut>,
    mass: Mass,
    least: f64,
    room: &mut Candidates,
) -> Cut {
    let order = Rank {
        least: kept.stays.edge,
        top: mass.top,
    };
    // To reach a mass is to pass the number just below it.
    let target = least.next_down();
    let (id, logit) = due(engine, kept, order, (target, mass.total), room);
    Cut::with_ties(logit, id)
}

/// Of what stays in order of distance, the one at which the running weight passes `target`: its id, and its key.
///
/// `total` is the weight of all that stays. Cost as [`mass_select`].
pub fn mass_near<E: Element>(
    engine: Engine,
    kept: Kept<'_, E, Cut>,
    distance: Distance,
    (target, total): (f64, f64),
    room: &mut Candidates,
) -> (u32, u64) {
    let (id, logit) = due(engine, kept, distance, (target, total), room);
    (id, distance.key(id, logit))
}

/// The candidate at which the running sum in the order passes the target, and its logit.
fn due<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    order: O,
    (target, total): (f64, f64),
    room: &mut Candidates,
) -> (u32, f32) {
    // S(low) > target unless rounding made the target the weight of all, S(high) <= target. A target below 0 would be passed where
    // nothing is.
    let (mut bracket, mut above, mut target) = (order.all(), 0.0, target.max(0.0));
    let mut pivots = likely_pivots(engine, kept, order, target / total, room);
    while !bracket.is_one_value() {
        let inside = bracket.inside(pivots);
        let until = inside.map(|p| Until::place(kept.stays, order, p));
        for (p, mass) in inside.into_iter().zip(masses(engine, kept, until)) {
            if mass > target && p > bracket.low {
                bracket.low = p;
            }
            if mass <= target && p < bracket.high {
                (bracket.high, above) = (p, mass);
            }
        }
        let inside = Until::place(kept.stays, order, bracket.low);
        let before = order.until(bracket.high);
        if let Found::Few(n) = gather_except(engine, kept.row, inside, before, room) {
            if let Some(found) = among_listed(engine, kept.frame, order, (target - above, n), room)
            {
                return found;
            }
            // All that weighs anything stands before `high`: the last of it is due.
            debug_assert!(bracket.high < order.all().high, "nothing weighs anything");
            target = above.next_down().max(0.0);
            bracket = Bracket {
                low: bracket.high,
                high: order.all().high,
            };
            above = 0.0;
        }
        pivots = bracket.fifths();
    }
    in_one_place(engine, kept, order, (bracket.low, target - above))
}

/// The one of `n` listed candidates at which their running weight passes `target`, or the last that has weight; none where none has.
fn among_listed<O: Order>(
    engine: Engine,
    frame: Frame,
    order: O,
    (target, n): (f64, usize),
    room: &mut Candidates,
) -> Option<(u32, f32)> {
    if n == 0 {
        return None;
    }
    let top = room.greatest(n);
    let list = List {
        n,
        ordered: 0,
        top,
        scale: frame.scale,
    };
    room.key_by(n, |id, x| order.key(id, x));
    // The list is weighed relative to its greatest logit, which must have weight in the row.
    if weight_of(engine, frame, top) == 0.0 {
        return None;
    }
    let target = target * libm::exp2(-frame.exponent(top));
    let key = pass_keyed(engine, list, target, room).or_else(|| last_keyed(room, 0..n))?;
    let at = room.ids[..n].iter().position(|&id| id == key as u32)?;
    Some((room.ids[at], room.values[at]))
}

/// The candidate in one place, in id order, at which the running weight passes `target`.
fn in_one_place<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    order: O,
    (place, target): (u32, f64),
) -> (u32, f32) {
    let inside = Until::place(kept.stays, order, place);
    let before = Until::place(kept.stays, order, place + 1);
    if let Some(logit) = sole_logit(inside.ends(), before.ends()) {
        return (nth_of_equals(engine, kept, logit, target), logit);
    }
    let (mut running, mut last) = (0.0, (0, 0.0));
    let mut logits = [f32::NEG_INFINITY; BLOCK];
    let mut weights = [0.0; BLOCK];
    for (b, block) in kept.row.chunks(BLOCK).enumerate() {
        for ((i, x), logit) in block.iter().enumerate().zip(&mut logits) {
            let (id, x) = ((b * BLOCK + i) as u32, x.value());
            let here = inside.keeps(id, x) && !before.keeps(id, x);
            *logit = if here { x } else { f32::NEG_INFINITY };
        }
        logits[block.len()..].fill(f32::NEG_INFINITY);
        weigh(engine, kept.frame, &logits, &mut weights);
        for (i, (&x, &weight)) in logits.iter().zip(&weights).enumerate() {
            if weight > 0.0 {
                last = ((b * BLOCK + i) as u32, x);
                running += f64::from(weight);
                if running > target {
                    return last;
                }
            }
        }
    }
    last
}

/// The logit that the first interval holds and the second, which lies within it, does not, if it is one.
fn sole_logit(outer: (f32, f32), inner: (f32, f32)) -> Option<f32> {
    let count = |(low, high)| (i64::from(ordinal(high)) - i64::from(ordinal(low)) + 1).max(0);
    let sole = count(outer) - count(inner) == 1;
    sole.then_some(if outer.0 == inner.0 { outer.1 } else { outer.0 })
}

/// Of equal logits, which weigh the same, the one at which the running weight passes `target`: its place is a division.
fn nth_of_equals<E: Element, S: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    logit: f32,
    target: f64,
) -> u32 {
    let weight = f64::from(weight_of(engine, kept.frame, logit));
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

/// Places that are likely to lie closely around the one at which the running weight passes a share of the total.
fn likely_pivots<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    order: O,
    share: f64,
    room: &mut Candidates,
) -> [u32; 4] {
    let mut m = 0;
    for (id, x) in sampled(kept.row) {
        room.keys[m] = u64::from(!order.place(x)) << 32 | u64::from(x.to_bits());
        m += usize::from(kept.stays.keeps(id, x));
    }
    if m == 0 {
        return [order.all().low; 4];
    }
    room.keys[..m].sort_unstable();
    let end = m.next_multiple_of(16);
    for (x, &key) in room.values.iter_mut().zip(&room.keys[..m]) {
        *x = f32::from_bits(key as u32);
    }
    room.values[m..end].fill(f32::NEG_INFINITY);
    weigh(
        engine,
        kept.frame,
        &room.values[..end],
        &mut room.weights[..end],
    );
    let total: f64 = room.weights[..m].iter().map(|&w| f64::from(w)).sum();
    let (mut running, mut due) = (0.0, 0);
    while due + 1 < m && running + f64::from(room.weights[due]) <= share * total {
        running += f64::from(room.weights[due]);
        due += 1;
    }
    around(due as f64 / m as f64, m).map(|i| order.place(room.values[i]))
}
