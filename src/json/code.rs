//! What an error is called, for machines.

use crate::Error;

/// The kind of an error, as it stands in its `code`: the name here in snake case, and the same in every release.
///
/// # Examples
///
/// ```
/// use mirostat::json::Code;
/// assert_eq!(Code::EmptyRow.as_str(), "empty_row");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Code {
    /// The text is not JSON, or not UTF-8.
    InvalidJson,
    /// The JSON is not a request: a field is missing, unknown, given twice, of another type, or a number beyond f64.
    InvalidRequest,
    /// The request is of a protocol other than [`PROTOCOL`](super::PROTOCOL).
    UnsupportedProtocol,
    /// The version is neither `v1` nor `v2`.
    InvalidVersion,
    /// A line has more than [`LONGEST_LINE`](super::LONGEST_LINE) bytes.
    LineTooLong,
    /// [`Error::EmptyRow`].
    EmptyRow,
    /// [`Error::RowTooLong`].
    RowTooLong,
    /// [`Error::AllMasked`].
    AllMasked,
    /// [`Error::InvalidLogit`].
    InvalidLogit,
    /// [`Error::InvalidProbability`].
    InvalidProbability,
    /// [`Error::InvalidUniform`].
    InvalidUniform,
    /// [`Error::InvalidParameter`].
    InvalidParameter,
    /// [`Error::LengthMismatch`].
    LengthMismatch,
    /// [`Error::InvalidOrder`].
    InvalidOrder,
    /// [`Error::TokenOutsideVocabulary`].
    TokenOutsideVocabulary,
    /// [`Error::TokenNotKept`].
    TokenNotKept,
    /// [`Error::NumericalFailure`].
    NumericalFailure,
    /// [`Error::StaleProposal`].
    StaleProposal,
    /// [`Error::ForeignCheckpoint`].
    ForeignCheckpoint,
    /// [`Error::ForeignState`].
    ForeignState,
    /// [`Error::Unsupported`].
    Unsupported,
    /// [`Error::UniformsExhausted`].
    UniformsExhausted,
}

impl Code {
    /// The code as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidRequest => "invalid_request",
            Self::UnsupportedProtocol => "unsupported_protocol",
            Self::InvalidVersion => "invalid_version",
            Self::LineTooLong => "line_too_long",
            Self::EmptyRow => "empty_row",
            Self::RowTooLong => "row_too_long",
            Self::AllMasked => "all_masked",
            Self::InvalidLogit => "invalid_logit",
            Self::InvalidProbability => "invalid_probability",
            Self::InvalidUniform => "invalid_uniform",
            Self::InvalidParameter => "invalid_parameter",
            Self::LengthMismatch => "length_mismatch",
            Self::InvalidOrder => "invalid_order",
            Self::TokenOutsideVocabulary => "token_outside_vocabulary",
            Self::TokenNotKept => "token_not_kept",
            Self::NumericalFailure => "numerical_failure",
            Self::StaleProposal => "stale_proposal",
            Self::ForeignCheckpoint => "foreign_checkpoint",
            Self::ForeignState => "foreign_state",
            Self::Unsupported => "unsupported",
            Self::UniformsExhausted => "uniforms_exhausted",
        }
    }
}

impl From<Error> for Code {
    fn from(error: Error) -> Self {
        match error {
            Error::EmptyRow => Self::EmptyRow,
            Error::RowTooLong { .. } => Self::RowTooLong,
            Error::AllMasked => Self::AllMasked,
            Error::InvalidLogit { .. } => Self::InvalidLogit,
            Error::InvalidProbability { .. } => Self::InvalidProbability,
            Error::InvalidUniform { .. } => Self::InvalidUniform,
            Error::InvalidParameter { .. } => Self::InvalidParameter,
            Error::LengthMismatch { .. } => Self::LengthMismatch,
            Error::InvalidOrder { .. } => Self::InvalidOrder,
            Error::TokenOutsideVocabulary { .. } => Self::TokenOutsideVocabulary,
            Error::TokenNotKept { .. } => Self::TokenNotKept,
            Error::NumericalFailure { .. } => Self::NumericalFailure,
            Error::StaleProposal { .. } => Self::StaleProposal,
            Error::ForeignCheckpoint => Self::ForeignCheckpoint,
            Error::ForeignState { .. } => Self::ForeignState,
            Error::Unsupported { .. } => Self::Unsupported,
            Error::UniformsExhausted { .. } => Self::UniformsExhausted,
        }
    }
}
