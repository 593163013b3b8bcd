//! Sampling without feedback: temperature, a truncation that does not change, one draw.

use crate::engine::{self, Engine};
use crate::reference::{Distribution, DrawOrder, Truncation, check_uniform};
use crate::row::{Row, by_element};
use crate::rules::typical::Typical;
use crate::rules::{epsilon, min_p, top_k, top_p};
use crate::scratch::{Scratch, prepare, with_thread_scratch};
use crate::summary::Summary;
use crate::survivors::{Survivors, Walk};
use crate::{Error, Level, Numerics, Result, reference};
use mirostat_kernels::Element;

/// A truncation, a temperature and an order: the stateless samplers that Mirostat is compared with, and replaces.
///
/// Logits are divided by the temperature, the truncation keeps some tokens, and the uniform runs through them: token i is drawn
/// when u times the kept mass falls into its weight. Nothing is fed back.
///
/// # Examples
///
/// ```
/// use mirostat::{FixedSampler, reference::Truncation};
/// let nucleus = FixedSampler::new(Truncation::TopP(0.9))?.with_temperature(0.7)?;
/// let drawn = nucleus.draw(&[3.0_f32, 2.0, 1.0, -4.0], 0.95)?;
/// assert_eq!((drawn.token, drawn.kept), (1, 2));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedSampler {
    truncation: Truncation,
    temperature: f64,
    draw_order: DrawOrder,
    numerics: Numerics,
    engine: Engine,
}

/// A token that a [`FixedSampler`] drew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct Drawn {
    /// The token.
    pub token: u32,
    /// How many tokens the truncation kept, as the ancestor counts: tokens of probability 0 are among the k of top-k, and among all
    /// that a threshold of 0 keeps.
    pub kept: usize,
}

impl FixedSampler {
    /// A sampler at temperature 1 that walks in the order in which the truncation ranks.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if the truncation's parameter is out of range for every row.
    pub fn new(truncation: Truncation) -> Result<Self> {
        truncation.check()?;
        Ok(Self {
            truncation,
            temperature: 1.0,
            draw_order: DrawOrder::Rule,
            numerics: Numerics::Auto,
            engine: Engine::detect(),
        })
    }

    /// The same at another temperature, from 2^−20 to 2^20. Costs nothing.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`].
    pub fn with_temperature(mut self, temperature: f64) -> Result<Self> {
        self.temperature = crate::config::check_temperature(temperature)?;
        Ok(self)
    }

    /// The same with the uniform running in another order: ascending ids are the fastest.
    #[must_use]
    pub const fn with_draw_order(mut self, order: DrawOrder) -> Self {
        self.draw_order = order;
        self
    }

    /// The same with another arithmetic: [`Numerics::Portable`] draws the same tokens on every machine.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if this machine lacks it.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{FixedSampler, Numerics, reference::Truncation};
    /// let anywhere = FixedSampler::new(Truncation::TopK(2))?.with_numerics(Numerics::Portable)?;
    /// assert_eq!(anywhere.draw(&[3.0_f32, 2.0, 1.0], 0.9)?.token, 1);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn with_numerics(mut self, numerics: Numerics) -> Result<Self> {
        self.engine = engine::fastest(numerics)?;
        self.numerics = numerics;
        Ok(self)
    }

    /// The same on a given level: for tests and benches, which compare levels.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if this machine lacks the level, or the level the arithmetic.
    pub fn on_level(mut self, level: Level) -> Result<Self> {
        self.engine = engine::on_level(self.numerics, level).ok_or(Error::Unsupported {
            what: "this level with this arithmetic",
        })?;
        Ok(self)
    }

    /// The truncation.
    #[must_use]
    pub const fn truncation(&self) -> Truncation {
        self.truncation
    }

    /// What logits are divided by.
    #[must_use]
    pub const fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Draws a token with `uniform` in [0, 1).
    ///
    /// # Errors
    ///
    /// Faults of the row, then of the truncation's parameter for this row, then [`Error::InvalidUniform`].
    ///
    /// # Cost
    ///
    /// One read of the row as a rule; top-k and min-p need no exponential of what they drop. The scratch is the calling thread's;
    /// after the first row of a length nothing allocates, but for `f64` rows: those take the reference.
    pub fn draw<'a>(&self, row: impl Into<Row<'a>>, uniform: f64) -> Result<Drawn> {
        with_thread_scratch(|scratch| self.draw_in(row, uniform, scratch))
    }

    /// [`draw`](Self::draw) in a scratch that the caller lends.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw).
    pub fn draw_in<'a>(
        &self,
        row: impl Into<Row<'a>>,
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Result<Drawn> {
        self.draw_row(row.into(), uniform, scratch)
    }

    /// Not generic: the kernels are compiled here, not wherever a row is drawn from.
    fn draw_row(&self, row: Row<'_>, uniform: f64, scratch: &mut Scratch) -> Result<Drawn> {
        prepare(row, scratch)?;
        by_element!(row,
            logits => self.draw_vectorised(logits, uniform, scratch),
            exact => self.draw_exactly(exact, uniform))
    }

    fn draw_vectorised<E: Element>(
        &self,
        row: &[E],
        uniform: f64,
        scratch: &mut Scratch,
    ) -> Result<Drawn> {
        let engine = self.engine;
        if let Truncation::Typical(mass) = self.truncation {
            let kept = Typical::read(engine, row, mass, self.temperature, scratch)?;
            check_uniform(uniform)?;
            let (token, kept) = kept.draw(engine, row, (uniform, self.draw_order), scratch);
            return Ok(Drawn { token, kept });
        }
        let survivors = self.cut(row, scratch)?;
        check_uniform(uniform)?;
        let drawn = survivors.draw(engine, row, uniform, scratch);
        Ok(Drawn {
            token: drawn.token,
            kept: drawn.kept,
        })
    }

    /// What a truncation by rank leaves of a row.
    fn cut<E: Element>(&self, row: &[E], scratch: &mut Scratch) -> Result<Survivors> {
        let (engine, temperature) = (self.engine, self.temperature);
        let walk = match self.draw_order {
            DrawOrder::Rule | DrawOrder::Rank => Walk::Rank,
            DrawOrder::Id => Walk::Id,
        };
        match self.truncation {
            Truncation::TopK(k) => {
                return top_k::survivors(engine, row, k, temperature, walk, scratch);
            }
            Truncation::MinP(share) => {
                return min_p::survivors(engine, row, share, temperature, walk, scratch);
            }
            _ => {}
        }
        let summary = Summary::read(engine, row, temperature, scratch)?;
        Ok(match self.truncation {
            Truncation::TopP(mass) => top_p::survivors(engine, row, &summary, mass, walk, scratch),
            Truncation::Epsilon(least) => {
                epsilon::survivors(engine, row, &summary, least, walk, scratch)
            }
            _ => Survivors::of_all(engine, row, &summary, walk, scratch),
        })
    }

    fn draw_exactly(&self, row: &[f64], uniform: f64) -> Result<Drawn> {
        let distribution = Distribution::from_logits(row, self.temperature)?;
        let mut kept = self.truncation.kept(&distribution)?;
        match self.draw_order {
            DrawOrder::Rule => {}
            DrawOrder::Id => kept.tokens.sort_unstable(),
            DrawOrder::Rank => kept
                .tokens
                .sort_unstable_by(|&a, &b| distribution.better_first(a, b)),
        }
        let token = reference::draw(&distribution, &kept.tokens, uniform)?;
        Ok(Drawn {
            token,
            kept: kept.count,
        })
    }
}

macro_rules! ancestors {
    ($($(#[$doc:meta])* $name:ident($parameter:ident: $type:ty) => $truncation:expr, $temperature:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// The uniform, in [0, 1), runs in rank order (typical: in order of deviation).
        ///
        /// # Errors
        ///
        /// As [`FixedSampler::new`] and [`FixedSampler::draw`].
        ///
        /// # Cost
        ///
        /// As [`FixedSampler::draw`].
        pub fn $name<'a>(row: impl Into<Row<'a>>, $parameter: $type, uniform: f64) -> Result<u32> {
            let sampler = FixedSampler::new($truncation)?.with_temperature($temperature)?;
            Ok(sampler.draw(row, uniform)?.token)
        }
    )*};
}

ancestors! {
    /// Draws among the k likeliest tokens, ties to the smaller id; k is from 1 to the row's length.
    sample_top_k(k: usize) => Truncation::TopK(k), 1.0;
    /// Draws from the nucleus: the fewest likeliest tokens whose probabilities sum to at least p, in (0, 1] (Holtzman et al., 2020).
    sample_top_p(p: f64) => Truncation::TopP(p), 1.0;
    /// Draws among the tokens at least `share` times as likely as the likeliest, in [0, 1]; all equals of the likeliest at 1.
    sample_min_p(share: f64) => Truncation::MinP(share), 1.0;
    /// Draws among the tokens of probability at least `least`, in [0, 1], and the likeliest in any case.
    sample_epsilon(least: f64) => Truncation::Epsilon(least), 1.0;
    /// Draws among the tokens whose surprise is nearest the entropy, the fewest that sum to at least `mass` (Meister et al., 2023).
    sample_typical(mass: f64) => Truncation::Typical(mass), 1.0;
    /// Draws from the whole row at a temperature.
    sample_temperature(temperature: f64) => Truncation::None, temperature;
}
