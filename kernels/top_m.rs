//! The m greatest logits: a bound from the lane maxima, what stands above it, and never a sort of the row.

use crate::block::Maxima;
use crate::bracket::{Bracket, around, sample};
use crate::candidates::{Candidates, FEW, ordinal, value_of};
use crate::count::{count_at_least, nth_equal};
use crate::cut::Cut;
use crate::gather::{Found, gather, gather_except};
use crate::lanes::Lanes;
use crate::level::Kernel;
use crate::{Element, Engine};

/// Lists at least the `m` greatest finite logits (all of them if they are fewer): every logit that ranks before a listed one is
/// listed too. Returns how many are listed, in id order; at most [`FEW`].
///
/// `m` is from 1 to [`FEW`], `max` the greatest logit. The bound is the m-th greatest of disjoint lane maxima: each is a logit, so
/// at least m logits stand at or above it, and where the greatest logits lie scattered hardly more do.
pub fn top_m<E: Element>(
    engine: Engine,
    row: &[E],
    max: f32,
    maxima: &[Maxima],
    m: usize,
    into: &mut Candidates,
) -> usize {
    debug_assert!((1..=FEW).contains(&m), "a list holds 1 to {FEW} logits");
    let maxima = &maxima[..crate::blocks(row.len())];
    if above_bound(m, maxima.len() * 16) > FEW as f64 {
        return exactly(engine, row, max, maxima, m, into);
    }
    let bound = engine
        .run(Bound {
            maxima,
            m,
            room: &mut *into,
        })
        .max(f32::MIN);
    if let Found::Few(n) = gather(engine, row, maxima, Cut::at(bound), into) {
        return n;
    }
    // Many stand at or above the bound: many equal it, or they lie crowded.
    match gather(engine, row, maxima, Cut::at(bound.next_up()), into) {
        Found::Few(n) if n >= m => n,
        Found::Few(n) => {
            let cut = Cut::with_ties(bound, nth_equal(engine, row, bound, m - n - 1) as u32);
            list(engine, row, maxima, cut, into)
        }
        Found::Many => exactly(engine, row, max, maxima, m, into),
    }
}

/// How many logits are likely to stand at or above the m-th greatest of so many maxima, if the greatest lie scattered.
fn above_bound(m: usize, maxima: usize) -> f64 {
    const LANE: f64 = 16.0;
    let reached = m as f64 / maxima as f64;
    if reached >= 1.0 {
        return f64::INFINITY;
    }
    // A maximum is at or above what a share p of all logits reaches if one of its sixteen is: 1 − (1 − p)^16.
    maxima as f64 * LANE * (1.0 - libm::exp2(libm::log2(1.0 - reached) / LANE))
}

fn exactly<E: Element>(
    engine: Engine,
    row: &[E],
    max: f32,
    maxima: &[Maxima],
    m: usize,
    into: &mut Candidates,
) -> usize {
    let finite = count_at_least(engine, row, [f32::MIN; 4])[0];
    let cut = kth(engine, row, (max, finite), m, into);
    list(engine, row, maxima, cut, into)
}

fn list<E: Element>(
    engine: Engine,
    row: &[E],
    maxima: &[Maxima],
    cut: Cut,
    into: &mut Candidates,
) -> usize {
    match gather(engine, row, maxima, cut, into) {
        Found::Few(n) => n,
        Found::Many => unreachable!("a cut that keeps at most {FEW} logits"),
    }
}

/// The cut that keeps exactly the `k` greatest finite logits (all of them if they are fewer), ties to the smaller id.
///
/// `max` is the greatest logit, `finite` the number of logits above −∞.
///
/// Counting reads narrow a bracket until it holds at most [`FEW`] logits, which are then listed and selected from. The first bracket
/// comes from a sample of the row; the result does not depend on it. Two or three reads of the row as a rule, at most 18.
pub fn kth<E: Element>(
    engine: Engine,
    row: &[E],
    (max, finite): (f32, usize),
    k: usize,
    room: &mut Candidates,
) -> Cut {
    if k >= finite {
        return Cut::at(f32::MIN);
    }
    // At least k logits stand at or above the lower end, fewer than k at or above the upper.
    let mut bracket = Bracket {
        low: ordinal(f32::MIN),
        high: ordinal(max) + 1,
    };
    let (mut count_low, mut count_high) = (finite, 0);
    let n = sample(row, room);
    let mut pivots = around(1.0 - k as f64 / row.len() as f64, n).map(|i| room.ids[i]);
    while count_low - count_high > FEW && !bracket.is_one_value() {
        let inside = bracket.inside(pivots);
        let counts = count_at_least(engine, row, inside.map(value_of));
        for (p, n) in inside.into_iter().zip(counts) {
            if n >= k && p > bracket.low {
                (bracket.low, count_low) = (p, n);
            }
            if n < k && p < bracket.high {
                (bracket.high, count_high) = (p, n);
            }
        }
        pivots = bracket.fifths();
    }
    let edge = value_of(bracket.low);
    let inside = k - count_high;
    if bracket.is_one_value() {
        return Cut::with_ties(edge, nth_equal(engine, row, edge, inside - 1) as u32);
    }
    let above = (value_of(bracket.high), f32::MAX);
    let Found::Few(n) = gather_except(engine, row, Cut::at(edge), above, room) else {
        unreachable!("at most {FEW} logits lie inside the bracket");
    };
    room.write_keys(n);
    let (_, &mut key, _) = room.keys[..n].select_nth_unstable(inside - 1);
    Cut::with_ties(value_of(!(key >> 32) as u32), key as u32)
}

/// A number that at least `m` lane maxima reach; −∞ where there are fewer maxima than that.
struct Bound<'a> {
    maxima: &'a [Maxima],
    m: usize,
    room: &'a mut Candidates,
}

/// The `m`-th greatest of the values.
#[inline(always)]
fn mth(values: &[f32], places: &mut [u32], m: usize) -> f32 {
    let places = &mut places[..values.len()];
    for (place, &x) in places.iter_mut().zip(values) {
        *place = !ordinal(x);
    }
    let (_, &mut place, _) = places.select_nth_unstable(m - 1);
    value_of(!place)
}

impl Kernel for Bound<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> f32 {
        let Self { maxima, m, room } = self;
        if maxima.len() * 16 < m {
            return f32::NEG_INFINITY;
        }
        // Coarse: maxima over runs of blocks, about five times as many as asked for.
        let run = (maxima.len() * 16 / (5 * m)).max(maxima.len() * 16 / FEW + 1);
        let mut coarse = f32::NEG_INFINITY;
        let mut n = 0;
        for run in maxima.chunks(run) {
            let mut most = l.load(&run[0].0);
            for maxima in &run[1..] {
                most = l.max(l.load(&maxima.0), most);
            }
            let (to, _) = room.values[n..].as_chunks_mut::<16>();
            l.store(most, &mut to[0]);
            n += 16;
        }
        if n >= m {
            coarse = mth(&room.values[..n], &mut room.ids[..], m);
        }
        if run == 1 {
            return coarse;
        }
        // Fine: of all lane maxima that reach the coarse bound.
        let edge = l.splat(coarse);
        n = 0;
        for maxima in maxima {
            let mut mask = l.bits(l.ge(l.load(&maxima.0), edge));
            while mask != 0 {
                room.values[n] = maxima.0[mask.trailing_zeros() as usize];
                n += 1;
                mask &= mask - 1;
            }
            if n > FEW {
                return coarse;
            }
        }
        if n >= m {
            mth(&room.values[..n], &mut room.ids[..], m)
        } else {
            coarse
        }
    }
}
