//! What the fuzz targets draw from bytes: numbers, rows and settings, sane ones and wild ones.
#![forbid(unsafe_code)]

mod number;
mod row;
mod settings;

pub use number::Number;
pub use row::{AnyRow, Element, Recipe};
pub use settings::{Settings, level, version};
