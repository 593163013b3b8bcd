//! What the reference says of a row and a session: distribution, order, surprises, and its verdict on the step.

use mirostat::reference::{self, Chosen, Distribution, Rule};
use mirostat::{DrawOrder, Error, Row, Sampler, Version};

/// A row as the reference sees it.
#[derive(Debug)]
pub(crate) struct Exact {
    pub(crate) distribution: Distribution,
    /// The logits in f64.
    pub(crate) logits: Vec<f64>,
    /// −log2 p of every token, +∞ outside the support.
    pub(crate) surprises: Vec<f64>,
    /// All tokens, best first.
    pub(crate) ranking: Vec<u32>,
}

impl Exact {
    pub(crate) fn of(row: Row<'_>, temperature: f64) -> Result<Self, Error> {
        let logits = row.to_f64();
        let distribution = Distribution::from_logits(&logits, temperature)?;
        let surprises = (0..logits.len() as u32)
            .map(|token| distribution.surprise_bits(token))
            .collect();
        let ranking = distribution.ranking(logits.len());
        Ok(Self {
            distribution,
            logits,
            surprises,
            ranking,
        })
    }

    /// How many tokens are in the support at least, and how many lie so near its end that rounding decides.
    pub(crate) fn support(&self, temperature: f64) -> (usize, usize) {
        const DEPTH_NATS: f64 = 745.133_219_101_941_1;
        let greatest = self.logits[self.distribution.greatest() as usize];
        let slack = f64::EPSILON * (2.0 * DEPTH_NATS + greatest.abs() / temperature);
        let mut sure = 0;
        let mut unsure = 0;
        for (&logit, surprise) in self.logits.iter().zip(&self.surprises) {
            if ((greatest - logit) / temperature - DEPTH_NATS).abs() <= slack {
                unsure += 1;
            } else if surprise.is_finite() {
                sure += 1;
            }
        }
        (sure, unsure)
    }

    pub(crate) fn choose(&self, sampler: &Sampler, uniform: f64) -> Result<Chosen, Error> {
        reference::choose(&self.distribution, &rule(sampler), sampler.mu(), uniform)
    }

    /// The exponent that V1 fits.
    pub(crate) fn exponent(&self, m: usize) -> Result<f64, Error> {
        let drawable = |&token: &u32| self.surprises[token as usize].is_finite();
        reference::zipf_fit(
            self.ranking[..m.min(self.ranking.len())]
                .windows(2)
                .take_while(|pair| pair.iter().all(drawable))
                .map(|pair| self.distribution.gap_nats(pair[0], pair[1])),
        )
    }
}

/// The reference's words for the session's configuration.
pub(crate) fn rule(sampler: &Sampler) -> Rule {
    let config = sampler.config();
    Rule {
        version: sampler.version(),
        m: config.m(),
        k_rule: config.k_rule(),
        vocabulary_size: config.vocabulary_size(),
        draw_order: config.draw_order(),
        surprise_basis: config.surprise_basis(),
    }
}

/// Whether the session draws in rank order, else by id.
pub(crate) fn draws_by_rank(sampler: &Sampler) -> bool {
    match sampler.config().draw_order() {
        DrawOrder::Rank => true,
        DrawOrder::Id => false,
        DrawOrder::Rule => sampler.version() == Version::V1,
    }
}
