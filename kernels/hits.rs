//! The blocks of a row that can hold what stays: those of which a lane reaches the lower end.

use crate::block::Maxima;
use crate::lanes::Lanes;
use crate::stays::{Ends, Stays, split_block};
use core::ops::Range;

/// What reaches the lower end.
#[derive(Clone, Copy)]
pub(crate) struct Hits {
    /// Blocks, named at the front of the list in ascending order.
    pub(crate) blocks: usize,
    /// Lanes that reach it, over all those blocks.
    pub(crate) lanes: usize,
}

/// Names in `hits` the blocks that can hold what stays; among the first `of` that it names already, or among all.
#[inline(always)]
pub(crate) fn find_hits<L: Lanes, S: Stays>(
    l: L,
    stays: &S,
    maxima: &[Maxima],
    of: Option<usize>,
    hits: &mut [u32],
) -> Hits {
    let n = of.unwrap_or(maxima.len());
    let hits = &mut hits[..n];
    // One interval up to the split block, another for those behind it: so neither loop makes its own anew for each block.
    let split = split_block(stays);
    let first_behind = match of {
        Some(_) => hits.partition_point(|&b| b as usize <= split),
        None => n.min(split.saturating_add(1)),
    };
    let mut found = Hits {
        blocks: 0,
        lanes: 0,
    };
    let ends = Ends::new(l, stays.interval(0));
    found = name(ends, maxima, 0..first_behind, of.is_some(), hits, found);
    if first_behind < n {
        let ends = Ends::new(l, stays.interval(split + 1));
        found = name(ends, maxima, first_behind..n, of.is_some(), hits, found);
    }
    found
}

/// Names the hits among the blocks at these places of `hits`, or of the row where none were named.
///
/// Which block is a hit makes no branch: each is named, and the next name is written over it if it is none.
#[inline(always)]
fn name<L: Lanes>(
    ends: Ends<L>,
    maxima: &[Maxima],
    places: Range<usize>,
    among_named: bool,
    hits: &mut [u32],
    mut found: Hits,
) -> Hits {
    let mut i = places.start;
    while i < places.end {
        let b = if among_named { hits[i] as usize } else { i };
        let lanes = ends.reached_by(&maxima[b]);
        hits[found.blocks] = b as u32;
        found.blocks += usize::from(lanes != 0);
        found.lanes += lanes.count_ones() as usize;
        i += 1;
    }
    found
}
