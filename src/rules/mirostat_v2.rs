//! Version 2: every token whose surprise is at most mu, and the likeliest in any case.
//!
//! p >= 2^(−mu) is x >= (log2 Z − mu)·ln 2·T: with ln Z known the whole rule is one edge in logit space. It is lowered by 2^−20 bit
//! before it is rounded up to f32, so that a token whose surprise equals mu is kept whatever the last digit of ln Z.

use crate::Engine;
use crate::scratch::Scratch;
use crate::summary::{Summary, ceil_f32};
use crate::survivors::{Place, Survivors, Walk};
use mirostat_kernels::{self as kernels, Cut, Element, Found};

/// 2^−20 bit.
const MERCY_BITS: f64 = 1.0 / 1_048_576.0;

pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    mu_bits: f64,
    walk: Walk,
    scratch: &mut Scratch,
) -> Survivors {
    let (max, frame) = (summary.kernel.max, summary.frame());
    let edge_exponent = summary.log2_total - mu_bits - MERCY_BITS;
    // In exponents, not in logits: beside a greatest logit of 1e38 the edge would vanish.
    if edge_exponent > frame.exponent(max) {
        let token = kernels::first_equal(row, &scratch.maxima, max);
        return Survivors {
            place: Place::Single { token, logit: max },
            cut: Cut::with_ties(max, token),
            count: Some(1),
        };
    }
    let edge = ceil_f32(frame.logit(edge_exponent)).clamp(summary.support_edge, max);
    let cut = Cut::at(edge);
    match kernels::gather(engine, row, &scratch.maxima, cut, &mut scratch.candidates) {
        Found::Few(n) => {
            let ordered = match walk {
                Walk::Id => n,
                Walk::Rank => 0,
            };
            Survivors {
                place: Place::Listed { n, ordered },
                cut,
                count: Some(n),
            }
        }
        Found::Many => Survivors {
            place: Place::InBlocks(walk),
            cut,
            count: None,
        },
    }
}
