//! Rows: raw bits, a small alphabet, or a pattern of up to 6,143 logits with edits.

use crate::Number;
use arbitrary::Arbitrary;
use mirostat::{Row, bf16, f16};

/// The element type of a row.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Element {
    F32,
    F16,
    Bf16,
    F64,
}

/// How a row is made.
#[derive(Arbitrary, Clone, Debug)]
pub enum Recipe {
    /// The bits of the elements themselves.
    Bits(Vec<u8>),
    /// Few values, often repeated.
    Alphabet { values: [Number; 6], picks: Vec<u8> },
    /// One number for each logit.
    Numbers(Vec<Number>),
    /// offset + scale · shape(i), with single logits changed.
    Pattern {
        len: u16,
        shape: Shape,
        seed: u32,
        scale: Number,
        offset: Number,
        edits: Vec<(u16, Number)>,
    },
}

/// The shape of a pattern.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Shape {
    Flat,
    Ramp,
    Fall,
    Noise,
    NoiseInSteps(u8),
    Period(u8),
    TailMasked(u16),
    BlocksMasked,
}

/// A row that owns its logits.
#[derive(Clone, Debug)]
pub enum AnyRow {
    F32(Vec<f32>),
    F16(Vec<f16>),
    Bf16(Vec<bf16>),
    F64(Vec<f64>),
}

impl AnyRow {
    /// The row, borrowed.
    pub fn row(&self) -> Row<'_> {
        match self {
            Self::F32(row) => row.into(),
            Self::F16(row) => row.into(),
            Self::Bf16(row) => row.into(),
            Self::F64(row) => row.into(),
        }
    }
}

impl Recipe {
    /// The row.
    pub fn make(&self, element: Element) -> AnyRow {
        if let Self::Bits(bytes) = self {
            return from_bits(bytes, element);
        }
        match element {
            Element::F32 => AnyRow::F32(self.numbers(|x| x.f32(), |x| x as f32)),
            Element::F16 => AnyRow::F16(self.numbers(|x| f16::from_f32(x.f32()), f16::from_f64)),
            Element::Bf16 => {
                AnyRow::Bf16(self.numbers(|x| bf16::from_f32(x.f32()), bf16::from_f64))
            }
            Element::F64 => AnyRow::F64(self.numbers(Number::f64, |x| x)),
        }
    }

    fn numbers<T: Copy>(&self, number: impl Fn(Number) -> T, wide: impl Fn(f64) -> T) -> Vec<T> {
        match self {
            Self::Bits(_) => unreachable!("made from bits"),
            Self::Alphabet { values, picks } => picks
                .iter()
                .map(|&i| number(values[usize::from(i) % values.len()]))
                .collect(),
            Self::Numbers(numbers) => numbers.iter().map(|&x| number(x)).collect(),
            Self::Pattern {
                len,
                shape,
                seed,
                scale,
                offset,
                edits,
            } => {
                // Most are short, so that there are many; some are long enough to be drawn from in blocks.
                let longest = if len % 4 == 0 { 6143 } else { 700 };
                let len = 1 + usize::from(len / 4) % longest;
                let (scale, offset) = (scale.f64(), offset.f64());
                let mut row: Vec<T> = (0..len)
                    .map(|i| wide(offset + scale * shape.at(i, len, *seed)))
                    .collect();
                for &(at, x) in edits {
                    row[usize::from(at) % len] = number(x);
                }
                row
            }
        }
    }
}

impl Shape {
    fn at(self, i: usize, len: usize, seed: u32) -> f64 {
        let noise = || {
            let mut x = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ u64::from(seed) << 20;
            x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            (x >> 40) as f64 / 16_777_216.0
        };
        match self {
            Self::Flat => 0.0,
            Self::Ramp => i as f64 / len as f64,
            Self::Fall => -(i as f64),
            Self::Noise => noise(),
            Self::NoiseInSteps(n) => (noise() * f64::from(n)).floor(),
            Self::Period(n) => (i % (1 + usize::from(n))) as f64,
            Self::TailMasked(n) if i >= usize::from(n) => f64::NEG_INFINITY,
            Self::BlocksMasked if i / 256 % 2 == 1 => f64::NEG_INFINITY,
            Self::TailMasked(_) | Self::BlocksMasked => noise(),
        }
    }
}

fn from_bits(bytes: &[u8], element: Element) -> AnyRow {
    fn chunks<const N: usize, T>(bytes: &[u8], make: impl Fn([u8; N]) -> T) -> Vec<T> {
        bytes
            .as_chunks::<N>()
            .0
            .iter()
            .map(|&chunk| make(chunk))
            .collect()
    }
    match element {
        Element::F32 => AnyRow::F32(chunks(bytes, f32::from_le_bytes)),
        Element::F16 => AnyRow::F16(chunks(bytes, f16::from_le_bytes)),
        Element::Bf16 => AnyRow::Bf16(chunks(bytes, bf16::from_le_bytes)),
        Element::F64 => AnyRow::F64(chunks(bytes, f64::from_le_bytes)),
    }
}
