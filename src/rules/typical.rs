//! Locally typical: the tokens whose surprise is nearest the entropy, the fewest that sum to at least `mass`.
//!
//! The deviation |surprise − H| grows on both sides of one logit, so what is wanted lies in a window around it. The list holds all
//! logits above an edge; the window is right if it ends above that edge. Whatever lies below (1 − mass)·Z / V weighs at most 1 − mass
//! together, and half of what may be dropped is left to the greatest logits, which may lie above the window.

use crate::Engine;
use crate::scratch::Scratch;
use crate::summary::{Summary, ceil_f32};
use crate::survivors::{Place, Survivors};
use mirostat_kernels::{self as kernels, Cut, Element, Found, List};

/// Which order the uniform runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Id,
    Deviation,
    Rank,
}

/// The survivors, or nothing where they are too many to list.
pub(crate) fn survivors<E: Element>(
    engine: Engine,
    row: &[E],
    summary: &Summary,
    mass: f64,
    order: Order,
    scratch: &mut Scratch,
) -> Option<Survivors> {
    let (top, frame) = (summary.kernel.max, summary.frame());
    let entropy_bits = kernels::entropy_bits(engine, row, &summary.kernel);
    let centre = summary.log2_total - entropy_bits;
    // Positive numbers stand in the order of their bits; equal deviations go by id.
    let key = |id: u32, x: f32| {
        let deviation = libm::fabs(centre - frame.exponent(x)) as f32;
        u64::from(deviation.to_bits()) << 32 | u64::from(id)
    };
    // The mass to reach, the weight of the greatest logit being 1.
    let wanted = mass * libm::exp2(summary.log2_total - frame.exponent(top));
    let room = &mut scratch.candidates;
    for dropped in [0.5, 1.0 / 64.0, 1.0 / 4096.0, 0.0] {
        let share = summary.log2_total + libm::log2((1.0 - mass) * dropped / row.len() as f64);
        let edge = ceil_f32(frame.logit(share)).clamp(summary.support_edge, top);
        let Found::Few(n) = kernels::gather(engine, row, &scratch.maxima, Cut::at(edge), room)
        else {
            return None;
        };
        room.key_by(n, key);
        let list = List {
            n,
            ordered: 0,
            top,
            scale: frame.scale,
        };
        let found = kernels::cut_keyed(engine, list, wanted, room);
        let everything = edge == summary.support_edge;
        let Some(last) = found.or(everything.then_some(u64::MAX)) else {
            continue;
        };
        // Below the edge deviations are greater than at it, if the edge lies below the centre.
        let inside = frame.exponent(edge) < centre && last < key(0, edge);
        if !(inside || everything) {
            continue;
        }
        let n = room.retain(n, |id, x| key(id, x) <= last);
        let ordered = match order {
            Order::Id => n,
            Order::Rank => 0,
            Order::Deviation => {
                room.key_by(n, key);
                room.sort_by_key(n, row);
                n
            }
        };
        return Some(Survivors {
            place: Place::Listed(List { n, ordered, ..list }),
            cut: Cut::at(edge),
            count: Some(n),
        });
    }
    None
}
