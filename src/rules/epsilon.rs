//! The tokens of probability at least epsilon: the edge of Mirostat 2 at mu = −log2 epsilon.

use super::mirostat_v2;
use crate::Engine;
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::survivors::{Survivors, Walk};
use mirostat_kernels::Element;

pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    least: f64,
    walk: Walk,
    scratch: &mut Scratch,
) -> Survivors {
    let kept = mirostat_v2::survivors(engine, row, summary, -libm::log2(least), walk, scratch);
    let count = if least == 0.0 {
        Some(row.len())
    } else {
        kept.count
    };
    Survivors { count, ..kept }
}
