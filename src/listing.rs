//! What a rule kept of a row, token by token, with the probabilities of the whole row.

use crate::reading::{Reading, rule};
use crate::reference::{Distribution, select};
use crate::row::{Row, by_element};
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::survivors::{Place, Survivors};
use crate::{Result, Sampler};
use mirostat_kernels::{Candidates, Cut, Element, Stays};

/// Whether the order of the tokens matters to whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Descending probability, smaller ids first among equals.
    Rank,
    /// In rank order where they are few, by id where they are thousands: for sums.
    Any,
}

/// The kept tokens that can be drawn, aligned by position.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) tokens: Vec<u32>,
    /// Of the whole row, at the session's temperature.
    pub(crate) probabilities: Vec<f64>,
    pub(crate) surprises_bits: Vec<f64>,
    /// How many the rule counts.
    pub(crate) kept: usize,
}

impl Listing {
    /// Of logits that the kernels read, in the order given.
    pub(crate) fn of_logits(summary: &Summary, list: &[(u32, f32)], kept: Option<usize>) -> Self {
        let surprises_bits: Vec<f64> = list
            .iter()
            .map(|&(_, logit)| summary.surprise_bits(logit))
            .collect();
        Self {
            tokens: list.iter().map(|&(token, _)| token).collect(),
            probabilities: surprises_bits.iter().map(|&s| libm::exp2(-s)).collect(),
            surprises_bits,
            kept: kept.unwrap_or(list.len()),
        }
    }

    /// Of survivors, whose list, if they are one, is in `room`.
    pub(crate) fn of_survivors<E: Element>(
        row: &[E],
        summary: &Summary,
        survivors: &Survivors,
        order: Order,
        room: &mut Candidates,
    ) -> Self {
        let list = match survivors.place {
            Place::Single { token, logit, .. } => vec![(token, logit)],
            Place::Listed(list) => {
                room.rank(list.n, list.n);
                (0..list.n).map(|i| room.listed(i)).collect()
            }
            Place::InBlocks { .. } | Place::Weighed { .. } => all_kept(row, survivors.cut, order),
        };
        Self::of_logits(summary, &list, survivors.count)
    }

    /// By the reference, in rank order.
    pub(crate) fn of_distribution(sampler: &Sampler, distribution: &Distribution) -> Result<Self> {
        let mut kept = select(distribution, &rule(sampler), sampler.mu())?;
        kept.tokens
            .sort_unstable_by(|&a, &b| distribution.better_first(a, b));
        let of_each =
            |measure: &dyn Fn(u32) -> f64| kept.tokens.iter().map(|&t| measure(t)).collect();
        Ok(Self {
            probabilities: of_each(&|token| distribution.probability(token)),
            surprises_bits: of_each(&|token| distribution.surprise_bits(token)),
            kept: kept.count,
            tokens: kept.tokens,
        })
    }
}

/// All that a cut keeps, however much.
fn all_kept<E: Element>(row: &[E], cut: Cut, order: Order) -> Vec<(u32, f32)> {
    let mut list: Vec<(u32, f32)> = (0..row.len() as u32)
        .map(|token| (token, mirostat_kernels::logit(row, token) + 0.0))
        .filter(|&(token, logit)| cut.keeps(token, logit))
        .collect();
    if order == Order::Rank {
        list.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    }
    list
}

impl Reading {
    /// The kept tokens of a row that was read with `scratch`.
    pub(crate) fn list(
        &self,
        sampler: &Sampler,
        row: Row<'_>,
        order: Order,
        scratch: &mut Scratch,
    ) -> Result<Listing> {
        match self {
            Self::Exact(distribution) => Listing::of_distribution(sampler, distribution),
            Self::Kernels(summary, survivors) => by_element!(row,
                logits => Ok(Listing::of_survivors(
                    logits, summary, survivors, order, &mut scratch.candidates)),
                _exact => unreachable!("f64 rows are read exactly")),
        }
    }
}
