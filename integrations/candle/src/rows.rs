//! The rows of a tensor, lent.

use candle_core::{CpuStorage, Device, Error, Layout, Result, Storage, StorageRef, Tensor};
use mirostat::{Matrix, Row, Rows};

/// One row of logits `[v]`, or a batch of them `[b, v]`, of f32, f16, bf16 or f64; at least one row.
///
/// A tensor on the CPU whose rows lie in one piece each is read where it lies: contiguous ones, and those whose rows have a gap between
/// them, as `narrow` cuts padded logits. Any other layout, a transposed or a broadcast one, is made contiguous, and a tensor on a device
/// is brought to the CPU, which is one copy of its logits; [`is_copy`](Self::is_copy) tells. f64 rows take the slow, exact door of
/// `mirostat::reference`.
///
/// While this lives the storage is locked for reading, so do not write to the tensor in place from another thread.
///
/// # Examples
///
/// ```
/// use candle_core::{Device, Tensor};
/// use mirostat_candle::TensorRows;
/// let logits = Tensor::new(&[[1.0_f32, 2.0, 0.0], [0.0, 1.0, 2.0]], &Device::Cpu)?;
/// let cut = logits.narrow(1, 0, 2)?; // the last of three is padding
/// let rows = TensorRows::new(&cut)?;
/// assert_eq!((rows.len(), rows.vocabulary(), rows.is_copy()), (2, 2, false));
/// assert_eq!(rows.get(1).to_f64(), [0.0, 1.0]);
/// # Ok::<(), candle_core::Error>(())
/// ```
#[derive(Debug)]
pub struct TensorRows<'a> {
    logits: Logits<'a>,
    /// Where in the storage the first row begins.
    start: usize,
    rows: usize,
    vocabulary: usize,
    stride: usize,
}

#[derive(Debug)]
enum Logits<'a> {
    Lent(StorageRef<'a>),
    Copied(CpuStorage),
}

impl<'a> TensorRows<'a> {
    /// The rows of a tensor.
    ///
    /// # Errors
    ///
    /// For a tensor of another rank than 1 or 2, without a row or with rows of no logit, or of another element type.
    ///
    /// # Cost
    ///
    /// None where nothing is copied.
    pub fn new(tensor: &'a Tensor) -> Result<Self> {
        let (rows, vocabulary) = match *tensor.dims() {
            [vocabulary] => (1, vocabulary),
            [rows, vocabulary] => (rows, vocabulary),
            ref dims => {
                return Err(Error::msg(format!(
                    "logits must be one row [v] or a batch [b, v], not {dims:?}: pick the last position of each text first"
                )));
            }
        };
        if rows == 0 || vocabulary == 0 {
            return Err(Error::msg(format!(
                "there are no logits in a tensor of shape {:?}",
                tensor.dims()
            )));
        }
        let (storage, layout) = tensor.storage_and_layout();
        let in_place = match (&*storage, layout.stride()) {
            (Storage::Cpu(_), &[step]) => (step == 1 || vocabulary == 1).then_some(vocabulary),
            (Storage::Cpu(_), &[stride, step]) => {
                let whole = step == 1 || vocabulary == 1;
                let apart = stride >= vocabulary || rows == 1;
                (whole && apart).then_some(stride.max(vocabulary))
            }
            _ => None,
        };
        let (logits, start, stride) = match in_place {
            Some(stride) => {
                let start = layout.start_offset();
                (Logits::Lent(storage), start, stride)
            }
            None => {
                drop(storage);
                (Logits::Copied(copied(tensor)?), 0, vocabulary)
            }
        };
        let rows = Self {
            logits,
            start,
            rows,
            vocabulary,
            stride,
        };
        rows.matrix()?;
        Ok(rows)
    }

    /// How many rows there are.
    #[expect(clippy::len_without_is_empty, reason = "there is always a row")]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows
    }

    /// Logits of a row.
    #[must_use]
    pub const fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Whether the layout or the device made a copy necessary.
    #[must_use]
    pub const fn is_copy(&self) -> bool {
        matches!(self.logits, Logits::Copied(_))
    }

    /// Row `i`.
    ///
    /// # Panics
    ///
    /// If there are no more than `i` rows.
    #[must_use]
    #[track_caller]
    pub fn get(&self, i: usize) -> Row<'_> {
        self.rows().get(i)
    }

    /// All rows, for the batches of `mirostat`.
    ///
    /// # Examples
    ///
    /// ```
    /// use candle_core::{DType, Device, Tensor};
    /// use mirostat::{BatchScratch, Config, Parallelism, Sampler, Version, sample_batch};
    /// use mirostat_candle::TensorRows;
    /// let logits = Tensor::zeros((2, 5), DType::BF16, &Device::Cpu)?;
    /// let rows = TensorRows::new(&logits)?;
    /// let mut sessions = vec![Sampler::new(Config::new(2.0).unwrap(), Version::V2).unwrap(); 2];
    /// let mut out = Vec::new();
    /// sample_batch(&mut sessions, rows.rows(), &[0.1, 0.9], Parallelism::Auto, &mut BatchScratch::new(), &mut out).unwrap();
    /// assert_eq!(out.len(), 2);
    /// # Ok::<(), candle_core::Error>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        // `new` has seen the matrix.
        self.matrix().map_or(Rows::List(&[]), Rows::from)
    }

    fn matrix(&self) -> Result<Matrix<'_>> {
        let all = self.storage()?;
        let rest = all.len().saturating_sub(self.start);
        let from_first = all.part(self.start, rest).unwrap_or(Row::F32(&[]));
        Matrix::new(from_first, self.rows, self.vocabulary, self.stride).map_err(Error::wrap)
    }

    /// All that the storage holds, as the row that it is not.
    fn storage(&self) -> Result<Row<'_>> {
        let storage = match &self.logits {
            Logits::Lent(storage) => match &**storage {
                Storage::Cpu(storage) => storage,
                _ => return Err(Error::msg("the logits are not on the CPU")),
            },
            Logits::Copied(storage) => storage,
        };
        Ok(match storage {
            CpuStorage::F32(logits) => logits.into(),
            CpuStorage::F16(logits) => logits.into(),
            CpuStorage::BF16(logits) => logits.into(),
            CpuStorage::F64(logits) => logits.into(),
            _ => return Err(element_type()),
        })
    }
}

impl mirostat::generation::Logits for TensorRows<'_> {
    /// The first row.
    fn row(&self) -> Row<'_> {
        self.get(0)
    }
}

/// The logits on the CPU, one after the other.
fn copied(tensor: &Tensor) -> Result<CpuStorage> {
    let tensor = tensor.to_device(&Device::Cpu)?;
    let (storage, layout) = tensor.storage_and_layout();
    let Storage::Cpu(storage) = &*storage else {
        return Err(Error::msg("the logits did not come to the CPU"));
    };
    Ok(match storage {
        CpuStorage::F32(logits) => CpuStorage::F32(in_order(logits, layout)),
        CpuStorage::F16(logits) => CpuStorage::F16(in_order(logits, layout)),
        CpuStorage::BF16(logits) => CpuStorage::BF16(in_order(logits, layout)),
        CpuStorage::F64(logits) => CpuStorage::F64(in_order(logits, layout)),
        _ => return Err(element_type()),
    })
}

/// The logits of a layout of rank 1 or 2, row by row.
fn in_order<T: Copy>(logits: &[T], layout: &Layout) -> Vec<T> {
    let mut places = vec![layout.start_offset()];
    for (&len, &step) in layout.dims().iter().zip(layout.stride()) {
        places = places
            .iter()
            .flat_map(|place| (0..len).map(move |i| place + i * step))
            .collect();
    }
    places.into_iter().map(|place| logits[place]).collect()
}

fn element_type() -> Error {
    Error::msg("logits must be f32, f16, bf16 or f64: convert them with to_dtype")
}
