//! Version 2: every token whose surprise is at most mu, and the likeliest in any case.
//!
//! p >= 2^(−mu) is x >= (log2 Z − mu)·ln 2·T: with ln Z known the whole rule is one edge in logit space. It is lowered by 2^−20 bit
//! before it is rounded up to f32, so that a token whose surprise equals mu is kept whatever the last digit of ln Z.

use crate::Engine;
use crate::scratch::Scratch;
use crate::summary::{Summary, ceil_f32};
use crate::survivors::{Place, Survivors, Walk};
use mirostat_kernels::{self as kernels, Cut, Element};

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
    let Some(edge) = edge(summary, mu_bits) else {
        let token = kernels::first_equal(row, &scratch.maxima, summary.kernel.max);
        return likeliest(summary, token);
    };
    Survivors::of_cut(engine, row, summary, Cut::at(edge), walk, scratch)
}

/// The least logit that stays; none where even the likeliest token surprises more than mu.
pub(crate) fn edge(summary: &Summary, mu_bits: f64) -> Option<f32> {
    let (max, frame) = (summary.kernel.max, summary.frame());
    let edge_exponent = summary.log2_total - mu_bits - MERCY_BITS;
    // In exponents, not in logits: beside a greatest logit of 1e38 the edge would vanish.
    if edge_exponent > frame.exponent(max) {
        return None;
    }
    Some(ceil_f32(frame.logit(edge_exponent)).clamp(summary.support_edge, max))
}

/// The likeliest token alone.
pub(crate) fn likeliest(summary: &Summary, token: u32) -> Survivors {
    let (logit, scale) = (summary.kernel.max, summary.frame().scale);
    Survivors {
        place: Place::Single {
            token,
            logit,
            scale,
        },
        cut: Cut::with_ties(logit, token),
        count: Some(1),
    }
}
