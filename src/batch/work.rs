//! How the sessions of a batch are stepped: each for itself or all or none, on as many threads as pay.

use super::{BatchError, BatchScratch, Parallelism};
use crate::row::Rows;
use crate::scratch::Scratch;
use crate::{Error, Result, Sampler, Step};
use std::sync::{Mutex, PoisonError};

/// What a batch counts, by the name that a fault gives it.
pub(super) type Counts = [(&'static str, usize); 2];

pub(super) const fn rows_and_uniforms(rows: usize, uniforms: &[f64]) -> Counts {
    [
        ("rows of a batch", rows),
        ("uniforms of a batch", uniforms.len()),
    ]
}

/// What a batch does with one session, given its position and a scratch.
type OfSession<'a> = Work<'a, Sampler, Result<Step>>;

/// Steps every session of a slice, each for itself.
pub(super) fn each(
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
pub(super) fn all_or_none(
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

pub(super) fn commit_all(
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
pub(super) fn lock(scratch: &Mutex<Scratch>) -> std::sync::MutexGuard<'_, Scratch> {
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
