//! One row, understood in f64.

use core::cmp::Ordering;
use core::f64::consts::LN_2;

use super::order::{best, better_first};
use super::probability::{greatest_logit, greatest_weight, sum_in_order};
use crate::error::{Error, Result};

/// One row as a probability distribution over its tokens, with everything that the rules ask of it.
///
/// From logits l at temperature T, with M the greatest: dᵢ = (lᵢ − M) / T, wᵢ = exp(dᵢ), pᵢ = wᵢ / Σⱼ wⱼ, the sum from left to right.
/// From weights v, with W the greatest: dᵢ = ln vᵢ − ln W and wᵢ = vᵢ / W.
///
/// A token has probability 0 where wᵢ is 0: a logit of −∞, a weight of 0, or so far below the greatest that the exponential or the
/// quotient underflows. Such a token is outside the support, and is never drawn.
///
/// **Units.** d in nats, w and p dimensionless.
///
/// # Cost
///
/// Four f64 per token are allocated.
///
/// # Examples
///
/// ```
/// use mirostat::reference::Distribution;
/// let row = Distribution::from_logits(&[0.0, 0.0, f64::NEG_INFINITY, 0.0, 0.0], 1.0)?;
/// assert_eq!((row.len(), row.support(), row.greatest()), (5, 4, 0));
/// assert_eq!(row.probabilities(), [0.25, 0.25, 0.0, 0.25, 0.25]);
/// assert_eq!(row.surprise_bits(1), 2.0);
/// assert_eq!(row.entropy_bits(), 2.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Distribution {
    values: Vec<f64>,
    scale: Scale,
    log_weights_nats: Vec<f64>,
    weights: Vec<f64>,
    total_weight: f64,
    probabilities: Vec<f64>,
}

/// How the values of the row relate to nats.
#[derive(Clone, Copy, Debug)]
enum Scale {
    Logits { temperature: f64 },
    Weights,
}

impl Distribution {
    /// The distribution of a row of logits at a temperature.
    ///
    /// pᵢ ∝ exp((lᵢ − M) / T). A finite logit that the temperature moves to −∞ has probability 0.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidLogit`] at the first NaN or +∞ anywhere, [`Error::AllMasked`], then
    /// [`Error::InvalidParameter`] when the temperature is not finite and above 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Error, reference::Distribution};
    /// let warm = Distribution::from_logits(&[4.0, 3.0, 1.0], 2.0)?;
    /// assert!((warm.probability(0) - 0.5465493872661796).abs() < 1e-15);
    /// let fault = Distribution::from_logits(&[f64::NEG_INFINITY; 2], 1.0).unwrap_err();
    /// assert_eq!(fault, Error::AllMasked);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_logits(logits: &[f64], temperature: f64) -> Result<Self> {
        let greatest = greatest_logit(logits)?;
        if !(temperature.is_finite() && temperature > 0.0) {
            return Err(Error::InvalidParameter {
                name: "temperature",
                value: temperature,
                expected: "finite and positive",
            });
        }
        let log_weights_nats: Vec<f64> = logits
            .iter()
            .map(|&logit| (logit - greatest) / temperature)
            .collect();
        let weights = log_weights_nats
            .iter()
            .map(|&log_weight| libm::exp(log_weight))
            .collect();
        Ok(Self::of(
            logits,
            Scale::Logits { temperature },
            log_weights_nats,
            weights,
        ))
    }

    /// The distribution of a row of weights.
    ///
    /// pᵢ ∝ wᵢ, divided by the greatest first, so that weights near the end of the f64 range do not overflow.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyRow`], [`Error::RowTooLong`], [`Error::InvalidProbability`] at the first weight that is NaN, infinite or negative,
    /// [`Error::NumericalFailure`] when all are 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::reference::Distribution;
    /// let row = Distribution::from_weights(&[1e300, 0.0, 1e300])?;
    /// assert_eq!(row.probabilities(), [0.5, 0.0, 0.5]);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn from_weights(weights: &[f64]) -> Result<Self> {
        let greatest = greatest_weight(weights)?;
        let log_greatest = libm::log(greatest);
        let log_weights_nats = weights
            .iter()
            .map(|&weight| libm::log(weight) - log_greatest)
            .collect();
        let scaled = weights.iter().map(|&weight| weight / greatest).collect();
        Ok(Self::of(weights, Scale::Weights, log_weights_nats, scaled))
    }

    fn of(values: &[f64], scale: Scale, log_weights_nats: Vec<f64>, weights: Vec<f64>) -> Self {
        let total_weight = sum_in_order(weights.iter().copied());
        let probabilities = weights
            .iter()
            .map(|&weight| weight / total_weight)
            .collect();
        Self {
            values: values.to_vec(),
            scale,
            log_weights_nats,
            weights,
            total_weight,
            probabilities,
        }
    }

    /// The number of tokens, masked ones included.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a row without tokens is refused at the door"
    )]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The probability of every token, by id.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The probability of one token.
    ///
    /// # Panics
    ///
    /// When the token is outside the row.
    #[must_use]
    pub fn probability(&self, token: u32) -> f64 {
        self.probabilities[token as usize]
    }

    /// The surprise of one token: (ln Σⱼ wⱼ − dᵢ) / ln 2, which is −log₂ pᵢ without the rounding of pᵢ.
    ///
    /// **Units.** Bits. Certainty gives +0.0, probability 0 gives +∞.
    ///
    /// # Panics
    ///
    /// When the token is outside the row.
    #[must_use]
    pub fn surprise_bits(&self, token: u32) -> f64 {
        self.surprise_bits_within(self.total_weight, token)
    }

    /// The logarithm of the normaliser of the row as it was given: M/T + ln Σⱼ wⱼ = ln Σⱼ exp(lⱼ/T) for logits, and the logarithm of
    /// the sum of the weights for weights.
    ///
    /// **Units.** Nats. ±∞ where M/T leaves the finite numbers.
    #[must_use]
    pub fn log_z_nats(&self) -> f64 {
        let greatest = self.values[self.greatest() as usize];
        let log_greatest = match self.scale {
            Scale::Logits { temperature } => greatest / temperature,
            Scale::Weights => libm::log(greatest),
        };
        log_greatest + libm::log(self.total_weight)
    }

    /// The most probable token; ties go to the smaller id, and −0.0 ties with +0.0.
    #[must_use]
    pub fn greatest(&self) -> u32 {
        let mut greatest = 0;
        for (token, &value) in (0..).zip(&self.values) {
            if value > self.values[greatest as usize] {
                greatest = token;
            }
        }
        greatest
    }

    /// The number of tokens of probability above 0, at least 1.
    #[must_use]
    pub fn support(&self) -> usize {
        self.weights.iter().filter(|&&weight| weight > 0.0).count()
    }

    /// The first `m` tokens in rank order, or all of them where there are fewer.
    ///
    /// Descending by the value that was given, ties to the smaller id, and −0.0 ties with +0.0. Masked tokens come last, by id.
    ///
    /// # Cost
    ///
    /// Allocates one id per token, selects, and sorts `m` of them.
    #[must_use]
    pub fn ranking(&self, m: usize) -> Vec<u32> {
        best(&self.values, m)
    }

    /// How much better one token is than another: (l_better − l_worse) / T for logits, ln w_better − ln w_worse for weights, from the
    /// values that were given.
    ///
    /// **Units.** Nats. Two tokens of which one is masked have an infinite gap, and two masked ones have none: NaN.
    ///
    /// # Panics
    ///
    /// When a token is outside the row.
    #[must_use]
    pub fn gap_nats(&self, better: u32, worse: u32) -> f64 {
        let better = self.values[better as usize];
        let worse = self.values[worse as usize];
        match self.scale {
            Scale::Logits { temperature } => (better - worse) / temperature,
            Scale::Weights => libm::log(better) - libm::log(worse),
        }
    }

    /// The entropy of the row: −Σᵢ pᵢ·log₂ pᵢ over the support, so that 0·log 0 is 0.
    ///
    /// **Units.** Bits.
    #[must_use]
    pub fn entropy_bits(&self) -> f64 {
        sum_in_order(
            (0..)
                .zip(&self.probabilities)
                .filter(|&(token, _)| self.is_in_support(token))
                .map(|(token, &p)| p * self.surprise_bits(token)),
        )
    }

    /// The rank order of two tokens.
    pub(crate) fn better_first(&self, a: u32, b: u32) -> Ordering {
        better_first(&self.values, a, b)
    }

    /// Whether the token has a probability above 0.
    pub(crate) fn is_in_support(&self, token: u32) -> bool {
        self.weights[token as usize] > 0.0
    }

    /// The sum of the weights of some tokens, in the order given.
    pub(super) fn weight_of(&self, tokens: &[u32]) -> f64 {
        sum_in_order(tokens.iter().map(|&token| self.weights[token as usize]))
    }

    /// The probability of a token after the row was cut down to tokens of this total weight.
    pub(super) fn probability_within(&self, total_weight: f64, token: u32) -> f64 {
        self.weights[token as usize] / total_weight
    }

    /// The surprise of a token after the row was cut down to tokens of this total weight.
    pub(super) fn surprise_bits_within(&self, total_weight: f64, token: u32) -> f64 {
        if self.is_in_support(token) {
            (libm::log(total_weight) - self.log_weights_nats[token as usize]) / LN_2
        } else {
            f64::INFINITY
        }
    }
}
