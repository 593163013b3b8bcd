//! One candidate in a given order, where candidates are many: found by mass or by number, without sorting them.

use crate::candidates::Candidates;
use crate::choose_in_blocks::Kept;
use crate::cut::Cut;
use crate::distance::Distance;
use crate::order::Rank;
use crate::search::Search;
use crate::stays::Stays;
use crate::{Element, Engine};

/// What stays, weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// The greatest logit.
    pub top: f32,
    /// The sum of the candidates' weights, in the row's frame.
    pub total: f64,
}

/// Where a running weight passed its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Due<T> {
    /// What stands there.
    pub at: T,
    /// What stands there or before it; none where it stands among so many in one place that they were not listed.
    pub weighed: Option<Weighed>,
}

/// What stays, and weighs so much in each block as [`Candidates::parts`] tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighed {
    /// How many they are.
    pub kept: usize,
    /// The sum of their weights, in the row's frame.
    pub total: f64,
}

/// Chooses among all that stays in rank order: greater logits first, smaller ids first among equals.
///
/// One read of the row as a rule: where to look is guessed from a sample of it. At most 33 where the guess is wrong and thousands tie,
/// and as many again where rounding made the target the weight of all.
pub fn mass_select<E: Element, S: Stays>(
    engine: Engine,
    kept: Kept<'_, E, S>,
    mass: Mass,
    uniform: f64,
    room: &mut Candidates,
) -> u32 {
    let order = Rank {
        least: kept.stays.interval(0).0,
        top: mass.top,
    };
    let masses = (uniform * mass.total, mass.total);
    Search::new(engine, kept, order, (By::Mass, masses), Parts::Unwanted)
        .run(room)
        .id
}

/// The cut that keeps the fewest of what stays, by rank, that weigh at least `least` together; all where rounding lets nothing
/// reach it.
///
/// Cost as [`mass_select`].
pub fn mass_cut<E: Element>(
    engine: Engine,
    kept: Kept<'_, E, Cut>,
    mass: Mass,
    least: f64,
    room: &mut Candidates,
) -> Due<Cut> {
    // To reach a mass is to pass the number just below it.
    let masses = (least.next_down(), mass.total);
    cut_by(engine, kept, mass.top, (By::Mass, masses), room)
}

/// The cut up to where a running measure passes its target in rank order.
fn cut_by<E: Element>(
    engine: Engine,
    kept: Kept<'_, E, Cut>,
    top: f32,
    measure: (By, (f64, f64)),
    room: &mut Candidates,
) -> Due<Cut> {
    let order = Rank {
        least: kept.stays.edge,
        top,
    };
    let found = Search::new(engine, kept, order, measure, Parts::Wanted).run(room);
    Due {
        at: Cut::with_ties(found.logit, found.id),
        weighed: found.weighed,
    }
}

/// Of what stays in order of distance, the one at which the running weight passes `target`: its key, which ends in its id.
///
/// `total` is the weight of all that stays. Cost as [`mass_select`].
pub fn mass_near<E: Element>(
    engine: Engine,
    kept: Kept<'_, E, Cut>,
    distance: Distance,
    (target, total): (f64, f64),
    parts: Parts,
    room: &mut Candidates,
) -> Due<u64> {
    let found = Search::new(engine, kept, distance, (By::Mass, (target, total)), parts).run(room);
    Due {
        at: distance.key(found.id, found.logit),
        weighed: found.weighed,
    }
}

/// The cut that keeps the `k` best of what stays, of which there are `count` and which must be more.
///
/// Cost as [`mass_select`].
pub fn rank_cut<E: Element>(
    engine: Engine,
    kept: Kept<'_, E, Cut>,
    top: f32,
    (k, count): (usize, usize),
    room: &mut Candidates,
) -> Due<Cut> {
    let counts = (k.saturating_sub(1) as f64, count as f64);
    cut_by(engine, kept, top, (By::Count, counts), room)
}

/// Whether the weights of the blocks are to be kept in [`Candidates::parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// They are.
    Wanted,
    /// What lies there stays as it is.
    Unwanted,
}

/// What a search measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The weight of candidates.
    Mass,
    /// Their number.
    Count,
}

impl By {
    /// What a candidate of this weight adds.
    #[inline(always)]
    pub(crate) fn of(self, weight: f32) -> f64 {
        match self {
            Self::Mass => f64::from(weight),
            Self::Count => 1.0,
        }
    }
}
