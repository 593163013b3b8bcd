//! One step: select, draw or take the host's token, and measure it.

use super::distribution::Distribution;
use super::draw::{DrawOrder, draw};
use super::kept::Kept;
use super::mirostat_v1::{KRule, VocabularySize, check_mu, v1_kept};
use super::mirostat_v2::v2_kept;
use crate::error::{Error, Result};

/// Which of the two truncations of Mirostat is used.
///
/// # Examples
///
/// ```
/// use mirostat::reference::Version;
/// assert_eq!(Version::default(), Version::V1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Version {
    /// The k best tokens, with k from a Zipf law: [`v1_kept`].
    #[default]
    V1,
    /// Every token whose surprise is at most mu: [`v2_kept`].
    V2,
}

/// Of which distribution the probability and the surprise of a chosen token are.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, Rule, SurpriseBasis, Version, choose};
/// let row = Distribution::from_logits(&[0.0; 4], 1.0)?;
/// let rule = Rule { version: Version::V2, surprise_basis: SurpriseBasis::Kept, ..Rule::default() };
/// let greedy = choose(&row, &rule, 1.0, 0.5)?;
/// assert_eq!((greedy.token, greedy.probability, greedy.surprise_bits), (0, 1.0, 0.0));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum SurpriseBasis {
    /// The whole row, before truncation, as the paper's code and the ancestor do.
    #[default]
    Original,
    /// The kept tokens, renormalised, as llama.cpp does.
    Kept,
}

/// Everything about a step that is chosen beforehand, except mu and its feedback.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{DrawOrder, Rule, Version};
/// let rule = Rule { version: Version::V2, draw_order: DrawOrder::Rank, ..Rule::default() };
/// assert_eq!(rule.m, 100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The truncation.
    pub version: Version,
    /// How many of the best tokens the Zipf fit of V1 looks at, at least 2; 100 by default.
    pub m: usize,
    /// How V1 rounds k.
    pub k_rule: KRule,
    /// What V1 counts as the vocabulary.
    pub vocabulary_size: VocabularySize,
    /// The order in which the draw walks the kept tokens.
    pub draw_order: DrawOrder,
    /// Of which distribution probability and surprise are.
    pub surprise_basis: SurpriseBasis,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            version: Version::default(),
            m: 100,
            k_rule: KRule::default(),
            vocabulary_size: VocabularySize::default(),
            draw_order: DrawOrder::default(),
            surprise_basis: SurpriseBasis::default(),
        }
    }
}

/// A chosen token and what was measured of it.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, Rule, choose};
/// let only = choose(&Distribution::from_logits(&[5.0], 1.0)?, &Rule::default(), 4.0, 0.9)?;
/// assert_eq!((only.token, only.probability, only.surprise_bits), (0, 1.0, 0.0));
/// assert_eq!((only.kept, only.support), (1, 1));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// The id of the token.
    pub token: u32,
    /// Its probability, in the distribution that the rule's [`SurpriseBasis`] names.
    pub probability: f64,
    /// Its surprise in bits, in the same distribution: −log₂ of the probability, +0.0 for certainty.
    pub surprise_bits: f64,
    /// The size of the kept set as the rule counts it; that of V1 may exceed the support.
    pub kept: usize,
    /// The number of tokens of probability above 0.
    pub support: usize,
}

/// Selects by the rule, draws with the uniform, and measures the token.
///
/// The truncation and the draw of Algorithm 1 of arXiv 2007.14966; [`feedback`](super::feedback()) does the rest of it.
///
/// **Units.** Mu in bits, the uniform in [0, 1).
///
/// # Errors
///
/// [`Error::InvalidParameter`] when mu is not finite or m is below 2, [`Error::NumericalFailure`] when V1's k is not finite, then
/// [`Error::InvalidUniform`].
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, Rule, choose};
/// let row = Distribution::from_logits(&[4.0, 3.1, 2.4, 1.8, 1.0, 0.2], 1.0)?;
/// let chosen = choose(&row, &Rule::default(), 5.165889060255522, 0.75)?;
/// assert_eq!((chosen.token, chosen.kept), (1, 6));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn choose(
    distribution: &Distribution,
    rule: &Rule,
    mu_bits: f64,
    uniform: f64,
) -> Result<Chosen> {
    let kept = select(distribution, rule, mu_bits)?;
    let walk = in_draw_order(distribution, rule, &kept);
    let token = draw(distribution, &walk, uniform)?;
    Ok(measure(distribution, rule, &kept, token))
}

/// Selects by the rule, and measures a token that the host chose among the kept.
///
/// The answer is what [`choose`] gives when it draws the same token.
///
/// **Units.** Mu in bits.
///
/// # Errors
///
/// The selection errors of [`choose`], then [`Error::TokenOutsideVocabulary`], then [`Error::TokenNotKept`] when the rule does not keep the
/// token or its probability is 0.
///
/// # Examples
///
/// ```
/// use mirostat::{Error, reference::{Distribution, Rule, Version, observe}};
/// let row = Distribution::from_logits(&[4.0, 3.0, 2.0, 1.0], 1.0)?;
/// let rule = Rule { version: Version::V2, ..Rule::default() };
/// assert_eq!(observe(&row, &rule, 4.0, 2)?.kept, 3);
/// assert_eq!(observe(&row, &rule, 4.0, 3), Err(Error::TokenNotKept { token: 3 }));
/// # Ok::<(), Error>(())
/// ```
pub fn observe(
    distribution: &Distribution,
    rule: &Rule,
    mu_bits: f64,
    token: u32,
) -> Result<Chosen> {
    let kept = select(distribution, rule, mu_bits)?;
    check_in_vocabulary(distribution, token)?;
    if kept.tokens.contains(&token) {
        Ok(measure(distribution, rule, &kept, token))
    } else {
        Err(Error::TokenNotKept { token })
    }
}

/// Selects by the rule, and measures a token that the host chose, kept or not.
///
/// With [`SurpriseBasis::Kept`] a token outside the kept ones has the weight it has, over the weight of the kept ones. That is at most 1,
/// because the greatest token is always kept, so the surprise is never negative.
///
/// **Units.** Mu in bits.
///
/// # Errors
///
/// The selection errors of [`choose`], then [`Error::TokenOutsideVocabulary`], then [`Error::TokenNotKept`] when the token's probability is
/// 0, since its surprise is infinite.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, Rule, Version, observe_any};
/// let row = Distribution::from_logits(&[0.0; 4], 1.0)?;
/// let rule = Rule { version: Version::V2, ..Rule::default() };
/// assert_eq!(observe_any(&row, &rule, 1.0, 3)?.surprise_bits, 2.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn observe_any(
    distribution: &Distribution,
    rule: &Rule,
    mu_bits: f64,
    token: u32,
) -> Result<Chosen> {
    let kept = select(distribution, rule, mu_bits)?;
    check_in_vocabulary(distribution, token)?;
    if distribution.is_in_support(token) {
        Ok(measure(distribution, rule, &kept, token))
    } else {
        Err(Error::TokenNotKept { token })
    }
}

/// What the rule keeps at this mu.
pub(crate) fn select(distribution: &Distribution, rule: &Rule, mu_bits: f64) -> Result<Kept> {
    check_mu(mu_bits)?;
    match rule.version {
        Version::V1 => v1_kept(
            distribution,
            mu_bits,
            rule.m,
            rule.k_rule,
            rule.vocabulary_size,
        ),
        Version::V2 => Ok(v2_kept(distribution, mu_bits)),
    }
}

fn in_draw_order(distribution: &Distribution, rule: &Rule, kept: &Kept) -> Vec<u32> {
    let mut tokens = kept.tokens.clone();
    match rule.draw_order {
        DrawOrder::Rule => {}
        DrawOrder::Id => tokens.sort_unstable(),
        DrawOrder::Rank => tokens.sort_unstable_by(|&a, &b| distribution.better_first(a, b)),
    }
    tokens
}

fn measure(distribution: &Distribution, rule: &Rule, kept: &Kept, token: u32) -> Chosen {
    let (probability, surprise_bits) = match rule.surprise_basis {
        SurpriseBasis::Original => (
            distribution.probability(token),
            distribution.surprise_bits(token),
        ),
        SurpriseBasis::Kept => {
            let kept_weight = distribution.weight_of(&kept.tokens);
            (
                distribution.probability_within(kept_weight, token),
                distribution.surprise_bits_within(kept_weight, token),
            )
        }
    };
    Chosen {
        token,
        probability,
        surprise_bits,
        kept: kept.count,
        support: distribution.support(),
    }
}

fn check_in_vocabulary(distribution: &Distribution, token: u32) -> Result<()> {
    let vocabulary = distribution.len();
    if (token as usize) < vocabulary {
        Ok(())
    } else {
        Err(Error::TokenOutsideVocabulary { token, vocabulary })
    }
}
