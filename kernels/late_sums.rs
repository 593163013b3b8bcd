//! The weights of blocks, each added up from its lanes when the lanes of the next are there: nothing waits for what is ready.

use crate::lanes::Lanes;

pub(crate) struct LateSums<'a, L: Lanes> {
    lanes: L,
    /// Where the sum of each block goes; to nowhere behind the end.
    to: &'a mut [f32],
    last: L::F,
    /// The place of the last block.
    at: usize,
    total: f64,
}

impl<'a, L: Lanes> LateSums<'a, L> {
    #[inline(always)]
    pub(crate) fn new(lanes: L, to: &'a mut [f32]) -> Self {
        Self {
            lanes,
            to,
            last: lanes.splat(0.0),
            at: usize::MAX,
            total: 0.0,
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, at: usize, lanes: L::F) {
        self.add_last();
        (self.at, self.last) = (at, lanes);
    }

    /// The sum of all, in the order in which they were pushed.
    #[inline(always)]
    pub(crate) fn total(mut self) -> f64 {
        self.add_last();
        self.total
    }

    #[inline(always)]
    fn add_last(&mut self) {
        let sum = self.lanes.sum(self.last);
        if let Some(to) = self.to.get_mut(self.at) {
            *to = sum;
        }
        self.total += f64::from(sum);
    }
}
