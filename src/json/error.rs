//! Why a request was refused, in our words or in the ancestor's.

use super::Code;
use crate::BatchError;
use serde::Serialize;
use std::borrow::Cow;

/// How errors are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As an object with a code, a message and a place.
    #[default]
    Coded,
    /// As the bare text of the ancestor.
    Compatible,
}

/// Why a request was refused; nothing has come of it.
///
/// Serialises as `{"code":…,"message":…,"row":…,"index":…}`.
///
/// # Examples
///
/// ```
/// use mirostat::Version;
/// use mirostat::json::{Code, SamplingRequest, sample_request};
/// let request = SamplingRequest::new(vec![1.0, f64::NAN], 2.0, 0.1, 0.5, Version::V2);
/// let fault = sample_request(&request).unwrap_err();
/// assert_eq!((fault.code(), fault.index()), (Code::InvalidLogit, Some(1)));
/// assert_eq!(fault.compatible_text(), "logit at token 1 is NaN or positive infinity");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    code: Code,
    message: String,
    row: Option<usize>,
    index: Option<usize>,
    #[serde(skip)]
    compatible_text: Cow<'static, str>,
}

impl Error {
    /// The kind of error.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.code
    }

    /// What was wrong, for people; with the row where there is one.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The row of a replay or the session of a batch; where a replay has not one draw for each row, the first without a partner.
    #[must_use]
    pub const fn row(&self) -> Option<usize> {
        self.row
    }

    /// The place in the row of logits or weights.
    #[must_use]
    pub const fn index(&self) -> Option<usize> {
        self.index
    }

    /// What the ancestor says; where it has no word for it, our message.
    #[must_use]
    pub fn compatible_text(&self) -> &str {
        &self.compatible_text
    }

    /// The error as the `…_json` functions return it: JSON of an object, or the ancestor's text without quotes.
    #[must_use]
    pub fn to_text(&self, mode: Mode) -> String {
        match mode {
            Mode::Coded => serde_json::to_string(self).expect("texts and counts are always JSON"),
            Mode::Compatible => self.compatible_text.clone().into_owned(),
        }
    }

    pub(super) fn new(code: Code, message: String, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message,
            row: None,
            index: None,
            compatible_text: text.into(),
        }
    }

    /// The same error, of a row of many.
    pub(super) fn in_row(mut self, row: usize) -> Self {
        self.message = format!("row {row}: {}", self.message);
        self.row = Some(row);
        self
    }
}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        let text = ancestors_text(error).unwrap_or_else(|| error.to_string().into());
        Self {
            index: index_of(error),
            ..Self::new(error.into(), error.to_string(), text)
        }
    }
}

impl From<BatchError> for Error {
    fn from(BatchError { row, error }: BatchError) -> Self {
        Self::from(error).in_row(row)
    }
}

const fn index_of(error: crate::Error) -> Option<usize> {
    match error {
        crate::Error::InvalidLogit { index, .. }
        | crate::Error::InvalidProbability { index, .. } => Some(index),
        _ => None,
    }
}

fn ancestors_text(error: crate::Error) -> Option<Cow<'static, str>> {
    use crate::Error as E;
    Some(match error {
        E::EmptyRow => "logits or weights must not be empty".into(),
        E::AllMasked => "at least one finite logit must remain unmasked".into(),
        E::InvalidLogit { index, .. } => {
            format!("logit at token {index} is NaN or positive infinity").into()
        }
        E::InvalidProbability { index, .. } => format!("weight at token {index} is invalid").into(),
        E::InvalidUniform { .. } => "uniform draw must be finite and in [0, 1)".into(),
        E::NumericalFailure { .. } => "sampling calculation failed numerically".into(),
        E::LengthMismatch { .. } => "one uniform draw is required per logits row".into(),
        E::InvalidParameter { name, .. } => match name {
            "tau" => "tau must be finite and positive",
            "eta" => "eta must be finite and positive",
            "initial_mu" => "initial_mu must be finite and non-negative",
            "m" => "m must be at least two",
            "mu" | "state_steps" => "state needs finite mu and non-negative steps",
            "rows" => "replay requires at least one row",
            _ => return None,
        }
        .into(),
        _ => return None,
    })
}
