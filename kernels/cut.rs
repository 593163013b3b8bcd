//! Which logits stay: those at or above an edge, and of those equal to it the ones with the smaller ids.

use crate::Element;
use crate::block::{BLOCK, Maxima};
use crate::stays::Stays;

/// An edge in logit space, and the last id that stays among logits equal to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// The least logit that stays, finite: −∞ never does.
    pub edge: f32,
    /// Of the logits equal to the edge, those with larger ids go.
    pub last_tie: u32,
}

impl Cut {
    /// Everything at or above `edge`; −∞ is raised to the least finite number.
    #[must_use]
    pub fn at(edge: f32) -> Self {
        Self {
            edge: edge.clamp(f32::MIN, f32::MAX) + 0.0,
            last_tie: u32::MAX,
        }
    }

    /// Everything above `edge`, and what equals it up to the id `last_tie`.
    #[must_use]
    pub fn with_ties(edge: f32, last_tie: u32) -> Self {
        Self {
            edge: edge + 0.0,
            last_tie,
        }
    }
}

impl Stays for Cut {
    const CEILING: bool = false;

    /// All ties go where the last of them lies in an earlier block.
    #[inline(always)]
    fn interval(&self, b: usize) -> (f32, f32) {
        let edge = if b * BLOCK > self.last_tie as usize {
            self.edge.next_up()
        } else {
            self.edge
        };
        (edge, f32::MAX)
    }

    #[inline(always)]
    fn last_tie(&self) -> u32 {
        self.last_tie
    }

    #[inline(always)]
    fn is_tie(&self, x: f32) -> bool {
        x == self.edge
    }

    fn keeps(&self, id: u32, x: f32) -> bool {
        x > self.edge || (x == self.edge && id <= self.last_tie)
    }
}

/// The first position at which `value` stands, which must be finite and in the row.
pub fn first_equal<E: Element>(row: &[E], maxima: &[Maxima], value: f32) -> u32 {
    for (b, maxima) in maxima[..crate::blocks(row.len())].iter().enumerate() {
        let mut hit = false;
        for &m in &maxima.0 {
            hit |= m >= value;
        }
        if hit {
            let start = b * BLOCK;
            for (i, x) in row[start..row.len().min(start + BLOCK)].iter().enumerate() {
                if x.value() == value {
                    return (start + i) as u32;
                }
            }
        }
    }
    debug_assert!(false, "{value} is not in the row");
    0
}
