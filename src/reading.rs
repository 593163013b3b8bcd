//! A row understood for one step: by the kernels, or exactly by the reference.

use crate::reference::{self, Distribution, DrawOrder, check_uniform, select};
use crate::row::{Row, by_element};
use crate::rules::{mirostat_v1, mirostat_v2};
use crate::scratch::{Scratch, prepare};
use crate::step::Proposal;
use crate::summary::Summary;
use crate::survivors::{Sound, Survivors, Walk};
use crate::{Config, Result, Sampler, Version};
use mirostat_kernels::FEW;

#[derive(Debug)]
pub(crate) enum Reading {
    /// By the kernels; the survivors are in the scratch that the row was read with.
    Kernels(Summary, Survivors),
    /// By the reference: f64 rows, weights, and Zipf fits longer than a list.
    Exact(Box<Distribution>),
}

impl Reading {
    /// Reads `row` and cuts it as `sampler` does at its mu.
    pub(crate) fn of_row(sampler: &Sampler, row: Row<'_>, scratch: &mut Scratch) -> Result<Self> {
        prepare(row, scratch)?;
        let config = sampler.config();
        if sampler.version() == Version::V1 && config.m().min(row.len()) > FEW {
            return Self::exactly(&row.to_f64(), config.temperature());
        }
        by_element!(row,
            logits => {
                let (engine, mu) = (sampler.engine(), sampler.mu());
                let summary = Summary::read(engine, logits, config.temperature(), scratch)?;
                let walk = walk(config, sampler.version());
                let survivors = match sampler.version() {
                    Version::V1 => mirostat_v1::survivors(engine, logits, &summary, mu, config, walk, scratch)?,
                    Version::V2 => mirostat_v2::survivors(engine, logits, &summary, mu, walk, scratch),
                };
                Ok(Self::Kernels(summary, survivors))
            },
            exact => Self::exactly(exact, config.temperature()))
    }

    fn exactly(row: &[f64], temperature: f64) -> Result<Self> {
        let distribution = Distribution::from_logits(row, temperature)?;
        Ok(Self::Exact(Box::new(distribution)))
    }

    /// Refuses what the rule cannot cut at the sampler's mu: by the kernels it has been cut already.
    pub(crate) fn check_rule(&self, sampler: &Sampler) -> Result<()> {
        if let Self::Exact(distribution) = self {
            select(distribution, &rule(sampler), sampler.mu())?;
        }
        Ok(())
    }

    /// Draws with `uniform`.
    pub(crate) fn choose(
        &self,
        sampler: &Sampler,
        row: Row<'_>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Result<Proposal> {
        let (summary, survivors) = match self {
            Self::Kernels(summary, survivors) => (summary, survivors),
            Self::Exact(distribution) => return choose_exactly(sampler, distribution, uniform),
        };
        check_uniform(uniform)?;
        let choice = by_element!(row,
            logits => survivors.choose(sound(sampler, logits, summary), uniform, scratch),
            _exact => unreachable!("f64 rows are read exactly"));
        Ok(proposal(
            sampler,
            choice.token,
            (choice.probability, choice.surprise_bits),
            (choice.kept, summary.support),
        ))
    }

    /// Measures a token that the host chose; with `any`, one that was not kept too.
    pub(crate) fn observe(
        &self,
        sampler: &Sampler,
        row: Row<'_>,
        token: u32,
        any: bool,
        scratch: &mut Scratch,
    ) -> Result<Proposal> {
        match self {
            Self::Exact(distribution) => observe_exactly(sampler, distribution, token, any),
            Self::Kernels(summary, survivors) => {
                let choice = by_element!(row,
                    logits => survivors.observe(sound(sampler, logits, summary), token, any, scratch)?,
                    _exact => unreachable!("f64 rows are read exactly"));
                let measured = (choice.probability, choice.surprise_bits);
                Ok(proposal(
                    sampler,
                    choice.token,
                    measured,
                    (choice.kept, summary.support),
                ))
            }
        }
    }

    pub(crate) fn log_z_nats(&self) -> f64 {
        match self {
            Self::Kernels(summary, _) => summary.kernel.log_z_nats(),
            Self::Exact(distribution) => distribution.log_z_nats(),
        }
    }

    pub(crate) fn support(&self) -> usize {
        match self {
            Self::Kernels(summary, _) => summary.support,
            Self::Exact(distribution) => distribution.support(),
        }
    }
}

pub(crate) fn proposal(
    sampler: &Sampler,
    token: u32,
    (probability, surprise_bits): (f64, f64),
    (kept, support): (usize, usize),
) -> Proposal {
    Proposal {
        token,
        probability,
        surprise_bits,
        kept,
        support,
        version: sampler.version(),
        step: sampler.steps(),
        mu: sampler.mu(),
    }
}

fn sound<'a, E>(sampler: &Sampler, row: &'a [E], summary: &'a Summary) -> Sound<'a, E> {
    let (engine, basis) = (sampler.engine(), sampler.config().surprise_basis());
    Sound {
        engine,
        row,
        summary,
        basis,
    }
}

/// Draws with `uniform`, by the reference.
pub(crate) fn choose_exactly(
    sampler: &Sampler,
    distribution: &Distribution,
    uniform: f64,
) -> Result<Proposal> {
    let chosen = reference::choose(distribution, &rule(sampler), sampler.mu(), uniform)?;
    Ok(of_chosen(sampler, &chosen))
}

/// Measures a token that the host chose, by the reference; with `any`, one that was not kept too.
pub(crate) fn observe_exactly(
    sampler: &Sampler,
    distribution: &Distribution,
    token: u32,
    any: bool,
) -> Result<Proposal> {
    let observe = if any {
        reference::observe_any
    } else {
        reference::observe
    };
    let chosen = observe(distribution, &rule(sampler), sampler.mu(), token)?;
    Ok(of_chosen(sampler, &chosen))
}

fn of_chosen(sampler: &Sampler, chosen: &reference::Chosen) -> Proposal {
    let measured = (chosen.probability, chosen.surprise_bits);
    proposal(
        sampler,
        chosen.token,
        measured,
        (chosen.kept, chosen.support),
    )
}

/// The order that the configured draw order is for a version.
pub(crate) fn walk(config: &Config, version: Version) -> Walk {
    match (config.draw_order(), version) {
        (DrawOrder::Rank, _) | (DrawOrder::Rule, Version::V1) => Walk::Rank,
        (DrawOrder::Id, _) | (DrawOrder::Rule, Version::V2) => Walk::Id,
    }
}

/// The reference's words for a session's configuration.
pub(crate) fn rule(sampler: &Sampler) -> reference::Rule {
    let config = sampler.config();
    reference::Rule {
        version: sampler.version(),
        m: config.m(),
        k_rule: config.k_rule(),
        vocabulary_size: config.vocabulary_size(),
        draw_order: config.draw_order(),
        surprise_basis: config.surprise_basis(),
    }
}
