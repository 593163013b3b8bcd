//! The k greatest logits: no exponential of what is dropped.

use crate::scratch::Scratch;
use crate::summary::{BITS_PER_NAT, Summary, refuse};
use crate::survivors::{Place, Survivors, Walk};
use crate::{Engine, Error, Result};
use mirostat_kernels::{self as kernels, Cut, Element, FEW, List};

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
    room.select(0, found, n);
    let (last, edge) = room.listed(n - 1);
    let ordered = match walk {
        Walk::Rank => 0,
        Walk::Id => {
            room.sort_by_id(n);
            n
        }
    };
    let scale = BITS_PER_NAT / temperature;
    Ok(Survivors {
        place: Place::Listed(List {
            n,
            ordered,
            top: max,
            scale,
        }),
        cut: Cut::with_ties(edge, last),
        count: Some(k),
    })
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
    let cut = if k >= summary.support {
        Cut::at(summary.support_edge)
    } else {
        let finite = (summary.kernel.max, row.len() - summary.kernel.masked);
        kernels::kth(engine, row, finite, k, &mut scratch.candidates)
    };
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
