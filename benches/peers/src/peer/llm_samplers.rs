//! `llm-samplers`: its list of logits is built from the row inside the clock.

use crate::contestant::{Answer, Contestant};
use crate::rows::Cell;
use crate::task::{CHAIN_TEMPERATURE, CHAIN_TOP_P, K, MIN_P, TOP_P, TYPICAL, Task};
use llm_samplers::prelude::{
    Logits, SampleLocallyTypical, SampleMinP, SampleMirostat1, SampleMirostat2, SampleRandDistrib,
    SampleTemperature, SampleTopK, SampleTopP, Sampler, SimpleSamplerResources,
};
use rand_08::SeedableRng;
use rand_08::rngs::StdRng;
use std::hint::black_box;

pub(crate) fn contestant(task: Task, cell: Cell) -> Option<Box<dyn Contestant>> {
    // A learning rate of 0 holds mu; its first value is 2 tau.
    let tau = cell.mu_bits() as f32 / 2.0;
    let draw = Box::new(SampleRandDistrib::new());
    let samplers: Vec<Box<dyn Sampler>> = match task {
        Task::MirostatV2 => vec![Box::new(SampleMirostat2::new(tau, 0.0))],
        Task::MirostatV1 => vec![Box::new(SampleMirostat1::new(cell.vocabulary, tau, 0.0))],
        Task::TopK => vec![Box::new(SampleTopK::new(K, 1)), draw],
        Task::TopP => vec![Box::new(SampleTopP::new(TOP_P as f32, 1)), draw],
        Task::MinP => vec![Box::new(SampleMinP::new(MIN_P as f32, 1)), draw],
        Task::Typical => vec![Box::new(SampleLocallyTypical::new(TYPICAL as f32, 1)), draw],
        Task::Draw => vec![draw],
        Task::Chain => vec![
            Box::new(SampleTopK::new(K, 1)),
            Box::new(SampleTopP::new(CHAIN_TOP_P as f32, 1)),
            Box::new(SampleMinP::new(MIN_P as f32, 1)),
            Box::new(SampleTemperature::new(CHAIN_TEMPERATURE as f32)),
            draw,
        ],
        Task::Softmax => return None,
    };
    let rng = Box::new(StdRng::seed_from_u64(7));
    Some(Box::new(LlmSamplers {
        samplers,
        resources: SimpleSamplerResources::new(Some(rng), None),
    }))
}

struct LlmSamplers {
    samplers: Vec<Box<dyn Sampler>>,
    resources: SimpleSamplerResources,
}

impl LlmSamplers {
    fn step(&mut self, row: &[f32]) -> Result<(Logits, u32), String> {
        let mut logits = Logits::try_from_iter(row.iter().copied()).map_err(|e| e.to_string())?;
        for sampler in &mut self.samplers {
            sampler
                .sample(&mut self.resources, &mut logits)
                .map_err(|e| e.to_string())?;
        }
        let last = self.samplers.last().expect("a sampler that draws");
        let token = last.sampled_token_id().ok_or("selected nothing")?;
        Ok((logits, token))
    }
}

impl Contestant for LlmSamplers {
    fn name(&self) -> &'static str {
        "llm-samplers"
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let (logits, token) = self.step(row)?;
        Ok(Answer {
            kept: Some(logits.iter().map(|l| l.token_id).collect()),
            token: Some(token),
            ..Answer::default()
        })
    }
}
