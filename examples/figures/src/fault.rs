//! Everything that can go wrong, in the words that the user reads.

use plotters::drawing::DrawingAreaErrorKind;
use std::io;
use std::path::PathBuf;

/// Why there is no figure.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The drawing failed.
    #[error("cannot draw: {0}")]
    Drawing(String),
    /// A file or a folder cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    Unwritable {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The real rows cannot be read.
    #[error("cannot read rows from {}: {cause}", path.display())]
    Rows {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// An experiment was refused.
    #[error(transparent)]
    Mirostat(#[from] mirostat::Error),
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for Fault {
    fn from(cause: DrawingAreaErrorKind<E>) -> Self {
        Self::Drawing(cause.to_string())
    }
}
