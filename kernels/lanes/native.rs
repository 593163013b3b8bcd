//! Sixteen lanes in `R` registers of a pulp level: one of V4, two of V3, four of NEON.

use super::Lanes;
use pulp::Simd;

/// What pulp's portable trait does not say, level by level.
pub(crate) trait Native<const R: usize>: Simd {
    type T: Copy;
    fn table(self, words: &[u32; 8]) -> Self::T;
    /// Of the eight words, those that the low three bits of each lane name.
    fn look_up(self, table: Self::T, by: Self::u32s) -> Self::u32s;
    fn bits(self, m: Self::m32s) -> u32;
    fn prefetch<T>(self, p: *const T);
    /// Sixteen u16, each in the low half of a u32 lane, the sign copied upwards.
    fn widen(self, x: &[u16; 16]) -> [Self::u32s; R];

    /// `v` where `m`, else 0. A level whose masks are lanes overrides this with an *and*: pulp's select tests signs first.
    #[inline(always)]
    fn keep(self, m: Self::m32s, v: Self::f32s) -> Self::f32s {
        self.select_f32s(m, v, self.splat_f32s(0.0))
    }

    /// Whether either is NaN.
    #[inline(always)]
    fn unordered(self, a: Self::f32s, b: Self::f32s) -> Self::m32s {
        self.not_m32s(self.and_m32s(self.equal_f32s(a, a), self.equal_f32s(b, b)))
    }

    /// Half precision by integers, exact for every bit pattern: the exponent moved, then scaled by 2^112.
    #[inline(always)]
    fn load_f16(self, x: &[u16; 16]) -> [Self::f32s; R] {
        let h = self.widen(x);
        let mut out = [self.splat_f32s(0.0); R];
        let mut i = 0;
        while i < R {
            let body = self.and_u32s(
                self.wrapping_dyn_shl_u32s(h[i], self.splat_u32s(13)),
                self.splat_u32s(0x8fff_e000),
            );
            let f = self.mul_f32s(
                self.transmute_f32s_u32s(body),
                self.splat_f32s(f32::from_bits(0x7780_0000)),
            );
            // Infinity and NaN come out as 65536 and more: their exponent is then filled with ones.
            let special =
                self.greater_than_or_equal_f32s(self.abs_f32s(f), self.splat_f32s(65536.0));
            out[i] = self.or_f32s(f, self.keep(special, self.splat_f32s(f32::INFINITY)));
            i += 1;
        }
        out
    }
}

/// Sixteen lanes of the level `S`, with or without fused multiply-adds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Native16<S, const R: usize, const FUSED: bool>(pub(crate) S);

/// `[f(0), …, f(R - 1)]` in a loop that is always unrolled.
macro_rules! each {
    ($init:expr, $i:ident => $e:expr) => {{
        let mut out = [$init; R];
        let mut $i = 0;
        while $i < R {
            out[$i] = $e;
            $i += 1;
        }
        out
    }};
}

impl<S: Native<R>, const R: usize, const FUSED: bool> Lanes for Native16<S, R, FUSED> {
    type F = [S::f32s; R];
    type M = [S::m32s; R];
    type T = S::T;
    const FUSED: bool = FUSED;

    #[inline(always)]
    fn splat(self, x: f32) -> Self::F {
        [self.0.splat_f32s(x); R]
    }
    #[inline(always)]
    fn load(self, x: &[f32; 16]) -> Self::F {
        let (v, _) = S::as_simd_f32s(x);
        each!(v[0], i => v[i])
    }
    #[inline(always)]
    fn load_f16(self, x: &[u16; 16]) -> Self::F {
        self.0.load_f16(x)
    }
    #[inline(always)]
    fn load_bf16(self, x: &[u16; 16]) -> Self::F {
        let h = self.0.widen(x);
        each!(self.0.splat_f32s(0.0), i => self.0.transmute_f32s_u32s(self.0.wrapping_dyn_shl_u32s(h[i], self.0.splat_u32s(16))))
    }
    #[inline(always)]
    fn store(self, v: Self::F, to: &mut [f32; 16]) {
        let (t, _) = S::as_mut_simd_f32s(to);
        let mut i = 0;
        while i < R {
            t[i] = v[i];
            i += 1;
        }
    }
    #[inline(always)]
    fn add(self, a: Self::F, b: Self::F) -> Self::F {
        each!(a[0], i => self.0.add_f32s(a[i], b[i]))
    }
    #[inline(always)]
    fn sub(self, a: Self::F, b: Self::F) -> Self::F {
        each!(a[0], i => self.0.sub_f32s(a[i], b[i]))
    }
    #[inline(always)]
    fn mul(self, a: Self::F, b: Self::F) -> Self::F {
        each!(a[0], i => self.0.mul_f32s(a[i], b[i]))
    }
    #[inline(always)]
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        if FUSED {
            each!(a[0], i => self.0.mul_add_f32s(a[i], b[i], c[i]))
        } else {
            self.add(self.mul(a, b), c)
        }
    }
    #[inline(always)]
    fn max(self, a: Self::F, b: Self::F) -> Self::F {
        each!(a[0], i => self.0.max_f32s(a[i], b[i]))
    }
    #[inline(always)]
    fn scale(self, p: Self::F, k: Self::F) -> Self::F {
        let s = self.0;
        let by = s.splat_u32s(23);
        each!(p[0], i => s.transmute_f32s_u32s(s.add_u32s(
            s.transmute_u32s_f32s(p[i]),
            s.wrapping_dyn_shl_u32s(s.transmute_u32s_f32s(k[i]), by),
        )))
    }
    #[inline(always)]
    fn table(self, words: &[u32; 8]) -> Self::T {
        self.0.table(words)
    }
    #[inline(always)]
    fn look_up(self, table: Self::T, k: Self::F) -> Self::F {
        let s = self.0;
        let by = s.splat_u32s(20);
        each!(k[0], i => s.transmute_f32s_u32s(s.add_u32s(
            s.look_up(table, s.transmute_u32s_f32s(k[i])),
            s.wrapping_dyn_shl_u32s(s.transmute_u32s_f32s(k[i]), by),
        )))
    }
    #[inline(always)]
    fn ge(self, a: Self::F, b: Self::F) -> Self::M {
        let s = self.0;
        let first = s.greater_than_or_equal_f32s(a[0], b[0]);
        each!(first, i => s.greater_than_or_equal_f32s(a[i], b[i]))
    }
    #[inline(always)]
    fn unordered(self, a: Self::F, b: Self::F) -> Self::M {
        let first = self.0.unordered(a[0], b[0]);
        each!(first, i => self.0.unordered(a[i], b[i]))
    }
    #[inline(always)]
    fn and(self, a: Self::M, b: Self::M) -> Self::M {
        each!(a[0], i => self.0.and_m32s(a[i], b[i]))
    }
    #[inline(always)]
    fn keep(self, m: Self::M, v: Self::F) -> Self::F {
        each!(v[0], i => self.0.keep(m[i], v[i]))
    }
    #[inline(always)]
    fn and_not(self, a: Self::M, b: Self::M) -> Self::M {
        each!(a[0], i => self.0.and_m32s(a[i], self.0.not_m32s(b[i])))
    }
    #[inline(always)]
    fn bits(self, m: Self::M) -> u32 {
        let mut bits = 0;
        let mut i = 0;
        while i < R {
            bits |= self.0.bits(m[i]) << (i * S::F32_LANES);
            i += 1;
        }
        bits
    }
    #[inline(always)]
    fn prefetch<T>(self, p: *const T) {
        self.0.prefetch(p);
    }
    /// By halves too: pulp's sum of a register is.
    #[inline(always)]
    fn sum(self, mut v: Self::F) -> f32 {
        let mut half = R / 2;
        while half > 0 {
            let mut i = 0;
            while i < half {
                v[i] = self.0.add_f32s(v[i], v[i + half]);
                i += 1;
            }
            half /= 2;
        }
        self.0.reduce_sum_f32s(v[0])
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Native;
    use core::arch::x86_64::{__m128i, __m256i, _CMP_UNORD_Q, _MM_HINT_T0};
    use pulp::x86::{V3, V4};
    use pulp::{b16, cast, f32x8, f32x16, m32x8, u32x8, u32x16};

    impl Native<1> for V4 {
        type T = u32x16;
        #[inline(always)]
        fn table(self, w: &[u32; 8]) -> u32x16 {
            cast([*w, *w])
        }
        #[inline(always)]
        fn look_up(self, table: u32x16, by: u32x16) -> u32x16 {
            cast(self.avx512f._mm512_permutexvar_epi32(cast(by), cast(table)))
        }
        #[inline(always)]
        fn bits(self, m: b16) -> u32 {
            u32::from(m.0)
        }
        #[inline(always)]
        fn prefetch<T>(self, p: *const T) {
            self.sse._mm_prefetch::<_MM_HINT_T0>(p.cast());
        }
        #[inline(always)]
        fn widen(self, x: &[u16; 16]) -> [u32x16; 1] {
            [cast(
                self.avx512f._mm512_cvtepi16_epi32(cast::<_, __m256i>(*x)),
            )]
        }
        #[inline(always)]
        fn unordered(self, a: f32x16, b: f32x16) -> b16 {
            b16(self
                .avx512f
                ._mm512_cmp_ps_mask::<_CMP_UNORD_Q>(cast(a), cast(b)))
        }
        #[inline(always)]
        fn load_f16(self, x: &[u16; 16]) -> [f32x16; 1] {
            [cast(self.avx512f._mm512_cvtph_ps(cast::<_, __m256i>(*x)))]
        }
    }

    impl Native<2> for V3 {
        type T = u32x8;
        #[inline(always)]
        fn table(self, words: &[u32; 8]) -> u32x8 {
            cast(*words)
        }
        #[inline(always)]
        fn look_up(self, table: u32x8, by: u32x8) -> u32x8 {
            cast(self.avx2._mm256_permutevar8x32_epi32(cast(table), cast(by)))
        }
        #[inline(always)]
        fn bits(self, m: m32x8) -> u32 {
            self.avx._mm256_movemask_ps(cast(m)).cast_unsigned()
        }
        #[inline(always)]
        fn prefetch<T>(self, p: *const T) {
            self.sse._mm_prefetch::<_MM_HINT_T0>(p.cast());
        }
        #[inline(always)]
        fn widen(self, x: &[u16; 16]) -> [u32x8; 2] {
            let [a, b]: [__m128i; 2] = cast(*x);
            [
                cast(self.avx2._mm256_cvtepi16_epi32(a)),
                cast(self.avx2._mm256_cvtepi16_epi32(b)),
            ]
        }
        #[inline(always)]
        fn keep(self, m: m32x8, v: f32x8) -> f32x8 {
            cast(self.and_u32x8(cast(m), cast(v)))
        }
        #[inline(always)]
        fn unordered(self, a: f32x8, b: f32x8) -> m32x8 {
            cast(self.avx._mm256_cmp_ps::<_CMP_UNORD_Q>(cast(a), cast(b)))
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use super::Native;
    use core::arch::aarch64::{int16x4_t, uint8x16_t, uint8x16x2_t, uint32x4_t};
    use pulp::aarch64::Neon;
    use pulp::{Simd, cast, f32x4, m32x4, u32x4};

    impl Native<4> for Neon {
        type T = uint8x16x2_t;
        #[inline(always)]
        fn table(self, words: &[u32; 8]) -> uint8x16x2_t {
            let [a, b]: [uint8x16_t; 2] = cast(*words);
            uint8x16x2_t(a, b)
        }
        #[inline(always)]
        fn look_up(self, table: uint8x16x2_t, by: u32x4) -> u32x4 {
            // Each word is looked up as its four bytes: 4·(k mod 8) + 0, 1, 2, 3.
            let word = self.and_u32s(by, self.splat_u32s(7));
            let first = self.mul_u32s(word, self.splat_u32s(0x0404_0404));
            let bytes = self.add_u32s(first, self.splat_u32s(0x0302_0100));
            cast(self.neon.vqtbl2q_u8(table, cast(bytes)))
        }
        #[inline(always)]
        fn bits(self, m: m32x4) -> u32 {
            let weights: uint32x4_t = cast(u32x4(1, 2, 4, 8));
            self.neon.vaddvq_u32(self.neon.vandq_u32(cast(m), weights))
        }
        #[inline(always)]
        fn keep(self, m: m32x4, v: f32x4) -> f32x4 {
            cast(self.neon.vandq_u32(cast(m), cast(v)))
        }
        /// std's prefetch for this architecture is not stable; the hardware's own does what it can.
        #[inline(always)]
        fn prefetch<T>(self, _: *const T) {}
        #[inline(always)]
        fn widen(self, x: &[u16; 16]) -> [u32x4; 4] {
            let q: [int16x4_t; 4] = cast(*x);
            [
                cast(self.neon.vmovl_s16(q[0])),
                cast(self.neon.vmovl_s16(q[1])),
                cast(self.neon.vmovl_s16(q[2])),
                cast(self.neon.vmovl_s16(q[3])),
            ]
        }
    }
}
