//! A row as blocks of 256 logits, sixteen lanes and sixteen deep; what is stored of each; how one is read.

use crate::Element;
use crate::lanes::Lanes;

/// Logits in a block.
pub const BLOCK: usize = 256;

/// The greatest logit of each of the sixteen lanes of a block, in a cache line of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Maxima(pub(crate) [f32; 16]);

impl Maxima {
    /// What a block without logits would have: −∞ throughout.
    pub const NONE: Self = Self([f32::NEG_INFINITY; 16]);
}

/// 64 logits in four vectors.
#[inline(always)]
pub(crate) fn load_four<L: Lanes, E: Element>(l: L, x: &[E; 64]) -> [L::F; 4] {
    let (v, _) = x.as_chunks::<16>();
    [
        E::load(l, &v[0]),
        E::load(l, &v[1]),
        E::load(l, &v[2]),
        E::load(l, &v[3]),
    ]
}

/// The sum of 64 numbers, lane by lane. The order is the contract.
#[inline(always)]
pub(crate) fn add_four<L: Lanes>(l: L, w: [L::F; 4]) -> L::F {
    l.add(l.add(w[0], w[1]), l.add(w[2], w[3]))
}

/// How many of 64 answers are yes.
#[inline(always)]
pub(crate) fn count_four<L: Lanes>(l: L, m: [L::M; 4]) -> usize {
    let n = l.bits(m[0]).count_ones() + l.bits(m[1]).count_ones();
    (n + l.bits(m[2]).count_ones() + l.bits(m[3]).count_ones()) as usize
}

/// The last, short block, filled with −∞.
#[inline(always)]
pub(crate) fn pad<E: Element>(rest: &[E]) -> [E; BLOCK] {
    let mut block = [E::FLOOR; BLOCK];
    block[..rest.len()].copy_from_slice(rest);
    block
}

/// The blocks of a row, the last one padded.
pub(crate) struct Blocks<'a, E> {
    whole: &'a [[E; BLOCK]],
    last: [E; BLOCK],
}

impl<'a, E: Element> Blocks<'a, E> {
    #[inline(always)]
    pub(crate) fn of(row: &'a [E]) -> Self {
        let (whole, rest) = row.as_chunks::<BLOCK>();
        Self {
            whole,
            last: pad(rest),
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, b: usize) -> &[E; BLOCK] {
        self.whole.get(b).unwrap_or(&self.last)
    }
}

/// Blocks that a row of so many logits has.
#[must_use]
pub const fn blocks(logits: usize) -> usize {
    logits.div_ceil(BLOCK)
}
