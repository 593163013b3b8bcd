//! llama.cpp's own Mirostat, as its own programmes use it.

use llama_cpp_2::sampling::LlamaSampler;
use mirostat::Version;

use crate::weights::id;
use crate::{Sequences, Weights};

/// A session of llama.cpp's Mirostat.
///
/// It differs from the paper, and from [`mirostat::Sampler`], in what it feeds back: the surprise among the tokens that it kept, which is
/// never more than that of the whole row.
#[derive(Debug)]
pub struct Peer {
    chain: LlamaSampler,
}

impl Peer {
    /// A session with a target of `tau` bits, a rate `eta`, and m = 100 for version 1. Its mu begins at 2·tau. llama.cpp has f32 for
    /// numbers, and the lower half of a seed.
    #[must_use]
    pub fn new(weights: &Weights, version: Version, tau: f64, eta: f64, seed: u64) -> Self {
        let (tau, eta, seed) = (tau as f32, eta as f32, seed as u32);
        let sampler = match version {
            Version::V1 => LlamaSampler::mirostat(
                i32::try_from(weights.vocabulary()).expect("llama.cpp counts tokens in i32"),
                seed,
                tau,
                eta,
                100,
            ),
            Version::V2 => LlamaSampler::mirostat_v2(seed, tau, eta),
        };
        // In a chain llama.cpp keeps the array of candidates from step to step; a lone sampler makes it anew.
        Self {
            chain: LlamaSampler::chain([sampler], true),
        }
    }

    /// Draws the token that follows a sequence. llama.cpp copies the row into its candidates, sorts, cuts, draws and feeds back.
    ///
    /// # Panics
    ///
    /// If the sequence was not in the last batch.
    pub fn sample(&mut self, sequences: &Sequences<'_>, sequence: usize) -> u32 {
        let row = sequences
            .row(sequence)
            .expect("a sequence of the last batch");
        id(self.chain.sample(sequences.context(), row))
    }
}
