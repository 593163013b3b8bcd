//! Locally typical: the tokens whose surprise is nearest the entropy, the fewest that sum to at least `mass`.
//!
//! The deviation |surprise − H| grows on both sides of one logit, so what is wanted lies in a window around it. As a rule the window
//! ends among the few greatest logits, which are listed; else it is found by mass in the row itself.

use crate::reference::DrawOrder;
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::{Engine, Result};
use mirostat_kernels::{
    self as kernels, Cut, Distance, Element, FEW, Found, InBlocks, Kept, List, Mass, Parts,
    Weighed, Window,
};

/// How many of the greatest logits are looked at before the whole row.
const FIRST: [usize; 2] = [384, 2048];

/// What stays of a row that has been read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typical {
    summary: Summary,
    distance: Distance,
    place: Place,
}

/// Where what stays is.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At the front of the scratch's list, in id order.
    Listed(List),
    /// In the row, too much to list, up to a key in the order of distance; weighed already where it was found by mass.
    InBlocks {
        window: Window,
        last_key: u64,
        weighed: Option<Weighed>,
    },
}

impl Typical {
    /// Reads the row and cuts it.
    pub(crate) fn read<E: Element>(
        engine: Engine,
        row: &[E],
        mass: f64,
        temperature: f64,
        scratch: &mut Scratch,
    ) -> Result<Self> {
        let (summary, entropy_bits) =
            Summary::read_with_entropy(engine, row, temperature, scratch)?;
        let distance = Distance {
            frame: summary.frame(),
            centre: summary.log2_total - entropy_bits,
            least: summary.support_edge,
            top: summary.kernel.max,
        };
        let typical = |place| Self {
            summary,
            distance,
            place,
        };
        if mass == 1.0 {
            let last_key = distance.last_key();
            return Ok(typical(place(engine, row, distance, last_key, scratch)));
        }
        // The mass to reach, the weight of the greatest logit being 1: fewer logits than that cannot reach it.
        let wanted = mass * libm::exp2(summary.log2_total - distance.frame.exponent(distance.top));
        for first in FIRST.map(|n| n.min(row.len())) {
            if first as f64 >= wanted
                && let Some(list) = among_first((engine, row, first), distance, wanted, scratch)
            {
                return Ok(typical(Place::Listed(list)));
            }
        }
        // To reach a mass is to pass the number just below it.
        let total = summary.kernel.total;
        let target = (mass * total).next_down();
        let whole = Kept {
            row,
            frame: summary.frame(),
            stays: Cut::at(summary.support_edge),
            maxima: &scratch.maxima,
            sums: &scratch.sums,
        };
        let room = &mut scratch.candidates;
        let masses = (target, total);
        let found = kernels::mass_near(engine, whole, distance, masses, Parts::Wanted, room);
        Ok(typical(match found.weighed {
            Some(weighed) if weighed.kept > FEW => Place::InBlocks {
                window: distance.window(found.at),
                last_key: found.at,
                weighed: Some(weighed),
            },
            _ => place(engine, row, distance, found.at, scratch),
        }))
    }

    /// Draws with `uniform`, which has been checked: the token, and how many stay.
    pub(crate) fn draw<E: Element>(
        &self,
        engine: Engine,
        row: &[E],
        (uniform, order): (f64, DrawOrder),
        scratch: &mut Scratch,
    ) -> (u32, usize) {
        match self.place {
            Place::Listed(list) => {
                let room = &mut scratch.candidates;
                let ordered = match order {
                    DrawOrder::Id => list.n,
                    DrawOrder::Rank => 0,
                    DrawOrder::Rule => {
                        room.key_by(list.n, |id, x| self.distance.key(id, x));
                        room.sort_by_key(list.n, row);
                        list.n
                    }
                };
                let list = List { ordered, ..list };
                let chosen = kernels::choose_listed(engine, list, uniform, room);
                (chosen.id, list.n)
            }
            Place::InBlocks {
                window,
                last_key,
                weighed,
            } => {
                let kept = Kept {
                    row,
                    frame: self.summary.frame(),
                    stays: window,
                    maxima: &scratch.maxima,
                    sums: &scratch.sums,
                };
                let room = &mut scratch.candidates;
                let (in_id_order, Weighed { kept: n, total }) = match weighed {
                    Some(weighed) => {
                        let sums = room.parts();
                        let kept = Kept { sums, ..kept };
                        let id = kernels::choose_whole(engine, kept, weighed.total, uniform);
                        (id, weighed)
                    }
                    None => {
                        let chosen = kernels::choose_in_blocks(engine, kept, uniform, room);
                        let InBlocks { id, kept, total } = chosen;
                        (id, Weighed { kept, total })
                    }
                };
                let token = match order {
                    DrawOrder::Id => in_id_order,
                    DrawOrder::Rank => {
                        let top = self.distance.top;
                        kernels::mass_select(engine, kept, Mass { top, total }, uniform, room)
                    }
                    DrawOrder::Rule => {
                        let masses = (uniform * total, self.summary.kernel.total);
                        let whole = kept.with(Cut::at(self.summary.support_edge));
                        let parts = Parts::Unwanted;
                        let found =
                            kernels::mass_near(engine, whole, self.distance, masses, parts, room);
                        // Rounding may lead past the last that stays. A key ends in its id.
                        found.at.min(last_key) as u32
                    }
                };
                (token, n)
            }
        }
    }
}

/// The window, if it ends among so many of the greatest logits: what it holds is then listed.
fn among_first<E: Element>(
    (engine, row, first): (Engine, &[E], usize),
    distance: Distance,
    wanted: f64,
    scratch: &mut Scratch,
) -> Option<List> {
    let (frame, top, room) = (distance.frame, distance.top, &mut scratch.candidates);
    let n = kernels::top_m(engine, row, top, &scratch.maxima, first, room);
    let edge = least(room.logits(n));
    let list = List {
        n,
        ordered: n,
        top,
        scale: frame.scale,
    };
    room.key_by(n, |id, x| distance.key(id, x));
    let last = kernels::cut_keyed(engine, list, wanted, room)?;
    // Every logit above the edge is listed. Below it distances are greater than at it, if the edge lies below the centre.
    if frame.exponent(edge) >= distance.centre || last >= distance.key(0, edge) {
        return None;
    }
    let n = room.retain(n, |id, x| distance.key(id, x) <= last);
    Some(List {
        n,
        ordered: n,
        top: room.greatest(n),
        scale: frame.scale,
    })
}

/// What stays up to a key: listed where it is little.
fn place<E: Element>(
    engine: Engine,
    row: &[E],
    distance: Distance,
    last_key: u64,
    scratch: &mut Scratch,
) -> Place {
    let window = distance.window(last_key);
    let room = &mut scratch.candidates;
    match kernels::gather(engine, row, &scratch.maxima, window, room) {
        Found::Few(n) => Place::Listed(List {
            n,
            ordered: n,
            top: room.greatest(n),
            scale: distance.frame.scale,
        }),
        Found::Many => Place::InBlocks {
            window,
            last_key,
            weighed: None,
        },
    }
}

fn least(logits: &[f32]) -> f32 {
    logits.iter().fold(f32::MAX, |a, &b| a.min(b))
}
