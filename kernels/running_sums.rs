//! Running sums of the weights of listed logits: exact, so that any two of them differ by exactly what lies between.
//!
//! S_i = Σ_{j < i} q(w_j), with q the rounding to multiples of 2^−39 that [`choose_listed`](crate::choose_listed) weighs with: what a
//! binary search finds in these sums is what a walk through the list finds.

use crate::Engine;
use crate::candidates::FEW;
use crate::frame::Frame;
use crate::part_by_mass::quantum;
use crate::weigh::weigh;

/// Logits that are weighed at once.
const CHUNK: usize = 512;

/// Writes the running sums of the weights of `values` to `sums`: 0 first, the weight of all last.
///
/// # Panics
///
/// If `sums` is not longer by one than `values`, or `values` has more than [`FEW`] logits.
pub fn running_sums(engine: Engine, frame: Frame, values: &[f32], sums: &mut [f64]) {
    assert_eq!(
        sums.len(),
        values.len() + 1,
        "sums of {} logits",
        values.len()
    );
    assert!(values.len() <= FEW, "more than {FEW} logits");
    let mut running = 0.0;
    sums[0] = running;
    for (values, sums) in values.chunks(CHUNK).zip(sums[1..].chunks_mut(CHUNK)) {
        let mut padded = [f32::NEG_INFINITY; CHUNK];
        padded[..values.len()].copy_from_slice(values);
        let mut weights = [0.0; CHUNK];
        weigh(engine, frame, &padded, &mut weights);
        for (sum, &weight) in sums.iter_mut().zip(&weights) {
            running += quantum(weight);
            *sum = running;
        }
    }
}
