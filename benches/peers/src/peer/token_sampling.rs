//! `token-sampling`: stages on its own reusable list of candidates, which is loaded from the row inside the clock.

use crate::contestant::{Answer, Contestant};
use crate::rows::Cell;
use crate::task::{CHAIN_TEMPERATURE, CHAIN_TOP_P, K, MIN_P, TOP_P, TYPICAL, Task};
use std::hint::black_box;
use token_sampling::{
    Candidates, Dist, MinP, MirostatV1, MirostatV2, Sampler, SamplerCtx, SplitMix64, Temperature,
    TopK, TopP, Typical,
};

pub(crate) const NAME: &str = "token-sampling";

pub(crate) fn contestant(task: Task, cell: Cell) -> Option<Box<dyn Contestant>> {
    Some(Box::new(Session::new(task, cell)?))
}

/// Stages with a list of candidates and a generator of their own.
pub(crate) struct Session {
    stages: Vec<Box<dyn Sampler>>,
    candidates: Candidates,
    rng: SplitMix64,
}

impl Session {
    fn new(task: Task, cell: Cell) -> Option<Self> {
        let (dist, min_keep) = (Box::new(Dist), 1);
        // A learning rate of 0 holds mu; its first value is 2 tau.
        let (tau, eta) = (cell.mu_bits() as f32 / 2.0, 0.0);
        let stages: Vec<Box<dyn Sampler>> = match task {
            Task::MirostatV2 => vec![Box::new(MirostatV2::new(tau, eta))],
            Task::MirostatV1 => {
                let mut sampler = MirostatV1::new(cell.vocabulary as u32);
                sampler.tau = tau;
                sampler.eta = eta;
                sampler.reset();
                vec![Box::new(sampler)]
            }
            Task::TopK => vec![Box::new(TopK { k: K as i32 }), dist],
            Task::TopP => {
                let p = TOP_P as f32;
                vec![Box::new(TopP { p, min_keep }), dist]
            }
            Task::MinP => {
                let p = MIN_P as f32;
                vec![Box::new(MinP { p, min_keep }), dist]
            }
            Task::Typical => {
                let p = TYPICAL as f32;
                vec![Box::new(Typical { p, min_keep }), dist]
            }
            Task::Draw => vec![dist],
            Task::Chain => vec![
                Box::new(TopK { k: K as i32 }),
                Box::new(TopP {
                    p: CHAIN_TOP_P as f32,
                    min_keep,
                }),
                Box::new(MinP {
                    p: MIN_P as f32,
                    min_keep,
                }),
                Box::new(Temperature {
                    t: CHAIN_TEMPERATURE as f32,
                }),
                dist,
            ],
            Task::Softmax => return None,
        };
        Some(Self {
            stages,
            candidates: Candidates::new(),
            rng: SplitMix64::new(7),
        })
    }

    pub(crate) fn mirostat_v2(cell: Cell) -> Self {
        Self::new(Task::MirostatV2, cell).expect("it has one")
    }

    pub(crate) fn step(&mut self, row: &[f32]) -> Result<u32, String> {
        self.candidates.load(row).map_err(|e| e.to_string())?;
        let mut context = SamplerCtx {
            rng: &mut self.rng,
            history: &[],
        };
        for stage in &mut self.stages {
            stage
                .apply(&mut self.candidates, &mut context)
                .map_err(|e| e.to_string())?;
        }
        self.candidates
            .selected()
            .ok_or_else(|| "selected nothing".to_owned())
    }
}

impl Contestant for Session {
    fn name(&self) -> &'static str {
        NAME
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let token = self.step(row)?;
        let kept = self.candidates.as_slice().iter().map(|c| c.id).collect();
        Ok(Answer {
            kept: Some(kept),
            token: Some(token),
            ..Answer::default()
        })
    }
}
