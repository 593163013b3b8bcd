//! The door: a row of logits, borrowed, of any element type; many rows as a list or as a matrix with a stride.

use crate::{Error, Result};
use half::{bf16, f16};

/// One row of logits, borrowed: natural-log scores of every token, with any common offset.
///
/// −∞ masks a token. NaN and +∞ are refused by whatever reads the row, with the index; so is a row without a finite logit. `f32`,
/// `f16` and `bf16` rows are read by the kernels without a copy; an `f64` row takes the slow, exact door of
/// [`reference`](crate::reference), which allocates.
///
/// # Examples
///
/// ```
/// use mirostat::Row;
/// let logits = vec![1.0_f32, 2.0, f32::NEG_INFINITY];
/// assert_eq!(Row::from(&logits).len(), 3);
/// assert_eq!(Row::from(&[0.5_f64, 0.25]).len(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Row<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Half precision (IEEE binary16).
    F16(&'a [f16]),
    /// Half precision with the exponent of single precision (bfloat16).
    Bf16(&'a [bf16]),
    /// Double precision, by the reference.
    F64(&'a [f64]),
}

macro_rules! from_element {
    ($($element:ty => $variant:ident),*) => {$(
        impl<'a> From<&'a [$element]> for Row<'a> {
            fn from(row: &'a [$element]) -> Self {
                Self::$variant(row)
            }
        }
        impl<'a> From<&'a Vec<$element>> for Row<'a> {
            fn from(row: &'a Vec<$element>) -> Self {
                Self::$variant(row)
            }
        }
        impl<'a, const N: usize> From<&'a [$element; N]> for Row<'a> {
            fn from(row: &'a [$element; N]) -> Self {
                Self::$variant(row)
            }
        }
    )*};
}
from_element!(f32 => F32, f16 => F16, bf16 => Bf16, f64 => F64);

/// What to do with the logits of a row: one expression for what the kernels read, one for f64.
macro_rules! by_element {
    ($row:expr, $logits:ident => $read:expr, $exact:ident => $slow:expr) => {
        match $row {
            $crate::Row::F32($logits) => $read,
            $crate::Row::F16($logits) => $read,
            $crate::Row::Bf16($logits) => $read,
            $crate::Row::F64($exact) => $slow,
        }
    };
}
pub(crate) use by_element;

impl<'a> Row<'a> {
    /// Tokens of the row.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::F32(row) => row.len(),
            Self::F16(row) => row.len(),
            Self::Bf16(row) => row.len(),
            Self::F64(row) => row.len(),
        }
    }

    /// Whether the row has no token: such a row is refused with [`Error::EmptyRow`] when it is read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The logits from `start` on, `len` of them; `None` where the row does not reach so far.
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::Row;
    /// assert_eq!(Row::from(&[1.0_f32, 2.0, 3.0]).part(1, 2).map(|row| row.len()), Some(2));
    /// assert!(Row::from(&[1.0_f32]).part(1, 1).is_none());
    /// ```
    #[must_use]
    pub fn part(&self, start: usize, len: usize) -> Option<Self> {
        let range = start..start.checked_add(len)?;
        Some(match self {
            Self::F32(row) => Self::F32(row.get(range)?),
            Self::F16(row) => Self::F16(row.get(range)?),
            Self::Bf16(row) => Self::Bf16(row.get(range)?),
            Self::F64(row) => Self::F64(row.get(range)?),
        })
    }

    /// The row in double precision; exact.
    #[must_use]
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::F32(row) => row.iter().map(|&x| f64::from(x)).collect(),
            Self::F16(row) => row.iter().map(|&x| f64::from(x)).collect(),
            Self::Bf16(row) => row.iter().map(|&x| f64::from(x)).collect(),
            Self::F64(row) => row.to_vec(),
        }
    }

    /// What can be refused without reading.
    pub(crate) const fn check_len(&self) -> Result<()> {
        check_len(self.len())
    }
}

/// A row has tokens, and no more than a `u32` can name.
pub(crate) const fn check_len(len: usize) -> Result<()> {
    if len == 0 {
        return Err(Error::EmptyRow);
    }
    if len > u32::MAX as usize {
        return Err(Error::RowTooLong { len });
    }
    Ok(())
}

/// Many rows: a list of them, or one matrix with a stride.
///
/// # Examples
///
/// ```
/// use mirostat::{Matrix, Rows};
/// let logits = [0.0_f32, 1.0, 2.0, 9.0, 3.0, 4.0, 5.0, 9.0];
/// let rows = Rows::from(Matrix::new(&logits, 2, 3, 4)?); // two rows of three, padded to four
/// assert_eq!(rows.len(), 2);
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Rows<'a> {
    /// Rows of any lengths and element types.
    List(&'a [Row<'a>]),
    /// Equal rows in one buffer.
    Matrix(Matrix<'a>),
}

impl<'a> Rows<'a> {
    /// How many rows there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::List(rows) => rows.len(),
            Self::Matrix(matrix) => matrix.rows,
        }
    }

    /// Whether there is no row.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// If there are no more than `i` rows.
    #[must_use]
    #[track_caller]
    pub fn get(&self, i: usize) -> Row<'a> {
        assert!(i < self.len(), "row {i} of {}", self.len());
        match self {
            Self::List(rows) => rows[i],
            Self::Matrix(Matrix {
                data,
                vocabulary,
                stride,
                ..
            }) => data.part(i * stride, *vocabulary).unwrap_or(Row::F32(&[])),
        }
    }
}

impl<'a> From<&'a [Row<'a>]> for Rows<'a> {
    fn from(rows: &'a [Row<'a>]) -> Self {
        Self::List(rows)
    }
}

impl<'a> From<&'a Vec<Row<'a>>> for Rows<'a> {
    fn from(rows: &'a Vec<Row<'a>>) -> Self {
        Self::List(rows)
    }
}

impl<'a, const N: usize> From<&'a [Row<'a>; N]> for Rows<'a> {
    fn from(rows: &'a [Row<'a>; N]) -> Self {
        Self::List(rows)
    }
}

impl<'a> From<Matrix<'a>> for Rows<'a> {
    fn from(matrix: Matrix<'a>) -> Self {
        Self::Matrix(matrix)
    }
}

/// Rows of equal length in one buffer, each `stride` logits after the one before.
///
/// # Examples
///
/// ```
/// use mirostat::Matrix;
/// let logits = [1.0_f32, 2.0, 0.0, 3.0, 4.0, 0.0]; // two rows of two, with one number of padding each
/// let rows = Matrix::new(&logits, 2, 2, 3)?;
/// assert!(Matrix::new(&logits, 3, 2, 3).is_err());
/// # let _ = rows;
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    data: Row<'a>,
    rows: usize,
    vocabulary: usize,
    stride: usize,
}

impl<'a> Matrix<'a> {
    /// `rows` rows of `vocabulary` logits; what lies between the end of a row and the next is never read.
    ///
    /// # Errors
    ///
    /// [`Error::EmptyRow`] if `vocabulary` is 0, [`Error::LengthMismatch`] if the stride is shorter than a row or the buffer than
    /// its rows.
    pub fn new(
        data: impl Into<Row<'a>>,
        rows: usize,
        vocabulary: usize,
        stride: usize,
    ) -> Result<Self> {
        let data = data.into();
        if vocabulary == 0 {
            return Err(Error::EmptyRow);
        }
        if stride < vocabulary {
            return Err(Error::LengthMismatch {
                what: "stride of a matrix",
                expected: vocabulary,
                found: stride,
            });
        }
        let needed = match rows {
            0 => 0,
            _ => (rows - 1).saturating_mul(stride).saturating_add(vocabulary),
        };
        if data.len() < needed {
            return Err(Error::LengthMismatch {
                what: "logits of a matrix",
                expected: needed,
                found: data.len(),
            });
        }
        Ok(Self {
            data,
            rows,
            vocabulary,
            stride,
        })
    }
}
