//! A prepared row cut for one step: as far as the ranking goes by binary search, beyond it by the kernels.
//!
//! The survivors are the first n in rank. With exact running sums S, the token that a uniform u draws in rank order is the first i
//! with S_(i+1) > u·S_n: the one that a walk finds.

use super::PreparedRow;
use super::ranking::{Ranked, TIERS, by_id, by_rank, tier_of};
use super::view::{Read, View};
use crate::listing::{Listing, Order};
use crate::measure::{Choice, chosen_logit, measure};
use crate::reading::{proposal, walk};
use crate::reference::check_uniform;
use crate::row::by_element;
use crate::rules::{mirostat_v1, mirostat_v2, top_k};
use crate::scratch::Scratch;
use crate::step::Proposal;
use crate::survivors::{Drawn, Survivors, Walk};
use crate::{Result, Sampler, Version};
use mirostat_kernels::{Cut, Element, FEW};
use std::sync::Arc;

/// A row and what is known of it, and who steps on it.
pub(crate) struct Cutting<'a> {
    row: &'a PreparedRow,
    view: Arc<View>,
    sampler: &'a Sampler,
}

/// Where the survivors are.
enum Place {
    /// The first `n` of a tier.
    Ranked { tier: usize, n: usize },
    /// In the row, or one token.
    Elsewhere(Survivors),
}

/// A row of one element type, and what was read of it.
struct Known<'a, E> {
    logits: &'a [E],
    read: &'a Read,
}

impl<E> Clone for Known<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for Known<'_, E> {}

/// What a rule keeps: where it is, the cut that keeps it, how many the rule counts if that is known.
struct Kept {
    place: Place,
    cut: Cut,
    count: Option<usize>,
}

impl<'a> Cutting<'a> {
    pub(crate) fn new(
        row: &'a PreparedRow,
        sampler: &'a Sampler,
        scratch: &mut Scratch,
    ) -> Result<Self> {
        let view = row.view(sampler.config().temperature(), sampler.engine(), scratch)?;
        Ok(Self { row, view, sampler })
    }

    /// What the kernels read, unless this session takes the exact door on this row.
    fn read(&self) -> Option<&Read> {
        let m = self.sampler.config().m().min(self.row.vocabulary());
        let too_long = self.sampler.version() == Version::V1 && m > FEW;
        self.view.read.as_ref().filter(|_| !too_long)
    }

    /// Draws with `uniform`.
    pub(crate) fn choose(&self, uniform: f64, scratch: &mut Scratch) -> Result<Proposal> {
        let Some(read) = self.read() else {
            let exact = self.view.exact(self.row.row())?;
            return exact.choose(self.sampler, uniform);
        };
        by_element!(self.row.row(),
            logits => {
                let known = Known { logits, read };
                let kept = self.cut(known, scratch)?;
                check_uniform(uniform)?;
                let drawn = self.draw(known, &kept, uniform, scratch);
                Ok(self.proposal(read, drawn, drawn.token, drawn.logit))
            },
            _exact => unreachable!("f64 rows are read exactly"))
    }

    /// Measures a token that the host chose.
    pub(crate) fn observe(&self, token: u32, scratch: &mut Scratch) -> Result<Proposal> {
        let Some(read) = self.read() else {
            return self
                .view
                .exact(self.row.row())?
                .observe(self.sampler, token);
        };
        by_element!(self.row.row(),
            logits => {
                let known = Known { logits, read };
                let kept = self.cut(known, scratch)?;
                let logit = chosen_logit(logits, kept.cut, token)?;
                let drawn = self.draw(known, &kept, 0.0, scratch);
                Ok(self.proposal(read, drawn, token, logit))
            },
            _exact => unreachable!("f64 rows are read exactly"))
    }

    /// The kept tokens.
    pub(crate) fn list(&self, order: Order, scratch: &mut Scratch) -> Result<Listing> {
        let Some(read) = self.read() else {
            let exact = self.view.exact(self.row.row())?;
            return Listing::of_distribution(self.sampler, &exact.distribution);
        };
        by_element!(self.row.row(),
            logits => {
                let known = Known { logits, read };
                let kept = self.cut(known, scratch)?;
                Ok(match kept.place {
                    Place::Ranked { tier, n } => {
                        let ranked = self.tier(known, tier, scratch);
                        let list: Vec<(u32, f32)> = (ranked.ids.iter().copied())
                            .zip(ranked.values.iter().copied())
                            .take(n)
                            .collect();
                        Listing::of_logits(&read.summary, &list, kept.count)
                    }
                    Place::Elsewhere(survivors) => Listing::of_survivors(
                        logits, &read.summary, &survivors, order, &mut scratch.candidates),
                })
            },
            _exact => unreachable!("f64 rows are read exactly"))
    }

    fn proposal(&self, read: &Read, drawn: Drawn, token: u32, logit: f32) -> Proposal {
        let basis = self.sampler.config().surprise_basis();
        let Choice {
            token,
            probability,
            surprise_bits,
            kept,
        } = measure(&read.summary, basis, drawn, token, logit);
        let measured = (probability, surprise_bits);
        proposal(self.sampler, token, measured, (kept, read.summary.support))
    }

    fn tier<E: Element>(&self, of: Known<'_, E>, tier: usize, scratch: &mut Scratch) -> &'a Ranked {
        let known = (of.read.summary.kernel.max, &of.read.maxima[..]);
        let engine = self.sampler.engine();
        self.row
            .ranking
            .tier(tier, engine, of.logits, known, scratch)
    }

    fn cut<E: Element>(&self, of: Known<'_, E>, scratch: &mut Scratch) -> Result<Kept> {
        match self.sampler.version() {
            Version::V1 => self.cut_v1(of, scratch),
            Version::V2 => Ok(self.cut_v2(of, scratch)),
        }
    }

    fn cut_v1<E: Element>(&self, of: Known<'_, E>, scratch: &mut Scratch) -> Result<Kept> {
        let (config, summary) = (self.sampler.config(), &of.read.summary);
        let m = config.m().min(of.logits.len());
        let exponent = of.read.exponents.of(m, || {
            let best = &self.tier(of, tier_of(m), scratch).values;
            scratch.zipf_steps(m);
            let (steps, temperature) = (&scratch.zipf_steps, config.temperature());
            let best = &best[..m.min(best.len())];
            mirostat_v1::fit(best, steps, summary.support_edge, temperature)
        })?;
        let mu = self.sampler.mu();
        let (k, n) = mirostat_v1::count(config, mu, exponent, of.logits.len(), summary)?;
        if n <= FEW {
            let tier = tier_of(n);
            let ranked = self.tier(of, tier, scratch);
            return Ok(Kept {
                place: Place::Ranked { tier, n },
                cut: Cut::with_ties(ranked.values[n - 1], ranked.ids[n - 1]),
                count: Some(k),
            });
        }
        scratch.reserve(of.logits.len());
        let (engine, room) = (self.sampler.engine(), &mut scratch.candidates);
        let walk = walk(config, Version::V1);
        let blocks = (&of.read.maxima[..], &of.read.sums[..], room);
        let survivors = top_k::best(engine, of.logits, summary, n, walk, blocks);
        Ok(Kept {
            cut: survivors.cut,
            count: Some(k),
            place: Place::Elsewhere(Survivors {
                count: Some(k),
                ..survivors
            }),
        })
    }

    fn cut_v2<E: Element>(&self, of: Known<'_, E>, scratch: &mut Scratch) -> Kept {
        let summary = &of.read.summary;
        let Some(edge) = mirostat_v2::edge(summary, self.sampler.mu()) else {
            let token = self.tier(of, 0, scratch).ids[0];
            let survivors = mirostat_v2::likeliest(summary, token);
            return Kept {
                cut: survivors.cut,
                count: survivors.count,
                place: Place::Elsewhere(survivors),
            };
        };
        let cut = Cut::at(edge);
        let finite = of.logits.len() - summary.kernel.masked;
        for tier in 0..TIERS {
            let values = &self.tier(of, tier, scratch).values;
            if values[values.len() - 1] < edge || values.len() == finite {
                let n = values.partition_point(|&x| x >= edge);
                return Kept {
                    place: Place::Ranked { tier, n },
                    cut,
                    count: Some(n),
                };
            }
        }
        scratch.reserve(of.logits.len());
        let walk = walk(self.sampler.config(), Version::V2);
        let blocks = (&of.read.maxima[..], &mut scratch.candidates);
        let engine = self.sampler.engine();
        let survivors = Survivors::of_cut_by(engine, of.logits, summary, cut, walk, blocks);
        Kept {
            cut,
            count: survivors.count,
            place: Place::Elsewhere(survivors),
        }
    }

    fn draw<E: Element>(
        &self,
        of: Known<'_, E>,
        kept: &Kept,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Drawn {
        let (engine, Known { logits, read }) = (self.sampler.engine(), of);
        let (tier, n) = match &kept.place {
            Place::Ranked { tier, n } => (*tier, *n),
            Place::Elsewhere(survivors) => {
                let blocks = (&read.maxima[..], &read.sums[..]);
                return survivors.draw_by(engine, logits, blocks, uniform, &mut scratch.candidates);
            }
        };
        let ranked = self.tier(of, tier, scratch);
        let running = read.running(tier, ranked, engine);
        let (total, target) = (running[n], uniform * running[n]);
        let place = match walk(self.sampler.config(), self.sampler.version()) {
            Walk::Rank => by_rank(&running[..=n], target),
            Walk::Id => by_id(&running[..=n], ranked.by_id(), target),
        };
        Drawn {
            token: ranked.ids[place],
            logit: ranked.values[place],
            log2_mass: libm::log2(total),
            frame: read.frame(),
            kept: kept.count.unwrap_or(n),
        }
    }
}
