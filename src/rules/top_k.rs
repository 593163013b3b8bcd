//! The k greatest logits: no exponential of what is dropped.

use crate::scratch::Scratch;
use crate::summary::{BITS_PER_NAT, Summary, refuse};
use crate::survivors::{Place, Survivors, Walk};
use crate::{Engine, Error, Result};
use mirostat_kernels::{self as kernels, Candidates, Cut, Element, FEW, Kept, List, Maxima};

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

/// The `n` best tokens of the support of a row that has been read, or all of it, where they are too many to list.
pub(crate) fn best<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    n: usize,
    walk: Walk,
    (maxima, sums, room): (&[Maxima], &[f32], &mut Candidates),
) -> Survivors {
    let support = Cut::at(summary.support_edge);
    if n >= summary.support {
        return Survivors::of_cut_by(engine, row, summary, support, walk, (maxima, room));
    }
    let whole = Kept {
        row,
        frame: summary.frame(),
        stays: support,
        maxima,
        sums,
    };
    let top = summary.kernel.max;
    let found = kernels::rank_cut(engine, whole, top, (n, summary.support), room);
    Survivors::of_search(engine, row, summary, found, walk, (maxima, room))
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
    let survivors = best(engine, row, &summary, k, walk, scratch.of_row());
    Ok(Survivors {
        count: Some(k),
        ..survivors
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
