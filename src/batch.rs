//! Many sessions at once, over rayon's current pool where that pays.

mod kinds;
mod work;

pub use kinds::{
    observe_batch, observe_batch_atomic, preview_batch, sample_batch_weights,
    sample_batch_weights_atomic,
};
pub(crate) use work::Size;

use crate::row::{Row, Rows};
use crate::scratch::Scratch;
use crate::{Error, Result, Sampler, Step};
use std::sync::Mutex;
use work::{all_or_none, commit_all, each, for_each, lock, rows_and_uniforms};

/// One session's part of a batch: its sampler, its row, its uniform.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Job, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let job = Job { sampler: &mut sampler, row: (&[2.0_f32, 1.0]).into(), uniform: 0.1 };
/// assert_eq!(job.row.len(), 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Debug)]
pub struct Job<'a> {
    /// The session.
    pub sampler: &'a mut Sampler,
    /// The row that it steps on.
    pub row: Row<'a>,
    /// Its draw, in [0, 1).
    pub uniform: f64,
}

/// Whether a batch may use the threads of rayon's current pool. The results never depend on it.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Job, Parallelism, Sampler, Version, step_batch};
/// let steps = [Parallelism::Auto, Parallelism::Serial].map(|parallelism| {
///     let mut sampler = Sampler::new(Config::new(3.0).unwrap(), Version::V2).unwrap();
///     let mut jobs = [Job { sampler: &mut sampler, row: (&[2.0_f32, 1.0]).into(), uniform: 0.1 }];
///     let mut out = Vec::new();
///     step_batch(&mut jobs, parallelism, &mut BatchScratch::new(), &mut out);
///     out
/// });
/// assert_eq!(steps[0], steps[1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parallelism {
    /// In parallel by sessions where that pays: where the feature `rayon` is on, the pool has threads to share, and the batch has
    /// more work than handing it out costs (about 250,000 logits from within the pool, 600,000 from outside).
    #[default]
    Auto,
    /// On the calling thread.
    Serial,
}

/// Buffers for batches, reused: a [`Scratch`] for each thread that takes part, and a place for the steps of atomic batches.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Job, Parallelism, Sampler, Version, step_batch};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// let mut jobs = [Job { sampler: &mut sampler, row: (&[2.0_f32, 1.0]).into(), uniform: 0.1 }];
/// step_batch(&mut jobs, Parallelism::Serial, &mut scratch, &mut out);
/// let bytes = scratch.bytes();
/// step_batch(&mut jobs, Parallelism::Serial, &mut scratch, &mut out);
/// assert_eq!(scratch.bytes(), bytes);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct BatchScratch {
    pub(crate) threads: Vec<Mutex<Scratch>>,
    steps: Vec<Result<Step>>,
}

impl BatchScratch {
    /// Empty buffers, which grow with the first batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes held on the heap.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_threads: usize = self
            .threads
            .iter()
            .map(|scratch| size_of_val(scratch) + lock(scratch).bytes())
            .sum();
        of_threads + self.steps.capacity() * size_of::<Result<Step>>()
    }
}

/// The first row of a batch that failed, and why; no session of the batch has moved.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchError, Error};
/// let fault = BatchError { row: 3, error: Error::InvalidLogit { index: 7, value: f64::NAN } };
/// assert_eq!(fault.to_string(), "row 3: the logit at index 7 is NaN");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("row {row}: {error}")]
pub struct BatchError {
    /// The position in the batch.
    pub row: usize,
    /// What was wrong with it.
    #[source]
    pub error: Error,
}

/// Steps every session once; each row succeeds or fails for itself, in `out` at its own position.
///
/// Versions, configurations and element types may be mixed. A step is bit for bit the step that the session would take alone.
///
/// # Cost
///
/// `out` is cleared and refilled. After the first batch nothing allocates, serially or from within a rayon pool (but for `f64` rows, and m
/// above 4,096); entering a pool from
/// outside costs a few allocations and about 10 µs of waking.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Job, Parallelism, Sampler, Version, step_batch};
/// let mut sessions = [Version::V1, Version::V2].map(|v| Sampler::new(Config::new(2.0).unwrap(), v).unwrap());
/// let rows = [[3.0_f32, 2.0, 1.0], [1.0, f32::NAN, 3.0]];
/// let mut jobs: Vec<Job> = sessions
///     .iter_mut()
///     .zip(&rows)
///     .map(|(sampler, row)| Job { sampler, row: row.into(), uniform: 0.2 })
///     .collect();
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut out);
/// assert!(out[0].is_ok() && out[1].is_err());
/// assert_eq!(sessions.map(|s| s.steps()), [1, 0]);
/// ```
pub fn step_batch(
    jobs: &mut [Job<'_>],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Result<Step>>,
) {
    let size = Size::of(jobs.iter().map(|job| job.row.len()));
    out.clear();
    out.resize(jobs.len(), Err(Error::EmptyRow));
    for_each(
        jobs,
        out,
        size,
        parallelism,
        &mut scratch.threads,
        &|_, job, scratch| job.sampler.sample_in(job.row, job.uniform, scratch),
    );
}

/// Steps every session once, or none: `out` holds a step for each, or is empty and no session has moved.
///
/// # Errors
///
/// [`BatchError`] with the first row, in the order of the batch, that failed.
///
/// # Cost
///
/// As [`step_batch`].
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Job, Parallelism, Sampler, Version, step_batch_atomic};
/// let mut sessions = [Version::V1, Version::V2].map(|v| Sampler::new(Config::new(2.0).unwrap(), v).unwrap());
/// let rows = [vec![3.0_f32, 2.0, 1.0], vec![]];
/// let mut jobs: Vec<Job> = sessions
///     .iter_mut()
///     .zip(&rows)
///     .map(|(sampler, row)| Job { sampler, row: row.into(), uniform: 0.2 })
///     .collect();
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// let fault = step_batch_atomic(&mut jobs, Parallelism::Auto, &mut scratch, &mut out).unwrap_err();
/// assert_eq!(fault.row, 1);
/// assert_eq!(sessions.map(|s| s.steps()), [0, 0]);
/// ```
pub fn step_batch_atomic(
    jobs: &mut [Job<'_>],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Step>,
) -> core::result::Result<(), BatchError> {
    let size = Size::of(jobs.iter().map(|job| job.row.len()));
    let BatchScratch { threads, steps } = scratch;
    steps.clear();
    steps.resize(jobs.len(), Err(Error::EmptyRow));
    for_each(
        jobs,
        steps,
        size,
        parallelism,
        threads,
        &|_, job, scratch| job.sampler.foresee(job.row, job.uniform, scratch),
    );
    commit_all(steps, out, |i, step| jobs[i].sampler.commit(step))
}

/// [`step_batch`] for sessions in a slice, with rows as a list or a matrix: the ancestor's name.
///
/// # Errors
///
/// [`Error::LengthMismatch`] unless there is one row and one uniform for each session; nothing has moved then. Faults of single rows
/// are in `out`.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Matrix, Parallelism, Sampler, Version, sample_batch};
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// let logits = [3.0_f32, 2.0, 1.0, 1.0, 2.0, 3.0];
/// let rows = Matrix::new(&logits, 2, 3, 3)?;
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// sample_batch(&mut sessions, rows, &[0.2, 0.2], Parallelism::Auto, &mut scratch, &mut out)?;
/// assert_eq!(out.len(), 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sample_batch<'a>(
    samplers: &mut [Sampler],
    rows: impl Into<Rows<'a>>,
    uniforms: &[f64],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Result<Step>>,
) -> Result<()> {
    let rows = rows.into();
    each(
        samplers,
        rows_and_uniforms(rows.len(), uniforms),
        Size::of_rows(rows),
        parallelism,
        (scratch, out),
        &|i, sampler, scratch| sampler.sample_in(rows.get(i), uniforms[i], scratch),
    )
}

/// [`step_batch_atomic`] for sessions in a slice, with rows as a list or a matrix: the ancestor's name.
///
/// # Errors
///
/// [`BatchError`] with the first row that failed; where the numbers of rows or uniforms differ from that of the sessions, its row is
/// the first without a partner.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Parallelism, Row, Sampler, Version, sample_batch_atomic};
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// let rows = [Row::from(&[3.0_f32, 2.0]), Row::from(&[1.0_f64, 2.0, 3.0])];
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// sample_batch_atomic(&mut sessions, &rows, &[0.2, 0.9], Parallelism::Serial, &mut scratch, &mut out).unwrap();
/// assert_eq!(out.len(), 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sample_batch_atomic<'a>(
    samplers: &mut [Sampler],
    rows: impl Into<Rows<'a>>,
    uniforms: &[f64],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Step>,
) -> core::result::Result<(), BatchError> {
    let rows = rows.into();
    all_or_none(
        samplers,
        rows_and_uniforms(rows.len(), uniforms),
        Size::of_rows(rows),
        parallelism,
        (scratch, out),
        &|i, sampler, scratch| sampler.foresee(rows.get(i), uniforms[i], scratch),
    )
}
