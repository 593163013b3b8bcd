//! What a rule left of a row, and one token of it by its weight.

use crate::scratch::Scratch;
use crate::summary::{Summary, certain_is_zero};
use crate::{Engine, Error, Result, SurpriseBasis};
use mirostat_kernels::{self as kernels, Cut, Element, Frame, Kept, List};

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
    Single { token: u32, logit: f32 },
    /// At the front of the scratch's list: `n` of them, of which `ordered` stand in the order of the walk.
    Listed { n: usize, ordered: usize },
    /// In the row, too many to list.
    InBlocks(Walk),
}

/// The tokens that a rule keeps and that can be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Survivors {
    pub(crate) place: Place,
    pub(crate) cut: Cut,
    /// How many the rule counts; of survivors in blocks that are counted only when they are weighed, nothing yet.
    pub(crate) count: Option<usize>,
}

/// One of the survivors, measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Choice {
    pub(crate) token: u32,
    pub(crate) probability: f64,
    pub(crate) surprise_bits: f64,
    pub(crate) kept: usize,
}

/// The weight of all survivors: log2 of it, in a frame.
#[derive(Clone, Copy, Debug)]
struct Mass {
    log2: f64,
    frame: Frame,
    count: usize,
}

impl Survivors {
    /// Draws with `uniform`, which has been checked, and measures.
    pub(crate) fn choose<E: Element>(
        &self,
        of: Sound<'_, E>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Choice {
        let (token, logit, mass) = self.draw(of, uniform, scratch);
        measure(of, mass, token, logit)
    }

    /// Measures a token that the host chose; with `any`, one that was not kept too.
    pub(crate) fn observe<E: Element>(
        &self,
        of: Sound<'_, E>,
        token: u32,
        any: bool,
        scratch: &mut Scratch,
    ) -> Result<Choice> {
        let vocabulary = of.row.len();
        if token as usize >= vocabulary {
            return Err(Error::TokenOutsideVocabulary { token, vocabulary });
        }
        let logit = kernels::logit(of.row, token);
        let kept = if any {
            logit >= of.summary.support_edge
        } else {
            self.cut.keeps(token, logit)
        };
        if !kept {
            return Err(Error::TokenNotKept { token });
        }
        let (_, _, mass) = self.draw(of, 0.0, scratch);
        Ok(measure(of, mass, token, logit))
    }

    fn draw<E: Element>(
        &self,
        Sound {
            engine,
            row,
            summary,
            ..
        }: Sound<'_, E>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> (u32, f32, Mass) {
        let (scale, top) = (summary.frame().scale, summary.kernel.max);
        match self.place {
            Place::Single { token, logit } => {
                let mass = Mass {
                    log2: 0.0,
                    frame: Frame::below(top, scale),
                    count: self.count.unwrap_or(1),
                };
                (token, logit, mass)
            }
            Place::Listed { n, ordered } => {
                let list = List {
                    n,
                    ordered,
                    top,
                    scale,
                };
                let chosen = kernels::choose_listed(engine, list, uniform, &mut scratch.candidates);
                let mass = Mass {
                    log2: libm::log2(chosen.total),
                    frame: Frame::below(top, scale),
                    count: self.count.unwrap_or(n),
                };
                (chosen.id, chosen.logit, mass)
            }
            Place::InBlocks(walk) => {
                let frame = summary.frame();
                let kept = Kept {
                    row,
                    frame,
                    cut: self.cut,
                    maxima: &scratch.maxima,
                    sums: &scratch.sums,
                };
                let room = &mut scratch.candidates;
                let chosen = kernels::choose_in_blocks(engine, kept, uniform, room);
                let token = match walk {
                    Walk::Id => chosen.id,
                    Walk::Rank => kernels::mass_select(
                        engine,
                        kept,
                        top,
                        (chosen.total, chosen.kept),
                        uniform,
                        room,
                    ),
                };
                let mass = Mass {
                    log2: libm::log2(chosen.total),
                    frame,
                    count: self.count.unwrap_or(chosen.kept),
                };
                (token, kernels::logit(row, token), mass)
            }
        }
    }
}

fn measure<E>(of: Sound<'_, E>, mass: Mass, token: u32, logit: f32) -> Choice {
    let surprise_bits = match of.basis {
        SurpriseBasis::Original => of.summary.surprise_bits(logit),
        SurpriseBasis::Kept => certain_is_zero(mass.log2 - mass.frame.exponent(logit)),
    };
    Choice {
        token,
        probability: libm::exp2(-surprise_bits),
        surprise_bits,
        kept: mass.count,
    }
}
