//! Everything that can go wrong, in the words that the user reads.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("cannot read {}: {cause}", path.display())]
    Unreadable { path: PathBuf, cause: io::Error },
    #[error("{}: not a .npy file: {cause}", path.display())]
    NotNpy { path: PathBuf, cause: io::Error },
    #[error("{}: the numbers are {found}, but must be float16 (<f2) or float32 (<f4), little endian", path.display())]
    ElementType { path: PathBuf, found: String },
    #[error("{}: the array is in Fortran order; save it with numpy.ascontiguousarray", path.display())]
    FortranOrder { path: PathBuf },
    #[error("{}: the array has shape {shape:?}, but must be one row [V] or rows [R, V]", path.display())]
    Dimensions { path: PathBuf, shape: Vec<u64> },
    #[error("{}: the array is empty: its shape is {shape:?}", path.display())]
    Empty { path: PathBuf, shape: Vec<u64> },
    #[error("{}: cut short: shape {shape:?} needs {needed} bytes of numbers, the file has {found}", path.display())]
    CutShort {
        path: PathBuf,
        shape: Vec<u64>,
        needed: u128,
        found: usize,
    },
    #[error("{}: row {row}: {error}", path.display())]
    Row {
        path: PathBuf,
        row: usize,
        error: mirostat::Error,
    },
    #[error("{}: not JSON: {cause}", path.display())]
    NotJson {
        path: PathBuf,
        cause: serde_json::Error,
    },
    #[error("{}: {what}", path.display())]
    Texts { path: PathBuf, what: &'static str },
    #[error("{}: texts of {found} rows, but there are {expected} rows", path.display())]
    TextCount {
        path: PathBuf,
        expected: usize,
        found: usize,
    },
    #[error(transparent)]
    Plot(#[from] mirostat_figures::Fault),
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
    #[error(transparent)]
    Mirostat(#[from] mirostat::Error),
}

impl Fault {
    /// Whether the output went into a pipe that its reader closed, as `head` does: no mistake of anybody.
    pub(crate) fn reader_went_away(&self) -> bool {
        matches!(self, Self::Output(cause) if cause.kind() == io::ErrorKind::BrokenPipe)
    }
}
