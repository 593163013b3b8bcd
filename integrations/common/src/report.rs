//! What a text came to: figures for people, and all of it as JSON.

use crate::format::tokens;
use crate::{Generated, Integration, Moment, Options, SamplerOptions};
use mirostat::generation::StopReason;
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// All that is told of a text.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The programme and its runtime.
    pub integration: Integration,
    /// The version of `mirostat`.
    pub mirostat: &'static str,
    /// The model's file, without its folder.
    pub model: String,
    /// Tokens that the model knows.
    pub vocabulary: usize,
    /// The rule.
    pub sampler: SamplerOptions,
    /// The prompt as the model read it.
    pub prompt: String,
    /// Its tokens.
    pub prompt_tokens: Vec<u32>,
    /// The text, without the prompt.
    pub text: String,
    /// Its tokens, with the end token.
    pub tokens: Vec<u32>,
    /// Why it stopped.
    pub reason: StopReason,
    /// The mean surprise, in bits.
    pub mean_surprise_bits: f64,
    /// 2 to the mean surprise.
    pub perplexity: f64,
    /// The mean number of kept tokens.
    pub mean_kept: f64,
    /// The times.
    pub timing: Timing,
    /// Every token.
    pub steps: Vec<Moment>,
}

/// How long it took.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// Loading the model, in seconds.
    pub load_s: f64,
    /// Reading the prompt, in seconds.
    pub prompt_s: f64,
    /// Generated tokens a second, model and choice together, the prompt's row apart.
    pub tokens_per_s: f64,
    /// The mean time of a choice, in microseconds.
    pub sampling_mean_us: f64,
    /// The median time of a choice, in microseconds.
    pub sampling_median_us: f64,
    /// The time of all choices as a fraction of the model's, the prompt's row apart.
    pub sampling_share: f64,
}

impl Timing {
    /// The times of a text; numbers that a text is too short for are 0.
    ///
    /// The first row is the prompt's, so it is left out where speed and share are told.
    #[must_use]
    pub fn of(moments: &[Moment], load: Duration) -> Self {
        let sum = |moments: &[Moment], of: fn(&Moment) -> f64| moments.iter().map(of).sum::<f64>();
        let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        let later = moments.get(1..).unwrap_or_default();
        let model_us = sum(later, |moment| moment.model_us);
        let sampling_us = sum(later, |moment| moment.sampling_us);
        let mut sorted: Vec<f64> = moments.iter().map(|moment| moment.sampling_us).collect();
        sorted.sort_by(f64::total_cmp);
        Self {
            load_s: load.as_secs_f64(),
            prompt_s: moments.first().map_or(0.0, |moment| moment.model_us / 1e6),
            tokens_per_s: ratio(later.len() as f64, (model_us + sampling_us) / 1e6),
            sampling_mean_us: ratio(
                sum(moments, |moment| moment.sampling_us),
                moments.len() as f64,
            ),
            sampling_median_us: sorted.get(sorted.len() / 2).copied().unwrap_or(0.0),
            sampling_share: ratio(sampling_us, model_us),
        }
    }
}

/// What a report is made of, beside the text itself.
pub(crate) struct Ground<'a> {
    pub(crate) integration: Integration,
    pub(crate) options: &'a Options,
    pub(crate) model: String,
    pub(crate) vocabulary: usize,
    pub(crate) prompt_tokens: Vec<u32>,
    pub(crate) load: Duration,
}

impl Report {
    pub(crate) fn new(ground: Ground<'_>, generated: Generated, text: &[u8]) -> Self {
        let Generated { moments, reason } = generated;
        let mean = |of: fn(&Moment) -> f64| match moments.len() {
            0 => 0.0,
            len => moments.iter().map(of).sum::<f64>() / len as f64,
        };
        let mean_surprise_bits = mean(|moment| moment.surprise_bits);
        Self {
            integration: ground.integration,
            mirostat: mirostat_version(),
            model: ground.model,
            vocabulary: ground.vocabulary,
            sampler: ground.options.sampler.clone(),
            prompt: ground.options.prompt_text(),
            prompt_tokens: ground.prompt_tokens,
            text: String::from_utf8_lossy(text).into_owned(),
            tokens: moments.iter().map(|moment| moment.token).collect(),
            reason,
            mean_surprise_bits,
            perplexity: mean_surprise_bits.exp2(),
            mean_kept: mean(|moment| moment.kept as f64),
            timing: Timing::of(&moments, ground.load),
            steps: moments,
        }
    }
}

/// The library has no constant of its version; it is built from the same tree as this crate, whose version is the same.
const fn mirostat_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Integration {
            program,
            version,
            runtime,
            runtime_version,
        } = self.integration;
        let timing = self.timing;
        let end = match self.reason {
            StopReason::EndToken => "the model ended it",
            _ => "the limit",
        };
        writeln!(
            f,
            "{program} {version} on {runtime} {runtime_version}, mirostat {}",
            self.mirostat
        )?;
        writeln!(
            f,
            "model     {}, {}, loaded in {:.2} s",
            self.model,
            tokens(self.vocabulary),
            timing.load_s
        )?;
        writeln!(f, "sampler   {}", self.sampler.in_words())?;
        writeln!(
            f,
            "text      {} ({end}) after a prompt of {}, read in {:.2} s",
            tokens(self.tokens.len()),
            tokens(self.prompt_tokens.len()),
            timing.prompt_s,
        )?;
        writeln!(f, "speed     {:.1} tokens/s", timing.tokens_per_s)?;
        writeln!(
            f,
            "sampling  {:.1} µs a token (median {:.1}), {:.3} % of the model's time",
            timing.sampling_mean_us,
            timing.sampling_median_us,
            100.0 * timing.sampling_share,
        )?;
        write!(
            f,
            "surprise  {:.3} bits in the mean, ",
            self.mean_surprise_bits
        )?;
        if let Some(tau) = self.sampler.target_bits() {
            write!(f, "{:+.3} from tau, ", self.mean_surprise_bits - tau)?;
        }
        writeln!(f, "perplexity {:.2}", self.perplexity)?;
        write!(
            f,
            "kept      {} in the mean",
            tokens(self.mean_kept.round() as usize)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(model_us: f64, sampling_us: f64) -> Moment {
        Moment {
            token: 0,
            surprise_bits: 1.0,
            kept: 1,
            mu_bits: None,
            model_us,
            sampling_us,
        }
    }

    #[test]
    fn speed_and_share_leave_the_prompt_out() {
        let moments = [
            moment(1e6, 500.0),
            moment(9_900.0, 100.0),
            moment(29_700.0, 300.0),
        ];
        let timing = Timing::of(&moments, Duration::from_millis(250));
        assert!((timing.tokens_per_s - 50.0).abs() < 1e-9);
        assert!((timing.sampling_share - 400.0 / 39_600.0).abs() < 1e-12);
        assert_eq!(
            (timing.sampling_mean_us, timing.sampling_median_us),
            (300.0, 300.0)
        );
        assert_eq!((timing.load_s, timing.prompt_s), (0.25, 1.0));
    }

    #[test]
    fn a_text_without_a_token_has_no_speed() {
        for moments in [&[][..], &[moment(1.0, 1.0)][..]] {
            let timing = Timing::of(moments, Duration::ZERO);
            assert_eq!((timing.tokens_per_s, timing.sampling_share), (0.0, 0.0));
        }
    }

    #[test]
    fn the_version_is_that_of_the_library() {
        let manifest = include_str!("../../../Cargo.toml");
        assert!(manifest.contains(&format!(
            "[workspace.package]\nversion = \"{}\"",
            mirostat_version()
        )));
    }
}
