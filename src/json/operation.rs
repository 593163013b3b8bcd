//! What the seven operations have in common.

use super::{Code, Error, Mode, Result, reading};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A request that can be carried out.
pub(super) trait Operation: DeserializeOwned {
    type Response: Serialize;

    /// What the ancestor calls a text that is not such a request.
    const MISREAD: &'static str;

    fn run(&self) -> Result<Self::Response>;
}

/// From text to text.
pub(super) fn run_text<O: Operation>(
    text: &str,
    mode: Mode,
) -> core::result::Result<String, String> {
    reading::request::<O>(text)
        .and_then(|request| request.run())
        .and_then(|response| write(&response))
        .map_err(|error| error.to_text(mode))
}

/// A response as text.
pub(super) fn write(response: &impl Serialize) -> Result<String> {
    serde_json::to_string(response).map_err(|error| {
        Error::new(
            Code::NumericalFailure,
            error.to_string(),
            "sampling calculation failed numerically",
        )
    })
}
