//! A row that is understood once for any number of steps, by any number of sessions and threads.

mod cutting;
mod exact;
mod exponents;
mod ranking;
mod steps;
mod view;

use crate::config::check_temperature;
use crate::reference::Distribution;
use crate::row::{Row, by_element};
use crate::scratch::{Scratch, with_thread_scratch};
use crate::{Engine, Error, Result, bf16, f16};
use ranking::Ranking;
use std::sync::{Arc, Mutex, PoisonError};
use view::View;

/// Temperatures, beside the first, at which a row remembers what it is.
const OTHER_VIEWS: usize = 8;

/// A row of logits or weights that many steps are taken on: read once, ranked as deep as needed, and remembered.
///
/// A step on it is bit for bit the step on the row itself. It owns a copy: later edits of the caller's array have no effect.
/// `Send + Sync`: threads share it by reference, and what one of them makes all have.
///
/// # Cost
///
/// Preparing reads the row once and copies it. What depends on the temperature or the arithmetic of a session is made for the first
/// session that asks and remembered, for eight temperatures beside the first: 68 bytes for 256 logits each. The ranking ends
/// at 128, 256 … 4,096 tokens, as deep as was needed: at most 130 KiB, and 64 KiB of running sums per temperature.
///
/// A draw then costs, by how many tokens are kept: up to 4,096 in rank order, a binary search; in id order, a walk over at most
/// twice as many; beyond 4,096, masked reads of the row as without preparation, but for the first. Rows of `f64`, weights, and
/// version 1 with m above 4,096 are ranked whole, for the first session that asks: 12 bytes for each token. A draw is then a binary
/// search in rank order, and a sort of the ids of what is kept in id order; beyond 4,096 kept, and where
/// [`SurpriseBasis::Kept`](crate::SurpriseBasis::Kept) is asked for, the selection is made anew by the reference.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, PreparedRow, Sampler, Version};
/// let mut logits = vec![3.0_f32, 2.0, 1.0];
/// let row = PreparedRow::from_logits(&logits)?;
/// logits.clear(); // no effect
/// let mut sessions = [Version::V1, Version::V2].map(|v| Sampler::new(Config::new(2.0).unwrap(), v).unwrap());
/// for session in &mut sessions {
///     let step = session.sample_prepared(&row, 0.2)?;
///     assert_eq!((step.token, step.kept), (0, 3));
/// }
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedRow {
    data: Data,
    first: Arc<View>,
    others: Mutex<Vec<Arc<View>>>,
    ranking: Ranking,
}

#[derive(Debug)]
enum Data {
    F32(Box<[f32]>),
    F16(Box<[f16]>),
    Bf16(Box<[bf16]>),
    F64(Box<[f64]>),
    Weights(Box<[f64]>),
}

impl Data {
    fn of(row: Row<'_>) -> Self {
        match row {
            Row::F32(row) => Self::F32(row.into()),
            Row::F16(row) => Self::F16(row.into()),
            Row::Bf16(row) => Self::Bf16(row.into()),
            Row::F64(row) => Self::F64(row.into()),
        }
    }

    fn row(&self) -> Row<'_> {
        match self {
            Self::F32(row) => Row::F32(row),
            Self::F16(row) => Row::F16(row),
            Self::Bf16(row) => Row::Bf16(row),
            Self::F64(row) | Self::Weights(row) => Row::F64(row),
        }
    }
}

impl PreparedRow {
    /// Prepares a row of logits, at temperature 1.
    ///
    /// # Errors
    ///
    /// Faults of the row.
    ///
    /// # Cost
    ///
    /// One read of the row, and a copy of it.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Error, PreparedRow};
    /// assert_eq!(PreparedRow::from_logits(&[1.0_f32, 2.0])?.vocabulary(), 2);
    /// assert_eq!(PreparedRow::from_logits(&[f32::NEG_INFINITY]).unwrap_err(), Error::AllMasked);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_logits<'a>(row: impl Into<Row<'a>>) -> Result<Self> {
        let row = row.into();
        row.check_len()?;
        let view =
            with_thread_scratch(|scratch| View::of_row(Engine::detect(), row, 1.0, scratch))?;
        Ok(Self::of(Data::of(row), view))
    }

    /// Prepares weights: non-negative numbers in proportion to probabilities. No temperature acts on them.
    ///
    /// # Errors
    ///
    /// Faults of the weights, as in [`Sampler::sample_weights`](crate::Sampler::sample_weights).
    ///
    /// # Cost
    ///
    /// The reference: f64, allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::PreparedRow;
    /// let row = PreparedRow::from_weights(&[3.0, 0.0, 1.0])?;
    /// assert_eq!((row.probability(0)?, row.probability(1)?), (0.75, 0.0));
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn from_weights(weights: &[f64]) -> Result<Self> {
        let view = View::exactly(Distribution::from_weights(weights)?, 1.0);
        Ok(Self::of(Data::Weights(weights.into()), view))
    }

    fn of(data: Data, first: View) -> Self {
        Self {
            data,
            first: Arc::new(first),
            others: Mutex::default(),
            ranking: Ranking::default(),
        }
    }

    /// The same row prepared for another temperature, from 2^−20 to 2^20: that of [`probability`](Self::probability), and of the
    /// sessions that need not ask for a read. Sessions of other temperatures are served as well. Does nothing to weights.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`].
    ///
    /// # Cost
    ///
    /// One read of the row.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::PreparedRow;
    /// let warm = PreparedRow::from_logits(&[4.0_f64, 3.0, 1.0])?.with_temperature(2.0)?;
    /// assert!((warm.probability(0)? - 0.5465493872661796).abs() < 1e-15);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn with_temperature(mut self, temperature: f64) -> Result<Self> {
        let temperature = check_temperature(temperature)?;
        self.first =
            with_thread_scratch(|scratch| self.view(temperature, Engine::detect(), scratch))?;
        Ok(self)
    }

    /// Tokens of the row, masked ones included.
    #[must_use]
    pub fn vocabulary(&self) -> usize {
        self.data.row().len()
    }

    /// The probability of a token, at the temperature that the row was prepared for: 1, unless
    /// [`with_temperature`](Self::with_temperature) says otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::TokenOutsideVocabulary`].
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::PreparedRow;
    /// let row = PreparedRow::from_logits(&[0.0_f32, f32::NEG_INFINITY, 0.0])?;
    /// assert!((row.probability(0)? - 0.5).abs() < 1e-6);
    /// assert_eq!(row.probability(1)?, 0.0);
    /// assert!(row.probability(3).is_err());
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn probability(&self, token: u32) -> Result<f64> {
        let vocabulary = self.vocabulary();
        if token as usize >= vocabulary {
            return Err(Error::TokenOutsideVocabulary { token, vocabulary });
        }
        let Some(read) = &self.first.read else {
            return Ok(self
                .first
                .exact(self.row())?
                .distribution
                .probability(token));
        };
        let logit = by_element!(self.row(),
            logits => mirostat_kernels::logit(logits, token),
            _exact => unreachable!("f64 rows are read exactly"));
        Ok(if logit >= read.summary.support_edge {
            libm::exp2(-read.summary.surprise_bits(logit))
        } else {
            0.0
        })
    }

    fn row(&self) -> Row<'_> {
        self.data.row()
    }

    /// What is known at a temperature, and in an arithmetic.
    fn view(&self, temperature: f64, engine: Engine, scratch: &mut Scratch) -> Result<Arc<View>> {
        if matches!(self.data, Data::Weights(_)) || self.first.serves(temperature, engine) {
            return Ok(Arc::clone(&self.first));
        }
        // Held while the row is read: of threads that ask at once, one reads.
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = others.iter().find(|view| view.serves(temperature, engine)) {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(View::of_row(engine, self.row(), temperature, scratch)?);
        if others.len() == OTHER_VIEWS {
            others.remove(0);
        }
        others.push(Arc::clone(&view));
        Ok(view)
    }
}
