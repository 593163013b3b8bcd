//! Many steps of a new session, or none.

use super::operation::{Operation, run_text};
use super::settings::{Settings, basis, name_of};
use super::{Mode, Result, SamplingResponse, wire};
use crate::trace::summarize;
use crate::{Row, SurpriseBasis, Version, replay_atomic};
use serde::{Deserialize, Serialize};

/// A new session through rows of logits, with one draw each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReplayRequest {
    /// The rows; −∞, `null` on the wire, masks a token.
    #[serde(with = "wire::rows")]
    pub rows: Vec<Vec<f64>>,
    /// A draw in [0, 1) for each row.
    #[serde(serialize_with = "wire::numbers")]
    pub draws: Vec<f64>,
    /// The target, in bits.
    #[serde(serialize_with = "wire::number")]
    pub tau: f64,
    /// The learning rate.
    #[serde(serialize_with = "wire::number")]
    pub eta: f64,
    /// `v1` or `v2`.
    pub version: String,
    /// How many of the best tokens version 1 fits to, at least 2; 100 unless set.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "wire::optional_whole"
    )]
    pub m: Option<usize>,
    /// Where mu starts, in bits, not negative; 2·tau unless set.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        serialize_with = "wire::optional_number"
    )]
    pub initial_mu: Option<f64>,
    /// Of which distribution the surprise is; the original one unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "basis")]
    pub surprise_basis: Option<SurpriseBasis>,
}

impl ReplayRequest {
    /// A request without optional fields.
    #[must_use]
    pub fn new(rows: Vec<Vec<f64>>, draws: Vec<f64>, tau: f64, eta: f64, version: Version) -> Self {
        Self {
            rows,
            draws,
            tau,
            eta,
            version: name_of(version),
            m: None,
            initial_mu: None,
            surprise_basis: None,
        }
    }
}

/// What the steps did, and what they amount to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ReplayResponse {
    /// One for each row.
    pub steps: Vec<SamplingResponse>,
    /// Their mean surprise, in bits.
    #[serde(serialize_with = "wire::number")]
    pub mean_surprise: f64,
    /// Mu after the last, in bits.
    #[serde(serialize_with = "wire::number")]
    pub final_mu: f64,
}

impl Operation for ReplayRequest {
    type Response = ReplayResponse;
    const MISREAD: &'static str = "invalid replay request";

    fn run(&self) -> Result<ReplayResponse> {
        let settings = Settings {
            version: &self.version,
            tau: self.tau,
            eta: self.eta,
            initial_mu: self.initial_mu,
            m: self.m,
            surprise_basis: self.surprise_basis,
        };
        let mut sampler = settings.begin()?;
        let rows: Vec<Row<'_>> = self.rows.iter().map(Row::from).collect();
        let steps = replay_atomic(&mut sampler, &rows, &self.draws)?;
        if steps.is_empty() {
            return Err(no_rows().into());
        }
        let summary = summarize(&steps, self.tau)?;
        Ok(ReplayResponse {
            steps: steps.into_iter().map(SamplingResponse::from).collect(),
            mean_surprise: summary.mean_surprise,
            final_mu: summary.final_mu,
        })
    }
}

const fn no_rows() -> crate::Error {
    crate::Error::InvalidParameter {
        name: "rows",
        value: 0.0,
        expected: "at least one row",
    }
}

/// Begins a session and takes it through rows of logits.
///
/// # Errors
///
/// An unknown version, then faults of the settings, then those of [`replay_atomic`], with the row; then no row at all.
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{ReplayRequest, replay_request};
/// let rows = vec![vec![3.0, 2.0, 1.0], vec![]];
/// let fault = replay_request(&ReplayRequest::new(rows, vec![0.2, 0.7], 2.0, 0.1, Version::V1)).unwrap_err();
/// assert_eq!((fault.code().as_str(), fault.row()), ("empty_row", Some(1)));
/// ```
pub fn replay_request(request: &ReplayRequest) -> Result<ReplayResponse> {
    request.run()
}

/// [`replay_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, replay_json};
/// let text = r#"{"rows":[[5]],"draws":[0.9],"tau":2,"eta":0.1,"version":"v1"}"#;
/// let step = r#"{"token":0,"kept_tokens":1,"probability":1,"surprise_bits":0,"mu_after":4.2}"#;
/// let response = format!(r#"{{"steps":[{step}],"mean_surprise":0,"final_mu":4.2}}"#);
/// assert_eq!(replay_json(text, Mode::Coded), Ok(response));
/// ```
pub fn replay_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<ReplayRequest>(text, mode)
}
