//! `candle-transformers`: `LogitsProcessor` on a tensor that is made from the row inside the clock.

use crate::contestant::{Answer, Contestant, Role};
use crate::task::{K, TOP_P, Task};
use candle_core::{Device, Tensor};
use candle_transformers::generation::{LogitsProcessor, Sampling};
use std::hint::black_box;

/// The processor at the task, and the tensor that it is given.
pub(crate) fn contestants(task: Task) -> Vec<Box<dyn Contestant>> {
    match contestant(task) {
        Some(one) => vec![one, Box::new(TensorAlone)],
        None => Vec::new(),
    }
}

/// There is no min-p and no typical, so no chain either.
fn contestant(task: Task) -> Option<Box<dyn Contestant>> {
    let temperature = 1.0;
    let sampling = match task {
        Task::TopK => Sampling::TopK { k: K, temperature },
        Task::TopP => Sampling::TopP {
            p: TOP_P,
            temperature,
        },
        Task::Draw => Sampling::All { temperature },
        Task::Softmax => return Some(Box::new(Softmax)),
        _ => return None,
    };
    Some(Box::new(Processor(LogitsProcessor::from_sampling(
        7, sampling,
    ))))
}

fn tensor(row: &[f32]) -> Result<Tensor, String> {
    Tensor::from_slice(row, row.len(), &Device::Cpu).map_err(|e| e.to_string())
}

struct Processor(LogitsProcessor);

impl Processor {
    fn step(&mut self, row: &[f32]) -> Result<u32, String> {
        self.0.sample(&tensor(row)?).map_err(|e| e.to_string())
    }
}

impl Contestant for Processor {
    fn name(&self) -> &'static str {
        "candle"
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        Ok(Answer {
            token: Some(self.step(row)?),
            ..Answer::default()
        })
    }
}

struct Softmax;

impl Softmax {
    fn step(&self, row: &[f32]) -> Result<Tensor, String> {
        candle_nn::ops::softmax_last_dim(&tensor(row)?).map_err(|e| e.to_string())
    }
}

impl Contestant for Softmax {
    fn name(&self) -> &'static str {
        "candle"
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let probabilities = self.step(row)?.to_vec1().map_err(|e| e.to_string())?;
        Ok(Answer {
            probabilities: Some(probabilities),
            ..Answer::default()
        })
    }
}

/// What a candle programme has already: the copy that only we make.
struct TensorAlone;

impl Contestant for TensorAlone {
    fn name(&self) -> &'static str {
        "candle, the tensor alone"
    }

    fn role(&self) -> Role {
        Role::Anchor
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(tensor(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        self.call(row)?;
        Ok(Answer::default())
    }
}
