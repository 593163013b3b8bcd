//! What a prepared row knows at one temperature: what one read tells, exponents of Zipf fits, running sums of weights.

use super::exact::Exact;
use super::exponents::Exponents;
use super::ranking::{Ranked, TIERS};
use crate::reference::Distribution;
use crate::row::{Row, by_element};
use crate::scratch::Scratch;
use crate::summary::Summary;
use crate::{Engine, Result};
use mirostat_kernels::{self as kernels, Element, Frame, Maxima, Numerics, blocks};
use std::sync::OnceLock;

#[derive(Debug)]
pub(crate) struct View {
    pub(crate) temperature: f64,
    /// Of f64 rows and weights there is none.
    pub(crate) read: Option<Read>,
    exact: OnceLock<Exact>,
}

/// What the kernels read.
#[derive(Debug)]
pub(crate) struct Read {
    numerics: Numerics,
    pub(crate) summary: Summary,
    pub(crate) maxima: Box<[Maxima]>,
    pub(crate) sums: Box<[f32]>,
    pub(crate) exponents: Exponents,
    running: [OnceLock<Box<[f64]>>; TIERS],
}

impl View {
    /// Reads a row; its length has been checked.
    pub(crate) fn of_row(
        engine: Engine,
        row: Row<'_>,
        temperature: f64,
        scratch: &mut Scratch,
    ) -> Result<Self> {
        scratch.reserve(row.len());
        by_element!(row,
            logits => Ok(Self {
                temperature,
                read: Some(Read::new(engine, logits, temperature, scratch)?),
                exact: OnceLock::new(),
            }),
            exact => Ok(Self::exactly(Distribution::from_logits(exact, temperature)?, temperature)))
    }

    pub(crate) fn exactly(distribution: Distribution, temperature: f64) -> Self {
        Self {
            temperature,
            read: None,
            exact: OnceLock::from(Exact::new(distribution)),
        }
    }

    /// Whether the view is that of a temperature, and of an arithmetic where that matters.
    pub(crate) fn serves(&self, temperature: f64, engine: Engine) -> bool {
        let same = |read: &Read| read.numerics == engine.numerics();
        self.temperature == temperature && self.read.as_ref().is_none_or(same)
    }

    /// The row in f64, made where nobody has asked for it before.
    pub(crate) fn exact(&self, row: Row<'_>) -> Result<&Exact> {
        if let Some(made) = self.exact.get() {
            return Ok(made);
        }
        let made = Distribution::from_logits(&row.to_f64(), self.temperature)?;
        Ok(self.exact.get_or_init(|| Exact::new(made)))
    }
}

impl Read {
    fn new<E: Element>(
        engine: Engine,
        row: &[E],
        temperature: f64,
        scratch: &mut Scratch,
    ) -> Result<Self> {
        let summary = Summary::read(engine, row, temperature, scratch)?;
        let n = blocks(row.len());
        Ok(Self {
            numerics: engine.numerics(),
            summary,
            maxima: scratch.maxima[..n].into(),
            sums: scratch.sums[..n].into(),
            exponents: Exponents::default(),
            running: Default::default(),
        })
    }

    /// The frame in which the weight of the greatest logit is 1.
    pub(crate) fn frame(&self) -> Frame {
        Frame::below(self.summary.kernel.max, self.summary.frame().scale)
    }

    /// The running sums of the weights of a tier, 0 first: multiples of 2^−39, exact.
    pub(crate) fn running(&self, tier: usize, ranked: &Ranked, engine: Engine) -> &[f64] {
        self.running[tier].get_or_init(|| {
            let mut sums = vec![0.0; ranked.values.len() + 1];
            kernels::running_sums(engine, self.frame(), &ranked.values, &mut sums);
            sums.into()
        })
    }
}
