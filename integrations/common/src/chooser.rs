//! Any of the rules, with its uniforms.

use crate::options::{Kind, SamplerOptions};
use mirostat::reference::Truncation;
use mirostat::{
    Config, Error, FixedSampler, Result, Row, Sampler, Step, UniformSource, Uniforms, Version,
};

/// A rule at work on one text.
#[derive(Clone, Debug)]
pub struct Chooser {
    rule: Rule,
    uniforms: Uniforms,
}

#[derive(Clone, Debug)]
enum Rule {
    Mirostat(Sampler),
    Fixed(FixedSampler),
}

/// A chosen token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The token.
    pub token: u32,
    /// How many tokens the rule kept.
    pub kept: usize,
    /// All that Mirostat tells of the step.
    pub step: Option<Step>,
}

impl Chooser {
    /// The rule at its first step; `session` tells texts of one seed apart.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`].
    pub fn new(options: &SamplerOptions, session: u64) -> Result<Self> {
        let fixed = |truncation, temperature| {
            FixedSampler::new(truncation)?
                .with_temperature(temperature)
                .map(Rule::Fixed)
        };
        let mirostat = |version| {
            let config = Config::builder(options.tau)
                .eta(options.eta)
                .temperature(options.temperature)
                .build()?;
            Sampler::new(config, version).map(Rule::Mirostat)
        };
        let rule = match options.kind {
            Kind::V1 => mirostat(Version::V1),
            Kind::V2 => mirostat(Version::V2),
            Kind::TopP => fixed(Truncation::TopP(options.top_p), options.temperature),
            Kind::TopK => fixed(Truncation::TopK(options.top_k), options.temperature),
            Kind::MinP => fixed(Truncation::MinP(options.min_p), options.temperature),
            Kind::Typical => fixed(Truncation::Typical(options.typical), options.temperature),
            Kind::Epsilon => fixed(Truncation::Epsilon(options.epsilon), options.temperature),
            Kind::Temperature => fixed(Truncation::None, options.temperature),
            Kind::Greedy => fixed(Truncation::TopK(1), 1.0),
        }?;
        Ok(Self {
            rule,
            uniforms: Uniforms::new(options.seed, session),
        })
    }

    /// Chooses a token; a row that is refused changes nothing.
    ///
    /// # Errors
    ///
    /// As [`Sampler::sample`] or [`FixedSampler::draw`].
    pub fn choose(&mut self, row: Row<'_>) -> Result<Choice> {
        let uniform = self.uniforms.peek()?;
        let choice = match &mut self.rule {
            Rule::Mirostat(sampler) => {
                let step = sampler.sample(row, uniform)?;
                Choice {
                    token: step.token,
                    kept: step.kept,
                    step: Some(step),
                }
            }
            Rule::Fixed(sampler) => {
                let drawn = sampler.draw(row, uniform)?;
                Choice {
                    token: drawn.token,
                    kept: drawn.kept,
                    step: None,
                }
            }
        };
        self.uniforms.advance();
        Ok(choice)
    }
}

impl Choice {
    /// The surprise of the token in the row that it was chosen from, −log2 p: Mirostat's own, or for another rule that of the row at
    /// temperature 1.
    ///
    /// # Errors
    ///
    /// [`Error::TokenOutsideVocabulary`] if it is another row; faults of the row.
    ///
    /// # Cost
    ///
    /// One read of the row, unless Mirostat has told it.
    pub fn surprise_bits(&self, row: Row<'_>) -> Result<f64> {
        if let Some(step) = self.step {
            return Ok(step.surprise_bits);
        }
        let logit = logit(row, self.token as usize).ok_or(Error::TokenOutsideVocabulary {
            token: self.token,
            vocabulary: row.len(),
        })?;
        let nats = mirostat::log_z_nats(row)? - logit;
        // Rounding can bring a certain token below 0.
        Ok((nats * std::f64::consts::LOG2_E).max(0.0))
    }
}

fn logit(row: Row<'_>, index: usize) -> Option<f64> {
    row.part(index, 1)?.to_f64().first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::tests::parse;

    const ROW: [f32; 6] = [4.0, 3.1, 2.4, 1.8, 1.0, 0.2];

    #[test]
    fn every_rule_chooses_as_the_library_does() {
        let uniform = Uniforms::new(42, 7).peek().unwrap();
        for (rule, truncation) in [
            ("top-p", Truncation::TopP(0.9)),
            ("top-k", Truncation::TopK(40)),
            ("min-p", Truncation::MinP(0.05)),
            ("typical", Truncation::Typical(0.95)),
            ("epsilon", Truncation::Epsilon(3e-4)),
            ("temperature", Truncation::None),
        ] {
            let options = parse(&["--sampler", rule, "--top-k", "4", "--temperature", "0.8"]);
            let truncation = match truncation {
                Truncation::TopK(_) => Truncation::TopK(4),
                other => other,
            };
            let expected = FixedSampler::new(truncation)
                .and_then(|sampler| sampler.with_temperature(0.8))
                .and_then(|sampler| sampler.draw(&ROW, uniform))
                .unwrap();
            let found = Chooser::new(&options.sampler, 7)
                .and_then(|mut chooser| chooser.choose(Row::from(&ROW)))
                .unwrap();
            assert_eq!(
                (found.token, found.kept),
                (expected.token, expected.kept),
                "{rule}"
            );
        }
        for (rule, version) in [("v1", Version::V1), ("v2", Version::V2)] {
            let options = parse(&["--sampler", rule, "--tau", "1.5", "--eta", "0.2"]);
            let config = Config::builder(1.5).eta(0.2).build().unwrap();
            let expected = Sampler::new(config, version).unwrap().sample(&ROW, uniform);
            let found = Chooser::new(&options.sampler, 7)
                .and_then(|mut chooser| chooser.choose(Row::from(&ROW)))
                .unwrap();
            assert_eq!(found.step, Some(expected.unwrap()), "{rule}");
        }
    }

    #[test]
    fn greedy_takes_the_likeliest_whatever_the_seed() {
        for seed in ["1", "2", "3"] {
            let options = parse(&["--sampler", "greedy", "--seed", seed, "--temperature", "9"]);
            let mut chooser = Chooser::new(&options.sampler, 0).unwrap();
            assert_eq!(
                chooser
                    .choose(Row::from(&[1.0_f32, 5.0, 5.0]))
                    .unwrap()
                    .token,
                1
            );
        }
    }

    #[test]
    fn a_refused_row_uses_up_nothing() {
        let options = parse(&["--sampler", "top-p"]);
        let mut chooser = Chooser::new(&options.sampler, 0).unwrap();
        let fault = chooser.choose(Row::from(&[1.0_f32, f32::NAN]));
        assert!(matches!(fault, Err(Error::InvalidLogit { index: 1, .. })));
        assert_eq!(chooser.uniforms.step, 0);
    }

    #[test]
    fn the_surprise_is_of_the_whole_row_in_bits() {
        let row = [0.5_f32, 0.25, 0.125, 0.125].map(f32::ln);
        for (token, bits) in [(0, 1.0), (1, 2.0), (3, 3.0)] {
            let choice = Choice {
                token,
                kept: 1,
                step: None,
            };
            assert!((choice.surprise_bits(Row::from(&row)).unwrap() - bits).abs() < 1e-6);
        }
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        for arguments in [
            ["--sampler", "v2", "--tau", "-1"],
            ["--sampler", "v1", "--eta", "nan"],
            ["--sampler", "top-p", "--top-p", "1.5"],
            ["--sampler", "top-k", "--top-k", "0"],
            ["--sampler", "temperature", "--temperature", "0"],
        ] {
            assert!(
                Chooser::new(&parse(&arguments).sampler, 0).is_err(),
                "{arguments:?}"
            );
        }
    }
}
