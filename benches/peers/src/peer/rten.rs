//! `rten-generate` and `rten-vecmath`: filters, then `Multinomial`; the filters' vectors are built from the row inside the clock.

use crate::contestant::{Answer, Contestant};
use crate::task::{K, TOP_P, Task};
use rten_generate::Logits;
use rten_generate::filter::{LogitsFilter, TopK, TopP};
use rten_generate::sampler::{Multinomial, Sampler};
use rten_simd::SimdOp;
use std::hint::black_box;
use std::mem::MaybeUninit;

/// There is no min-p and no typical, so no chain either.
pub(crate) fn contestants(task: Task) -> Vec<Box<dyn Contestant>> {
    let rten = |name, filter| -> Box<dyn Contestant> {
        Box::new(Rten {
            name,
            filter,
            sampler: Multinomial::with_seed(7),
        })
    };
    let filter = |filter: Box<dyn LogitsFilter>| Some(filter);
    match task {
        Task::TopK => vec![rten("rten-generate", filter(Box::new(TopK::new(K))))],
        Task::TopP => {
            let as_it_comes = TopP::new(TOP_P as f32);
            let normalised = TopP::new(TOP_P as f32).normalize(true);
            vec![
                rten("rten-generate", filter(Box::new(as_it_comes))),
                rten(
                    "rten-generate, normalize(true)",
                    filter(Box::new(normalised)),
                ),
            ]
        }
        Task::Draw => vec![rten("rten-generate", None)],
        Task::Softmax => vec![Box::new(Softmax { room: Vec::new() })],
        _ => Vec::new(),
    }
}

struct Rten {
    name: &'static str,
    filter: Option<Box<dyn LogitsFilter>>,
    sampler: Multinomial,
}

impl Rten {
    fn step(&self, row: &[f32]) -> (Logits, u32) {
        let mut logits = Logits::dense(row.to_vec());
        if let Some(filter) = &self.filter {
            logits = filter.filter(logits, &[]);
        }
        let token = self.sampler.sample(&logits);
        (logits, token)
    }
}

impl Contestant for Rten {
    fn name(&self) -> &'static str {
        self.name
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row)));
        Ok(())
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let (logits, token) = self.step(row);
        Ok(Answer {
            kept: Some(logits.indices().to_vec()),
            token: Some(token),
            ..Answer::default()
        })
    }
}

/// The best softmax that we found: it writes every probability into a vector that is kept.
struct Softmax {
    room: Vec<MaybeUninit<f32>>,
}

impl Softmax {
    fn step(&mut self, row: &[f32]) -> &[f32] {
        self.room.resize(row.len(), MaybeUninit::uninit());
        rten_vecmath::Softmax::new(row, &mut self.room).dispatch()
    }
}

impl Contestant for Softmax {
    fn name(&self) -> &'static str {
        "rten-vecmath"
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row)));
        Ok(())
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        Ok(Answer {
            probabilities: Some(self.step(row).to_vec()),
            ..Answer::default()
        })
    }
}
