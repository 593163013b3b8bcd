//! One candidate by its weight in rank order, where candidates are many: found by mass, without sorting them.
//!
//! Let S(e) be the weight of the candidates at or above e. The candidate whose turn it is when the running sum passes the target is
//! the one with S(above it) <= target < S(at or above it). S is a sum by one fixed tree of terms that only vanish as e rises, so it
//! falls monotonically even in f32, and a bracket around the target can be narrowed until what is inside can be listed and sorted.

use crate::block::{Blocks, add_four, load_four};
use crate::bracket::{Bracket, around, sample};
use crate::candidates::{Candidates, FEW, ordinal, value_of};
use crate::choose_in_blocks::Kept;
use crate::count::nth_equal;
use crate::cut::Cut;
use crate::exp::{Exp, weigh};
use crate::gather::gather_below;
use crate::lanes::{Lanes, four};
use crate::level::{Kernel, run_in_frame};
use crate::{Element, Engine};

/// What stays, weighed: the greatest logit, the number and the weight of the candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// The greatest logit.
    pub top: f32,
    /// Candidates in all.
    pub count: usize,
    /// The sum of their weights, in the row's frame.
    pub total: f64,
}

/// Chooses among all that stays in rank order: greater logits first, smaller ids first among equals.
///
/// Two reads of the row as a rule, at most 15: the first pivots come from a sample of it.
pub fn mass_select<E: Element>(
    engine: Engine,
    kept: Kept<'_, E>,
    mass: Mass,
    uniform: f64,
    room: &mut Candidates,
) -> u32 {
    due(engine, kept, mass, uniform * mass.total, room).0
}

/// The cut that keeps the fewest of what stays, by rank, that weigh at least `least` together; all where rounding lets nothing
/// reach it.
///
/// Cost as [`mass_select`].
pub fn mass_cut<E: Element>(
    engine: Engine,
    kept: Kept<'_, E>,
    mass: Mass,
    least: f64,
    room: &mut Candidates,
) -> Cut {
    // To reach a mass is to pass the number just below it.
    let (id, logit) = due(engine, kept, mass, least.next_down(), room);
    Cut::with_ties(logit, id)
}

/// The candidate at which the running sum in rank order passes the target.
fn due<E: Element>(
    engine: Engine,
    kept: Kept<'_, E>,
    Mass { top, count, total }: Mass,
    target: f64,
    room: &mut Candidates,
) -> (u32, f32) {
    let cut = kept.cut;
    // S(low) > target unless rounding made u·total the total, S(high) <= target.
    let mut bracket = Bracket {
        low: ordinal(cut.edge),
        high: ordinal(top) + 1,
    };
    let (mut count_low, mut above, mut count_high) = (count, 0.0, 0);
    let mut pivots = likely_pivots(engine, kept, target / total, room);
    while count_low - count_high > FEW && !bracket.is_one_value() {
        let inside = bracket.inside(pivots);
        let found = mass_above(engine, kept, inside.map(value_of));
        for (p, (mass, n)) in inside.into_iter().zip(found) {
            if mass > target && p > bracket.low {
                (bracket.low, count_low) = (p, n);
            }
            if mass <= target && p < bracket.high {
                (bracket.high, above, count_high) = (p, mass, n);
            }
        }
        pivots = bracket.fifths();
    }
    let (low, high) = (bracket.low, bracket.high);
    let edge = value_of(low);
    let inside = count_low - count_high;
    if bracket.is_one_value() {
        // Equal logits, equal weights: the place among them is a division.
        let mut weights = [0.0; 16];
        weigh(engine, kept.frame, &[edge; 16], &mut weights);
        let weight = weights[0];
        let place = (target - above) / f64::from(weight);
        let mut place = if weight > 0.0 && place > 0.0 {
            place as usize
        } else {
            0
        };
        // The quotient may have been rounded up to a whole.
        if place > 0 && above + place as f64 * f64::from(weight) > target {
            place -= 1;
        }
        let id = nth_equal(engine, kept.row, edge, place.min(inside - 1));
        return (id as u32, edge);
    }
    let cut = if edge == cut.edge { cut } else { Cut::at(edge) };
    let n = gather_below(engine, kept.row, cut, value_of(high), room);
    room.rank(n, n);
    let end = n.next_multiple_of(16);
    weigh(
        engine,
        kept.frame,
        &room.values[..end],
        &mut room.weights[..end],
    );
    let (mut running, mut last) = (above, 0);
    for i in 0..n {
        let w = room.weights[i];
        if w > 0.0 {
            last = i;
        }
        running += f64::from(w);
        if running > target {
            return (room.ids[i], room.values[i]);
        }
    }
    (room.ids[last], room.values[last])
}

/// Ordinals that are likely to lie closely around the logit at which the running weight passes a share of the total.
fn likely_pivots<E: Element>(
    engine: Engine,
    kept: Kept<'_, E>,
    share: f64,
    room: &mut Candidates,
) -> [u32; 4] {
    let n = sample(kept.row, room);
    let least = ordinal(kept.cut.edge);
    let mut m = 0;
    for i in (0..n).rev() {
        let place = room.ids[i];
        if place >= least {
            room.values[m] = value_of(place);
            m += 1;
        }
    }
    if m == 0 {
        return [least; 4];
    }
    let end = m.next_multiple_of(16);
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
    around(due as f64 / m as f64, m).map(|i| ordinal(room.values[i]))
}

/// For each edge, which is above the cut's own, the weight of the candidates at or above it, and their number.
fn mass_above<E: Element>(engine: Engine, kept: Kept<'_, E>, edges: [f32; 4]) -> [(f64, usize); 4] {
    run_in_frame!(engine, kept.frame, MassAbove::<E> { kept, edges })
}

struct MassAbove<'a, E, const SHIFTED: bool> {
    kept: Kept<'a, E>,
    edges: [f32; 4],
}

impl<E: Element, const SHIFTED: bool> Kernel for MassAbove<'_, E, SHIFTED> {
    type Output = [(f64, usize); 4];

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> [(f64, usize); 4] {
        let Self { kept, edges } = self;
        let exp = Exp::new(l, kept.frame);
        let (zero, one) = (l.splat(0.0), l.splat(1.0));
        let edge = four!(e => l.splat(edges[e]));
        let least = l.splat(edges[0].min(edges[1]).min(edges[2]).min(edges[3]));
        let blocks = Blocks::of(kept.row);
        let mut found = [(0.0, 0); 4];
        let mut b = 0;
        while b < crate::blocks(kept.row.len()) {
            if l.bits(l.ge(l.load(&kept.maxima[b].0), least)) != 0 {
                let (quarters, _) = blocks.get(b).as_chunks::<64>();
                let (mut sums, mut counts) = ([zero; 4], [zero; 4]);
                let mut q = 0;
                while q < 4 {
                    let x = load_four(l, &quarters[q]);
                    let (w, _) = exp.four::<SHIFTED>(x);
                    let mut e = 0;
                    while e < 4 {
                        let m = four!(j => l.ge(x[j], edge[e]));
                        let v = four!(j => l.keep(m[j], w[j]));
                        let c = four!(j => l.keep(m[j], one));
                        sums[e] = l.add(sums[e], add_four(l, v));
                        counts[e] = l.add(counts[e], add_four(l, c));
                        e += 1;
                    }
                    q += 1;
                }
                let mut e = 0;
                while e < 4 {
                    found[e].0 += f64::from(l.sum(sums[e]));
                    found[e].1 += l.sum(counts[e]) as usize;
                    e += 1;
                }
            }
            b += 1;
        }
        found
    }
}
