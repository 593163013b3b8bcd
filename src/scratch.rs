//! Memory that outlives a row, lent by the caller; one for each thread behind the plain calls.

use crate::Result;
use crate::config::DEFAULT_M;
use crate::reference::zipf_step;
use crate::row::Row;
use core::cell::Cell;
use mirostat_kernels::{Candidates, Maxima, blocks};

/// Buffers for reading rows, reused from row to row.
///
/// One scratch serves any number of sessions, one at a time. It grows to the longest row it has seen and never shrinks; after that
/// nothing allocates. It holds at most 0.2 times the bytes of that row as `f32`, and 128 KiB.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Scratch, Version};
/// let mut scratch = Scratch::for_vocabulary(128_256);
/// let mut sampler = Sampler::new(Config::new(4.0)?, Version::V2)?;
/// let logits = vec![0.5_f32; 128_256];
/// let before = scratch.bytes();
/// sampler.sample_in(&logits, 0.25, &mut scratch)?;
/// assert_eq!(scratch.bytes(), before);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(crate) maxima: Vec<Maxima>,
    pub(crate) sums: Vec<f32>,
    pub(crate) candidates: Candidates,
    /// ln((i + 2) / (i + 1)) from i = 0 on: the abscissae of the Zipf fit.
    pub(crate) zipf_steps: Vec<f64>,
    /// How many of the best tokens the last version-1 step needed: only a guess of what the next will.
    pub(crate) last_k: usize,
}

impl Scratch {
    /// An empty scratch, which grows with the first row.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A scratch that rows of `vocabulary` logits need not grow.
    #[must_use]
    pub fn for_vocabulary(vocabulary: usize) -> Self {
        let mut scratch = Self::new();
        scratch.reserve(vocabulary);
        scratch
    }

    /// Bytes held on the heap.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.maxima.capacity() * size_of::<Maxima>()
            + self.sums.capacity() * size_of::<f32>()
            + self.candidates.bytes()
            + self.zipf_steps.capacity() * size_of::<f64>()
    }

    pub(crate) fn reserve(&mut self, vocabulary: usize) {
        let blocks = blocks(vocabulary);
        if self.maxima.len() < blocks {
            self.maxima.resize(blocks, Maxima::NONE);
            self.sums.resize(blocks, 0.0);
            self.candidates.reserve(blocks);
        }
        self.zipf_steps(DEFAULT_M);
    }

    /// What is known of the row that was read last, and room to look for more.
    pub(crate) fn of_row(&mut self) -> (&[Maxima], &[f32], &mut Candidates) {
        (&self.maxima, &self.sums, &mut self.candidates)
    }

    /// Makes the first `m` − 1 abscissae of the Zipf fit.
    pub(crate) fn zipf_steps(&mut self, m: usize) {
        let missing = (m.max(1) - 1).saturating_sub(self.zipf_steps.len());
        self.zipf_steps.reserve_exact(missing);
        for i in self.zipf_steps.len() + 1..m {
            self.zipf_steps.push(zipf_step(i));
        }
    }
}

thread_local! {
    static OF_THREAD: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Runs `work` with the calling thread's scratch, which is taken out meanwhile: a call from within `work` makes its own.
pub(crate) fn with_thread_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    // Where the thread is ending, and its scratch has gone, there is one for this call.
    let mut scratch = OF_THREAD
        .try_with(Cell::take)
        .ok()
        .flatten()
        .unwrap_or_default();
    let result = work(&mut scratch);
    let _ = OF_THREAD.try_with(|place| place.set(Some(scratch)));
    result
}

/// Gives back the memory that plain [`Sampler::sample`](crate::Sampler::sample) and its kin hold for the calling thread.
///
/// The next plain call on this thread allocates it anew.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Sampler, Version, release_thread_scratch};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// sampler.sample(&[1.0_f32, 2.0], 0.5)?;
/// release_thread_scratch();
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn release_thread_scratch() {
    let _ = OF_THREAD.try_with(Cell::take);
}

/// A row whose length has been checked, with room for it.
pub(crate) fn prepare(row: Row<'_>, scratch: &mut Scratch) -> Result<()> {
    row.check_len()?;
    scratch.reserve(row.len());
    Ok(())
}
