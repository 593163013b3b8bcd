//! `mirostat`: the whole public call, with its checks of the row.

use crate::contestant::{Answer, Contestant, Role};
use crate::rows::Cell;
use crate::task::{CHAIN_TEMPERATURE, CHAIN_TOP_P, K, MIN_P, TOP_P, TYPICAL, Task};
use mirostat::reference::Truncation;
use mirostat::{Config, DrawOrder, FixedSampler, Sampler, Scratch, Version, log_z_nats};
use mirostat_kernels::{Candidates, Engine, Maxima, blocks, group_max, top_m};
use mirostat_rows::Rng;
use std::hint::black_box;

pub(crate) const NAME: &str = "mirostat";

pub(crate) fn contestant(task: Task, cell: Cell) -> Box<dyn Contestant> {
    let fixed = |truncation| Box::new(Fixed::new(truncation, cell));
    match task {
        Task::MirostatV1 => Box::new(Mirostat::new(Version::V1, cell)),
        Task::MirostatV2 => Box::new(Mirostat::new(Version::V2, cell)),
        Task::TopK => fixed(Truncation::TopK(K)),
        Task::TopP => fixed(Truncation::TopP(TOP_P)),
        Task::MinP => fixed(Truncation::MinP(MIN_P)),
        Task::Typical => fixed(Truncation::Typical(TYPICAL)),
        Task::Draw => fixed(Truncation::None),
        Task::Chain => Box::new(Chain::new(cell)),
        Task::Softmax => Box::new(Softmax),
    }
}

/// A session whose mu goes back to its first value before each step, inside the clock: two stores.
struct Mirostat {
    sampler: Sampler,
    scratch: Scratch,
    rng: Rng,
}

impl Mirostat {
    fn new(version: Version, cell: Cell) -> Self {
        Self {
            sampler: session(version, cell),
            scratch: Scratch::for_vocabulary(cell.vocabulary),
            rng: Rng(7),
        }
    }
}

/// A session at the mu of the cell.
pub(crate) fn session(version: Version, cell: Cell) -> Sampler {
    Config::builder(cell.mu_bits() / 2.0)
        .initial_mu(cell.mu_bits())
        .build()
        .and_then(|config| Sampler::new(config, version))
        .expect("sound settings")
}

impl Contestant for Mirostat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn role(&self) -> Role {
        Role::Ours
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        self.sampler.reset();
        let uniform = self.rng.uniform();
        let step = self
            .sampler
            .sample_in(black_box(row), uniform, &mut self.scratch);
        black_box(step).map(drop).map_err(|e| e.to_string())
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        self.sampler.reset();
        let uniform = self.rng.uniform();
        let step = self
            .sampler
            .sample_in(row, uniform, &mut self.scratch)
            .map_err(|e| e.to_string())?;
        Ok(Answer {
            count: Some(step.kept),
            token: Some(step.token),
            ..Answer::default()
        })
    }
}

struct Fixed {
    sampler: FixedSampler,
    scratch: Scratch,
    rng: Rng,
}

impl Fixed {
    fn new(truncation: Truncation, cell: Cell) -> Self {
        Self {
            sampler: FixedSampler::new(truncation)
                .expect("a sound parameter")
                .with_draw_order(DrawOrder::Id),
            scratch: Scratch::for_vocabulary(cell.vocabulary),
            rng: Rng(7),
        }
    }
}

impl Contestant for Fixed {
    fn name(&self) -> &'static str {
        NAME
    }

    fn role(&self) -> Role {
        Role::Ours
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        let uniform = self.rng.uniform();
        let drawn = self
            .sampler
            .draw_in(black_box(row), uniform, &mut self.scratch);
        black_box(drawn).map(drop).map_err(|e| e.to_string())
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let drawn = self
            .sampler
            .draw_in(row, self.rng.uniform(), &mut self.scratch)
            .map_err(|e| e.to_string())?;
        Ok(Answer {
            count: Some(drawn.kept),
            token: Some(drawn.token),
            ..Answer::default()
        })
    }
}

/// The crate has no chain of samplers: its kernels list the 40 best, and what follows is written by hand over those 40.
struct Chain {
    engine: Engine,
    maxima: Vec<Maxima>,
    candidates: Candidates,
    weights: Vec<f64>,
    rng: Rng,
}

impl Chain {
    fn new(cell: Cell) -> Self {
        let blocks = blocks(cell.vocabulary);
        let mut candidates = Candidates::new();
        candidates.reserve(blocks);
        Self {
            engine: Engine::detect(),
            maxima: vec![Maxima::NONE; blocks],
            candidates,
            weights: Vec::with_capacity(K),
            rng: Rng(7),
        }
    }

    /// The token, and how many were left to draw from.
    fn draw(&mut self, row: &[f32]) -> Result<(u32, usize), String> {
        let max = group_max(self.engine, row, &mut self.maxima).map_err(|e| format!("{e:?}"))?;
        let listed = top_m(self.engine, row, max, &self.maxima, K, &mut self.candidates);
        let k = K.min(listed);
        self.candidates.rank(listed, k);
        self.weights.clear();
        for &logit in self.candidates.logits(k) {
            self.weights.push(libm::exp(f64::from(logit - max)));
        }
        // The fewest that hold p of the 40, then those of at least min-p of the best, whose weight is 1.
        let mut left = CHAIN_TOP_P * self.weights.iter().sum::<f64>();
        let nucleus = self.weights.iter().position(|&w| {
            left -= w;
            left <= 0.0
        });
        self.weights.truncate(nucleus.map_or(k, |last| last + 1));
        let kept = self.weights.iter().position(|&w| w < MIN_P);
        self.weights.truncate(kept.unwrap_or(self.weights.len()));
        for (weight, &logit) in self.weights.iter_mut().zip(self.candidates.logits(k)) {
            *weight = libm::exp(f64::from(logit - max) / CHAIN_TEMPERATURE);
        }
        let mut left = self.rng.uniform() * self.weights.iter().sum::<f64>();
        let chosen = self.weights.iter().position(|&w| {
            left -= w;
            left < 0.0
        });
        let chosen = chosen.unwrap_or(self.weights.len() - 1);
        Ok((self.candidates.listed(chosen).0, self.weights.len()))
    }
}

impl Contestant for Chain {
    fn name(&self) -> &'static str {
        NAME
    }

    fn role(&self) -> Role {
        Role::Ours
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.draw(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let (token, kept) = self.draw(row)?;
        let kept = (0..kept).map(|i| self.candidates.listed(i).0).collect();
        Ok(Answer {
            kept: Some(kept),
            token: Some(token),
            ..Answer::default()
        })
    }
}

/// ln Z, of which any probability follows; the probabilities are never written.
struct Softmax;

impl Contestant for Softmax {
    fn name(&self) -> &'static str {
        NAME
    }

    fn role(&self) -> Role {
        Role::Ours
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(log_z_nats(black_box(row)))
            .map(drop)
            .map_err(|e| e.to_string())
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        Ok(Answer {
            log_z_nats: Some(log_z_nats(row).map_err(|e| e.to_string())?),
            ..Answer::default()
        })
    }
}
