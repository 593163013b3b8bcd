//! What else many sessions do at once: steps on weights, tokens that the host chose, previews.

use super::work::{Counts, Size, all_or_none, check_counts, each, for_each, rows_and_uniforms};
use super::{BatchError, BatchScratch, Parallelism};
use crate::row::Rows;
use crate::{Error, Preview, Result, Sampler, Step};

/// [`sample_batch`](crate::sample_batch) for weights, as in [`Sampler::sample_weights`].
///
/// # Errors
///
/// [`Error::LengthMismatch`] unless there is one row and one uniform for each session; nothing has moved then. Faults of single rows
/// are in `out`, each at its own position.
///
/// # Cost
///
/// The reference for every row: f64, sorted, allocating.
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Parallelism, Sampler, Version, sample_batch_weights};
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// let weights: [&[f64]; 2] = [&[8.0, 4.0, 2.0, 1.0], &[1.0, -1.0]];
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// sample_batch_weights(&mut sessions, &weights, &[0.7, 0.2], Parallelism::Auto, &mut scratch, &mut out)?;
/// assert_eq!(out[0]?.token, 1);
/// assert!(out[1].is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sample_batch_weights(
    samplers: &mut [Sampler],
    weights: &[&[f64]],
    uniforms: &[f64],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Result<Step>>,
) -> Result<()> {
    each(
        samplers,
        rows_and_uniforms(weights.len(), uniforms),
        of_weights(weights),
        parallelism,
        (scratch, out),
        &|i, sampler, _| sampler.sample_weights(weights[i], uniforms[i]),
    )
}

/// [`sample_batch_weights`], or nothing: `out` holds a step for each session, or is empty and none has moved.
///
/// # Errors
///
/// [`BatchError`] with the first row that failed; where the numbers of rows or uniforms differ from that of the sessions, its row is
/// the first without a partner.
///
/// # Cost
///
/// As [`sample_batch_weights`].
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Parallelism, Sampler, Version, sample_batch_weights_atomic};
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// let weights: [&[f64]; 2] = [&[8.0, 4.0, 2.0, 1.0], &[1.0, -1.0]];
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// let fault = sample_batch_weights_atomic(&mut sessions, &weights, &[0.7, 0.2], Parallelism::Auto, &mut scratch, &mut out);
/// assert_eq!(fault.unwrap_err().row, 1);
/// assert!(sessions.iter().all(|session| session.steps() == 0));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sample_batch_weights_atomic(
    samplers: &mut [Sampler],
    weights: &[&[f64]],
    uniforms: &[f64],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Step>,
) -> core::result::Result<(), BatchError> {
    all_or_none(
        samplers,
        rows_and_uniforms(weights.len(), uniforms),
        of_weights(weights),
        parallelism,
        (scratch, out),
        &|i, sampler, _| sampler.foresee_weights(weights[i], uniforms[i]),
    )
}

/// Feeds every session the token that its host chose: [`Sampler::observe_token`] for many.
///
/// # Errors
///
/// [`Error::LengthMismatch`] unless there is one row and one token for each session; nothing has moved then. Faults of single rows
/// are in `out`, each at its own position.
///
/// # Cost
///
/// As [`step_batch`](crate::step_batch).
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Parallelism, Row, Sampler, Version, observe_batch};
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// let rows = [Row::from(&[3.0_f32, 2.0, 1.0]), Row::from(&[0.0_f32, 1.0])];
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// observe_batch(&mut sessions, &rows, &[2, 2], Parallelism::Auto, &mut scratch, &mut out)?;
/// assert!(out[0].is_ok() && out[1].is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn observe_batch<'a>(
    samplers: &mut [Sampler],
    rows: impl Into<Rows<'a>>,
    tokens: &[u32],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Result<Step>>,
) -> Result<()> {
    let rows = rows.into();
    each(
        samplers,
        rows_and_tokens(rows, tokens),
        Size::of_rows(rows),
        parallelism,
        (scratch, out),
        &|i, sampler, scratch| sampler.read(rows.get(i), scratch)?.observe(tokens[i]),
    )
}

/// [`observe_batch`], or nothing: `out` holds a step for each session, or is empty and none has moved.
///
/// # Errors
///
/// [`BatchError`] with the first row that failed; where the numbers of rows or tokens differ from that of the sessions, its row is the
/// first without a partner.
///
/// # Cost
///
/// As [`step_batch`](crate::step_batch).
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Parallelism, Row, Sampler, Version, observe_batch_atomic};
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// let rows = [Row::from(&[3.0_f32, 2.0, 1.0]), Row::from(&[0.0_f32, 1.0])];
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// let fault = observe_batch_atomic(&mut sessions, &rows, &[2, 2], Parallelism::Auto, &mut scratch, &mut out);
/// assert_eq!(fault.unwrap_err().row, 1);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn observe_batch_atomic<'a>(
    samplers: &mut [Sampler],
    rows: impl Into<Rows<'a>>,
    tokens: &[u32],
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Step>,
) -> core::result::Result<(), BatchError> {
    let rows = rows.into();
    all_or_none(
        samplers,
        rows_and_tokens(rows, tokens),
        Size::of_rows(rows),
        parallelism,
        (scratch, out),
        &|i, sampler, scratch| sampler.foresee_token(rows.get(i), tokens[i], scratch),
    )
}

/// What every session would keep of its row: [`Sampler::preview`] for many.
///
/// # Errors
///
/// [`Error::LengthMismatch`] unless there is one row for each session. Faults of single rows are in `out`, each at its own position.
///
/// # Cost
///
/// As [`Sampler::preview`], shared among threads as in [`step_batch`](crate::step_batch).
///
/// # Examples
///
/// ```
/// use mirostat::{BatchScratch, Config, Parallelism, Row, Sampler, Version, preview_batch};
/// let sessions = [Version::V1, Version::V2].map(|v| Sampler::new(Config::new(2.0).unwrap(), v).unwrap());
/// let rows = [Row::from(&[3.0_f32, 2.0, 1.0]), Row::from(&[0.0_f32, f32::NAN])];
/// let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
/// preview_batch(&sessions, &rows, Parallelism::Auto, &mut scratch, &mut out)?;
/// assert_eq!(out[0]?.kept_tokens, 3);
/// assert!(out[1].is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn preview_batch<'a>(
    samplers: &[Sampler],
    rows: impl Into<Rows<'a>>,
    parallelism: Parallelism,
    scratch: &mut BatchScratch,
    out: &mut Vec<Result<Preview>>,
) -> Result<()> {
    let rows = rows.into();
    out.clear();
    check_counts(samplers.len(), [("rows of a batch", rows.len())])?;
    out.resize(samplers.len(), Err(Error::EmptyRow));
    let mut none = vec![(); samplers.len()];
    for_each(
        out,
        &mut none,
        Size::of_rows(rows),
        parallelism,
        &mut scratch.threads,
        &|i, place: &mut Result<Preview>, scratch| {
            *place = samplers[i].preview_in(rows.get(i), scratch);
        },
    );
    Ok(())
}

const fn rows_and_tokens(rows: Rows<'_>, tokens: &[u32]) -> Counts {
    [
        ("rows of a batch", rows.len()),
        ("tokens of a batch", tokens.len()),
    ]
}

/// Weights need no scratch, and a good deal more time than as many logits.
fn of_weights(weights: &[&[f64]]) -> Size {
    Size {
        longest: 0,
        ..Size::of(weights.iter().map(|row| row.len().saturating_mul(16)))
    }
}
