//! The contract between the kernels and the reference, as one check.
//!
//! On the same values, widened to f64: |Δ ln Z| <= 5e-7 nat; probability within 6e-7, relative; surprise within 1e-6 bit; the kept set
//! equal, unless a token lies within 2^−19 bit of the edge (V2) or e^q within 1e-9·k of a rounding boundary (V1); the token equal,
//! unless u is within 2e-6 of a boundary of the distribution function in the draw order; errors equal, row faults with their index.
#![forbid(unsafe_code)]

mod allowed;
mod check;
mod exact;

pub use check::{Outcome, check, check_session};
