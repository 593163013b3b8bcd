//! Many steps in a row: one session through many rows, or many sessions on one prepared row.

use crate::batch::BatchError;
use crate::row::Rows;
use crate::scratch::with_thread_scratch;
use crate::{Error, PreparedRow, Result, Sampler, Step};

/// The row at which a sequence of steps ended, why, and the steps before it, which stay taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("row {row}: {error}")]
pub struct ReplayError {
    /// The position in the sequence.
    pub row: usize,
    /// What was wrong with it.
    #[source]
    pub error: Error,
    /// The steps of the positions before.
    pub steps: Vec<Step>,
}

type Replayed = core::result::Result<Vec<Step>, ReplayError>;
type Atomic = core::result::Result<Vec<Step>, BatchError>;

/// Takes a session through rows, one uniform each: the same steps as one [`sample`](Sampler::sample) after another.
///
/// No rows give no steps.
///
/// # Errors
///
/// [`ReplayError`] at the first row that fails: the steps before it stay taken, and come with the error. Where the numbers of rows
/// and uniforms differ nothing is done, and its row is the first without a partner.
///
/// # Cost
///
/// That of the steps, in the thread's scratch; the vector is allocated.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Matrix, Sampler, Version, replay};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let logits = [3.0_f32, 2.0, 1.0, 2.0, 1.0, 0.0, 1.0, f32::NAN, 0.0];
/// let fault = replay(&mut sampler, Matrix::new(&logits, 3, 3, 3)?, &[0.2, 0.8, 0.4]).unwrap_err();
/// assert_eq!((fault.row, fault.steps.len(), sampler.steps()), (2, 2, 2));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn replay<'a>(sampler: &mut Sampler, rows: impl Into<Rows<'a>>, uniforms: &[f64]) -> Replayed {
    let rows = rows.into();
    check(rows.len(), ("uniforms of a replay", uniforms.len()))?;
    with_thread_scratch(|scratch| {
        in_turn(uniforms.len(), |i| {
            sampler.sample_in(rows.get(i), uniforms[i], scratch)
        })
    })
}

/// [`replay`], or nothing: on an error the session is as it was before the call.
///
/// # Errors
///
/// [`BatchError`] with the first row that failed; where the numbers of rows and uniforms differ, the first without a partner.
///
/// # Cost
///
/// As [`replay`].
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Row, Sampler, Version, replay_atomic};
/// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V1)?;
/// let rows = [Row::from(&[3.0_f32, 2.0, 1.0]), Row::F32(&[])];
/// assert_eq!(replay_atomic(&mut sampler, &rows, &[0.2, 0.8]).unwrap_err().row, 1);
/// assert_eq!(sampler.steps(), 0);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn replay_atomic<'a>(
    sampler: &mut Sampler,
    rows: impl Into<Rows<'a>>,
    uniforms: &[f64],
) -> Atomic {
    let mut tried = sampler.clone();
    let steps = replay(&mut tried, rows, uniforms)?;
    *sampler = tried;
    Ok(steps)
}

/// Steps every session once on one prepared row, one uniform each.
///
/// # Errors
///
/// [`ReplayError`] at the first session that fails, its row the position of the session: the steps before it stay taken, and come
/// with the error. Where the numbers of sessions and uniforms differ nothing is done, and its row is the first without a partner.
///
/// # Cost
///
/// See [`PreparedRow`]; on the calling thread; the vector is allocated.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, PreparedRow, Sampler, Version, sample_shared_prepared};
/// let row = PreparedRow::from_logits(&[3.0_f32, 2.0, 1.0])?;
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 3];
/// let steps = sample_shared_prepared(&mut sessions, &row, &[0.1, 0.8, 0.99]).unwrap();
/// assert_eq!(steps.iter().map(|step| step.token).collect::<Vec<_>>(), [0, 1, 2]);
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sample_shared_prepared(
    samplers: &mut [Sampler],
    row: &PreparedRow,
    uniforms: &[f64],
) -> Replayed {
    check(samplers.len(), ("uniforms of sessions", uniforms.len()))?;
    in_turn(uniforms.len(), |i| {
        samplers[i].sample_prepared(row, uniforms[i])
    })
}

/// [`sample_shared_prepared`], or nothing: on an error no session has moved.
///
/// # Errors
///
/// [`BatchError`] with the position of the first session that failed; where the numbers of sessions and uniforms differ, the first
/// without a partner.
///
/// # Cost
///
/// As [`sample_shared_prepared`].
///
/// # Examples
///
/// ```
/// use mirostat::{Config, PreparedRow, Sampler, Version, sample_shared_prepared_atomic};
/// let row = PreparedRow::from_logits(&[3.0_f32, 2.0, 1.0])?;
/// let mut sessions = vec![Sampler::new(Config::new(2.0)?, Version::V2)?; 2];
/// assert_eq!(sample_shared_prepared_atomic(&mut sessions, &row, &[0.1, 1.0]).unwrap_err().row, 1);
/// assert!(sessions.iter().all(|session| session.steps() == 0));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub fn sample_shared_prepared_atomic(
    samplers: &mut [Sampler],
    row: &PreparedRow,
    uniforms: &[f64],
) -> Atomic {
    check(samplers.len(), ("uniforms of sessions", uniforms.len()))?;
    let steps = in_turn(uniforms.len(), |i| {
        samplers[i].foresee_prepared(row, uniforms[i])
    })?;
    for (sampler, step) in samplers.iter_mut().zip(&steps) {
        sampler.commit(step);
    }
    Ok(steps)
}

fn check(
    expected: usize,
    (what, found): (&'static str, usize),
) -> core::result::Result<(), ReplayError> {
    if found == expected {
        return Ok(());
    }
    Err(ReplayError {
        row: expected.min(found),
        error: Error::LengthMismatch {
            what,
            expected,
            found,
        },
        steps: Vec::new(),
    })
}

fn in_turn(n: usize, mut step: impl FnMut(usize) -> Result<Step>) -> Replayed {
    let mut steps = Vec::with_capacity(n);
    for row in 0..n {
        match step(row) {
            Ok(step) => steps.push(step),
            Err(error) => return Err(ReplayError { row, error, steps }),
        }
    }
    Ok(steps)
}

impl From<ReplayError> for BatchError {
    fn from(ReplayError { row, error, .. }: ReplayError) -> Self {
        Self { row, error }
    }
}
