//! Numbers: small ones of which many tie, special ones, any bits.

use arbitrary::Arbitrary;

/// One number, of a logit or a parameter.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Number {
    /// In halves, from −64 to 63.5: ties are likely.
    Halves(i8),
    /// In 256ths, from −128 to 128.
    Fine(i16),
    /// One of the numbers where code trips.
    Special(u8),
    /// Any f32.
    Single(u32),
    /// Any f64.
    Double(u64),
}

const SPECIAL: [f64; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f64::NEG_INFINITY,
    f64::NEG_INFINITY,
    f64::NEG_INFINITY,
    f64::INFINITY,
    f64::NAN,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    1.0e-45,
    -1.0e-45,
    1.1754943508222875e-38,
    65_504.0,
    -65_504.0,
    1.0e9,
    -1.0e9,
    1.0e6,
    -1.0e6,
    88.0,
    -103.5,
    -745.0,
    -745.1332191019411,
    1_048_576.0,
    726_817.5,
    4.94e-324,
    1.0e308,
];

impl Number {
    /// The number, in f64.
    pub fn f64(self) -> f64 {
        match self {
            Self::Halves(x) => f64::from(x) / 2.0,
            Self::Fine(x) => f64::from(x) / 256.0,
            Self::Special(i) => SPECIAL[usize::from(i) % SPECIAL.len()],
            Self::Single(bits) => f64::from(f32::from_bits(bits)),
            Self::Double(bits) => f64::from_bits(bits),
        }
    }

    /// The number, in f32.
    pub fn f32(self) -> f32 {
        match self {
            Self::Single(bits) => f32::from_bits(bits),
            other => other.f64() as f32,
        }
    }
}
