//! A penalty on every token of a history.

use super::history::History;
use super::logit::{Logit, rounded};
use crate::Result;

/// Penalises the logit of every token of a history that is not masked, given the logit and the count: all of them, or none.
pub(super) fn penalize<E: Logit>(
    logits: &mut [E],
    history: &History,
    penalized: impl Fn(f64, u32) -> f64,
) -> Result<()> {
    for (token, count) in history.iter() {
        let logit = logits[token as usize];
        if !logit.is_masked() {
            let _: E = rounded(penalized(logit.widen(), count), "a penalised logit")?;
        }
    }
    for (token, count) in history.iter() {
        let logit = &mut logits[token as usize];
        if !logit.is_masked() {
            *logit = E::narrow(penalized(logit.widen(), count));
        }
    }
    Ok(())
}
