//! Many sessions at once, over rayon's current pool where that pays.

use crate::row::{Row, Rows};
use crate::scratch::Scratch;
use crate::{Error, Result, Sampler, Step};
use std::sync::{Mutex, PoisonError};

/// One session's part of a batch: its sampler, its row, its uniform.
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

/// What a batch counts, by the name that a fault gives it.
pub(crate) type Counts = [(&'static str, usize); 2];

pub(crate) const fn rows_and_uniforms(rows: usize, uniforms: &[f64]) -> Counts {
    [
        ("rows of a batch", rows),
        ("uniforms of a batch", uniforms.len()),
    ]
}

/// What a batch does with one session, given its position and a scratch.
type OfSession<'a> = Work<'a, Sampler, Result<Step>>;

/// Steps every session of a slice, each for itself.
pub(crate) fn each(
    samplers: &mut [Sampler],
    counts: Counts,
    size: Size,
    parallelism: Parallelism,
    (scratch, out): (&mut BatchScratch, &mut Vec<Result<Step>>),
    step: OfSession<'_>,
) -> Result<()> {
    out.clear();
    check_counts(samplers.len(), counts)?;
    out.resize(samplers.len(), Err(Error::EmptyRow));
    for_each(samplers, out, size, parallelism, &mut scratch.threads, step);
    Ok(())
}

/// Steps every session of a slice, or none; `foresee` gives the steps without taking them.
pub(crate) fn all_or_none(
    samplers: &mut [Sampler],
    counts: Counts,
    size: Size,
    parallelism: Parallelism,
    (scratch, out): (&mut BatchScratch, &mut Vec<Step>),
    foresee: OfSession<'_>,
) -> core::result::Result<(), BatchError> {
    out.clear();
    check_counts(samplers.len(), counts).map_err(|error| BatchError {
        row: counts
            .iter()
            .fold(samplers.len(), |least, &(_, n)| least.min(n)),
        error,
    })?;
    let BatchScratch { threads, steps } = scratch;
    steps.clear();
    steps.resize(samplers.len(), Err(Error::EmptyRow));
    for_each(samplers, steps, size, parallelism, threads, foresee);
    commit_all(steps, out, |i, step| samplers[i].commit(step))
}

/// Refuses what has not one of everything for each session.
pub(crate) fn check_counts<const N: usize>(
    samplers: usize,
    counts: [(&'static str, usize); N],
) -> Result<()> {
    for (what, found) in counts {
        if found != samplers {
            return Err(Error::LengthMismatch {
                what,
                expected: samplers,
                found,
            });
        }
    }
    Ok(())
}

/// How much a batch reads.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// Logits in all rows.
    pub(crate) logits: usize,
    /// Logits in the longest row.
    pub(crate) longest: usize,
}

impl Size {
    pub(crate) fn of_rows(rows: Rows<'_>) -> Self {
        Self::of((0..rows.len()).map(|i| rows.get(i).len()))
    }

    pub(crate) fn of(lengths: impl Iterator<Item = usize>) -> Self {
        lengths.fold(Self::default(), |size, len| Self {
            logits: size.logits + len,
            longest: size.longest.max(len),
        })
    }
}

fn commit_all(
    steps: &[Result<Step>],
    out: &mut Vec<Step>,
    mut commit: impl FnMut(usize, &Step),
) -> core::result::Result<(), BatchError> {
    out.clear();
    for (row, step) in steps.iter().enumerate() {
        match *step {
            Ok(step) => out.push(step),
            Err(error) => {
                out.clear();
                return Err(BatchError { row, error });
            }
        }
    }
    for (i, step) in out.iter().enumerate() {
        commit(i, step);
    }
    Ok(())
}

/// What one item of a batch does, given its position and a scratch.
type Work<'a, T, R> = &'a (dyn Fn(usize, &mut T, &mut Scratch) -> R + Sync);

/// Does the work of every item, each result at its own position.
pub(crate) fn for_each<T: Send, R: Send>(
    items: &mut [T],
    out: &mut [R],
    size: Size,
    parallelism: Parallelism,
    threads: &mut Vec<Mutex<Scratch>>,
    work: Work<'_, T, R>,
) {
    let count = threads_worth_using(items.len(), size, parallelism);
    threads.resize_with(threads.len().max(count), Mutex::default);
    // Every thread's scratch is made ready, whoever gets the rows: which batch allocates does not depend on luck.
    for scratch in &threads[..count] {
        lock(scratch).reserve(size.longest);
    }
    #[cfg(feature = "rayon")]
    if count > 1 {
        use rayon::prelude::*;
        let threads = &threads[..];
        items
            .par_iter_mut()
            .zip(out)
            .enumerate()
            .for_each(|(i, (item, out))| {
                let thread = rayon::current_thread_index().unwrap_or(0);
                *out = work(i, item, &mut lock(&threads[thread]));
            });
        return;
    }
    let mut scratch = lock(&threads[0]);
    for (i, (item, out)) in items.iter_mut().zip(out).enumerate() {
        *out = work(i, item, &mut scratch);
    }
}

/// The scratch of a thread; after a panic it is used again, since every row writes what it reads.
fn lock(scratch: &Mutex<Scratch>) -> std::sync::MutexGuard<'_, Scratch> {
    scratch.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The threads of the pool where handing work out costs less than it saves, else 1.
#[cfg(feature = "rayon")]
fn threads_worth_using(items: usize, size: Size, parallelism: Parallelism) -> usize {
    let break_even = if rayon::current_thread_index().is_some() {
        250_000
    } else {
        600_000
    };
    if parallelism == Parallelism::Serial || items < 2 || size.logits < break_even {
        return 1;
    }
    rayon::current_num_threads()
}

#[cfg(not(feature = "rayon"))]
fn threads_worth_using(_: usize, _: Size, _: Parallelism) -> usize {
    1
}
