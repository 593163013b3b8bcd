//! What stays of a row, in the words of a kernel that reads it block by block.

use crate::Element;
use crate::block::{BLOCK, Blocks, Maxima};
use crate::lanes::Lanes;

/// An interval of logits for each block, and one block in which some ties stay and some go.
///
/// Implemented by [`Cut`](crate::Cut) and [`Window`](crate::Window), and not meant for others.
pub trait Stays: Copy {
    /// Whether the upper end of the interval counts.
    #[doc(hidden)]
    const CEILING: bool;

    /// The logits of block `b` that stay, both ends included; in the split block, also the ties that go.
    #[doc(hidden)]
    fn interval(&self, b: usize) -> (f32, f32);

    /// The last id that stays among ties; none where all do.
    #[doc(hidden)]
    fn last_tie(&self) -> u32;

    /// Whether the logit is one of those that are split.
    #[doc(hidden)]
    fn is_tie(&self, x: f32) -> bool;

    /// Whether the logit `x` at the id stays.
    fn keeps(&self, id: u32, x: f32) -> bool;
}

/// Whether a logit lies between two others, both included.
#[inline(always)]
pub(crate) fn holds((low, high): (f32, f32), x: f32) -> bool {
    low <= x && x <= high
}

/// The block in which some ties stay and some go.
#[inline(always)]
pub(crate) fn split_block<S: Stays>(stays: &S) -> usize {
    match stays.last_tie() {
        u32::MAX => usize::MAX,
        last => last as usize / BLOCK,
    }
}

/// Block `b` with the ties that go set to −∞: what its interval then holds is exactly what stays.
#[inline(always)]
pub(crate) fn view<'a, S: Stays, E: Element>(
    stays: &S,
    blocks: &'a Blocks<'_, E>,
    b: usize,
    scratch: &'a mut [E; BLOCK],
) -> &'a [E; BLOCK] {
    let block = blocks.get(b);
    if b != split_block(stays) {
        return block;
    }
    *scratch = *block;
    for x in &mut scratch[stays.last_tie() as usize % BLOCK + 1..] {
        if stays.is_tie(x.value()) {
            *x = E::FLOOR;
        }
    }
    scratch
}

/// Two ends, spread over the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Ends<L: Lanes> {
    lanes: L,
    low: L::F,
    high: L::F,
}

impl<L: Lanes> Ends<L> {
    #[inline(always)]
    pub(crate) fn new(lanes: L, (low, high): (f32, f32)) -> Self {
        Self {
            lanes,
            low: lanes.splat(low),
            high: lanes.splat(high),
        }
    }

    /// Which lanes of a block reach the lower end, as bits.
    #[inline(always)]
    pub(crate) fn reached_by(&self, maxima: &Maxima) -> u32 {
        let maxima = self.lanes.load(&maxima.0);
        self.lanes.bits(self.lanes.ge(maxima, self.low))
    }

    /// Which logits lie between the ends; without a `ceiling`, the upper one does not count.
    #[inline(always)]
    pub(crate) fn hold(&self, ceiling: bool, x: L::F) -> L::M {
        let m = self.lanes.ge(x, self.low);
        if ceiling {
            self.lanes.and(m, self.lanes.ge(self.high, x))
        } else {
            m
        }
    }
}
