//! llama.cpp through `llama-cpp-sys-2`: a chain of its samplers on the candidate array that its callers fill from the row.
//!
//! The only file with `unsafe`: the bindings are C.

use crate::contestant::{Answer, Contestant};
use crate::rows::Cell;
use crate::task::{CHAIN_TEMPERATURE, CHAIN_TOP_P, K, MIN_P, TOP_P, TYPICAL, Task};
use llama_cpp_sys_2 as sys;
use std::hint::black_box;

pub(crate) const NAME: &str = "llama.cpp";

pub(crate) fn contestant(task: Task, cell: Cell) -> Option<Box<dyn Contestant>> {
    Some(Box::new(LlamaCpp::new(task, cell)?))
}

/// A chain of samplers, and the array of candidates, which outlives the call as it does in llama.cpp's own `common_sampler`.
pub(crate) struct LlamaCpp {
    chain: *mut sys::llama_sampler,
    candidates: Vec<sys::llama_token_data>,
    kept: usize,
}

#[expect(
    unsafe_code,
    reason = "a sampler is used from one thread at a time; it holds no thread-local state"
)]
// SAFETY: `chain` is owned by this value alone, and llama.cpp's samplers keep their state behind it.
unsafe impl Send for LlamaCpp {}

impl LlamaCpp {
    #[expect(unsafe_code, reason = "constructors of a C library")]
    pub(crate) fn new(task: Task, cell: Cell) -> Option<Self> {
        const SEED: u32 = 7;
        // A learning rate of 0 holds mu; its first value is 2 tau.
        let (tau, eta) = (cell.mu_bits() as f32 / 2.0, 0.0);
        // SAFETY: every constructor returns a sampler of its own, which the chain takes over and frees.
        let chain = unsafe {
            let dist = || sys::llama_sampler_init_dist(SEED);
            let samplers = match task {
                Task::MirostatV2 => vec![sys::llama_sampler_init_mirostat_v2(SEED, tau, eta)],
                Task::MirostatV1 => {
                    let vocabulary = cell.vocabulary as i32;
                    vec![sys::llama_sampler_init_mirostat(
                        vocabulary, SEED, tau, eta, 100,
                    )]
                }
                Task::TopK => vec![sys::llama_sampler_init_top_k(K as i32), dist()],
                Task::TopP => vec![sys::llama_sampler_init_top_p(TOP_P as f32, 1), dist()],
                Task::MinP => vec![sys::llama_sampler_init_min_p(MIN_P as f32, 1), dist()],
                Task::Typical => vec![sys::llama_sampler_init_typical(TYPICAL as f32, 1), dist()],
                Task::Draw => vec![dist()],
                Task::Chain => vec![
                    sys::llama_sampler_init_top_k(K as i32),
                    sys::llama_sampler_init_top_p(CHAIN_TOP_P as f32, 1),
                    sys::llama_sampler_init_min_p(MIN_P as f32, 1),
                    sys::llama_sampler_init_temp(CHAIN_TEMPERATURE as f32),
                    dist(),
                ],
                Task::Softmax => return None,
            };
            let chain = sys::llama_sampler_chain_init(sys::llama_sampler_chain_default_params());
            for sampler in samplers {
                sys::llama_sampler_chain_add(chain, sampler);
            }
            chain
        };
        Some(Self {
            chain,
            candidates: Vec::new(),
            kept: 0,
        })
    }

    #[expect(unsafe_code, reason = "a call into a C library")]
    pub(crate) fn step(&mut self, row: &[f32]) -> Result<u32, String> {
        self.candidates.clear();
        self.candidates
            .extend(
                (0..)
                    .zip(row)
                    .map(|(id, &logit)| sys::llama_token_data { id, logit, p: 0.0 }),
            );
        let mut array = sys::llama_token_data_array {
            data: self.candidates.as_mut_ptr(),
            size: self.candidates.len(),
            selected: -1,
            sorted: false,
        };
        // SAFETY: `array` describes `candidates`, which outlives the call; the samplers permute it and shrink its size only.
        unsafe { sys::llama_sampler_apply(self.chain, &raw mut array) };
        assert!(std::ptr::eq(array.data, self.candidates.as_ptr()) && array.size <= row.len());
        self.kept = array.size;
        usize::try_from(array.selected)
            .ok()
            .and_then(|at| self.candidates[..self.kept].get(at))
            .map(|candidate| candidate.id as u32)
            .ok_or_else(|| "selected nothing".to_owned())
    }
}

impl Drop for LlamaCpp {
    #[expect(unsafe_code, reason = "a call into a C library")]
    fn drop(&mut self) {
        // SAFETY: the chain came from `llama_sampler_chain_init`, and is freed once, with the samplers that it took over.
        unsafe { sys::llama_sampler_free(self.chain) };
    }
}

impl Contestant for LlamaCpp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn call(&mut self, row: &[f32]) -> Result<(), String> {
        black_box(self.step(black_box(row))).map(drop)
    }

    fn answer(&mut self, row: &[f32]) -> Result<Answer, String> {
        let token = self.step(row)?;
        let kept = self.candidates[..self.kept].iter().map(|c| c.id as u32);
        Ok(Answer {
            kept: Some(kept.collect()),
            token: Some(token),
            ..Answer::default()
        })
    }
}
