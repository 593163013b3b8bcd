//! One step of each of many sessions, or none.

use super::operation::{Operation, run_text};
use super::{Mode, Result, SessionRequest, SessionResponse, reading};
use crate::{BatchScratch, Job, Parallelism, Row, step_batch_atomic};
use serde::{Deserialize, Serialize};

/// Sessions, each with its own settings, state, row and draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BatchRequest {
    /// The sessions.
    #[serde(deserialize_with = "reading::objects")]
    pub sessions: Vec<SessionRequest>,
}

impl BatchRequest {
    /// A step of each of these sessions.
    #[must_use]
    pub const fn new(sessions: Vec<SessionRequest>) -> Self {
        Self { sessions }
    }
}

/// What each session did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct BatchResponse {
    /// One for each session, in the order of the request.
    pub sessions: Vec<SessionResponse>,
}

impl Operation for BatchRequest {
    type Response = BatchResponse;
    const MISREAD: &'static str = "invalid batch request";

    fn run(&self) -> Result<BatchResponse> {
        let resumed = self.sessions.iter().enumerate();
        let mut samplers = resumed
            .map(|(i, session)| session.resume().map_err(|error| error.in_row(i)))
            .collect::<Result<Vec<_>>>()?;
        let mut jobs: Vec<Job<'_>> = samplers
            .iter_mut()
            .zip(&self.sessions)
            .map(|(sampler, session)| Job {
                sampler,
                row: Row::from(&session.logits),
                uniform: session.uniform,
            })
            .collect();
        let (mut scratch, mut steps) = (BatchScratch::new(), Vec::new());
        step_batch_atomic(&mut jobs, Parallelism::Auto, &mut scratch, &mut steps)?;
        let stepped = samplers.iter().zip(steps);
        Ok(BatchResponse {
            sessions: stepped
                .map(|(sampler, step)| SessionResponse::of(sampler, step))
                .collect(),
        })
    }
}

/// Takes one step of every session, or, where one fails, of none. No sessions give no steps.
///
/// # Errors
///
/// The first session with a fault of its version, settings or state; then the first with a fault of its row or draw; with its place as
/// [`Error::row`](super::Error::row).
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{BatchRequest, SessionRequest, batch_request};
/// let session = |logits| SessionRequest::new(logits, 2.0, 0.1, 0.2, Version::V2, 4.0, 0);
/// let fault = batch_request(&BatchRequest::new(vec![session(vec![1.0]), session(vec![1.0, f64::NAN])])).unwrap_err();
/// assert_eq!((fault.row(), fault.index()), (Some(1), Some(1)));
/// ```
pub fn batch_request(request: &BatchRequest) -> Result<BatchResponse> {
    request.run()
}

/// [`batch_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, batch_json};
/// assert_eq!(batch_json(r#"{"sessions":[]}"#, Mode::Coded).as_deref(), Ok(r#"{"sessions":[]}"#));
/// ```
pub fn batch_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<BatchRequest>(text, mode)
}
