//! The best tokens of a row in rank order, made only as deep as somebody has asked.

use crate::Engine;
use crate::scratch::Scratch;
use mirostat_kernels::{self as kernels, Element, FEW, Maxima};
use std::sync::OnceLock;

/// Depths at which a ranking may end: 128, 256 … 4,096.
///
/// Each is ranked by itself, so that what has been made never moves, and threads read it without a lock.
pub(crate) const TIERS: usize = 6;
const SHALLOWEST: usize = FEW >> (TIERS - 1);

/// The shallowest tier that holds `n` tokens, `n` being at most [`FEW`].
pub(crate) const fn tier_of(n: usize) -> usize {
    let mut tier = 0;
    while SHALLOWEST << tier < n {
        tier += 1;
    }
    tier
}

/// The greatest logits of a row, ranked.
#[derive(Debug)]
pub(crate) struct Ranked {
    pub(crate) ids: Box<[u32]>,
    pub(crate) values: Box<[f32]>,
    /// Places in the ranking, in ascending order of ids.
    by_id: OnceLock<Box<[u32]>>,
}

impl Ranked {
    pub(crate) fn by_id(&self) -> &[u32] {
        self.by_id.get_or_init(|| {
            let mut places: Box<[u32]> = (0..self.ids.len() as u32).collect();
            places.sort_unstable_by_key(|&place| self.ids[place as usize]);
            places
        })
    }
}

/// All tiers of one row.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    tiers: [OnceLock<Ranked>; TIERS],
}

impl Ranking {
    /// A tier, made where nobody has asked for it before; it is shorter than its depth where the row has fewer finite logits.
    pub(crate) fn tier<E: Element>(
        &self,
        tier: usize,
        engine: Engine,
        row: &[E],
        (max, maxima): (f32, &[Maxima]),
        scratch: &mut Scratch,
    ) -> &Ranked {
        self.tiers[tier].get_or_init(|| {
            scratch.reserve(row.len());
            let depth = (SHALLOWEST << tier).min(row.len());
            let room = &mut scratch.candidates;
            let found = kernels::top_m(engine, row, max, maxima, depth, room);
            let n = depth.min(found);
            room.rank(found, n);
            let (ids, values) = (0..n)
                .map(|i| room.listed(i))
                .unzip::<_, _, Vec<_>, Vec<_>>();
            Ranked {
                ids: ids.into(),
                values: values.into(),
                by_id: OnceLock::new(),
            }
        })
    }
}

/// The first place whose running sum passes the target; where rounding made the target the total, the last that has weight.
pub(crate) fn by_rank(running: &[f64], target: f64) -> usize {
    let sums = &running[1..];
    let total = sums[sums.len() - 1];
    match sums.partition_point(|&sum| sum <= target) {
        place if place < sums.len() => place,
        _ => sums.partition_point(|&sum| sum < total),
    }
}

/// The same in ascending order of ids, of the places that are kept.
pub(crate) fn by_id(running: &[f64], places: &[u32], target: f64) -> usize {
    let n = running.len() - 1;
    let (mut sum, mut last) = (0.0, 0);
    for &place in places {
        let place = place as usize;
        if place >= n {
            continue;
        }
        let weight = running[place + 1] - running[place];
        sum += weight;
        if sum > target {
            return place;
        }
        if weight > 0.0 {
            last = place;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::{FEW, TIERS, by_id, by_rank, tier_of};

    #[test]
    fn a_tier_holds_what_it_is_for() {
        assert_eq!(
            [1, 128, 129, 256, 4095, FEW].map(tier_of),
            [0, 0, 1, 1, 5, 5]
        );
        assert_eq!(tier_of(FEW) + 1, TIERS);
    }

    #[test]
    fn a_sum_must_pass_the_target() {
        // Weights 4, 2, 0, 1 by rank; by id the ranks stand 2, 3, 0, 1.
        let running = [0.0, 4.0, 6.0, 6.0, 7.0];
        assert_eq!(
            [0.0, 3.9, 4.0, 5.9, 6.0, 7.0].map(|t| by_rank(&running, t)),
            [0, 0, 1, 1, 3, 3]
        );
        let places = [2, 3, 0, 1];
        assert_eq!(
            [0.0, 1.0, 5.0, 7.0].map(|t| by_id(&running, &places, t)),
            [3, 0, 1, 1]
        );
        // The first three by rank only; a target at the total takes the last that has weight.
        assert_eq!(by_rank(&running[..4], 6.0), 1);
        assert_eq!(by_id(&running[..4], &places, 5.9), 1);
    }
}
