//! The logits within ln(1 / share) temperatures of the greatest: an edge without any sum.

use crate::scratch::Scratch;
use crate::summary::{BITS_PER_NAT, Summary, ceil_f32, refuse};
use crate::survivors::{Place, Survivors, Walk};
use crate::{Engine, Result};
use mirostat_kernels::{self as kernels, Cut, Element, Found};

pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    share: f64,
    temperature: f64,
    walk: Walk,
    scratch: &mut Scratch,
) -> Result<Survivors> {
    if share == 0.0 {
        let summary = Summary::read(engine, row, temperature, scratch)?;
        return Ok(Survivors::of_all(engine, row, &summary, walk, scratch));
    }
    let max = kernels::group_max(engine, row, &mut scratch.maxima).map_err(refuse)?;
    let depth = libm::log(share).max(-crate::summary::DEPTH_NATS);
    let cut = Cut::at(ceil_f32(f64::from(max) + depth * temperature));
    if let Found::Few(n) =
        kernels::gather(engine, row, &scratch.maxima, cut, &mut scratch.candidates)
    {
        let list = walk.of_gathered(n, max, BITS_PER_NAT / temperature);
        return Ok(Survivors {
            place: Place::Listed(list),
            cut,
            count: Some(n),
        });
    }
    let summary = Summary::read(engine, row, temperature, scratch)?;
    Ok(Survivors::of_cut(engine, row, &summary, cut, walk, scratch))
}
