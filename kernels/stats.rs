//! What one read of a row tells: its greatest logit, the sum of its weights, the same for each block, and whether it is sound.

use crate::ahead::Ahead;
use crate::block::Maxima;
use crate::frame::Frame;
use crate::level::run_in_frame;
use crate::stats_pass::StatsPass;
use crate::{Element, Engine, Numerics};
use core::ops::RangeInclusive;

/// The row as a whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The greatest logit, +0.0 where that is a zero.
    pub max: f32,
    /// The units of the weights.
    pub frame: Frame,
    /// The sum of the weights, block sums added in id order.
    pub total: f64,
    /// Logits that are −∞.
    pub masked: usize,
    /// Finite logits whose weight is 0 in f32: they may still have a probability above 0 in f64.
    pub faint: usize,
}

impl Summary {
    /// ln Σ e^(x / temperature), in nats.
    #[must_use]
    pub fn log_z_nats(&self) -> f64 {
        let shift = f64::from(self.frame.shift) * self.frame.scale;
        (libm::log2(self.total) + f64::from(self.frame.reference) + shift) * core::f64::consts::LN_2
    }
}

/// Why a row has no summary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The first logit that is NaN or +∞.
    Invalid {
        /// Its position.
        index: usize,
        /// The logit.
        value: f32,
    },
    /// Every logit is −∞.
    AllMasked,
}

/// Reads `row` once (extreme rows twice or three times): weights are 2^(x·`scale` − N).
///
/// `maxima` and `sums` receive what is known of each block. |x·scale| may be anything up to the largest f32 times 2^21.
///
/// # Errors
///
/// [`Fault`], with the first place of a NaN or +∞.
///
/// # Panics
///
/// If `maxima` or `sums` have fewer entries than the row has blocks, or `scale` lies outside [2^−21, 2^21].
pub fn stats<E: Element>(
    engine: Engine,
    row: &[E],
    scale: f64,
    maxima: &mut [Maxima],
    sums: &mut [f32],
) -> Result<Summary, Fault> {
    Ok(read::<E, false>(engine, row, scale, maxima, sums)?.0)
}

/// The summary of a row, and with `MOMENT` Σ w·(x − origin), where the first read gave it.
pub(crate) fn read<E: Element, const MOMENT: bool>(
    engine: Engine,
    row: &[E],
    scale: f64,
    maxima: &mut [Maxima],
    sums: &mut [f32],
) -> Result<(Summary, Option<f64>), Fault> {
    let blocks = crate::blocks(row.len());
    assert!(
        maxima.len() >= blocks && sums.len() >= blocks,
        "one entry a block"
    );
    assert!(SCALES.contains(&scale), "a scale from 2^-21 to 2^21");
    let reach = match engine.numerics() {
        Numerics::Fused => FUSED_REACH,
        Numerics::Portable => PORTABLE_REACH,
    };
    let ahead = Ahead::here();
    let pass = engine.run(StatsPass::<E, MOMENT, false> {
        row,
        ahead,
        scale,
        reach,
        frame: None,
        maxima: &mut *maxima,
        sums: &mut *sums,
    });
    if pass.nan || pass.max == f32::INFINITY {
        return Err(first_invalid(row).unwrap_or(Fault::AllMasked));
    }
    if pass.max == f32::NEG_INFINITY {
        return Err(Fault::AllMasked);
    }
    let at = f64::from(pass.max) * scale;
    if at.abs() <= reach && (MISLED_BELOW..MISLED).contains(&(at - f64::from(pass.frame.reference)))
    {
        return Ok((pass.summary(row.len(), blocks), Some(pass.moment)));
    }
    let known = (pass.max, at.abs() <= reach);
    Ok((again(engine, row, scale, known, maxima, sums), None))
}

/// Scales whose powers up to the sixth, times the coefficients of 2^r, are finite in f32.
const SCALES: RangeInclusive<f64> = 1.0 / 2_097_152.0..=2_097_152.0;
/// Beyond this many bits from 0 the split of x·c into whole and rest loses digits.
const FUSED_REACH: f64 = 262_144.0;
/// The same without fused multiply-adds: n times the short part of 1/c must be exact for all of [N − 125, N + 90].
const PORTABLE_REACH: f64 = 3_840.0;
/// A greatest logit so many bits above N means that the first thousand logits misled the choice of N. It is well below the 131 bits from
/// which on the tally of a block could be misled too (`tally.rs`).
pub(crate) const MISLED: f64 = 90.0;
/// The same below N, where weights begin to vanish: the first thousand were masked, and N was chosen around 0.
const MISLED_BELOW: f64 = -8.0;

/// The summary of a sound row whose first thousand logits misled, or whose logits are extreme: the maximum is known first.
#[cold]
fn again<E: Element>(
    engine: Engine,
    row: &[E],
    scale: f64,
    (max, within_reach): (f32, bool),
    maxima: &mut [Maxima],
    sums: &mut [f32],
) -> Summary {
    let ahead = Ahead::here();
    let shape = if within_reach {
        Frame::around(max, scale)
    } else {
        Frame::below(max, scale)
    };
    let (reach, frame) = (f64::INFINITY, Some(shape));
    let pass = run_in_frame!(
        engine,
        shape,
        StatsPass::<E, false> {
            row,
            ahead,
            scale,
            reach,
            frame,
            maxima,
            sums
        }
    );
    pass.summary(row.len(), crate::blocks(row.len()))
}

/// The first logit that is NaN or +∞.
#[cold]
pub(crate) fn first_invalid<E: Element>(row: &[E]) -> Option<Fault> {
    row.iter().enumerate().find_map(|(index, x)| {
        let value = x.value();
        (value.is_nan() || value == f32::INFINITY).then_some(Fault::Invalid { index, value })
    })
}
