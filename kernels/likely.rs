//! Where in an order a running measure is likely to pass a share of the whole, told from a sample.
//!
//! A coarse sample finds the neighbourhood. A fine one weighs what stands before that and ranks what stands in it. A guess costs or
//! saves time, and moves what is found by no more than the rounding of sums.

use crate::block::{BLOCK, Blocks, add_four, count_four, load_four};
use crate::bracket::sampled;
use crate::candidates::{Candidates, FEW};
use crate::choose_in_blocks::Kept;
use crate::exp::Exp;
use crate::gather::list_four;
use crate::lanes::{Lanes, four};
use crate::level::{Kernel, run_in_frame};
use crate::order::{Order, Until};
use crate::select::By;
use crate::stays::{Ends, Stays};
use crate::weigh::weigh;
use crate::{Element, Engine};

/// Logits of the coarse sample.
const COARSE: usize = 512;
/// Of each block so many logits, which lie side by side, are in the fine sample.
const FINE: usize = 16;
/// What is to be listed should be no more than this, since how many there are is a guess too.
const LISTED: f64 = FEW as f64 * 0.8;
/// Standard deviations on each side of the guess: fewer are missed more often, and more are listed for longer.
const DEVIATIONS: f64 = 1.9;

/// Four places, the latest first. Between the inner two the one in question is likely to stand, between an inner and an outer one
/// less likely, and what stands between any two neighbours is likely to be few enough to list.
pub(crate) fn likely<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    order: O,
    (by, share): (By, f64),
    room: &mut Candidates,
) -> [u32; 4] {
    let Some(near) = neighbourhood(engine, kept, order, (by, share), room) else {
        return [order.all().low; 4];
    };
    let until = |place| Until::place(kept.stays, order, place);
    let (before, until) = (until(near[1] + 1), until(near[0]));
    let sample = run_in_frame!(
        engine,
        kept.frame,
        Sample::<E, S, O> {
            kept,
            before,
            until,
            room
        }
    );
    let n = sample.inside.min(FEW);
    if n == 0 {
        return [near[0], near[0], near[1], near[1]];
    }
    rank(engine, kept, order, n, room);
    let (running, total) = match by {
        By::Mass => (sample.above, sample.total),
        By::Count => (sample.before as f64, sample.all as f64),
    };
    let due = due(n, by, (running, share * total), room);
    let rank = (sample.before + due) as f64;
    let reach =
        (DEVIATIONS * deviation(rank, sample.all)).min(LISTED / 2.0 * FINE as f64 / BLOCK as f64);
    [3.0, 1.0, -1.0, -3.0].map(|d| place_at(due as f64 + d * reach, n, room))
}

/// A later place and an earlier one, between which the one in question is very likely to stand.
fn neighbourhood<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    order: O,
    (by, share): (By, f64),
    room: &mut Candidates,
) -> Option<[u32; 2]> {
    let mut m = 0;
    for (id, x) in sampled(kept.row, COARSE.min(kept.row.len())) {
        room.values[m] = x;
        m += usize::from(kept.stays.keeps(id, x));
    }
    if m == 0 {
        return None;
    }
    rank(engine, kept, order, m, room);
    let total: f64 = room.weights[..m].iter().map(|&w| by.of(w)).sum();
    let due = due(m, by, (0.0, share * total), room) as f64;
    let reach = 2.8 * deviation(due, m);
    Some([due + reach, due - reach].map(|rank| place_at(rank, m, room)))
}

/// Weighs the first `n` listed and ranks them: their places, and where they are in the list, in the keys.
fn rank<E: Element, S: Stays, O: Order>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    order: O,
    n: usize,
    room: &mut Candidates,
) {
    let end = n.next_multiple_of(16);
    room.values[n..end].fill(f32::NEG_INFINITY);
    weigh(
        engine,
        kept.frame,
        &room.values[..end],
        &mut room.weights[..end],
    );
    for ((key, &x), at) in room.keys.iter_mut().zip(&room.values[..n]).zip(0_u64..) {
        *key = u64::from(!order.place(x)) << 32 | at;
    }
    room.keys[..n].sort_unstable();
}

/// The rank at which a running measure passes a target; the last one if it does not.
fn due(n: usize, by: By, (mut running, target): (f64, f64), room: &Candidates) -> usize {
    for (rank, &key) in room.keys[..n].iter().enumerate() {
        running += by.of(room.weights[key as u32 as usize]);
        if running > target {
            return rank;
        }
    }
    n - 1
}

/// The place at a rank, or at the nearest that there is.
fn place_at(rank: f64, n: usize, room: &Candidates) -> u32 {
    let rank = (rank.max(0.0) as usize).min(n - 1);
    !(room.keys[rank] >> 32) as u32
}

/// By how much a rank in a sample of `n` is likely to be wrong.
fn deviation(rank: f64, n: usize) -> f64 {
    libm::sqrt(rank * (1.0 - rank / n as f64).max(0.0)) + 1.0
}

/// What was found in a sample.
struct Sampled {
    /// How many candidates there are,
    all: usize,
    /// and before the neighbourhood,
    before: usize,
    /// and in it, where they are listed.
    inside: usize,
    /// The weight of all candidates,
    total: f64,
    /// and of those before.
    above: f64,
}

/// Samples a row around a neighbourhood.
struct Sample<'a, E, S, O, const SHIFTED: bool> {
    kept: Kept<'a, E, S>,
    before: Until<S, O>,
    until: Until<S, O>,
    room: &'a mut Candidates,
}

impl<E: Element, S: Stays, O: Order, const SHIFTED: bool> Kernel for Sample<'_, E, S, O, SHIFTED> {
    type Output = Sampled;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Sampled {
        let Self {
            kept,
            before,
            until,
            room,
        } = self;
        let ceiling = Until::<S, O>::CEILING;
        let exp = Exp::new(l, kept.frame);
        let blocks = Blocks::of(kept.row);
        let zero = l.splat(0.0);
        let (mut total, mut above) = (zero, zero);
        let mut sampled = Sampled {
            all: 0,
            before: 0,
            inside: 0,
            total: 0.0,
            above: 0.0,
        };
        let mut four_blocks = [E::FLOOR; 4 * FINE];
        let end = crate::blocks(kept.row.len());
        let mut b = 0;
        while b < end {
            // The last block stands for those behind it.
            let of = four!(j => (b + j).min(end - 1));
            let (to, _) = four_blocks.as_chunks_mut::<FINE>();
            let mut j = 0;
            while j < 4 {
                // Not the same ones of each block, since rows can have a period.
                let (from, _) = blocks.get(of[j]).as_chunks::<FINE>();
                to[j] = from[(b + j) * 7 % 16];
                j += 1;
            }
            let x = load_four(l, &four_blocks);
            let (w, _) = exp.four::<SHIFTED>(x);
            let m = four!(j => Ends::new(l, kept.stays.interval(of[j])).hold(S::CEILING, x[j]));
            total = l.add(total, add_four(l, four!(j => l.keep(m[j], w[j]))));
            sampled.all += count_four(l, m);
            let earlier = four!(j => Ends::new(l, before.interval(of[j])).hold(ceiling, x[j]));
            above = l.add(above, add_four(l, four!(j => l.keep(earlier[j], w[j]))));
            sampled.before += count_four(l, earlier);
            let inside = four!(j => l.and_not(Ends::new(l, until.interval(of[j])).hold(ceiling, x[j]), earlier[j]));
            let at = sampled.inside.min(FEW);
            sampled.inside += list_four(l, (0, &four_blocks), inside, room, at);
            b += 4;
        }
        sampled.total = f64::from(l.sum(total));
        sampled.above = f64::from(l.sum(above));
        sampled
    }
}
