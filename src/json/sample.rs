//! One step of a new session.

use super::operation::{Operation, run_text};
use super::settings::{Settings, basis, name_of};
use super::{Mode, Result, wire};
use crate::{Step, SurpriseBasis, Version};
use serde::{Deserialize, Serialize};

/// One step of a new session on a row of logits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SamplingRequest {
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

impl SamplingRequest {
    /// A request without optional fields.
    #[must_use]
    pub fn new(logits: Vec<f64>, tau: f64, eta: f64, uniform: f64, version: Version) -> Self {
        Self {
            logits,
            tau,
            eta,
            uniform,
            version: name_of(version),
            m: None,
            initial_mu: None,
            surprise_basis: None,
        }
    }
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SamplingResponse {
    /// The token.
    pub token: u32,
    /// How many tokens the rule kept.
    pub kept_tokens: usize,
    /// Its probability, of the whole row unless the request asks for another basis.
    #[serde(serialize_with = "wire::number")]
    pub probability: f64,
    /// −log2 of that probability, in bits.
    #[serde(serialize_with = "wire::number")]
    pub surprise_bits: f64,
    /// Mu after the step, in bits.
    #[serde(serialize_with = "wire::number")]
    pub mu_after: f64,
}

impl From<Step> for SamplingResponse {
    fn from(step: Step) -> Self {
        Self {
            token: step.token,
            kept_tokens: step.kept,
            probability: step.probability,
            surprise_bits: step.surprise_bits,
            mu_after: step.mu_after,
        }
    }
}

impl Operation for SamplingRequest {
    type Response = SamplingResponse;
    const MISREAD: &'static str = "invalid sampling request";

    fn run(&self) -> Result<SamplingResponse> {
        let settings = Settings {
            version: &self.version,
            tau: self.tau,
            eta: self.eta,
            initial_mu: self.initial_mu,
            m: self.m,
            surprise_basis: self.surprise_basis,
        };
        let step = settings.begin()?.sample(&self.logits, self.uniform)?;
        Ok(step.into())
    }
}

/// Begins a session and takes one step on a row of logits.
///
/// # Errors
///
/// An unknown version, then faults of the settings, then those of [`Sampler::sample`](crate::Sampler::sample).
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{SamplingRequest, sample_request};
/// let mut request = SamplingRequest::new(vec![4.0, 3.0, 2.0], 1.0, 0.1, 0.9, Version::V2);
/// request.initial_mu = Some(0.0);
/// assert_eq!(sample_request(&request)?.kept_tokens, 1);
/// # Ok::<(), mirostat::json::Error>(())
/// ```
pub fn sample_request(request: &SamplingRequest) -> Result<SamplingResponse> {
    request.run()
}

/// [`sample_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, sample_json};
/// let text = r#"{"logits":[0,0,null],"tau":2,"eta":0.1,"uniform":0.9,"version":"v2"}"#;
/// let step = r#"{"token":1,"kept_tokens":2,"probability":0.5,"surprise_bits":1,"mu_after":4.1}"#;
/// assert_eq!(sample_json(text, Mode::Coded).as_deref(), Ok(step));
/// assert_eq!(sample_json("{", Mode::Compatible), Err("invalid JSON".to_owned()));
/// ```
pub fn sample_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<SamplingRequest>(text, mode)
}
