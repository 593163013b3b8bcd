//! The orders in which a running sum goes through candidates.

use crate::bracket::Bracket;
use crate::candidates::{key_of, ordinal, value_of};
use crate::stays::{Stays, holds};

/// An order of logits: greater places come first, and smaller ids first in one place.
pub(crate) trait Order: Copy {
    /// Whether there are logits too great to come as early as others.
    const CEILING: bool;

    fn place(&self, x: f32) -> u32;

    /// The logits at this place or before it, from one to another, both included.
    fn until(&self, place: u32) -> (f32, f32);

    /// All places that candidates can have.
    fn all(&self) -> Bracket;

    /// Ascending keys come later; the low 32 bits are the id.
    fn key(&self, id: u32, x: f32) -> u64;
}

/// Descending logits.
#[derive(Clone, Copy)]
pub(crate) struct Rank {
    /// The least candidate, or less.
    pub(crate) least: f32,
    /// The greatest candidate, or more.
    pub(crate) top: f32,
}

impl Order for Rank {
    const CEILING: bool = false;

    fn place(&self, x: f32) -> u32 {
        ordinal(x)
    }

    fn until(&self, place: u32) -> (f32, f32) {
        (value_of(place), f32::MAX)
    }

    fn all(&self) -> Bracket {
        Bracket {
            low: ordinal(self.least),
            high: ordinal(self.top) + 1,
        }
    }

    fn key(&self, id: u32, x: f32) -> u64 {
        key_of(id, x)
    }
}

/// What stays, up to a place in an order.
#[derive(Clone, Copy)]
pub(crate) struct Until<S, O> {
    stays: S,
    order: core::marker::PhantomData<O>,
    ends: (f32, f32),
}

impl<S: Stays, O: Order> Until<S, O> {
    pub(crate) fn place(stays: S, order: O, place: u32) -> Self {
        Self {
            stays,
            order: core::marker::PhantomData,
            ends: order.until(place),
        }
    }
}

impl<S, O> Until<S, O> {
    pub(crate) const fn ends(&self) -> (f32, f32) {
        self.ends
    }
}

impl<S: Stays, O: Order> Stays for Until<S, O> {
    const CEILING: bool = S::CEILING || O::CEILING;

    #[inline(always)]
    fn interval(&self, b: usize) -> (f32, f32) {
        let (low, high) = self.stays.interval(b);
        (low.max(self.ends.0), high.min(self.ends.1))
    }

    #[inline(always)]
    fn last_tie(&self) -> u32 {
        self.stays.last_tie()
    }

    #[inline(always)]
    fn is_tie(&self, x: f32) -> bool {
        self.stays.is_tie(x)
    }

    fn keeps(&self, id: u32, x: f32) -> bool {
        holds(self.ends, x) && self.stays.keeps(id, x)
    }
}
