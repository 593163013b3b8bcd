//! The weight and the number of what stays, for four answers to what stays at once.

use crate::block::{BLOCK, Blocks, Maxima, add_four, count_four, load_four};
use crate::choose_in_blocks::Kept;
use crate::exp::Exp;
use crate::frame::Frame;
use crate::lanes::{Lanes, four};
use crate::level::{Kernel, run_in_frame};
use crate::stays::{Ends, Stays, view};
use crate::{Element, Engine};

/// The weight of what stays and how much it is, four times over; summed as by [`choose_in_blocks`](crate::choose_in_blocks()).
pub(crate) fn masses<E: Element, S: Stays, T: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    stays: [T; 4],
) -> [(f64, usize); 4] {
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
    type Output = [(f64, usize); 4];

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> [(f64, usize); 4] {
        let exp = Exp::new(l, self.frame);
        let stays = self.stays;
        let blocks = Blocks::of(self.row);
        let mut room = [E::FLOOR; BLOCK];
        let zero = l.splat(0.0);
        let mut found = [(0.0, 0); 4];
        let mut b = 0;
        while b < crate::blocks(self.row.len()) {
            let ends = four!(s => Ends::new(l, stays[s].interval(b)));
            let maxima = &self.maxima[b];
            let reached = four!(s => ends[s].reached_by(maxima));
            if reached != [0; 4] {
                let mut sums = [zero; 4];
                // What is split is split alike in all four.
                let (quarters, _) = view(&stays[0], &blocks, b, &mut room).as_chunks::<64>();
                let mut q = 0;
                while q < 4 {
                    let x = load_four(l, &quarters[q]);
                    let (w, _) = exp.four::<SHIFTED>(x);
                    sums = four!(s => {
                        let m = four!(j => ends[s].hold(T::CEILING, x[j]));
                        found[s].1 += count_four(l, m);
                        l.add(sums[s], add_four(l, four!(j => l.keep(m[j], w[j]))))
                    });
                    q += 1;
                }
                found = four!(s => (found[s].0 + f64::from(l.sum(sums[s])), found[s].1));
            }
            b += 1;
        }
        found
    }
}
