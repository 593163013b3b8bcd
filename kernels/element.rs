//! The types a logit may have in memory.

use crate::lanes::Lanes;
use half::{bf16, f16};

/// A logit in memory, widened to f32 without rounding when it is read: `f32`, [`struct@f16`] or [`bf16`].
#[expect(
    private_bounds,
    reason = "sealed: a kernel must know how each level loads the type"
)]
pub trait Element: Load + Copy + Send + Sync + 'static {}

impl Element for f32 {}
impl Element for f16 {}
impl Element for bf16 {}

/// The logit at the id, widened.
///
/// # Panics
///
/// If the row is not so long.
#[must_use]
pub fn logit<E: Element>(row: &[E], id: u32) -> f32 {
    row[id as usize].value()
}

pub(crate) trait Load: Copy {
    /// −∞: what pads the last block.
    const FLOOR: Self;
    fn load<L: Lanes>(lanes: L, x: &[Self; 16]) -> L::F;
    fn value(self) -> f32;
}

impl Load for f32 {
    const FLOOR: Self = Self::NEG_INFINITY;
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, x: &[Self; 16]) -> L::F {
        lanes.load(x)
    }
    #[inline(always)]
    fn value(self) -> f32 {
        self
    }
}

impl Load for f16 {
    const FLOOR: Self = Self::NEG_INFINITY;
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, x: &[Self; 16]) -> L::F {
        lanes.load_f16(bytemuck::cast_ref(x))
    }
    #[inline(always)]
    fn value(self) -> f32 {
        self.to_f32()
    }
}

impl Load for bf16 {
    const FLOOR: Self = Self::NEG_INFINITY;
    #[inline(always)]
    fn load<L: Lanes>(lanes: L, x: &[Self; 16]) -> L::F {
        lanes.load_bf16(bytemuck::cast_ref(x))
    }
    #[inline(always)]
    fn value(self) -> f32 {
        self.to_f32()
    }
}
