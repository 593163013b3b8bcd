//! The m greatest logits: a bound from the lane maxima, what stands above it, and never a sort of the row.

use crate::block::Maxima;
use crate::bracket::{Bracket, around, sample};
use crate::candidates::{Candidates, FEW, ordinal, value_of};
use crate::count::{count_at_least, nth_equal};
use crate::cut::Cut;
use crate::gather::{Found, gather, gather_except, gather_hits};
use crate::hits::find_hits;
use crate::lanes::Lanes;
use crate::level::Kernel;
use crate::{Element, Engine};

/// Lists at least the `m` greatest finite logits (all of them if they are fewer): every logit that ranks before a listed one is
/// listed too. Returns how many are listed, in id order; at most [`FEW`].
///
/// `m` is from 1 to [`FEW`], `max` the greatest logit. The bound is one that m lane maxima reach: each is a logit of its own, so at least
/// m logits stand at or above it, and where the greatest logits lie scattered hardly more do.
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
    if above_bound(m + slack(m), maxima.len() * 16) > FEW as f64 {
        return exactly(engine, row, max, maxima, m, into);
    }
    let Bound { least, lanes, hits } = engine.run(FindBound {
        maxima,
        max,
        m,
        room: &mut *into,
    });
    if lanes <= CROWD * m + slack(m)
        && let Found::Few(n) = gather_hits(engine, row, maxima, (Cut::at(least), hits), into)
    {
        return n;
    }
    // Many stand at or above the bound: many equal it, or they lie crowded.
    match gather(engine, row, maxima, Cut::at(least.next_up()), into) {
        Found::Few(n) if n >= m => n,
        Found::Few(n) => {
            let cut = Cut::with_ties(least, nth_equal(engine, row, least, m - n - 1) as u32);
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

/// A finite number that at least `m` lane maxima reach, if so many are finite.
struct Bound {
    least: f32,
    /// How many lane maxima reach it, unless it is the least finite number: then 0.
    lanes: usize,
    /// How many blocks have one that does: they are among the first so many of `room.hits`.
    hits: usize,
}

/// Where so many times the lanes that were asked for reach the bound, and more than are tolerated, most of them equal it, and the first
/// that do are soon found.
const CROWD: usize = 8;

/// Finds a bound that hardly more than `m` lane maxima reach.
struct FindBound<'a> {
    maxima: &'a [Maxima],
    /// The greatest of them.
    max: f32,
    m: usize,
    room: &'a mut Candidates,
}

impl Kernel for FindBound<'_> {
    type Output = Bound;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Bound {
        let Self {
            maxima,
            max,
            m,
            room,
        } = self;
        // Coarse: maxima over runs of blocks, about five times as many as asked for.
        let run = (maxima.len() * 16 / (5 * m)).max(maxima.len() * 16 / FEW + 1);
        let (to, _) = room.values.as_chunks_mut::<16>();
        let mut n = 0;
        for run in maxima.chunks(run) {
            let mut most = l.load(&run[0].0);
            for maxima in &run[1..] {
                most = l.max(l.load(&maxima.0), most);
            }
            l.store(most, &mut to[n]);
            n += 1;
        }
        let (coarse, runs) = reached(l, to[..n].iter(), max, m);
        // Fine: the lane maxima of the blocks that reach the coarse bound.
        let hits = find_hits(l, &Cut::at(coarse), maxima, None, &mut room.hits);
        let of_hits = room.hits[..hits.blocks]
            .iter()
            .map(|&b| &maxima[b as usize].0);
        let (fine, lanes) = if run == 1 {
            (coarse, runs)
        } else {
            reached(l, of_hits, max, m)
        };
        // Below the coarse bound other blocks have logits too.
        let (least, lanes) = if fine < coarse {
            (coarse, hits.lanes)
        } else {
            (fine, lanes)
        };
        Bound {
            least,
            lanes,
            hits: hits.blocks,
        }
    }
}

/// By how many a bound may be reached by more maxima than asked for: to be exact takes longer than to list them.
const fn slack(m: usize) -> usize {
    8 + m / 16
}

/// A finite number that at least `m` of the values reach, and hardly more if that is to be had; the least one where fewer are finite.
/// None is above `max`. Also how many reach it, unless it is the least finite number: then 0.
#[inline(always)]
fn reached<'a, L: Lanes>(
    l: L,
    values: impl Iterator<Item = &'a [f32; 16]> + Clone,
    max: f32,
    m: usize,
) -> (f32, usize) {
    let least = ordinal(f32::MIN);
    let mut reaching = 0;
    // Fewer than m reach `high`. The greatest itself, since many may equal it; from there down by steps that double, then halving.
    let (mut low, mut high) = (least, ordinal(max) + 1);
    let mut step = 1_u32;
    let mut galloping = true;
    while high - low > 1 {
        let middle = if galloping && high - low > step {
            high - step
        } else {
            galloping = false;
            low + (high - low) / 2
        };
        step = step.saturating_mul(2).max(1 << 20);
        let edge = l.splat(value_of(middle));
        let mut n = 0;
        for x in values.clone() {
            n += l.bits(l.ge(l.load(x), edge)).count_ones() as usize;
        }
        if n < m {
            high = middle;
        } else {
            (low, reaching, galloping) = (middle, n, false);
            if n <= m + slack(m) {
                break;
            }
        }
    }
    (value_of(low), reaching)
}
