//! The entropy of a row: along with its statistics, or once they are known.

use crate::ahead::Ahead;
use crate::block::{Blocks, Maxima, add_four, load_four};
use crate::exp::Exp;
use crate::frame::Frame;
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::stats::{Fault, Summary, read};
use crate::{Element, Engine};

/// Further than this from the frame's origin, the greatest logit leaves too few digits to a sum around it.
const TRUSTED_BITS: f64 = 20.0;

/// Below this entropy, what the rounding of single weights leaves would show: a certain row must have none.
const NEARLY_CERTAIN_BITS: f64 = 1.0 / 1024.0;

/// [`stats`](crate::stats) with the entropy of the row in bits: Σ p·log2(1/p), never below 0.
///
/// One read as a rule; a second one where the first thousand logits lie far below the greatest, or the row is extreme or nearly certain.
///
/// # Errors
///
/// As [`stats`](crate::stats).
///
/// # Panics
///
/// As [`stats`](crate::stats).
pub fn stats_and_entropy<E: Element>(
    engine: Engine,
    row: &[E],
    scale: f64,
    maxima: &mut [Maxima],
    sums: &mut [f32],
) -> Result<(Summary, f64), Fault> {
    let (summary, moment) = read::<E, true>(engine, row, scale, maxima, sums)?;
    let frame = summary.frame;
    let along = moment.map(|moment| {
        let mean = frame.exponent(frame.origin()) + moment * scale / summary.total;
        libm::log2(summary.total) - mean
    });
    let trusted = frame.exponent(summary.max) <= TRUSTED_BITS;
    let bits = match along {
        Some(bits) if trusted && bits >= NEARLY_CERTAIN_BITS => bits,
        _ => entropy_bits(engine, row, &summary),
    };
    Ok((summary, bits))
}

/// Σ p·log2(1/p) over the row: its entropy in bits, never below 0.
///
/// One more read of the row; `summary` must be the row's own.
pub fn entropy_bits<E: Element>(engine: Engine, row: &[E], summary: &Summary) -> f64 {
    let frame = Frame::below(summary.max, summary.frame.scale);
    let (total, moment) = engine.run(Moment {
        row,
        ahead: Ahead::here(),
        frame,
    });
    let bits = libm::log2(total) - moment * frame.scale / total;
    if bits > 0.0 { bits } else { 0.0 }
}

/// Σ w and Σ w·(x − max), the weights being relative to the greatest logit.
struct Moment<'a, E> {
    row: &'a [E],
    ahead: Ahead,
    frame: Frame,
}

impl<E: Element> Kernel for Moment<'_, E> {
    type Output = (f64, f64);

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> (f64, f64) {
        let exp = Exp::new(l, self.frame);
        let blocks = Blocks::of(self.row);
        let (mut total, mut moment) = (0.0, 0.0);
        let mut b = 0;
        while b < crate::blocks(self.row.len()) {
            let (quarters, _) = blocks.get(b).as_chunks::<64>();
            let (mut sum, mut first) = (l.splat(0.0), l.splat(0.0));
            let mut q = 0;
            while q < 4 {
                self.ahead.ask_all(l, &quarters[q]);
                let x = load_four(l, &quarters[q]);
                let y = exp.shifted(x);
                let (w, m) = exp.four::<true>(x);
                // 0·(−∞) must be 0: the product is kept only where there is weight.
                let d = four!(j => l.keep(m[j], l.mul(w[j], y[j])));
                sum = l.add(sum, add_four(l, w));
                first = l.add(first, add_four(l, d));
                q += 1;
            }
            total += f64::from(l.sum(sum));
            moment += f64::from(l.sum(first));
            b += 1;
        }
        (total, moment)
    }
}
