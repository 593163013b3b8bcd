//! Two logits between which another one lies, narrowed by reads of the row that look at four pivots each.

use crate::Element;
use crate::candidates::{Candidates, ordinal};

/// Ordinals: what is sought lies at or above `low` and below `high`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bracket {
    pub(crate) low: u32,
    pub(crate) high: u32,
}

impl Bracket {
    /// Whether all logits inside are equal.
    pub(crate) fn is_one_value(self) -> bool {
        self.high - self.low == 1
    }

    /// The pivots, moved inside where they are not.
    pub(crate) fn inside(self, pivots: [u32; 4]) -> [u32; 4] {
        pivots.map(|p| p.clamp(self.low + 1, self.high - 1))
    }

    /// Pivots that cut it in five.
    pub(crate) fn fifths(self) -> [u32; 4] {
        let step = ((self.high - self.low) / 5).max(1);
        [1, 2, 3, 4].map(|i| self.low + i * step)
    }
}

/// How many logits of a row are looked at to guess where the sought one lies: what two of the guesses enclose should be few enough to
/// list.
fn sample_size(row: usize) -> usize {
    (row / 96).clamp(512, 2048).min(row)
}

/// So many logits of a row with their ids, evenly spaced.
pub(crate) fn sampled<E: Element>(row: &[E], n: usize) -> impl Iterator<Item = (u32, f32)> {
    // In units of 2^−32: divisions would take longer than all else.
    let step = ((row.len() as u64) << 32) / n as u64;
    (0..n as u64).map(move |i| {
        let id = ((i * step) >> 32) as usize;
        (id as u32, row[id].value())
    })
}

/// The ordinals of some logits, evenly spaced in the row, sorted, in `room.ids`; returns how many.
pub(crate) fn sample<E: Element>(row: &[E], room: &mut Candidates) -> usize {
    let n = sample_size(row.len());
    for ((_, x), place) in sampled(row, n).zip(&mut room.ids[..n]) {
        *place = ordinal(x);
    }
    room.ids[..n].sort_unstable();
    n
}

/// Positions in a sample of `n` that lie closely around the share `share` of it: 0.8 and 2.5 standard deviations on either side.
pub(crate) fn around(share: f64, n: usize) -> [usize; 4] {
    let spread = libm::sqrt(n as f64 * share * (1.0 - share)) + 1.0;
    [-2.5, -0.8, 0.8, 2.5].map(|d| ((share * n as f64 + d * spread).max(0.0) as usize).min(n - 1))
}
