//! A token that was drawn or named, and what it is worth beside the others.

use crate::summary::{Summary, certain_is_zero};
use crate::survivors::Drawn;
use crate::{Error, Result, SurpriseBasis};
use mirostat_kernels::{self as kernels, Cut, Element, Stays};

/// One of the survivors, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) token: u32,
    pub(crate) probability: f64,
    pub(crate) surprise_bits: f64,
    pub(crate) kept: usize,
}

/// The logit of a token that the host chose, which the cut must keep.
pub(crate) fn chosen_logit<E: Element>(row: &[E], cut: Cut, token: u32) -> Result<f32> {
    let vocabulary = row.len();
    if token as usize >= vocabulary {
        return Err(Error::TokenOutsideVocabulary { token, vocabulary });
    }
    let logit = kernels::logit(row, token);
    if !cut.keeps(token, logit) {
        return Err(Error::TokenNotKept { token });
    }
    Ok(logit)
}

/// Measures a token beside the weight of all that a draw went through.
pub(crate) fn measure(
    summary: &Summary,
    basis: SurpriseBasis,
    drawn: Drawn,
    token: u32,
    logit: f32,
) -> Choice {
    let surprise_bits = match basis {
        SurpriseBasis::Original => summary.surprise_bits(logit),
        SurpriseBasis::Kept => certain_is_zero(drawn.log2_mass - drawn.frame.exponent(logit)),
    };
    Choice {
        token,
        probability: libm::exp2(-surprise_bits),
        surprise_bits,
        kept: drawn.kept,
    }
}
