//! The k greatest logits: no exponential of what is dropped.

use crate::scratch::Scratch;
use crate::summary::{BITS_PER_NAT, Summary, refuse};
use crate::survivors::{Place, Survivors, Walk};
use crate::{Engine, Error, Result};
use mirostat_kernels::{self as kernels, Candidates, Cut, Element, FEW, List};

pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    k: usize,
    temperature: f64,
    walk: Walk,
    scratch: &mut Scratch,
) -> Result<Survivors> {
    if k > FEW {
        return many(engine, row, k, temperature, walk, scratch);
    }
    let max = kernels::group_max(engine, row, &mut scratch.maxima).map_err(refuse)?;
    check(k, row.len())?;
    let room = &mut scratch.candidates;
    let found = kernels::top_m(engine, row, max, &scratch.maxima, k, room);
    let n = found.min(k);
    let scale = BITS_PER_NAT / temperature;
    let (list, cut) = list(room, (0, found, n), walk, (max, scale));
    Ok(Survivors {
        place: Place::Listed(list),
        cut,
        count: Some(k),
    })
}

/// Of `found` listed, of which the first `ranked` stand in rank order, the `n` best in the order of the walk, and their cut.
pub(crate) fn list(
    room: &mut Candidates,
    (ranked, found, n): (usize, usize, usize),
    walk: Walk,
    (top, scale): (f32, f64),
) -> (List, Cut) {
    room.select(ranked, found, n);
    let (last, edge) = room.listed(n - 1);
    let ordered = match walk {
        Walk::Rank => ranked.min(n),
        Walk::Id => {
            room.sort_by_id(n);
            n
        }
    };
    let list = List {
        n,
        ordered,
        top,
        scale,
    };
    (list, Cut::with_ties(edge, last))
}

/// The cut that keeps the `n` best tokens of the support, or all of it.
pub(crate) fn cut<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    n: usize,
    room: &mut Candidates,
) -> Cut {
    if n >= summary.support {
        return Cut::at(summary.support_edge);
    }
    let finite = row.len() - summary.kernel.masked;
    kernels::kth(engine, row, (summary.kernel.max, finite), n, room)
}

fn many<E: Element>(
    engine: Engine,
    row: &[E],
    k: usize,
    temperature: f64,
    walk: Walk,
    scratch: &mut Scratch,
) -> Result<Survivors> {
    let summary = Summary::read(engine, row, temperature, scratch)?;
    check(k, row.len())?;
    let cut = cut(engine, row, &summary, k, &mut scratch.candidates);
    let of_cut = Survivors::of_cut(engine, row, &summary, cut, walk, scratch);
    Ok(Survivors {
        count: Some(k),
        ..of_cut
    })
}

fn check(k: usize, vocabulary: usize) -> Result<()> {
    if (1..=vocabulary).contains(&k) {
        return Ok(());
    }
    Err(Error::InvalidParameter {
        name: "k",
        value: k as f64,
        expected: "between one and vocabulary size",
    })
}
