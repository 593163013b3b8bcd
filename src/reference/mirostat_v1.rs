//! Mirostat V1: keep the k best tokens, with k from a Zipf law fitted to the head of the row.

use core::f64::consts::LN_2;

use super::distribution::Distribution;
use super::kept::Kept;
use super::zipf::{check_m, zipf_fit};
use crate::error::{Error, Result};

/// How the real number that the Zipf law gives becomes a count of tokens.
///
/// Each is clamped to 1..=N.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{KRule, estimated_k_by};
/// let k = |rule| estimated_k_by(rule, 6.0, 1.2, 50_257);
/// assert_eq!(k(KRule::RoundHalfUp)?, 9);
/// assert_eq!(k(KRule::PaperCode)?, 10);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum KRule {
    /// Rounded to the nearest, halves up, as the ancestor `moonbit-mirostat` does.
    #[default]
    RoundHalfUp,
    /// Rounded to the nearest, halves to even, plus one, as the authors' Python does.
    PaperCode,
    /// Rounded down, as llama.cpp does.
    Truncate,
}

/// Which tokens count as the vocabulary N of the Zipf law.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, KRule, VocabularySize, v1_kept};
/// let mut row = [f64::NEG_INFINITY; 17];
/// row[3] = 0.0;
/// let row = Distribution::from_logits(&row, 1.0)?;
/// assert_eq!(v1_kept(&row, 4.0, 100, KRule::RoundHalfUp, VocabularySize::Row)?.count, 7);
/// assert_eq!(v1_kept(&row, 4.0, 100, KRule::RoundHalfUp, VocabularySize::Support)?.count, 1);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum VocabularySize {
    /// All entries of the row, masked ones included.
    #[default]
    Row,
    /// The tokens of probability above 0.
    Support,
}

/// The number of tokens whose Zipf law has the surprise mu, rounded half up.
///
/// [`estimated_k_by`] with [`KRule::RoundHalfUp`].
///
/// # Errors
///
/// As [`estimated_k_by`].
///
/// # Examples
///
/// ```
/// use mirostat::reference::estimated_k;
/// assert_eq!(estimated_k(2.0, 2.0, 4)?, 2);
/// assert_eq!(estimated_k(10.0, 1.1, 50_257)?, 98);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn estimated_k(mu_bits: f64, exponent: f64, vocabulary: usize) -> Result<usize> {
    estimated_k_by(KRule::RoundHalfUp, mu_bits, exponent, vocabulary)
}

/// The number of tokens whose Zipf law has the surprise mu, rounded by a rule.
///
/// k = (ε·2^μ / (1 − N^(−ε)))^(1/s), with ε = s − 1 (Algorithm 1 of arXiv 2007.14966). Its logarithm is q = (μ·ln 2 − ln d) / s, with
/// d = (1 − N^(−ε)) / ε = −expm1(−ε·ln N) / ε, which is ln N at ε = 0. The result is 1 where q <= 0 (the rounding of e^q plus one for
/// [`KRule::PaperCode`]), N where q >= ln N, and else the rounding of e^q; never outside 1..=N.
///
/// **Units.** Mu in bits, the exponent dimensionless, the vocabulary in tokens.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when mu is not finite, the exponent is not finite and above 0, or the vocabulary is 0;
/// [`Error::NumericalFailure`] when q is not finite.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{KRule, estimated_k_by};
/// assert_eq!(estimated_k_by(KRule::Truncate, -5.0, 2.0, 10)?, 1);
/// assert_eq!(estimated_k_by(KRule::Truncate, 1000.0, 1.0, 10)?, 10);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn estimated_k_by(
    rule: KRule,
    mu_bits: f64,
    exponent: f64,
    vocabulary: usize,
) -> Result<usize> {
    check_mu(mu_bits)?;
    if !(exponent.is_finite() && exponent > 0.0) {
        return Err(Error::InvalidParameter {
            name: "exponent",
            value: exponent,
            expected: "finite and positive",
        });
    }
    if vocabulary == 0 {
        return Err(Error::InvalidParameter {
            name: "vocabulary",
            value: 0.0,
            expected: "at least one",
        });
    }
    if vocabulary == 1 {
        return Ok(1);
    }
    let epsilon = exponent - 1.0;
    let log_vocabulary = libm::log(vocabulary as f64);
    // Near ε = 0 the quotient of the paper loses all digits; expm1 loses none.
    let divisor = if epsilon == 0.0 {
        log_vocabulary
    } else {
        -libm::expm1(-epsilon * log_vocabulary) / epsilon
    };
    let log_k = (mu_bits * LN_2 - libm::log(divisor)) / exponent;
    if !log_k.is_finite() {
        return Err(Error::NumericalFailure {
            quantity: "the logarithm of k",
        });
    }
    if log_k >= log_vocabulary {
        return Ok(vocabulary);
    }
    let rounded = match rule {
        KRule::RoundHalfUp if log_k <= 0.0 => 1.0,
        KRule::RoundHalfUp => libm::floor(libm::exp(log_k) + 0.5),
        KRule::PaperCode => libm::rint(libm::exp(log_k)) + 1.0,
        KRule::Truncate => libm::floor(libm::exp(log_k)),
    };
    Ok((rounded as usize).clamp(1, vocabulary))
}

/// What V1 keeps of a row: the k best tokens.
///
/// The exponent ŝ is [`zipf_fit`] of the gaps between the best min(m, V) tokens, which ends before the first pair with a token of
/// probability 0; k is [`estimated_k_by`] of it. `count` is k, and `tokens` are those of the k best that can be drawn, best first. A
/// row of one token keeps it.
///
/// **Units.** Mu in bits.
///
/// # Errors
///
/// [`Error::InvalidParameter`] when `m` is below 2 or mu is not finite; [`Error::NumericalFailure`] when the exponent or k is not
/// finite.
///
/// # Cost
///
/// Selects twice from the row and sorts the selections.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, KRule, VocabularySize, v1_kept};
/// let row = Distribution::from_logits(&[3.0, 2.0, 1.0, 0.0, -1.0, -2.0], 1.0)?;
/// let kept = v1_kept(&row, 4.0, 100, KRule::default(), VocabularySize::default())?;
/// assert_eq!((kept.tokens, kept.count), (vec![0, 1, 2, 3], 4));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn v1_kept(
    distribution: &Distribution,
    mu_bits: f64,
    m: usize,
    k_rule: KRule,
    vocabulary_size: VocabularySize,
) -> Result<Kept> {
    check_m(m)?;
    let exponent = zipf_fit(
        distribution
            .ranking(m)
            .windows(2)
            .take_while(|pair| pair.iter().all(|&token| distribution.is_in_support(token)))
            .map(|pair| distribution.gap_nats(pair[0], pair[1])),
    )?;
    let vocabulary = match vocabulary_size {
        VocabularySize::Row => distribution.len(),
        VocabularySize::Support => distribution.support(),
    };
    let count = estimated_k_by(k_rule, mu_bits, exponent, vocabulary)?;
    let mut tokens = distribution.ranking(count);
    tokens.retain(|&token| distribution.is_in_support(token));
    Ok(Kept { tokens, count })
}

/// Mu can be anything finite.
pub(super) fn check_mu(mu_bits: f64) -> Result<()> {
    if mu_bits.is_finite() {
        Ok(())
    } else {
        Err(Error::InvalidParameter {
            name: "mu",
            value: mu_bits,
            expected: "finite",
        })
    }
}
