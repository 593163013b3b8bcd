//! What a session would choose from.

use super::operation::{Operation, run_text};
use super::settings::{Settings, basis, name_of};
use super::{Mode, Result, wire};
use crate::{SurpriseBasis, Version};
use serde::{Deserialize, Serialize};

/// What a session would keep of a row of logits, from where the session stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PreviewRequest {
    /// The row; −∞, `null` on the wire, masks a token.
    #[serde(with = "wire::row")]
    pub logits: Vec<f64>,
    /// The target, in bits.
    #[serde(serialize_with = "wire::number")]
    pub tau: f64,
    /// The learning rate.
    #[serde(serialize_with = "wire::number")]
    pub eta: f64,
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
    /// Of which distribution the surprise is in a step; a preview is the same for both.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "basis")]
    pub surprise_basis: Option<SurpriseBasis>,
}

impl PreviewRequest {
    /// A request without optional fields.
    #[must_use]
    pub fn new(
        logits: Vec<f64>,
        tau: f64,
        eta: f64,
        version: Version,
        state_mu: f64,
        state_steps: i64,
    ) -> Self {
        Self {
            logits,
            tau,
            eta,
            version: name_of(version),
            state_mu,
            state_steps,
            m: None,
            surprise_basis: None,
        }
    }
}

/// What a session would keep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PreviewResponse {
    /// Tokens of the row, masked ones included.
    pub vocabulary: usize,
    /// How many tokens the rule keeps.
    pub kept_tokens: usize,
    /// Their probability in the whole row, together.
    #[serde(serialize_with = "wire::number")]
    pub retained_mass: f64,
    /// The mean of the original surprise over them, renormalised, in bits.
    #[serde(serialize_with = "wire::number")]
    pub expected_surprise: f64,
    /// Mu of the session, in bits: unchanged.
    #[serde(serialize_with = "wire::number")]
    pub state_mu: f64,
}

impl Operation for PreviewRequest {
    type Response = PreviewResponse;
    const MISREAD: &'static str = "invalid preview request";

    fn run(&self) -> Result<PreviewResponse> {
        let settings = Settings {
            version: &self.version,
            tau: self.tau,
            eta: self.eta,
            initial_mu: None,
            m: self.m,
            surprise_basis: self.surprise_basis,
        };
        let sampler = settings.resume(self.state_mu, self.state_steps)?;
        let preview = sampler.preview(&self.logits)?;
        Ok(PreviewResponse {
            vocabulary: preview.vocabulary,
            kept_tokens: preview.kept_tokens,
            retained_mass: preview.retained_mass,
            expected_surprise: preview.expected_surprise,
            state_mu: preview.mu,
        })
    }
}

/// What a session would keep of a row of logits; nothing is drawn.
///
/// # Errors
///
/// An unknown version, then faults of the settings, then of the state, then those of [`Sampler::preview`](crate::Sampler::preview).
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{PreviewRequest, preview_request};
/// let request = PreviewRequest::new(vec![3.0, 2.0, 1.0, 0.0, -1.0, -2.0], 2.0, 0.1, Version::V1, 4.0, 0);
/// assert_eq!(preview_request(&request)?.kept_tokens, 4);
/// # Ok::<(), mirostat::json::Error>(())
/// ```
pub fn preview_request(request: &PreviewRequest) -> Result<PreviewResponse> {
    request.run()
}

/// [`preview_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, preview_json};
/// let text = r#"{"logits":[0,0],"tau":2,"eta":0.1,"version":"v2","state_mu":4,"state_steps":0}"#;
/// let response = r#"{"vocabulary":2,"kept_tokens":2,"retained_mass":1,"expected_surprise":1,"state_mu":4}"#;
/// assert_eq!(preview_json(text, Mode::Coded).as_deref(), Ok(response));
/// ```
pub fn preview_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<PreviewRequest>(text, mode)
}
