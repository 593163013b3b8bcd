//! The ways to cut a row, one file each: a row goes in, survivors come out.

pub(crate) mod epsilon;
pub(crate) mod min_p;
pub(crate) mod mirostat_v1;
pub(crate) mod mirostat_v2;
pub(crate) mod top_k;
pub(crate) mod top_p;
pub(crate) mod typical;
