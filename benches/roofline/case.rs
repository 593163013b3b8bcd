//! What a cell of the table is a cell of.

use mirostat_rows::Shape;

/// Rows of one size, kind and element type, in a pool of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) vocabulary: usize,
    pub(crate) filling: Filling,
    pub(crate) element: ElementType,
    pub(crate) pool: PoolSize,
}

/// What the rows hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Filling {
    Shape(Shape),
    /// The bundled rows of SmolLM2, each copy with a constant of its own.
    Real,
}

impl Filling {
    pub(crate) const ALL: [Self; 5] = [
        Self::Shape(Shape::LlmLike),
        Self::Shape(Shape::Iid),
        Self::Shape(Shape::Flat),
        Self::Shape(Shape::NearlyFlat),
        Self::Real,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Shape(shape) => shape.name(),
            Self::Real => "real",
        }
    }

    /// Tokens of a row: as many as wanted, where the rows can be made.
    pub(crate) const fn vocabulary(self, wanted: usize) -> usize {
        match self {
            Self::Shape(_) => wanted,
            Self::Real => 49_152,
        }
    }

    /// The mu that these rows are stepped with, in bits.
    pub(crate) fn mu_bits(self, vocabulary: usize) -> f64 {
        match self {
            Self::Shape(Shape::Flat | Shape::NearlyFlat) => libm::log2(vocabulary as f64) + 1.0,
            Self::Shape(Shape::LlmLike | Shape::Iid) | Self::Real => 10.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ElementType {
    F32,
    Bf16,
    F16,
}

impl ElementType {
    pub(crate) const ALL: [Self; 3] = [Self::F32, Self::Bf16, Self::F16];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PoolSize {
    /// Twelve rows, for checking answers.
    Few,
    /// 14 MiB: in the third-level cache and beyond the second.
    L3,
    /// 256 MiB: beyond every cache.
    Dram,
}

impl PoolSize {
    pub(crate) const TIMED: [Self; 2] = [Self::L3, Self::Dram];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Few => "few",
            Self::L3 => "l3",
            Self::Dram => "dram",
        }
    }

    /// Rows of so many bytes in the pool.
    pub(crate) const fn rows(self, bytes_of_row: usize) -> usize {
        match self {
            Self::Few => 12,
            Self::L3 => (14 << 20) / bytes_of_row,
            Self::Dram => (256 << 20) / bytes_of_row,
        }
    }
}
