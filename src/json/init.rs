//! The state of a session before its first step.

use super::operation::{Operation, run_text};
use super::settings::{Settings, basis, name_of, steps_of};
use super::{Mode, Result, wire};
use crate::{SurpriseBasis, Version};
use serde::{Deserialize, Serialize};

/// The settings of a session that is to begin; all are checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitRequest {
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
    /// Of which distribution the surprise is in later steps, if they say so too; the original one unless set.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "basis")]
    pub surprise_basis: Option<SurpriseBasis>,
}

impl InitRequest {
    /// A request without optional fields.
    #[must_use]
    pub fn new(tau: f64, eta: f64, version: Version) -> Self {
        Self {
            tau,
            eta,
            version: name_of(version),
            m: None,
            initial_mu: None,
            surprise_basis: None,
        }
    }
}

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct InitResponse {
    /// Mu, in bits.
    #[serde(serialize_with = "wire::number")]
    pub state_mu: f64,
    /// Steps taken: 0.
    #[serde(deserialize_with = "wire::whole")]
    pub state_steps: i64,
}

impl Operation for InitRequest {
    type Response = InitResponse;
    const MISREAD: &'static str = "invalid init request";

    fn run(&self) -> Result<InitResponse> {
        let settings = Settings {
            version: &self.version,
            tau: self.tau,
            eta: self.eta,
            initial_mu: self.initial_mu,
            m: self.m,
            surprise_basis: self.surprise_basis,
        };
        let sampler = settings.begin()?;
        Ok(InitResponse {
            state_mu: sampler.mu(),
            state_steps: steps_of(&sampler),
        })
    }
}

/// The state that a session begins with.
///
/// # Errors
///
/// An unknown version, then faults of the settings.
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{InitRequest, init_request};
/// let state = init_request(&InitRequest::new(3.0, 0.1, Version::V2))?;
/// assert_eq!((state.state_mu, state.state_steps), (6.0, 0));
/// # Ok::<(), mirostat::json::Error>(())
/// ```
pub fn init_request(request: &InitRequest) -> Result<InitResponse> {
    request.run()
}

/// [`init_request`] from text to text.
///
/// # Errors
///
/// [`Error`](super::Error), written as [`Error::to_text`](super::Error::to_text) writes it.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, init_json};
/// let text = r#"{"tau":3,"eta":0.1,"version":"v2"}"#;
/// assert_eq!(init_json(text, Mode::Coded).as_deref(), Ok(r#"{"state_mu":6,"state_steps":0}"#));
/// ```
pub fn init_json(text: &str, mode: Mode) -> core::result::Result<String, String> {
    run_text::<InitRequest>(text, mode)
}
