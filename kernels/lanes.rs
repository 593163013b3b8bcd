//! The vocabulary: sixteen f32 lanes, whatever the width of a register.

pub(crate) mod base;
pub(crate) mod native;

/// Sixteen lanes. A value of this type is the proof that its instructions exist.
pub(crate) trait Lanes: Copy {
    /// Sixteen f32.
    type F: Copy;
    /// Sixteen answers.
    type M: Copy;
    /// Eight words, spread for `look_up`.
    type T: Copy;
    /// Whether `mul_add` rounds once.
    const FUSED: bool;

    fn splat(self, x: f32) -> Self::F;
    fn load(self, x: &[f32; 16]) -> Self::F;
    fn load_f16(self, x: &[u16; 16]) -> Self::F;
    fn load_bf16(self, x: &[u16; 16]) -> Self::F;
    fn store(self, v: Self::F, to: &mut [f32; 16]);

    fn add(self, a: Self::F, b: Self::F) -> Self::F;
    fn sub(self, a: Self::F, b: Self::F) -> Self::F;
    fn mul(self, a: Self::F, b: Self::F) -> Self::F;
    /// a·b + c, rounded once where `FUSED`, twice otherwise.
    fn mul_add(self, a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// The greater; if either is NaN, either.
    fn max(self, a: Self::F, b: Self::F) -> Self::F;
    /// p·2^k by adding to the exponent, k being the low bits of `k`.
    fn scale(self, p: Self::F, k: Self::F) -> Self::F;

    fn table(self, words: &[u32; 8]) -> Self::T;
    /// The word that the low three bits of `k` name, plus the bits of `k` moved up by 20: eighths of powers of two, where the
    /// words are 2^(i/8) less i moved up by 20.
    fn look_up(self, table: Self::T, k: Self::F) -> Self::F;

    /// a >= b, false where either is NaN.
    fn ge(self, a: Self::F, b: Self::F) -> Self::M;
    /// Whether either is NaN.
    fn unordered(self, a: Self::F, b: Self::F) -> Self::M;
    fn and(self, a: Self::M, b: Self::M) -> Self::M;
    /// `v` where `m`, else 0.
    fn keep(self, m: Self::M, v: Self::F) -> Self::F;
    /// Where `a` and not `b`.
    fn and_not(self, a: Self::M, b: Self::M) -> Self::M;
    /// Bit i is lane i.
    fn bits(self, m: Self::M) -> u32;

    /// Asks for a cache line; any address will do.
    fn prefetch<T>(self, p: *const T);

    /// Sum by halves: lane i and lane i + 8, then + 4, + 2, + 1. The order is the contract.
    #[inline(always)]
    fn sum(self, v: Self::F) -> f32 {
        let mut t = [0.0; 16];
        self.store(v, &mut t);
        let a: [f32; 8] = [
            t[0] + t[8],
            t[1] + t[9],
            t[2] + t[10],
            t[3] + t[11],
            t[4] + t[12],
            t[5] + t[13],
            t[6] + t[14],
            t[7] + t[15],
        ];
        let b = [a[0] + a[4], a[1] + a[5], a[2] + a[6], a[3] + a[7]];
        (b[0] + b[2]) + (b[1] + b[3])
    }

    /// The greatest lane, +0.0 where that is a zero.
    #[inline(always)]
    fn top(self, v: Self::F) -> f32 {
        let mut t = [0.0; 16];
        self.store(v, &mut t);
        let mut m = t[0];
        for x in t {
            if x > m {
                m = x;
            }
        }
        m + 0.0
    }
}

/// The answer of all sixteen lanes being yes.
pub(crate) const FULL: u32 = 0xffff;

/// `[f(0), f(1), f(2), f(3)]` written out: four independent chains in source order, which hides the latency of each,
/// and no closure, which would lose the instructions of the level.
macro_rules! four {
    ($j:ident => $e:expr) => {
        [
            { let $j = 0_usize; $e },
            { let $j = 1_usize; $e },
            { let $j = 2_usize; $e },
            { let $j = 3_usize; $e },
        ]
    };
}
pub(crate) use four;
