//! Everything that can be refused, with the value and its place.

/// Why a row, a parameter or a draw was refused.
///
/// Whatever is refused leaves every state as it was: a session that got an error is the session before the call.
///
/// Two errors are equal when their places and values are equal; a NaN value equals itself here, so that errors can be compared in
/// tests and logs.
///
/// # Examples
///
/// ```
/// use mirostat::{Config, Error, Sampler, Version};
/// let mut sampler = Sampler::new(Config::new(3.0)?, Version::V2)?;
/// let fault = sampler.sample(&[1.0_f32, f32::NAN, 3.0], 0.5).unwrap_err();
/// assert_eq!(fault, Error::InvalidLogit { index: 1, value: f64::NAN });
/// assert_eq!(sampler.steps(), 0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The row has no entry.
    #[error("the row is empty")]
    EmptyRow,
    /// The row has more entries than a token id (`u32`) can name.
    #[error("the row has {len} entries, more than a u32 token id can name")]
    RowTooLong {
        /// Entries of the row.
        len: usize,
    },
    /// Every logit is −∞, so no token can be chosen.
    #[error("every logit is -inf: at least one token must stay allowed")]
    AllMasked,
    /// A logit is NaN or +∞.
    #[error("the logit at index {index} is {value}")]
    InvalidLogit {
        /// The first such index.
        index: usize,
        /// The logit there.
        value: f64,
    },
    /// A weight or probability is NaN, infinite or negative, or a probability above 1 where a surprise is asked for.
    #[error("the weight or probability at index {index} is {value}")]
    InvalidProbability {
        /// The first such index.
        index: usize,
        /// The value there.
        value: f64,
    },
    /// A uniform draw is outside [0, 1).
    #[error("the uniform draw is {value}, outside [0, 1)")]
    InvalidUniform {
        /// The draw.
        value: f64,
    },
    /// A parameter is outside its range.
    #[error("{name} is {value}, but must be {expected}")]
    InvalidParameter {
        /// The parameter's name, as the constructor calls it.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What is allowed.
        expected: &'static str,
    },
    /// Two inputs that belong together differ in length.
    #[error("{what}: expected {expected}, found {found}")]
    LengthMismatch {
        /// What was counted.
        what: &'static str,
        /// The count asked for.
        expected: usize,
        /// The count found.
        found: usize,
    },
    /// A list of token ids names one outside the row, or one twice.
    #[error(
        "the token list names {token} at position {position}, which is outside the row or named before"
    )]
    InvalidOrder {
        /// Where in the list.
        position: usize,
        /// The id there.
        token: u32,
    },
    /// A token id is not in the row.
    #[error("token {token} is outside the vocabulary of {vocabulary}")]
    TokenOutsideVocabulary {
        /// The id.
        token: u32,
        /// Entries of the row.
        vocabulary: usize,
    },
    /// A token that the host chose is not among those the rule keeps, or has probability 0.
    #[error("token {token} is not among the kept tokens")]
    TokenNotKept {
        /// The id.
        token: u32,
    },
    /// A quantity left the finite numbers.
    #[error("{quantity} is not finite or not positive")]
    NumericalFailure {
        /// Which quantity.
        quantity: &'static str,
    },
    /// A proposal was made for another step than the one the session is at.
    #[error(
        "the proposal was made at step {proposed}, the session is at step {current}, or its mu has changed since"
    )]
    StaleProposal {
        /// The step that the proposal was made at.
        proposed: u64,
        /// The step that the session is at.
        current: u64,
    },
    /// A checkpoint was taken from a sampler with another configuration or version.
    #[error("the checkpoint belongs to a sampler with another configuration or version")]
    ForeignCheckpoint,
    /// A saved state belongs to another version of the algorithm or of the format.
    #[error("the saved state does not fit: {what}")]
    ForeignState {
        /// What does not fit.
        what: &'static str,
    },
    /// This machine cannot do what was asked for.
    #[error("not supported on this machine: {what}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
    },
    /// A tape of uniforms has come to its end.
    #[error("the tape of uniforms ends after {length} draws")]
    UniformsExhausted {
        /// Draws on the tape.
        length: usize,
    },
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        match (*self, *other) {
            (Self::EmptyRow, Self::EmptyRow)
            | (Self::AllMasked, Self::AllMasked)
            | (Self::ForeignCheckpoint, Self::ForeignCheckpoint) => true,
            (Self::RowTooLong { len: a }, Self::RowTooLong { len: b }) => a == b,
            (
                Self::InvalidLogit { index: i, value: a },
                Self::InvalidLogit { index: j, value: b },
            )
            | (
                Self::InvalidProbability { index: i, value: a },
                Self::InvalidProbability { index: j, value: b },
            ) => i == j && same(a, b),
            (Self::InvalidUniform { value: a }, Self::InvalidUniform { value: b }) => same(a, b),
            (
                Self::InvalidParameter {
                    name: n,
                    value: a,
                    expected: e,
                },
                Self::InvalidParameter {
                    name: o,
                    value: b,
                    expected: f,
                },
            ) => n == o && e == f && same(a, b),
            (
                Self::LengthMismatch {
                    what: n,
                    expected: e,
                    found: f,
                },
                Self::LengthMismatch {
                    what: o,
                    expected: g,
                    found: h,
                },
            ) => n == o && e == g && f == h,
            (
                Self::InvalidOrder {
                    position: p,
                    token: t,
                },
                Self::InvalidOrder {
                    position: q,
                    token: s,
                },
            ) => p == q && t == s,
            (
                Self::TokenOutsideVocabulary {
                    token: t,
                    vocabulary: v,
                },
                Self::TokenOutsideVocabulary {
                    token: s,
                    vocabulary: w,
                },
            ) => t == s && v == w,
            (Self::TokenNotKept { token: t }, Self::TokenNotKept { token: s }) => t == s,
            (Self::NumericalFailure { quantity: a }, Self::NumericalFailure { quantity: b })
            | (Self::Unsupported { what: a }, Self::Unsupported { what: b })
            | (Self::ForeignState { what: a }, Self::ForeignState { what: b }) => a == b,
            (
                Self::StaleProposal {
                    proposed: a,
                    current: b,
                },
                Self::StaleProposal {
                    proposed: c,
                    current: d,
                },
            ) => a == c && b == d,
            (Self::UniformsExhausted { length: a }, Self::UniformsExhausted { length: b }) => {
                a == b
            }
            _ => false,
        }
    }
}

impl Eq for Error {}

/// Shorthand for a result that may be an [`Error`].
pub type Result<T> = core::result::Result<T, Error>;
