//! What stands before a place in an order, weighed block by block, while what stands between it and a later place is listed.

use crate::block::{BLOCK, Blocks, Maxima, add_four, count_four, load_four};
use crate::candidates::{Candidates, FEW};
use crate::choose_in_blocks::Kept;
use crate::exp::Exp;
use crate::frame::Frame;
use crate::gather::list_four;
use crate::lanes::{Lanes, four};
use crate::late_sums::LateSums;
use crate::level::{Kernel, run_in_frame};
use crate::stays::{Ends, Stays, view};
use crate::{Element, Engine};

/// What was found on both sides of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enclosed {
    /// The weight of what stands before: the sum of `parts`, block after block.
    pub(crate) before: f64,
    /// How many stand there.
    pub(crate) count: usize,
    /// How many stand between: listed, in id order, unless they are more than [`FEW`].
    pub(crate) between: usize,
}

/// Weighs what `before` keeps, and lists what only `until` keeps, which keeps more. Reads the row once.
///
/// The weight of a block is summed as in [`choose_in_blocks`](crate::choose_in_blocks()), and left in `room.parts` where `parts` asks
/// for it.
pub(crate) fn enclose<E: Element, S: Stays, T: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    (before, until): (T, T),
    parts: bool,
    room: &mut Candidates,
) -> Enclosed {
    let Kept {
        row, frame, maxima, ..
    } = kept;
    run_in_frame!(
        engine,
        frame,
        Enclose::<E, T> {
            row,
            frame,
            maxima,
            before,
            until,
            parts,
            room
        }
    )
}

struct Enclose<'a, E, T, const SHIFTED: bool> {
    row: &'a [E],
    frame: Frame,
    maxima: &'a [Maxima],
    before: T,
    until: T,
    parts: bool,
    room: &'a mut Candidates,
}

impl<E: Element, T: Stays, const SHIFTED: bool> Kernel for Enclose<'_, E, T, SHIFTED> {
    type Output = Enclosed;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Enclosed {
        let Self { before, until, .. } = self;
        let room = self.room;
        let exp = Exp::new(l, self.frame);
        let blocks = Blocks::of(self.row);
        let mut view_room = [E::FLOOR; BLOCK];
        let zero = l.splat(0.0);
        let n = crate::blocks(self.row.len());
        // Taken out of the room for as long as they are written to: the list in it is written to as well.
        let mut parts = core::mem::take(&mut room.parts);
        let to = if self.parts { &mut parts[..n] } else { &mut [] };
        to.fill(0.0);
        let mut sums = LateSums::new(l, to);
        let (mut count, mut between) = (0, 0);
        let mut b = 0;
        while b < n {
            let ends = Ends::new(l, until.interval(b));
            let inner = Ends::new(l, before.interval(b));
            if ends.reached_by(&self.maxima[b]) != 0 {
                // What is split is split alike in both.
                let (quarters, _) = view(&until, &blocks, b, &mut view_room).as_chunks::<64>();
                let mut sum = zero;
                let mut q = 0;
                while q < 4 {
                    let x = load_four(l, &quarters[q]);
                    let (w, _) = exp.four::<SHIFTED>(x);
                    let m = four!(j => inner.hold(T::CEILING, x[j]));
                    sum = l.add(sum, add_four(l, four!(j => l.keep(m[j], w[j]))));
                    count += count_four(l, m);
                    let m = four!(j => l.and_not(ends.hold(T::CEILING, x[j]), m[j]));
                    // A full list is written on behind its end.
                    let at = between.min(FEW);
                    between +=
                        list_four(l, ((b * BLOCK + q * 64) as u32, &quarters[q]), m, room, at);
                    q += 1;
                }
                sums.push(b, sum);
            }
            b += 1;
        }
        let before = sums.total();
        room.parts = parts;
        Enclosed {
            before,
            count,
            between,
        }
    }
}
