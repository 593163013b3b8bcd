//! What a text comes to.

use mirostat::experiments::repeated_ngram_rate;
use mirostat_textgen::{Fault, Moment};

/// The figures of one text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    /// The mean surprise of all tokens, in bits.
    pub(crate) surprise_bits: f64,
    /// That of the first quarter.
    pub(crate) early_bits: f64,
    /// That of the last quarter.
    pub(crate) late_bits: f64,
    /// The lower median of the kept tokens.
    pub(crate) median_kept: usize,
    /// The mean of the kept tokens.
    pub(crate) mean_kept: f64,
    /// The fraction of 4-grams that stood there before.
    pub(crate) repetition: f64,
    /// How many tokens end a text.
    pub(crate) ends: usize,
}

impl Figures {
    /// The figures of at least four tokens.
    pub(crate) fn of(moments: &[Moment], end_tokens: &[u32]) -> Result<Self, Fault> {
        let quarter = moments.len() / 4;
        let tokens: Vec<u32> = moments.iter().map(|moment| moment.token).collect();
        let mut kept: Vec<usize> = moments.iter().map(|moment| moment.kept).collect();
        kept.sort_unstable();
        Ok(Self {
            surprise_bits: mean_bits(moments),
            early_bits: mean_bits(&moments[..quarter]),
            late_bits: mean_bits(&moments[moments.len() - quarter..]),
            median_kept: kept[(kept.len() - 1) / 2],
            mean_kept: kept.iter().sum::<usize>() as f64 / kept.len() as f64,
            repetition: repeated_ngram_rate(&tokens, 4)?,
            ends: tokens
                .iter()
                .filter(|token| end_tokens.contains(token))
                .count(),
        })
    }
}

fn mean_bits(moments: &[Moment]) -> f64 {
    moments
        .iter()
        .map(|moment| moment.surprise_bits)
        .sum::<f64>()
        / moments.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_tokens() {
        let moment = |(token, surprise_bits, kept)| Moment {
            token,
            surprise_bits,
            kept,
            mu_bits: None,
            model_us: 1.0,
            sampling_us: 1.0,
        };
        let tokens = [7, 8, 9, 7, 7, 8, 9, 7];
        let kept = [1, 2, 3, 4, 50, 6, 7, 8];
        let bits = [1.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0, 8.0];
        let moments: Vec<Moment> = (0..8)
            .map(|i| moment((tokens[i], bits[i], kept[i])))
            .collect();
        let figures = Figures::of(&moments, &[8, 1]).unwrap();
        let expected = Figures {
            surprise_bits: 2.0,
            early_bits: 2.0,
            late_bits: 6.0,
            median_kept: 4,
            mean_kept: 10.125,
            repetition: 0.2,
            ends: 2,
        };
        assert_eq!(figures, expected);
    }
}
