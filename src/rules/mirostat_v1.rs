//! Version 1: the k best tokens, k from the exponent of a Zipf law that is fitted to the best m.
//!
//! The fit needs differences of logits only, b_i = (l_i − l_(i+1)) / T; k comes from the reference's formula.

use super::top_k;
use crate::reference::{VocabularySize, estimated_k_by, zipf_slope};
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::survivors::{Place, Survivors, Walk};
use crate::{Config, Engine, Result};
use mirostat_kernels::{self as kernels, Element, FEW};

/// How many of the best are listed at least, so that a k somewhat above m needs no second search.
const LISTED_AT_LEAST: usize = 128;
/// Beyond so many the guess that the next step needs as many is not worth its cost.
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
    let guess = match scratch.last_k + scratch.last_k / 4 + 16 {
        many if many > GUESSED_AT_MOST => LISTED_AT_LEAST,
        few => few.max(LISTED_AT_LEAST),
    };
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
    let (k, drawable) = count(config, mu_bits, exponent, row.len(), summary)?;
    scratch.last_k = drawable;
    if drawable > FEW {
        let best = top_k::best(engine, row, summary, drawable, walk, scratch.of_row());
        let count = Some(k);
        return Ok(Survivors { count, ..best });
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
    let (list, cut) = top_k::list(
        &mut scratch.candidates,
        (ranked, n, drawable),
        walk,
        (summary.kernel.max, summary.frame().scale),
    );
    Ok(Survivors {
        place: Place::Listed(list),
        cut,
        count: Some(k),
    })
}

/// The exponent of the fit to the gaps between neighbours in rank, of those that can be drawn.
pub(crate) fn fit(
    ranked: &[f32],
    steps: &[f64],
    support_edge: f32,
    temperature: f64,
) -> Result<f64> {
    let gaps = ranked
        .windows(2)
        .take_while(|pair| pair[1] >= support_edge)
        .map(|pair| (f64::from(pair[0]) - f64::from(pair[1])) / temperature);
    zipf_slope(steps.iter().copied().zip(gaps))
}

/// k as the rule counts it, and how many of these tokens can be drawn.
pub(crate) fn count(
    config: &Config,
    mu_bits: f64,
    exponent: f64,
    vocabulary: usize,
    summary: &Summary,
) -> Result<(usize, usize)> {
    let vocabulary = match config.vocabulary_size() {
        VocabularySize::Row => vocabulary,
        VocabularySize::Support => summary.support,
    };
    let k = estimated_k_by(config.k_rule(), mu_bits, exponent, vocabulary)?;
    Ok((k, k.min(summary.support)))
}
