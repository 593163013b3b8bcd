//! How long criterion measures here: the machines are shared, and a longer look is not a better one.

use criterion::Criterion;
use std::time::Duration;

pub(crate) fn short() -> Criterion {
    Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
}
