//! One step of a session that the host keeps.

use super::operation::{Operation, run_text};
use super::settings::{Settings, basis, name_of, steps_of};
use super::{Mode, Result, SamplingResponse, wire};
use crate::{Sampler, Step, SurpriseBasis, Version};
use serde::{Deserialize, Serialize};

/// One step of a session on a row of logits, from where the session stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionRequest {
    /// The row; −∞, `null` on the wire, masks a token.
    #[serde(with = "wire::row")]
    pub logits: Vec<f64>,
    /// The target, in bits.
    #[serde(serialize_with = "wire::number")]
    pub tau: f64,
    /// The learning rate.
    #[serde(serialize_with = "wire::number")]
    pub eta: f64,
    /// The draw, in [0, 1).
    #[serde(serialize_with = "wire::number")]
    pub uniform: f64,
    /// `v1` or `v2`.
    pub version: String,
    /// Mu that the session stands at, in bits; it may be negative.
    #[serde(serialize_with = "wire::number")]
    pub state_mu: f64,
    /// Steps that it has taken, not negative.
    #[serde(deserialize_with = "wire::whole")]
    pub state_steps: i64,
    /// How many of the best tokens version 1 fits to, at least 2; 100 unless set.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "wire::optional_whole"
    )]
    pub m: Option<usize>,
    /// Of which distribution the surprise is; the original one unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "basis")]
    pub surprise_basis: Option<SurpriseBasis>,
}

impl SessionRequest {
    /// A request without optional fields.
    #[must_use]
    pub fn new(
        logits: Vec<f64>,
        tau: f64,
        eta: f64,
        uniform: f64,
        version: Version,
        state_mu: f64,
        state_steps: i64,
    ) -> Self {
        Self {
            logits,
            tau,
            eta,
            uniform,
            version: name_of(version),
            state_mu,
            state_steps,
            m: None,
            surprise_basis: None,
        }
    }

    /// The session that stands where the request says.
    pub(super) fn resume(&self) -> Result<Sampler> {
        let settings = Settings {
            version: &self.version,
            tau: self.tau,
            eta: self.eta,
            initial_mu: None,
            m: self.m,
            surprise_basis: self.surprise_basis,
        };
        settings.resume(self.state_mu, self.state_steps)
    }
}

/// What the step did, and where the session stands after it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionResponse {
    /// The step.
    pub step: SamplingResponse,
    /// Mu, in bits: that after the step.
    #[serde(serialize_with = "wire::number")]
    pub state_mu: f64,
    /// Steps taken, this one among them.
    #[serde(deserialize_with = "wire::whole")]
    pub state_steps: i64,
}

impl SessionResponse {
    /// The answer of a session that has just taken a step.
    pub(super) fn of(sampler: &Sampler, step: Step) -> Self {
        Self {
            step: step.into(),
            state_mu: sampler.mu(),
            state_steps: steps_of(sampler),
        }
    }
}

impl Operation for SessionRequest {
    type Response = SessionResponse;
    const MISREAD: &'static str = "invalid session request";

    fn run(&self) -> Result<SessionResponse> {
        let mut sampler = self.resume()?;
        let step = sampler.sample(&self.logits, self.uniform)?;
        Ok(SessionResponse::of(&sampler, step))
    }
}

/// Takes one step of a session on a row of logits.
///
/// # Errors
///
/// An unknown version, then faults of the settings, then of the state, then those of [`Sampler::sample`].
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{SessionRequest, session_request};
/// let mut request = SessionRequest::new(vec![3.0, 2.0, 1.0], 2.0, 0.1, 0.2, Version::V2, 4.0, 0);
/// let first = session_request(&request)?;
/// (request.state_mu, request.state_steps) = (first.state_mu, first.state_steps);
/// assert_eq!(session_request(&request)?.state_steps, 2);
/// # Ok::<(), mirostat::json::Error>(())
/// ```
pub fn session_request(request: &SessionRequest) -> Result<SessionResponse> {
    request.run()
}

/// [`session_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, session_json};
/// let text = r#"{"logits":[5],"tau":2,"eta":0.1,"uniform":0.9,"version":"v2","state_mu":-1,"state_steps":3}"#;
/// let step = r#"{"token":0,"kept_tokens":1,"probability":1,"surprise_bits":0,"mu_after":-0.8}"#;
/// let response = format!(r#"{{"step":{step},"state_mu":-0.8,"state_steps":4}}"#);
/// assert_eq!(session_json(text, Mode::Coded), Ok(response));
/// ```
pub fn session_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<SessionRequest>(text, mode)
}
