//! Sixteen lanes of `wide`: what every machine has. Never fused.

use super::Lanes;
use wide::{f32x16, u32x16};

/// The level of a machine about which nothing is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Base;

#[inline(always)]
fn widen(x: &[u16; 16]) -> u32x16 {
    let mut w = [0_u32; 16];
    let mut i = 0;
    while i < 16 {
        w[i] = i32::from(x[i].cast_signed()).cast_unsigned();
        i += 1;
    }
    u32x16::new(w)
}

#[inline(always)]
fn float(v: u32x16) -> f32x16 {
    bytemuck::cast(v)
}

#[inline(always)]
fn whole(v: f32x16) -> u32x16 {
    bytemuck::cast(v)
}

impl Lanes for Base {
    type F = f32x16;
    type M = f32x16;
    type T = [u32; 8];
    const FUSED: bool = false;

    #[inline(always)]
    fn splat(self, x: f32) -> f32x16 {
        f32x16::splat(x)
    }
    #[inline(always)]
    fn load(self, x: &[f32; 16]) -> f32x16 {
        f32x16::new(*x)
    }
    #[inline(always)]
    fn load_f16(self, x: &[u16; 16]) -> f32x16 {
        let h = widen(x);
        let f = float((h << 13_u32) & u32x16::splat(0x8fff_e000))
            * f32x16::splat(f32::from_bits(0x7780_0000));
        let special = f.abs().simd_ge(f32x16::splat(65536.0));
        f | (special & f32x16::splat(f32::INFINITY))
    }
    #[inline(always)]
    fn load_bf16(self, x: &[u16; 16]) -> f32x16 {
        float(widen(x) << 16_u32)
    }
    #[inline(always)]
    fn store(self, v: f32x16, to: &mut [f32; 16]) {
        *to = v.to_array();
    }
    #[inline(always)]
    fn add(self, a: f32x16, b: f32x16) -> f32x16 {
        a + b
    }
    #[inline(always)]
    fn sub(self, a: f32x16, b: f32x16) -> f32x16 {
        a - b
    }
    #[inline(always)]
    fn mul(self, a: f32x16, b: f32x16) -> f32x16 {
        a * b
    }
    /// Not wide's `mul_add`: that one is fused or not by how the crate was compiled.
    #[inline(always)]
    fn mul_add(self, a: f32x16, b: f32x16, c: f32x16) -> f32x16 {
        a * b + c
    }
    #[inline(always)]
    fn max(self, a: f32x16, b: f32x16) -> f32x16 {
        a.fast_max(b)
    }
    #[inline(always)]
    fn scale(self, p: f32x16, k: f32x16) -> f32x16 {
        float(whole(p) + (whole(k) << 23_u32))
    }
    #[inline(always)]
    fn table(self, words: &[u32; 8]) -> [u32; 8] {
        *words
    }
    #[inline(always)]
    fn look_up(self, table: [u32; 8], k: f32x16) -> f32x16 {
        let mut bits = whole(k).to_array();
        for b in &mut bits {
            *b = table[(*b & 7) as usize].wrapping_add(*b << 20);
        }
        float(u32x16::new(bits))
    }
    #[inline(always)]
    fn ge(self, a: f32x16, b: f32x16) -> f32x16 {
        a.simd_ge(b)
    }
    #[inline(always)]
    fn unordered(self, a: f32x16, b: f32x16) -> f32x16 {
        !(a.simd_eq(a) & b.simd_eq(b))
    }
    #[inline(always)]
    fn and(self, a: f32x16, b: f32x16) -> f32x16 {
        a & b
    }
    #[inline(always)]
    fn keep(self, m: f32x16, v: f32x16) -> f32x16 {
        m & v
    }
    #[inline(always)]
    fn and_not(self, a: f32x16, b: f32x16) -> f32x16 {
        a & !b
    }
    #[inline(always)]
    fn bits(self, m: f32x16) -> u32 {
        m.to_bitmask()
    }
    #[inline(always)]
    fn prefetch<T>(self, _p: *const T) {
        #[cfg(target_arch = "x86_64")]
        if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
            sse._mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(_p.cast());
        }
    }
}
