//! What is known of a row after one read: its greatest logit, its ln Z, how many tokens can be drawn at all.

use crate::reference::Distribution;
use crate::row::{Row, by_element};
use crate::scratch::{Scratch, prepare, with_thread_scratch};
use crate::{Engine, Error, Result};
use mirostat_kernels::{self as kernels, Element, Fault, Frame};

/// Logits are worth log2(e) bits each, at temperature 1.
pub(crate) const BITS_PER_NAT: f64 = core::f64::consts::LOG2_E;

/// A token whose logit lies this many nats below the greatest has probability 0 in f64: exp(−745.1332191019411) is the last above.
pub(crate) const DEPTH_NATS: f64 = 745.133_219_101_941_1;

/// A sound row, read once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    pub(crate) kernel: kernels::Summary,
    /// Tokens of a weight above 0 in f64.
    pub(crate) support: usize,
    /// The least logit of the support, or lower.
    pub(crate) support_edge: f32,
    /// log2 of the sum of the weights, in the frame of the row.
    pub(crate) log2_total: f64,
}

impl Summary {
    /// Reads the row; its length has been checked and `scratch` has room for it.
    pub(crate) fn read<E: Element>(
        engine: Engine,
        row: &[E],
        temperature: f64,
        scratch: &mut Scratch,
    ) -> Result<Self> {
        let scale = BITS_PER_NAT / temperature;
        let kernel = kernels::stats(engine, row, scale, &mut scratch.maxima, &mut scratch.sums)
            .map_err(refuse)?;
        Ok(Self::of(engine, row, temperature, kernel))
    }

    /// The same, and the entropy in bits.
    pub(crate) fn read_with_entropy<E: Element>(
        engine: Engine,
        row: &[E],
        temperature: f64,
        scratch: &mut Scratch,
    ) -> Result<(Self, f64)> {
        let scale = BITS_PER_NAT / temperature;
        let (maxima, sums) = (&mut scratch.maxima, &mut scratch.sums);
        let (kernel, entropy_bits) =
            kernels::stats_and_entropy(engine, row, scale, maxima, sums).map_err(refuse)?;
        Ok((Self::of(engine, row, temperature, kernel), entropy_bits))
    }

    fn of<E: Element>(
        engine: Engine,
        row: &[E],
        temperature: f64,
        kernel: kernels::Summary,
    ) -> Self {
        let support_edge = ceil_f32(f64::from(kernel.max) - DEPTH_NATS * temperature);
        let support = match kernel.faint {
            // What has weight in f32 lies far above the edge.
            0 => row.len() - kernel.masked,
            _ => kernels::count_at_least(engine, row, [support_edge; 4])[0],
        };
        Self {
            kernel,
            support,
            support_edge,
            log2_total: libm::log2(kernel.total),
        }
    }

    /// −log2 p of a logit of the support, never below +0.0.
    pub(crate) fn surprise_bits(&self, logit: f32) -> f64 {
        if self.support == 1 {
            return 0.0;
        }
        certain_is_zero(self.log2_total - self.kernel.frame.exponent(logit))
    }

    pub(crate) const fn frame(&self) -> Frame {
        self.kernel.frame
    }
}

/// A surprise that rounding brought below 0, or to −0.0, is that of certainty.
pub(crate) fn certain_is_zero(bits: f64) -> f64 {
    if bits > 0.0 { bits } else { 0.0 }
}

/// The least finite f32 that is not below `x`; the greatest finite one where there is none.
pub(crate) fn ceil_f32(x: f64) -> f32 {
    let near = x as f32;
    let up = if f64::from(near) < x {
        near.next_up()
    } else {
        near
    };
    up.clamp(f32::MIN, f32::MAX)
}

pub(crate) fn refuse(fault: Fault) -> Error {
    match fault {
        Fault::Invalid { index, value } => Error::InvalidLogit {
            index,
            value: f64::from(value),
        },
        Fault::AllMasked => Error::AllMasked,
    }
}

/// ln Z of a row: ln Σ e^l, in **nats**, −∞ logits counting as 0.
///
/// The logarithm of the softmax denominator; a token's log-probability is its logit minus this.
///
/// # Errors
///
/// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidLogit`], [`Error::AllMasked`].
///
/// # Cost
///
/// One read of the row in the thread's scratch. Within 5e-7 of the f64 value.
///
/// # Examples
///
/// ```
/// let log_z = mirostat::log_z_nats(&[0.0_f32, 0.0])?;
/// assert!((log_z - core::f64::consts::LN_2).abs() < 5e-7);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn log_z_nats<'a>(row: impl Into<Row<'a>>) -> Result<f64> {
    log_z_nats_of(row.into())
}

// Not generic, as the two below: the kernels are compiled here, not wherever one of them is called.
fn log_z_nats_of(row: Row<'_>) -> Result<f64> {
    with_thread_scratch(|scratch| {
        prepare(row, scratch)?;
        by_element!(row,
            logits => Ok(Summary::read(Engine::detect(), logits, 1.0, scratch)?.kernel.log_z_nats()),
            exact => Ok(Distribution::from_logits(exact, 1.0)?.log_z_nats()))
    })
}

/// The entropy of the softmax of a row, Σ p·log2(1/p), in **bits**; masked tokens count as 0, and a certain row has +0.0.
///
/// # Errors
///
/// Those of [`log_z_nats`].
///
/// # Cost
///
/// One read of the row in the thread's scratch; two where its first thousand logits lie far below the greatest, or it is nearly certain.
///
/// # Examples
///
/// ```
/// assert!((mirostat::row_entropy_bits(&[1.0_f32; 8])? - 3.0).abs() < 1e-6);
/// assert_eq!(mirostat::row_entropy_bits(&[1.0, f32::NEG_INFINITY])?, 0.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn row_entropy_bits<'a>(row: impl Into<Row<'a>>) -> Result<f64> {
    row_entropy_bits_of(row.into())
}

fn row_entropy_bits_of(row: Row<'_>) -> Result<f64> {
    with_thread_scratch(|scratch| {
        prepare(row, scratch)?;
        by_element!(row,
            logits => {
                Ok(Summary::read_with_entropy(Engine::detect(), logits, 1.0, scratch)?.1)
            },
            exact => Ok(Distribution::from_logits(exact, 1.0)?.entropy_bits()))
    })
}

/// The token with the greatest logit, and that logit; among equals the smaller id, and −0.0 equals +0.0.
///
/// # Errors
///
/// Those of [`log_z_nats`].
///
/// # Cost
///
/// One read of the row in the thread's scratch.
///
/// # Examples
///
/// ```
/// assert_eq!(mirostat::greatest(&[0.0_f32, 1.5, 1.5])?, (1, 1.5));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn greatest<'a>(row: impl Into<Row<'a>>) -> Result<(u32, f64)> {
    greatest_of(row.into())
}

fn greatest_of(row: Row<'_>) -> Result<(u32, f64)> {
    with_thread_scratch(|scratch| {
        prepare(row, scratch)?;
        by_element!(row,
        logits => {
            let max = Summary::read(Engine::detect(), logits, 1.0, scratch)?.kernel.max;
            Ok((kernels::first_equal(logits, &scratch.maxima, max), f64::from(max)))
        },
        exact => {
            let token = Distribution::from_logits(exact, 1.0)?.greatest();
            Ok((token, exact[token as usize] + 0.0))
        })
    })
}
