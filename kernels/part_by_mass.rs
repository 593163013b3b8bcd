//! Weights in whole quanta, whose sums are exact, and the key at which their running sum passes a target.

/// The nearest multiple of 2^−39 of a weight of at most 2.
#[inline(always)]
pub(crate) fn quantum(weight: f32) -> f64 {
    const SHIFT: f64 = 1.5 * 8192.0;
    (f64::from(weight) + SHIFT) - SHIFT
}

/// The sum of weights in multiples of 2^−39: exact, so any order will do, and eight run side by side.
#[inline(always)]
pub(crate) fn exact_sum(weights: &[f32]) -> f64 {
    let mut sums = [0.0_f64; 8];
    let (eights, rest) = weights.as_chunks::<8>();
    for eight in eights {
        let mut j = 0;
        while j < 8 {
            sums[j] += quantum(eight[j]);
            j += 1;
        }
    }
    for &w in rest {
        sums[0] += quantum(w);
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
}

/// The key at which the running sum in key order passes the target: quickselect, weighed.
#[inline(always)]
pub(crate) fn part_by_mass(
    mut keys: &mut [u64],
    mut weights: &mut [f32],
    mut running: f64,
    target: f64,
) -> Option<u64> {
    while keys.len() > 12 {
        let (first, middle, last) = (keys[0], keys[keys.len() / 2], keys[keys.len() - 1]);
        let pivot = first.min(middle).max(last.min(first.max(middle)));
        let mut before = 0;
        let mut i = 0;
        while i < keys.len() {
            let goes_before = keys[i] <= pivot;
            keys.swap(i, before);
            weights.swap(i, before);
            before += usize::from(goes_before);
            i += 1;
        }
        let mass = exact_sum(&weights[..before]);
        let all_before = before == keys.len();
        if running + mass > target {
            if all_before {
                // The pivot is the greatest: set it aside as the last.
                let at = position_of(keys, pivot);
                keys.swap(at, before - 1);
                weights.swap(at, before - 1);
                let rest = running + exact_sum(&weights[..before - 1]);
                if rest <= target {
                    return Some(pivot);
                }
                before -= 1;
            }
            (keys, weights) = (&mut keys[..before], &mut weights[..before]);
        } else {
            if all_before {
                return None;
            }
            running += mass;
            (keys, weights) = (&mut keys[before..], &mut weights[before..]);
        }
    }
    let mut i = 1;
    while i < keys.len() {
        let mut j = i;
        while j > 0 && keys[j - 1] > keys[j] {
            keys.swap(j - 1, j);
            weights.swap(j - 1, j);
            j -= 1;
        }
        i += 1;
    }
    i = 0;
    while i < keys.len() {
        running += quantum(weights[i]);
        if running > target {
            return Some(keys[i]);
        }
        i += 1;
    }
    None
}

#[inline(always)]
fn position_of(keys: &[u64], key: u64) -> usize {
    let mut i = 0;
    while i + 1 < keys.len() && keys[i] != key {
        i += 1;
    }
    i
}
