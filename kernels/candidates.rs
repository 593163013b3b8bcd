//! The logits that survived, listed where they are few; the blocks that hold them where they are many.

use crate::{BLOCK, Element};

/// Candidates that are listed one by one; more than this are treated block by block.
pub const FEW: usize = 4096;

/// Buffers that outlive a row: 88 KiB, and 8 bytes for every block of 256 logits.
#[derive(Clone, Debug)]
pub struct Candidates {
    pub(crate) ids: Box<[u32; FEW + BLOCK]>,
    pub(crate) values: Box<[f32; FEW + BLOCK]>,
    pub(crate) weights: Box<[f32; FEW + BLOCK]>,
    pub(crate) keys: Box<[u64; FEW + BLOCK]>,
    /// The blocks that hold a candidate.
    pub(crate) hits: Vec<u32>,
    /// Their weights, or those of all blocks, where candidates are too many to list.
    pub(crate) parts: Vec<f32>,
}

impl Default for Candidates {
    fn default() -> Self {
        Self::new()
    }
}

impl Candidates {
    /// Buffers for rows without logits; they grow by `reserve`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            ids: Box::new([0; FEW + BLOCK]),
            values: Box::new([0.0; FEW + BLOCK]),
            weights: Box::new([0.0; FEW + BLOCK]),
            keys: Box::new([0; FEW + BLOCK]),
            hits: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Makes room for rows of so many blocks; allocates only when that is more than ever before.
    pub fn reserve(&mut self, blocks: usize) {
        if self.hits.len() < blocks {
            self.hits.resize(blocks, 0);
            self.parts.resize(blocks, 0.0);
        }
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (FEW + BLOCK) * 20 + self.hits.capacity() * 4 + self.parts.capacity() * 4
    }

    /// The id at `position` of the list, and its logit.
    #[must_use]
    pub fn listed(&self, position: usize) -> (u32, f32) {
        (self.ids[position], self.values[position])
    }

    /// The logits of the first `n` listed.
    #[must_use]
    pub fn logits(&self, n: usize) -> &[f32] {
        &self.values[..n]
    }

    /// The weights of the blocks of what was found by mass, if they were wanted.
    #[must_use]
    pub fn parts(&self) -> &[f32] {
        &self.parts
    }

    /// The greatest of the first `n` listed, of which there must be one.
    #[must_use]
    pub fn greatest(&self, n: usize) -> f32 {
        self.values[..n].iter().fold(f32::MIN, |a, &b| a.max(b))
    }

    /// Of `n` listed, brings the `m` that rank first to the front, in any order, the last of them at position `m` − 1.
    ///
    /// Rank: greater logits first, smaller ids first among equals. The first `ranked` must stand in rank order and before all
    /// others already; they stay where they are. `m` is from 1 to `n`.
    pub fn select(&mut self, ranked: usize, n: usize, m: usize) {
        if m > ranked {
            self.write_keys(n);
            self.keys[ranked..n].select_nth_unstable(m - ranked - 1);
            self.read_keys(n);
        }
    }

    /// Of `n` listed, brings the `m` that rank first to the front, in rank order.
    pub fn rank(&mut self, n: usize, m: usize) {
        let m = m.min(n);
        self.write_keys(n);
        if m < n {
            self.keys[..n].select_nth_unstable(m);
        }
        self.keys[..m].sort_unstable();
        self.read_keys(n);
    }

    /// Puts the first `n` listed in id order.
    pub fn sort_by_id(&mut self, n: usize) {
        self.key_by(n, |id, x| u64::from(id) << 32 | u64::from(x.to_bits()));
        self.keys[..n].sort_unstable();
        for ((&key, id), x) in self.keys[..n]
            .iter()
            .zip(&mut self.ids[..n])
            .zip(&mut self.values[..n])
        {
            (*id, *x) = ((key >> 32) as u32, f32::from_bits(key as u32));
        }
    }

    /// Gives each of the first `n` listed a key of its own, to be cut and ordered by in place of its rank.
    pub fn key_by(&mut self, n: usize, key: impl Fn(u32, f32) -> u64) {
        for ((to, &id), &x) in self.keys[..n]
            .iter_mut()
            .zip(&self.ids[..n])
            .zip(&self.values[..n])
        {
            *to = key(id, x);
        }
    }

    /// Keeps of the first `n` listed those for which `stays` says so, in their order; returns how many.
    pub fn retain(&mut self, n: usize, stays: impl Fn(u32, f32) -> bool) -> usize {
        let mut kept = 0;
        for i in 0..n {
            let (id, x) = (self.ids[i], self.values[i]);
            if stays(id, x) {
                (self.ids[kept], self.values[kept]) = (id, x);
                kept += 1;
            }
        }
        kept
    }

    /// Puts the first `n` listed in the order of their keys, whose low 32 bits must be their ids.
    pub fn sort_by_key<E: Element>(&mut self, n: usize, row: &[E]) {
        self.keys[..n].sort_unstable();
        for ((&key, id), x) in self.keys[..n]
            .iter()
            .zip(&mut self.ids[..n])
            .zip(&mut self.values[..n])
        {
            *id = key as u32;
            *x = row[key as u32 as usize].value();
        }
    }

    /// Gives each of the first `n` listed the key of its rank.
    pub(crate) fn write_keys(&mut self, n: usize) {
        self.key_by(n, key_of);
    }

    fn read_keys(&mut self, n: usize) {
        for ((&key, id), x) in self.keys[..n]
            .iter()
            .zip(&mut self.ids[..n])
            .zip(&mut self.values[..n])
        {
            (*id, *x) = (key as u32, value_of(!(key >> 32) as u32));
        }
    }
}

/// The place of a logit among all f32 as a whole number: greater logits have greater numbers, and both zeros the same.
#[inline(always)]
pub(crate) fn ordinal(x: f32) -> u32 {
    let bits = (x + 0.0).to_bits();
    bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 0x8000_0000)
}

/// The logit at a place.
#[inline(always)]
pub(crate) fn value_of(ordinal: u32) -> f32 {
    f32::from_bits(if ordinal >> 31 == 1 {
        ordinal ^ 0x8000_0000
    } else {
        !ordinal
    })
}

/// Ascending keys are descending logits, and ascending ids among equals.
#[inline(always)]
pub(crate) fn key_of(id: u32, x: f32) -> u64 {
    u64::from(!ordinal(x)) << 32 | u64::from(id)
}
