//! `SplitMix64`: s ← s + 0x9E3779B97F4A7C15, the output is a mix of s; the rows' only randomness.

/// `SplitMix64` with its state in the open: `Rng(seed)` starts it, a copy of the number resumes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng(pub u64);

impl Rng {
    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A uniform number in [0, 1): the upper 53 bits, times 2^−53.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / 9_007_199_254_740_992.0
    }

    /// A standard normal number by Box and Muller: √(−2 ln a) · cos 2πb, with a and b the next two uniforms.
    pub fn normal(&mut self) -> f64 {
        let (a, b) = (1.0 - self.uniform(), self.uniform());
        (-2.0 * libm::log(a)).sqrt() * libm::cos(2.0 * core::f64::consts::PI * b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bits_are_those_of_splitmix64() {
        // Vigna's splitmix64.c with x = 0 and x = 1234567.
        assert_eq!(Rng(0).bits(), 0xE220_A839_7B1D_CDAF);
        let mut rng = Rng(1_234_567);
        assert_eq!(rng.bits(), 6_457_827_717_110_365_317);
        assert_eq!(rng.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn normals_have_mean_zero_and_variance_one() {
        let mut rng = Rng(7);
        let draws: Vec<f64> = (0..20_000).map(|_| rng.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        let square = draws.iter().map(|x| x * x).sum::<f64>() / 20_000.0;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!((square - 1.0).abs() < 0.05, "{square}");
    }
}
