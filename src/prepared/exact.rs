//! A row in f64, ranked once: what the reference does anew for each draw is found here by binary search, with the same answer.

use super::exponents::Exponents;
use crate::reading::{choose_exactly, observe_exactly, proposal, rule, walk};
use crate::reference::{
    self, Distribution, SurpriseBasis, Version, VocabularySize, check_uniform, estimated_k_by,
    zipf_fit,
};
use crate::step::Proposal;
use crate::survivors::Walk;
use crate::{Error, Result, Sampler};
use core::cmp::Ordering;
use mirostat_kernels::FEW;
use std::sync::OnceLock;

#[derive(Debug)]
pub(crate) struct Exact {
    pub(crate) distribution: Distribution,
    ranked: OnceLock<Ranked>,
}

#[derive(Debug)]
struct Ranked {
    /// The support in rank order.
    tokens: Box<[u32]>,
    /// The sums of the probabilities of the first 0, 1, 2 … of them, from left to right.
    running: Box<[f64]>,
    /// Whether no probability rises along the ranking, as none does unless the exponential rounds out of order.
    falls: bool,
    exponents: Exponents,
}

impl Exact {
    pub(crate) fn new(distribution: Distribution) -> Self {
        Self {
            distribution,
            ranked: OnceLock::new(),
        }
    }

    /// The proposal of [`choose_exactly`].
    pub(crate) fn choose(&self, sampler: &Sampler, uniform: f64) -> Result<Proposal> {
        let walk = walk(sampler.config(), sampler.version());
        let Some((n, count)) = self.kept(sampler)? else {
            return choose_exactly(sampler, &self.distribution, uniform);
        };
        if walk == Walk::Id && n > FEW {
            return choose_exactly(sampler, &self.distribution, uniform);
        }
        let ranked = self.ranked();
        let token = match walk {
            Walk::Rank => {
                check_uniform(uniform)?;
                let target = uniform * ranked.running[n];
                let place = ranked.running[1..=n].partition_point(|&sum| sum <= target);
                // Only rounding leads past the end, with a uniform just below 1.
                let last = || self.last_with_mass(&ranked.tokens[..n]);
                ranked.tokens[..n].get(place).copied().unwrap_or_else(last)
            }
            Walk::Id => {
                let mut tokens = ranked.tokens[..n].to_vec();
                tokens.sort_unstable();
                reference::draw(&self.distribution, &tokens, uniform)?
            }
        };
        Ok(self.measure(sampler, token, count))
    }

    /// The proposal of [`observe_exactly`] for a token that must be kept.
    pub(crate) fn observe(&self, sampler: &Sampler, token: u32) -> Result<Proposal> {
        let of = &self.distribution;
        let Some((n, count)) = self.kept(sampler)? else {
            return observe_exactly(sampler, of, token, false);
        };
        let vocabulary = of.len();
        if token as usize >= vocabulary {
            return Err(Error::TokenOutsideVocabulary { token, vocabulary });
        }
        let last = self.ranked().tokens[n - 1];
        if !of.is_in_support(token) || of.better_first(token, last) == Ordering::Greater {
            return Err(Error::TokenNotKept { token });
        }
        Ok(self.measure(sampler, token, count))
    }

    /// How many of the ranking the rule keeps, and how many it counts; nothing where only a look at every token can tell.
    fn kept(&self, sampler: &Sampler) -> Result<Option<(usize, usize)>> {
        let (of, ranked, rule) = (&self.distribution, self.ranked(), rule(sampler));
        if rule.surprise_basis == SurpriseBasis::Kept || !ranked.falls {
            return Ok(None);
        }
        let count = match rule.version {
            Version::V1 => {
                let best = &ranked.tokens[..rule.m.min(ranked.tokens.len())];
                let gaps = best.windows(2).map(|pair| of.gap_nats(pair[0], pair[1]));
                let exponent = ranked.exponents.of(rule.m, || zipf_fit(gaps))?;
                let vocabulary = match rule.vocabulary_size {
                    VocabularySize::Row => of.len(),
                    VocabularySize::Support => ranked.tokens.len(),
                };
                estimated_k_by(rule.k_rule, sampler.mu(), exponent, vocabulary)?
            }
            Version::V2 => {
                let threshold = libm::exp2(-sampler.mu());
                let stays = |&token: &u32| of.probability(token) >= threshold;
                ranked.tokens.partition_point(stays).max(1)
            }
        };
        Ok(Some((count.min(ranked.tokens.len()), count)))
    }

    fn measure(&self, sampler: &Sampler, token: u32, count: usize) -> Proposal {
        let of = &self.distribution;
        let measured = (of.probability(token), of.surprise_bits(token));
        let support = self.ranked().tokens.len();
        proposal(sampler, token, measured, (count, support))
    }

    fn last_with_mass(&self, tokens: &[u32]) -> u32 {
        let has_mass = |&&token: &&u32| self.distribution.probability(token) > 0.0;
        tokens
            .iter()
            .rev()
            .find(has_mass)
            .copied()
            .unwrap_or(tokens[0])
    }

    fn ranked(&self) -> &Ranked {
        self.ranked.get_or_init(|| {
            let of = &self.distribution;
            let mut tokens = of.ranking(of.len());
            tokens.retain(|&token| of.is_in_support(token));
            let mut sum = 0.0;
            let running = core::iter::once(0.0)
                .chain(tokens.iter().map(|&token| {
                    sum += of.probability(token);
                    sum
                }))
                .collect();
            let falls = tokens.is_sorted_by(|&a, &b| of.probability(a) >= of.probability(b));
            Ranked {
                tokens: tokens.into(),
                running,
                falls,
                exponents: Exponents::default(),
            }
        })
    }
}
