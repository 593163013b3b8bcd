//! What a rule left of a row, and one token of it by its weight.

use crate::measure::{Choice, chosen_logit, measure};
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::{Engine, Result, SurpriseBasis};
use mirostat_kernels::{
    self as kernels, Candidates, Cut, Due, Element, FEW, Found, Frame, Kept, List, Mass, Maxima,
    Stays, Weighed,
};

/// The order in which a running sum goes through the survivors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// Ascending ids.
    Id,
    /// Descending probability, smaller ids first among equals.
    Rank,
}

/// A row that has been read, and how it is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sound<'a, E> {
    pub(crate) engine: Engine,
    pub(crate) row: &'a [E],
    pub(crate) summary: &'a Summary,
    pub(crate) basis: SurpriseBasis,
}

/// Where the survivors are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// One token, this one.
    Single { token: u32, logit: f32, scale: f64 },
    /// At the front of the scratch's list.
    Listed(List),
    /// In the row, too many to list.
    InBlocks { walk: Walk, top: f32, frame: Frame },
    /// In the row, too many to list, and weighed already.
    Weighed {
        walk: Walk,
        top: f32,
        weighed: Weighed,
        sums: Sums,
        frame: Frame,
    },
}

/// Where the weights of the blocks are that survivors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sums {
    /// The row's own: the survivors are all that has weight.
    OfRow,
    /// The scratch's parts, where a search by mass left them.
    OfSearch,
}

/// The tokens that a rule keeps and that can be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Survivors {
    pub(crate) place: Place,
    pub(crate) cut: Cut,
    /// How many the rule counts; of survivors in blocks that are counted only when they are weighed, nothing yet.
    pub(crate) count: Option<usize>,
}

/// One of the survivors, and the weight of all: log2 of it, in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawn {
    pub(crate) token: u32,
    pub(crate) logit: f32,
    pub(crate) log2_mass: f64,
    pub(crate) frame: Frame,
    pub(crate) kept: usize,
}

impl Survivors {
    /// Draws with `uniform`, which has been checked, and measures.
    pub(crate) fn choose<E: Element>(
        &self,
        of: Sound<'_, E>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Choice {
        let drawn = self.draw(of.engine, of.row, uniform, scratch);
        measure(of.summary, of.basis, drawn, drawn.token, drawn.logit)
    }

    /// Measures a token that the host chose; with `any`, one that was not kept too.
    pub(crate) fn observe<E: Element>(
        &self,
        of: Sound<'_, E>,
        token: u32,
        any: bool,
        scratch: &mut Scratch,
    ) -> Result<Choice> {
        let cut = if any {
            Cut::at(of.summary.support_edge)
        } else {
            self.cut
        };
        let logit = chosen_logit(of.row, cut, token)?;
        let drawn = self.draw(of.engine, of.row, 0.0, scratch);
        Ok(measure(of.summary, of.basis, drawn, token, logit))
    }

    /// Draws with `uniform`, which has been checked.
    pub(crate) fn draw<E: Element>(
        &self,
        engine: Engine,
        row: &[E],
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Drawn {
        let blocks = (&scratch.maxima[..], &scratch.sums[..]);
        self.draw_by(engine, row, blocks, uniform, &mut scratch.candidates)
    }

    /// [`draw`](Self::draw) with the maxima and the sums of the row's blocks from elsewhere than the scratch.
    pub(crate) fn draw_by<E: Element>(
        &self,
        engine: Engine,
        row: &[E],
        (maxima, sums): (&[Maxima], &[f32]),
        uniform: f64,
        room: &mut Candidates,
    ) -> Drawn {
        let kept = |frame| Kept {
            row,
            frame,
            stays: self.cut,
            maxima,
            sums,
        };
        match self.place {
            Place::Single {
                token,
                logit,
                scale,
            } => Drawn {
                token,
                logit,
                log2_mass: 0.0,
                frame: Frame::below(logit, scale),
                kept: self.count.unwrap_or(1),
            },
            Place::Listed(list) => {
                let chosen = kernels::choose_listed(engine, list, uniform, room);
                Drawn {
                    token: chosen.id,
                    logit: chosen.logit,
                    log2_mass: libm::log2(chosen.total),
                    frame: Frame::below(list.top, list.scale),
                    kept: self.count.unwrap_or(list.n),
                }
            }
            Place::InBlocks { walk, top, frame } => {
                let kept = kept(frame);
                let chosen = kernels::choose_in_blocks(engine, kept, uniform, room);
                let mass = Mass {
                    top,
                    total: chosen.total,
                };
                let token = match walk {
                    Walk::Id => chosen.id,
                    Walk::Rank => kernels::mass_select(engine, kept, mass, uniform, room),
                };
                self.drawn(row, token, (chosen.kept, mass.total), frame)
            }
            Place::Weighed {
                walk,
                top,
                weighed: Weighed { kept: n, total },
                sums: whose,
                frame,
            } => {
                let kept = kept(frame);
                let mass = Mass { top, total };
                let token = match (walk, whose) {
                    (Walk::Id, Sums::OfRow) => kernels::choose_whole(engine, kept, total, uniform),
                    (Walk::Id, Sums::OfSearch) => {
                        let kept = Kept {
                            sums: room.parts(),
                            ..kept
                        };
                        kernels::choose_whole(engine, kept, total, uniform)
                    }
                    (Walk::Rank, _) => kernels::mass_select(engine, kept, mass, uniform, room),
                };
                self.drawn(row, token, (n, total), frame)
            }
        }
    }

    /// A token of candidates of which there are so many, with this weight.
    fn drawn<E: Element>(
        &self,
        row: &[E],
        token: u32,
        (candidates, total): (usize, f64),
        frame: Frame,
    ) -> Drawn {
        Drawn {
            token,
            logit: kernels::logit(row, token),
            log2_mass: libm::log2(total),
            frame,
            kept: self.count.unwrap_or(candidates),
        }
    }

    /// What a cut keeps of a row that has been read: listed if it is little.
    pub(crate) fn of_cut<E: Element>(
        engine: Engine,
        row: &[E],
        summary: &Summary,
        cut: Cut,
        walk: Walk,
        scratch: &mut Scratch,
    ) -> Self {
        let (maxima, room) = (&scratch.maxima[..], &mut scratch.candidates);
        Self::of_cut_by(engine, row, summary, cut, walk, (maxima, room))
    }

    /// The whole support of a row that has been read, and all of the row counted.
    pub(crate) fn of_all<E: Element>(
        engine: Engine,
        row: &[E],
        summary: &Summary,
        walk: Walk,
        scratch: &mut Scratch,
    ) -> Self {
        let cut = Cut::at(summary.support_edge);
        Self {
            count: Some(row.len()),
            ..Self::of_cut(engine, row, summary, cut, walk, scratch)
        }
    }

    /// What a cut keeps of a list, which holds all of it and stands in id order.
    pub(crate) fn of_list(room: &mut Candidates, list: List, cut: Cut, walk: Walk) -> Self {
        let n = room.retain(list.n, |id, logit| cut.keeps(id, logit));
        Self {
            place: Place::Listed(walk.of_gathered(n, list.top, list.scale)),
            cut,
            count: Some(n),
        }
    }

    /// What a search by mass left of a row: listed if it is little.
    pub(crate) fn of_search<E: Element>(
        engine: Engine,
        row: &[E],
        summary: &Summary,
        found: Due<Cut>,
        walk: Walk,
        blocks: (&[Maxima], &mut Candidates),
    ) -> Self {
        match found.weighed {
            Some(weighed) if weighed.kept > FEW => Self {
                place: Place::Weighed {
                    walk,
                    top: summary.kernel.max,
                    weighed,
                    sums: Sums::OfSearch,
                    frame: summary.frame(),
                },
                cut: found.at,
                count: Some(weighed.kept),
            },
            _ => Self::of_cut_by(engine, row, summary, found.at, walk, blocks),
        }
    }

    /// [`of_cut`](Self::of_cut) with the maxima of the row's blocks from elsewhere than the scratch.
    pub(crate) fn of_cut_by<E: Element>(
        engine: Engine,
        row: &[E],
        summary: &Summary,
        cut: Cut,
        walk: Walk,
        (maxima, room): (&[Maxima], &mut Candidates),
    ) -> Self {
        let (top, frame) = (summary.kernel.max, summary.frame());
        if cut == Cut::at(summary.support_edge) && summary.support > FEW {
            let place = Place::Weighed {
                walk,
                top,
                weighed: Weighed {
                    kept: summary.support,
                    total: summary.kernel.total,
                },
                sums: Sums::OfRow,
                frame,
            };
            return Self {
                place,
                cut,
                count: Some(summary.support),
            };
        }
        match kernels::gather(engine, row, maxima, cut, room) {
            Found::Few(n) => {
                let place = Place::Listed(walk.of_gathered(n, top, frame.scale));
                Self {
                    place,
                    cut,
                    count: Some(n),
                }
            }
            Found::Many => {
                let place = Place::InBlocks { walk, top, frame };
                Self {
                    place,
                    cut,
                    count: None,
                }
            }
        }
    }
}

impl Walk {
    /// A list that stands in id order.
    pub(crate) const fn of_gathered(self, n: usize, top: f32, scale: f64) -> List {
        let ordered = match self {
            Self::Id => n,
            Self::Rank => 0,
        };
        List {
            n,
            ordered,
            top,
            scale,
        }
    }
}
