//! The entropy of a row whose statistics are known.

use crate::block::{Blocks, add_four, load_four, prefetch};
use crate::exp::{Exp, Frame};
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::stats::Summary;
use crate::{Element, Engine};

/// Σ p·log2(1/p) over the row: its entropy in bits, never below 0.
///
/// One more read of the row; `summary` must be the row's own.
pub fn entropy_bits<E: Element>(engine: Engine, row: &[E], summary: &Summary) -> f64 {
    let frame = Frame::below(summary.max, summary.frame.scale);
    let (total, moment) = engine.run(Moment {
        row,
        ahead: engine.ahead(),
        frame,
    });
    let bits = libm::log2(total) - moment * frame.scale / total;
    if bits > 0.0 { bits } else { 0.0 }
}

/// Σ w and Σ w·(x − max), the weights being relative to the greatest logit.
struct Moment<'a, E> {
    row: &'a [E],
    ahead: usize,
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
                prefetch(l, &quarters[q], self.ahead);
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
