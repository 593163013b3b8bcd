//! How much a text repeats itself.

use super::check;
use crate::{Error, Result, Step};
use std::collections::{HashMap, HashSet};

/// The fraction of the n-grams that stood there before.
///
/// 1 − (distinct n-grams) / (L − n + 1), for a text of L tokens.
///
/// **Units.** Dimensionless, in [0, 1).
///
/// # Errors
///
/// [`Error::InvalidParameter`] unless `n` is from 1 to the number of tokens.
///
/// # Cost
///
/// L look-ups in a hash table for each doubling of n, about 2·log2 n in all, and memory for L numbers; exact. (The ancestor compared
/// every n-gram with every other.)
///
/// # Examples
///
/// ```
/// use mirostat::experiments::repeated_ngram_rate;
/// assert_eq!(repeated_ngram_rate(&[1, 2, 1, 2], 2)?, 1.0 / 3.0);
/// assert_eq!(repeated_ngram_rate(&[1, 2, 3], 2)?, 0.0);
/// assert_eq!(repeated_ngram_rate(&[1, 1, 1], 1)?, 2.0 / 3.0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn repeated_ngram_rate(tokens: &[u32], n: usize) -> Result<f64> {
    if n == 0 || n > tokens.len() {
        return Err(Error::InvalidParameter {
            name: "n",
            value: n as f64,
            expected: "from 1 to the number of tokens",
        });
    }
    let names = ngram_names(tokens, n);
    let distinct = names.iter().collect::<HashSet<_>>().len();
    Ok((names.len() - distinct) as f64 / names.len() as f64)
}

/// A number for every n-gram, in its order: equal numbers for equal n-grams.
///
/// Names of 2^j-grams are made of two names of 2^(j−1)-grams, and the n-gram's of those in the binary form of n: so a long n-gram is
/// never read as a whole.
fn ngram_names(tokens: &[u32], n: usize) -> Vec<usize> {
    let mut power: Vec<usize> = tokens.iter().map(|&token| token as usize).collect();
    let mut width = 1;
    let mut names: Option<Vec<usize>> = None;
    let mut named = 0;
    loop {
        if n & width != 0 {
            names = Some(match names {
                None => power.clone(),
                Some(names) => joined(&names, &power[named..]),
            });
            named += width;
        }
        if named == n {
            // n is at least 1, so one of its digits was.
            return names.unwrap_or_default();
        }
        power = joined(&power, &power[width..]);
        width *= 2;
    }
}

/// A number for every pair of neighbours, up to the end of the second list.
fn joined(first: &[usize], second: &[usize]) -> Vec<usize> {
    let mut pairs = HashMap::new();
    first
        .iter()
        .zip(second)
        .map(|pair| {
            let next = pairs.len();
            *pairs.entry(pair).or_insert(next)
        })
        .collect()
}

/// The fraction of tokens that are distinct.
///
/// (distinct tokens) / L, for a text of L tokens.
///
/// **Units.** Dimensionless, in (0, 1].
///
/// # Errors
///
/// [`Error::InvalidParameter`] if there are no tokens.
///
/// # Cost
///
/// One look-up a token, and memory for the distinct ones.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::distinct_token_rate;
/// assert_eq!(distinct_token_rate(&[1, 2, 1, 3])?, 0.75);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn distinct_token_rate(tokens: &[u32]) -> Result<f64> {
    check::at_least_one("tokens", tokens.len())?;
    let distinct = tokens.iter().collect::<HashSet<_>>().len();
    Ok(distinct as f64 / tokens.len() as f64)
}

/// The tokens of a trace, in its order.
///
/// # Examples
///
/// ```
/// use mirostat::experiments::{run_static, trace_tokens};
/// use mirostat::{Config, ParkMiller, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V1)?;
/// let trace = run_static(&mut sampler, &mut ParkMiller::new(42)?, 32, 1.2, 6)?;
/// assert_eq!(trace_tokens(&trace), [0, 2, 4, 0, 1, 0]);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[must_use]
pub fn trace_tokens(trace: &[Step]) -> Vec<u32> {
    trace.iter().map(|step| step.token).collect()
}

#[cfg(test)]
mod tests {
    use super::repeated_ngram_rate;

    #[test]
    fn the_rate_is_that_of_comparing_every_ngram_with_every_earlier_one() {
        let mut state = 1_u32;
        for letters in [1, 2, 3, 50] {
            let tokens: Vec<u32> = (0..60)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 16) % letters
                })
                .collect();
            for length in 1..=tokens.len() {
                let text = &tokens[..length];
                for n in 1..=length {
                    let ngrams: Vec<_> = text.windows(n).collect();
                    let repeated = (0..ngrams.len())
                        .filter(|&i| ngrams[..i].contains(&ngrams[i]))
                        .count();
                    let expected = repeated as f64 / ngrams.len() as f64;
                    assert_eq!(repeated_ngram_rate(text, n), Ok(expected));
                }
            }
        }
    }

    // The ancestor's weakness 15: comparing each with each, this would take hours.
    #[test]
    fn counting_ngrams_is_not_quadratic() {
        let tokens: Vec<u32> = (0..200_000).map(|i| i % 1000).collect();
        let rate = repeated_ngram_rate(&tokens, 100_000).unwrap();
        assert_eq!(rate, 99_001.0 / 100_001.0);
    }
}
