//! Which kept sets the contract allows: the reference's, up to tokens at the edge.

use crate::exact::Exact;
use mirostat::reference::estimated_k_by;
use mirostat::{Sampler, Version, VocabularySize};

/// How near to the edge of V2 either answer will do.
const EDGE_BITS: f64 = 1.0 / 524_288.0; // 2^−19
/// How near to a rounding boundary, relative to k, either answer of V1 will do.
const K_RELATIVE: f64 = 1e-9;

/// The tokens that a session keeps if it counts `kept` of them, best first; or why that count is not allowed.
pub(crate) fn kept_tokens(
    exact: &Exact,
    sampler: &Sampler,
    kept: usize,
) -> Result<Vec<u32>, String> {
    match sampler.version() {
        Version::V1 => of_v1(exact, sampler, kept),
        Version::V2 => of_v2(exact, sampler.mu(), kept),
    }
}

fn of_v1(exact: &Exact, sampler: &Sampler, kept: usize) -> Result<Vec<u32>, String> {
    let config = sampler.config();
    let exponent = exact.exponent(config.m()).map_err(|e| e.to_string())?;
    let vocabulary = match config.vocabulary_size() {
        VocabularySize::Row => exact.logits.len(),
        VocabularySize::Support => exact.distribution.support(),
    };
    // q = (mu·ln 2 − …) / s, so this much mu moves e^q by its 1e-9th part.
    let slack_bits = K_RELATIVE * exponent / core::f64::consts::LN_2;
    let k =
        |mu| estimated_k_by(config.k_rule(), mu, exponent, vocabulary).map_err(|e| e.to_string());
    let mu = sampler.mu();
    let (lowest, highest) = (k(mu - slack_bits)?, k(mu + slack_bits)?);
    if !(lowest..=highest).contains(&kept) {
        return Err(format!(
            "V1 keeps {kept}, the reference {lowest}..={highest} (exponent {exponent})"
        ));
    }
    let mut tokens = exact.ranking[..kept].to_vec();
    tokens.retain(|&token| exact.surprises[token as usize].is_finite());
    Ok(tokens)
}

/// The kept are those above an edge, so their number says which they are: all that must stay, and the best of those at the edge.
fn of_v2(exact: &Exact, mu: f64, kept: usize) -> Result<Vec<u32>, String> {
    let surprise = |&token: &u32| exact.surprises[token as usize];
    let sure = exact
        .ranking
        .partition_point(|token| surprise(token) <= mu - EDGE_BITS && surprise(token).is_finite());
    let possible = exact
        .ranking
        .partition_point(|token| surprise(token) <= mu + EDGE_BITS && surprise(token).is_finite());
    if sure == 0 && kept == 1 {
        return Ok(exact.ranking[..1].to_vec());
    }
    if !(sure..=possible).contains(&kept) {
        return Err(format!(
            "V2 keeps {kept}, the reference {sure}..={possible} (mu {mu})"
        ));
    }
    if kept == 0 {
        return Err("V2 keeps nothing".to_owned());
    }
    let logit = |i: usize| exact.logits[exact.ranking[i] as usize];
    if kept < possible && logit(kept - 1) == logit(kept) {
        return Err(format!("V2 keeps {kept}, which parts equal logits"));
    }
    Ok(exact.ranking[..kept].to_vec())
}
