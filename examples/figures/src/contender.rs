//! The samplers that are compared: two that are steered, and six that are not.

use crate::draw::{Dots, EPSILON, MIN_P, Shape, TEMPERATURE, TOP_K, TOP_P, TYPICAL, V1, V2};
use crate::settings::{Settings, TAU};
use mirostat::experiments::{Baseline, baseline_mean_surprise, run_baseline_static};
use mirostat::trace::TraceAccumulator;
use mirostat::{Config, Numerics, Result, Row, Sampler, Version};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Contender {
    Steered(Version),
    Fixed(Baseline),
}

impl Contender {
    /// Both versions, then the fixed samplers.
    pub(crate) fn all(fixed: &[Baseline]) -> Vec<Self> {
        let steered = [Version::V1, Version::V2].map(Self::Steered);
        let fixed = fixed.iter().copied().map(Self::Fixed);
        steered.into_iter().chain(fixed).collect()
    }

    pub(crate) fn name(self) -> String {
        match self {
            Self::Steered(version) => format!("Mirostat {version:?}"),
            Self::Fixed(Baseline::TopK(k)) => format!("top-k {k}"),
            Self::Fixed(Baseline::TopP(share)) => format!("top-p {share}"),
            Self::Fixed(Baseline::Temperature(temperature)) => format!("temp. {temperature}"),
            Self::Fixed(Baseline::MinP(fraction)) => format!("min-p {fraction}"),
            Self::Fixed(Baseline::Epsilon(least)) => format!("epsilon {least}"),
            Self::Fixed(Baseline::Typical(share)) => format!("typical {share}"),
        }
    }

    pub(crate) fn dots(self) -> Dots {
        let (colour, shape) = match self {
            Self::Steered(Version::V1) => (V1, Shape::LargeDisc),
            Self::Steered(_) => (V2, Shape::Square),
            Self::Fixed(Baseline::TopK(_)) => (TOP_K, Shape::Triangle),
            Self::Fixed(Baseline::TopP(_)) => (TOP_P, Shape::Diamond),
            Self::Fixed(Baseline::MinP(_)) => (MIN_P, Shape::Square),
            Self::Fixed(Baseline::Epsilon(_)) => (EPSILON, Shape::Disc),
            Self::Fixed(Baseline::Typical(_)) => (TYPICAL, Shape::Cross),
            Self::Fixed(Baseline::Temperature(_)) => (TEMPERATURE, Shape::Ring),
        };
        // Version 2 goes along version 1, and leaves its rim to be seen.
        let width = match self {
            Self::Steered(Version::V1) => 11,
            Self::Steered(_) => 4,
            Self::Fixed(_) => 3,
        };
        Dots::new(colour, shape).on_line(width)
    }

    /// The mean surprise of a run on one row, in bits. `exact` is the same row in f64.
    pub(crate) fn mean_surprise_bits(
        self,
        row: Row<'_>,
        exact: &[f64],
        settings: Settings,
    ) -> Result<f64> {
        let mut uniforms = settings.uniforms()?;
        match self {
            Self::Steered(version) => {
                // The numerics that every machine has.
                let config = Config::builder(TAU).numerics(Numerics::Portable).build()?;
                let mut sampler = Sampler::new(config, version)?;
                let mut trace = TraceAccumulator::new(TAU)?;
                for _ in 0..settings.steps {
                    trace.push(&sampler.sample_with(row, &mut uniforms)?)?;
                }
                Ok(trace.summary()?.mean_surprise)
            }
            Self::Fixed(baseline) => {
                let trace = run_baseline_static(baseline, &mut uniforms, exact, settings.steps)?;
                baseline_mean_surprise(&trace)
            }
        }
    }
}
