//! One candidate by its weight: the first, in a given order, whose running sum passes u times the total.
//!
//! Listed candidates are weighed relative to the greatest and rounded to multiples of 2^−39, so that every sum of them is exact in
//! f64 and the choice does not depend on how the sums were made.

use crate::Engine;
use crate::block::load_four;
use crate::candidates::{Candidates, FEW, value_of};
use crate::cut::Cut;
use crate::exp::Exp;
use crate::frame::Frame;
use crate::lanes::Lanes;
use crate::level::Kernel;
use crate::part_by_mass::{exact_sum, part_by_mass, quantum};
use core::ops::Range;

/// What was chosen from a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Listed {
    /// The position in the row.
    pub id: u32,
    /// The logit.
    pub logit: f32,
    /// The sum of the candidates' weights, the weight of `top` being 1.
    pub total: f64,
}

/// The candidates that a list holds, and the order in which a running sum goes through them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct List {
    /// Candidates at the front of the list, from 1 to [`FEW`].
    pub n: usize,
    /// How many of them are in order already; the others follow in rank order, wherever they stand.
    pub ordered: usize,
    /// The greatest logit of the list.
    pub top: f32,
    /// log2(e) / temperature.
    pub scale: f64,
}

/// Chooses among the listed candidates. One whose weight rounds to 0 is never chosen.
///
/// Candidates that are not in order are not sorted either: they are parted by mass until few are left.
pub fn choose_listed(engine: Engine, list: List, uniform: f64, from: &mut Candidates) -> Listed {
    engine.run(ChooseListed {
        list,
        uniform,
        from,
    })
}

struct ChooseListed<'a> {
    list: List,
    uniform: f64,
    from: &'a mut Candidates,
}

/// Candidates whose weights are summed before the running sum looks at them.
const CHUNK: usize = 64;

/// Weighs the first `n` listed: the sums of their chunks, and of all.
///
/// What lies behind them is weighed along, and set to nothing.
#[inline(always)]
fn weigh_list<L: Lanes>(
    l: L,
    frame: Frame,
    n: usize,
    from: &mut Candidates,
) -> ([f64; FEW / CHUNK], f64) {
    let exp = Exp::new(l, frame);
    let end = n.next_multiple_of(CHUNK);
    let chunks = end / CHUNK;
    let mut parts = [0.0_f64; FEW / CHUNK];
    let mut total = 0.0;
    let (values, _) = from.values[..end].as_chunks::<CHUNK>();
    let (weights, _) = from.weights[..end].as_chunks_mut::<CHUNK>();
    let mut c = 0;
    while c < chunks {
        let x = load_four(l, &values[c]);
        let (v, _) = exp.four::<true>(x);
        let (to, _) = weights[c].as_chunks_mut::<16>();
        let mut j = 0;
        while j < 4 {
            l.store(v[j], &mut to[j]);
            j += 1;
        }
        if c + 1 == chunks && n < end {
            weights[c][n % CHUNK..].fill(0.0);
        }
        parts[c] = exact_sum(&weights[c]);
        total += parts[c];
        c += 1;
    }
    (parts, total)
}

impl Kernel for ChooseListed<'_> {
    type Output = Listed;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Listed {
        let Self {
            list:
                List {
                    n,
                    ordered,
                    top,
                    scale,
                },
            uniform,
            from,
        } = self;
        let (parts, total) = weigh_list(l, Frame::below(top, scale), n, from);
        let target = uniform * total;
        let mut running = 0.0;
        let mut start = 0;
        while start + CHUNK <= ordered && running + parts[start / CHUNK] <= target {
            running += parts[start / CHUNK];
            start += CHUNK;
        }
        let mut at = start;
        while at < ordered {
            let sum = running + quantum(from.weights[at]);
            if sum > target {
                return Listed {
                    id: from.ids[at],
                    logit: from.values[at],
                    total,
                };
            }
            running = sum;
            at += 1;
        }
        if ordered < n {
            from.write_keys(n);
            if let Some(key) = part_by_mass(
                &mut from.keys[ordered..n],
                &mut from.weights[ordered..n],
                running,
                target,
            ) {
                return Listed {
                    id: key as u32,
                    logit: value_of(!(key >> 32) as u32),
                    total,
                };
            }
        }
        last_listed(from, ordered, n, total)
    }
}

/// The cut that keeps the fewest of the listed candidates, by rank, that weigh at least `mass` together, the weight of `top` being
/// 1; none where all of them weigh less.
pub fn cut_listed(engine: Engine, list: List, mass: f64, from: &mut Candidates) -> Option<Cut> {
    from.write_keys(list.n);
    let key = cut_keyed(engine, list, mass, from)?;
    Some(Cut::with_ties(value_of(!(key >> 32) as u32), key as u32))
}

/// The same by the keys that [`Candidates::key_by`] gave: the greatest key that stays.
pub fn cut_keyed(engine: Engine, list: List, mass: f64, from: &mut Candidates) -> Option<u64> {
    // To reach a mass is to pass the number just below it.
    pass_keyed(engine, list, mass.next_down(), from)
}

/// The key at which the running weight in the order of the keys passes `target`, the weight of `list.top` being 1; none where all
/// do not. The list's own order plays no part.
pub(crate) fn pass_keyed(
    engine: Engine,
    list: List,
    target: f64,
    from: &mut Candidates,
) -> Option<u64> {
    engine.run(PassKeyed { list, target, from })
}

struct PassKeyed<'a> {
    list: List,
    target: f64,
    from: &'a mut Candidates,
}

impl Kernel for PassKeyed<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Option<u64> {
        let Self { list, target, from } = self;
        weigh_list(l, Frame::below(list.top, list.scale), list.n, from);
        let (keys, weights) = (&mut from.keys[..list.n], &mut from.weights[..list.n]);
        part_by_mass(keys, weights, 0.0, target)
    }
}

/// The last key of those between two places of a weighed list that have weight.
#[cold]
pub(crate) fn last_keyed(from: &Candidates, places: Range<usize>) -> Option<u64> {
    places
        .filter(|&i| quantum(from.weights[i]) > 0.0)
        .map(|i| from.keys[i])
        .max()
}

/// Where rounding made u · total the total: the last candidate in order that has weight.
#[cold]
fn last_listed(from: &Candidates, ordered: usize, n: usize, total: f64) -> Listed {
    if let Some(key) = last_keyed(from, ordered..n) {
        return Listed {
            id: key as u32,
            logit: value_of(!(key >> 32) as u32),
            total,
        };
    }
    let i = from.weights[..ordered]
        .iter()
        .rposition(|&w| quantum(w) > 0.0)
        .unwrap_or(0);
    Listed {
        id: from.ids[i],
        logit: from.values[i],
        total,
    }
}
