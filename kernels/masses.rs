//! The weight of what stays, for four answers to what stays at once.

use crate::block::{BLOCK, Blocks, Maxima, load_four};
use crate::choose_in_blocks::Kept;
use crate::exp::Exp;
use crate::frame::Frame;
use crate::lanes::{Lanes, four};
use crate::level::{Kernel, run_in_frame};
use crate::stays::{Ends, Stays, view};
use crate::{Element, Engine};

/// Blocks whose weights are summed lane by lane before the sums are added in f64.
const FLUSH: usize = 4;

/// The weight of what stays four times over.
pub(crate) fn masses<E: Element, S: Stays, T: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    stays: [T; 4],
) -> [f64; 4] {
    let Kept {
        row, frame, maxima, ..
    } = kept;
    run_in_frame!(
        engine,
        frame,
        Masses::<E, T> {
            row,
            frame,
            maxima,
            stays
        }
    )
}

struct Masses<'a, E, T, const SHIFTED: bool> {
    row: &'a [E],
    frame: Frame,
    maxima: &'a [Maxima],
    stays: [T; 4],
}

impl<E: Element, T: Stays, const SHIFTED: bool> Kernel for Masses<'_, E, T, SHIFTED> {
    type Output = [f64; 4];

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> [f64; 4] {
        let exp = Exp::new(l, self.frame);
        let stays = self.stays;
        let blocks = Blocks::of(self.row);
        let mut room = [E::FLOOR; BLOCK];
        let zero = l.splat(0.0);
        let (mut found, mut sums) = ([0.0; 4], [zero; 4]);
        let end = crate::blocks(self.row.len());
        let mut b = 0;
        while b < end {
            let ends = four!(s => Ends::new(l, stays[s].interval(b)));
            let maxima = l.load(&self.maxima[b].0);
            let reached = four!(s => l.bits(ends[s].reached_by(maxima)));
            if reached != [0; 4] {
                // What is split is split alike in all four.
                let (quarters, _) = view(&stays[0], &blocks, b, &mut room).as_chunks::<64>();
                let mut q = 0;
                while q < 4 {
                    let x = load_four(l, &quarters[q]);
                    let (w, _) = exp.four::<SHIFTED>(x);
                    let mut j = 0;
                    while j < 4 {
                        let m = four!(s => ends[s].hold(T::CEILING, x[j]));
                        sums = four!(s => l.add_where(m[s], sums[s], w[j]));
                        j += 1;
                    }
                    q += 1;
                }
            }
            b += 1;
            if b.is_multiple_of(FLUSH) || b == end {
                found = four!(s => found[s] + f64::from(l.sum(sums[s])));
                sums = [zero; 4];
            }
        }
        found
    }
}
