//! How far logits lie from a centre, and what stays within a distance of it.

use crate::bracket::Bracket;
use crate::candidates::{ordinal, value_of};
use crate::frame::Frame;
use crate::order::Order;
use crate::stays::{Stays, holds};

/// |e(x) − centre| in bits, with e(x) the exponent of the weight of x: single precision, so that it orders by its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The units of the row's weights.
    pub frame: Frame,
    /// An exponent.
    pub centre: f64,
    /// The least logit that is looked at, finite.
    pub least: f32,
    /// The greatest logit of the row.
    pub top: f32,
}

impl Distance {
    /// The distance of a logit, in bits.
    #[must_use]
    pub fn of(&self, x: f32) -> f32 {
        libm::fabs(self.centre - self.frame.exponent(x)) as f32
    }

    /// Ascending keys are ascending distances, and ascending ids among equals.
    #[must_use]
    pub fn key(&self, id: u32, x: f32) -> u64 {
        // Positive numbers stand in the order of their bits.
        u64::from(self.of(x).to_bits()) << 32 | u64::from(id)
    }

    /// The key that none is greater than.
    #[must_use]
    pub fn last_key(&self) -> u64 {
        self.key(u32::MAX, self.least)
            .max(self.key(u32::MAX, self.top))
    }

    /// What stands in the order of keys up to this one.
    #[must_use]
    pub fn window(&self, last_key: u64) -> Window {
        let farthest = (last_key >> 32) as u32;
        Window {
            outer: self.within(farthest + 1),
            inner: self.within(farthest),
            last_tie: last_key as u32,
        }
    }

    /// The logits whose distance has bits below `until`: all from one to another, both included; the first above the second where
    /// there are none.
    pub(crate) fn within(&self, until: u32) -> (f32, f32) {
        let (first, last) = (ordinal(self.least), ordinal(self.top));
        // The distance falls up to the centre and rises from there.
        let middle = first_where(first, last + 1, |p| {
            self.frame.exponent(value_of(p)) >= self.centre
        });
        let near = |p| self.of(value_of(p)).to_bits() < until;
        let low = first_where(first, middle, near);
        let high = first_where(middle, last + 1, |p| !near(p));
        if low == high {
            return (f32::MAX, f32::MIN);
        }
        (value_of(low), value_of(high - 1))
    }
}

/// The place of distance 0; farther logits have smaller places.
const NEAREST: u32 = 1 << 31;

impl Order for Distance {
    const CEILING: bool = true;

    fn place(&self, x: f32) -> u32 {
        NEAREST - self.of(x).to_bits()
    }

    fn until(&self, place: u32) -> (f32, f32) {
        self.within(NEAREST + 1 - place)
    }

    fn all(&self) -> Bracket {
        Bracket {
            low: self.place(self.least).min(self.place(self.top)),
            high: NEAREST + 1,
        }
    }

    fn key(&self, id: u32, x: f32) -> u64 {
        Distance::key(self, id, x)
    }
}

/// The first number from `low` on for which `holds`, which stays true once it is; `high` if there is none below.
fn first_where(mut low: u32, mut high: u32, holds: impl Fn(u32) -> bool) -> u32 {
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// An interval of logits, and of those at its two ends, which are equally far from its centre, the ones with the smaller ids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// All that stays, and ties that may go.
    outer: (f32, f32),
    /// What stays whatever its id.
    inner: (f32, f32),
    last_tie: u32,
}

impl Stays for Window {
    const CEILING: bool = true;

    #[inline(always)]
    fn interval(&self, b: usize) -> (f32, f32) {
        if b * crate::BLOCK > self.last_tie as usize {
            self.inner
        } else {
            self.outer
        }
    }

    #[inline(always)]
    fn last_tie(&self) -> u32 {
        self.last_tie
    }

    #[inline(always)]
    fn is_tie(&self, x: f32) -> bool {
        holds(self.outer, x) && !holds(self.inner, x)
    }

    fn keeps(&self, id: u32, x: f32) -> bool {
        holds(self.inner, x) || (holds(self.outer, x) && id <= self.last_tie)
    }
}
