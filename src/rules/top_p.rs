//! The nucleus: the fewest tokens, by rank, whose probabilities sum to at least p.
//!
//! Found by mass, without a sort. The few greatest logits are tried first. If they weigh too little, so do all that weigh more than
//! their share of what may be dropped: whatever lies below (1 − p)·Z / V weighs at most 1 − p together. Only a nucleus of thousands
//! is sought in the row itself.

use crate::Engine;
use crate::scratch::Scratch;
use crate::summary::{Summary, ceil_f32};
use crate::survivors::{Survivors, Walk};
use mirostat_kernels::{self as kernels, Cut, Element, Found, Kept, List, Mass};

/// How many of the greatest logits are tried first.
const FIRST: usize = 384;

pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    p: f64,
    walk: Walk,
    scratch: &mut Scratch,
) -> Survivors {
    let whole = Cut::at(summary.support_edge);
    if p == 1.0 {
        return Survivors::of_cut(engine, row, summary, whole, walk, scratch);
    }
    let (top, frame) = (summary.kernel.max, summary.frame());
    // The mass to reach, the weight of the greatest logit being 1.
    let mass = p * libm::exp2(summary.log2_total - frame.exponent(top));
    let room = &mut scratch.candidates;
    let list = |n| List {
        n,
        ordered: 0,
        top,
        scale: frame.scale,
    };
    // Each weighs at most 1.
    if FIRST as f64 >= mass {
        let first = FIRST.min(row.len());
        let n = kernels::top_m(engine, row, top, &scratch.maxima, first, room);
        if let Some(cut) = kernels::cut_listed(engine, list(n), mass, room) {
            return Survivors::of_list(room, list(n), cut, walk);
        }
    }
    let share = summary.log2_total + libm::log2((1.0 - p) / row.len() as f64);
    let heavy = Cut::at(ceil_f32(frame.logit(share)).clamp(summary.support_edge, top));
    if let Found::Few(n) = kernels::gather(engine, row, &scratch.maxima, heavy, room)
        && let Some(cut) = kernels::cut_listed(engine, list(n), mass, room)
    {
        return Survivors::of_list(room, list(n), cut, walk);
    }
    let kept = Kept {
        row,
        frame,
        stays: whole,
        maxima: &scratch.maxima,
        sums: &scratch.sums,
    };
    let all = Mass {
        top,
        total: summary.kernel.total,
    };
    let found = kernels::mass_cut(engine, kept, all, p * summary.kernel.total, room);
    Survivors::of_search(engine, row, summary, found, walk, (&scratch.maxima, room))
}
