//! One candidate by its weight in rank order, where candidates are many: found by mass, without sorting them.
//!
//! Let S(e) be the weight of the candidates at or above e. The candidate whose turn it is when the running sum passes the target is
//! the one with S(above it) <= target < S(at or above it). S is a sum by one fixed tree of terms that only vanish as e rises, so it
//! falls monotonically even in f32, and a bracket around the target can be halved until what is inside can be listed and sorted.

use crate::block::Blocks;
use crate::candidates::{Candidates, FEW, ordinal, value_of};
use crate::choose::{Kept, masked_sum};
use crate::count::nth_equal;
use crate::cut::Cut;
use crate::exp::{Exp, weigh};
use crate::gather::gather_below;
use crate::lanes::Lanes;
use crate::level::Kernel;
use crate::{Element, Engine};

/// Chooses among all that stays in rank order: greater logits first, smaller ids first among equals.
///
/// `total` and `count` are the weight and the number of the candidates, as [`choose_in_blocks`](crate::choose_in_blocks) gives
/// them, and `top` the greatest logit. Reads the row about six times, more where mass lies far apart.
pub fn mass_select<E: Element>(
    engine: Engine,
    kept: Kept<'_, E>,
    top: f32,
    (total, count): (f64, usize),
    uniform: f64,
    room: &mut Candidates,
) -> u32 {
    let target = uniform * total;
    let cut = kept.cut;
    // Ordinals; S(low) > target unless rounding made u·total the total, S(high) <= target.
    let (mut low, mut count_low) = (ordinal(cut.edge), count);
    let (mut high, mut above, mut count_high) = (ordinal(top) + 1, 0.0, 0);
    while count_low - count_high > FEW && high - low > 1 {
        let middle = low + (high - low) / 2;
        let (mass, n) = mass_above(engine, kept, value_of(middle));
        if mass > target {
            (low, count_low) = (middle, n);
        } else {
            (high, above, count_high) = (middle, mass, n);
        }
    }
    let edge = value_of(low);
    let inside = count_low - count_high;
    if high - low == 1 {
        // Equal logits, equal weights: the place among them is a division.
        let mut weights = [0.0; 16];
        weigh(engine, kept.frame, &[edge; 16], &mut weights);
        let weight = weights[0];
        let place = (target - above) / f64::from(weight);
        let place = if weight > 0.0 && place > 0.0 {
            place as usize
        } else {
            0
        };
        return nth_equal(engine, kept.row, edge, place.min(inside - 1)) as u32;
    }
    let bracket = if edge == cut.edge { cut } else { Cut::at(edge) };
    let n = gather_below(engine, kept.row, bracket, value_of(high), room);
    room.rank(n, n);
    let end = n.next_multiple_of(16);
    weigh(
        engine,
        kept.frame,
        &room.values[..end],
        &mut room.weights[..end],
    );
    let (mut running, mut last) = (above, 0);
    for i in 0..n {
        let w = room.weights[i];
        if w > 0.0 {
            last = i;
        }
        running += f64::from(w);
        if running > target {
            return room.ids[i];
        }
    }
    room.ids[last]
}

/// The weight of the candidates at or above `edge`, which is above the cut's own, and their number.
fn mass_above<E: Element>(engine: Engine, kept: Kept<'_, E>, edge: f32) -> (f64, usize) {
    if kept.frame.shift == 0.0 {
        engine.run(MassAbove::<E, false> { kept, edge })
    } else {
        engine.run(MassAbove::<E, true> { kept, edge })
    }
}

struct MassAbove<'a, E, const SHIFTED: bool> {
    kept: Kept<'a, E>,
    edge: f32,
}

impl<E: Element, const SHIFTED: bool> Kernel for MassAbove<'_, E, SHIFTED> {
    type Output = (f64, usize);

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> (f64, usize) {
        let Kept {
            row,
            frame,
            maxima,
            sums,
            ..
        } = self.kept;
        let exp = Exp::new(l, frame);
        let shift = l.splat(frame.shift);
        let edge = l.splat(self.edge);
        let blocks = Blocks::of(row);
        let (mut total, mut count) = (0.0, 0);
        for (b, maxima) in maxima[..crate::blocks(row.len())].iter().enumerate() {
            if l.bits(l.ge(l.load(&maxima.0), edge)) == 0 {
                continue;
            }
            let (part, n) =
                masked_sum::<L, E, SHIFTED>(l, &exp, shift, blocks.get(b), edge, sums[b]);
            total += f64::from(part);
            count += n as usize;
        }
        (total, count)
    }
}
