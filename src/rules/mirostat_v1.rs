//! Version 1: the k best tokens, k from the exponent of a Zipf law that is fitted to the best m.
//!
//! The fit needs differences of logits only, b_i = (l_i − l_(i+1)) / T; k comes from the reference's formula.

use crate::reference::{VocabularySize, estimated_k_by};
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::survivors::{Place, Survivors, Walk};
use crate::{Config, Engine, Error, Result};
use mirostat_kernels::{self as kernels, Cut, Element, FEW, List};

/// The least exponent: flatter rows count as this flat.
const FLATTEST: f64 = 1e-6;
/// How many of the best are listed at least, so that a k somewhat above m needs no second search.
const LISTED_AT_LEAST: usize = 128;
/// Beyond this k the guess that the next step needs as many is not worth its cost.
const GUESSED_AT_MOST: usize = 1024;

pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    mu_bits: f64,
    config: &Config,
    walk: Walk,
    scratch: &mut Scratch,
) -> Result<Survivors> {
    let m = config.m().min(row.len());
    debug_assert!(m <= FEW, "longer fits take the exact door");
    let guess = (scratch.last_k + scratch.last_k / 4 + 16).clamp(LISTED_AT_LEAST, GUESSED_AT_MOST);
    let room = &mut scratch.candidates;
    let mut n = kernels::top_m(
        engine,
        row,
        summary.kernel.max,
        &scratch.maxima,
        m.max(guess.min(row.len())),
        room,
    );
    room.rank(n, m);
    scratch.zipf_steps(m);
    let exponent = fit(
        scratch.candidates.logits(m.min(n)),
        &scratch.zipf_steps,
        summary.support_edge,
        config.temperature(),
    )?;
    let vocabulary = match config.vocabulary_size() {
        VocabularySize::Row => row.len(),
        VocabularySize::Support => summary.support,
    };
    let k = estimated_k_by(config.k_rule(), mu_bits, exponent, vocabulary)?;
    let drawable = k.min(summary.support);
    scratch.last_k = drawable;
    if drawable > FEW {
        let cut = if drawable == summary.support {
            Cut::at(summary.support_edge)
        } else {
            let finite = row.len() - summary.kernel.masked;
            let room = &mut scratch.candidates;
            kernels::kth(engine, row, (summary.kernel.max, finite), drawable, room)
        };
        let count = Some(k);
        let of_cut = Survivors::of_cut(engine, row, summary, cut, walk, scratch);
        return Ok(Survivors { count, ..of_cut });
    }
    let mut ranked = m.min(n);
    if drawable > n {
        n = kernels::top_m(
            engine,
            row,
            summary.kernel.max,
            &scratch.maxima,
            drawable,
            &mut scratch.candidates,
        );
        ranked = 0;
    }
    let room = &mut scratch.candidates;
    room.select(ranked, n, drawable);
    let (last, edge) = room.listed(drawable - 1);
    let ordered = match walk {
        Walk::Rank => ranked.min(drawable),
        Walk::Id => {
            room.sort_by_id(drawable);
            drawable
        }
    };
    let list = List {
        n: drawable,
        ordered,
        top: summary.kernel.max,
        scale: summary.frame().scale,
    };
    Ok(Survivors {
        place: Place::Listed(list),
        cut: Cut::with_ties(edge, last),
        count: Some(k),
    })
}

/// Least squares of the gaps between neighbours in rank, of those that can be drawn.
pub(crate) fn fit(
    ranked: &[f32],
    steps: &[f64],
    support_edge: f32,
    temperature: f64,
) -> Result<f64> {
    let (mut across, mut along) = (0.0, 0.0);
    for (pair, step) in ranked.windows(2).zip(steps) {
        if pair[1] < support_edge {
            break;
        }
        across += step * ((f64::from(pair[0]) - f64::from(pair[1])) / temperature);
        along += step * step;
    }
    if along <= 0.0 {
        return Ok(FLATTEST);
    }
    let exponent = across / along;
    if !exponent.is_finite() {
        return Err(Error::NumericalFailure {
            quantity: "the Zipf exponent",
        });
    }
    Ok(exponent.max(FLATTEST))
}
