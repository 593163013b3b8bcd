//! One step of a new session on weights.

use super::operation::{Operation, run_text};
use super::settings::{Settings, basis, name_of};
use super::{Mode, Result, SamplingResponse, wire};
use crate::{SurpriseBasis, Version};
use serde::{Deserialize, Serialize};

/// One step of a new session on weights: non-negative numbers in proportion to probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WeightRequest {
    /// The weights, of any sum; 0 masks a token.
    #[serde(serialize_with = "wire::numbers")]
    pub weights: Vec<f64>,
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

impl WeightRequest {
    /// A request without optional fields.
    #[must_use]
    pub fn new(weights: Vec<f64>, tau: f64, eta: f64, uniform: f64, version: Version) -> Self {
        Self {
            weights,
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

impl Operation for WeightRequest {
    type Response = SamplingResponse;
    const MISREAD: &'static str = "invalid weight request";

    fn run(&self) -> Result<SamplingResponse> {
        let settings = Settings {
            version: &self.version,
            tau: self.tau,
            eta: self.eta,
            initial_mu: self.initial_mu,
            m: self.m,
            surprise_basis: self.surprise_basis,
        };
        let step = settings
            .begin()?
            .sample_weights(&self.weights, self.uniform)?;
        Ok(step.into())
    }
}

/// Begins a session and takes one step on weights.
///
/// # Errors
///
/// An unknown version, then faults of the settings, then those of [`Sampler::sample_weights`](crate::Sampler::sample_weights).
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{WeightRequest, weight_request};
/// let request = WeightRequest::new(vec![8.0, 4.0, 2.0, 1.0], 2.0, 0.1, 0.7, Version::V2);
/// assert_eq!(weight_request(&request)?.token, 1);
/// # Ok::<(), mirostat::json::Error>(())
/// ```
pub fn weight_request(request: &WeightRequest) -> Result<SamplingResponse> {
    request.run()
}

/// [`weight_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, weight_json};
/// let text = r#"{"weights":[1,-1],"tau":2,"eta":0.1,"uniform":0.9,"version":"v2"}"#;
/// assert_eq!(weight_json(text, Mode::Compatible), Err("weight at token 1 is invalid".to_owned()));
/// ```
pub fn weight_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<WeightRequest>(text, mode)
}
