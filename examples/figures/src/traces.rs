//! The runs that three figures show: both versions on a row that stays and on one that drifts.

use crate::draw::{Key, OUT_OF_REACH};
use crate::reach::Reach;
use crate::settings::{Settings, TAU, VOCABULARY};
use mirostat::experiments::{Scenario, run_scenario, scenario_logits};
use mirostat::trace::summarize;
use mirostat::{Result, Sampler, Step, Version};

/// The exponent of the row that stays: the ancestor's.
pub(crate) const STATIC: f64 = 1.15;
/// The exponents that the other row drifts between. The ancestor's, 0.7 and 1.7, begin where 3 bits are out of reach.
pub(crate) const DRIFT: (f64, f64) = (1.0, 1.6);
/// The places along a run at which what is in reach is drawn.
const PLACES: usize = 200;

/// Both scenarios, each with both versions.
#[derive(Debug)]
pub struct Traces {
    pub(crate) settings: Settings,
    pub(crate) scenarios: Vec<ScenarioTraces>,
}

#[derive(Debug)]
pub(crate) struct ScenarioTraces {
    pub(crate) name: String,
    /// Of versions 1 and 2.
    pub(crate) runs: [Vec<Step>; 2],
    /// What is in reach along the run, with the number of the step.
    pub(crate) reach: Vec<(f64, Reach)>,
}

impl Traces {
    /// Runs both versions on both scenarios, from the same uniforms.
    ///
    /// # Errors
    ///
    /// As [`run_scenario`], and for a seed that is none or for 0 steps.
    pub fn record(settings: Settings) -> Result<Self> {
        let (start, finish) = DRIFT;
        let scenarios = [
            (
                format!("Zipf row, exponent {STATIC}"),
                Scenario::static_zipf(STATIC),
            ),
            (
                format!("drifting Zipf row, exponent {start:.1} to {finish:.1}"),
                Scenario::drifting_zipf(start, finish),
            ),
        ];
        let record = |(name, scenario)| {
            let run = |version| -> Result<Vec<Step>> {
                let mut sampler = Sampler::new(settings.config()?, version)?;
                let mut uniforms = settings.uniforms()?;
                run_scenario(
                    &mut sampler,
                    &mut uniforms,
                    scenario,
                    VOCABULARY,
                    settings.steps,
                )
            };
            let runs = [run(Version::V1)?, run(Version::V2)?];
            for trace in &runs {
                summarize(trace, TAU)?; // refuses a run of no steps
            }
            Ok(ScenarioTraces {
                name,
                runs,
                reach: reach_along(scenario, settings.steps)?,
            })
        };
        Ok(Self {
            settings,
            scenarios: scenarios.into_iter().map(record).collect::<Result<_>>()?,
        })
    }

    /// The steps of each run, of versions 1 and 2 on the row that stays, then on the one that drifts.
    #[must_use]
    pub fn runs(&self) -> Vec<&[Step]> {
        let runs = self.scenarios.iter().flat_map(|scenario| &scenario.runs);
        runs.map(Vec::as_slice).collect()
    }

    pub(crate) fn note(&self) -> String {
        format!(
            "V = {VOCABULARY} tokens, tau {TAU} bits, {}",
            self.settings.note()
        )
    }

    /// The greatest of what `of` says of each step.
    pub(crate) fn greatest(&self, of: impl Fn(&Step) -> f64) -> f64 {
        let steps = self.runs().into_iter().flatten();
        steps.map(of).fold(0.0, f64::max)
    }
}

fn reach_along(scenario: Scenario, steps: usize) -> Result<Vec<(f64, Reach)>> {
    let places = PLACES.min(steps);
    let place = |i: usize| {
        let index = i * (steps - 1) / (places - 1).max(1);
        let row = scenario_logits(scenario, VOCABULARY, index, steps)?;
        Ok(((index + 1) as f64, Reach::of(&row)?))
    };
    (0..places).map(place).collect()
}

/// A number of each step, with the step's place in the run.
pub(crate) fn along<'a>(
    steps: &'a [Step],
    of: impl Fn(&Step) -> f64 + 'a,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    (1..).map(f64::from).zip(steps.iter().map(of))
}

pub(crate) fn out_of_reach_key() -> Key {
    Key::Area("beyond the mean of any cut".to_owned(), OUT_OF_REACH)
}
