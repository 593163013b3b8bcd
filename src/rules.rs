//! The ways to cut a row, one file each: a summary goes in, survivors come out.

pub(crate) mod mirostat_v1;
pub(crate) mod mirostat_v2;
