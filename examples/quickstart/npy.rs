//! Rows of logits from a .npy file, checked.

use crate::fault::Fault;
use half::f16;
use mirostat::{Matrix, Row, Rows};
use npyz::{NpyFile, Order};
use std::path::Path;

/// Equal rows of logits, all sound.
#[derive(Debug)]
pub(crate) struct Array {
    logits: Logits,
    rows: usize,
    vocabulary: usize,
}

#[derive(Debug)]
enum Logits {
    F16(Vec<f16>),
    F32(Vec<f32>),
}

impl Array {
    /// Reads and checks a file: its form, then every logit.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let path_buf = || path.to_path_buf();
        let bytes = std::fs::read(path).map_err(|cause| Fault::Unreadable {
            path: path_buf(),
            cause,
        })?;
        let not_npy = |cause| Fault::NotNpy {
            path: path_buf(),
            cause,
        };
        let mut numbers = &bytes[..];
        let header = npyz::NpyHeader::from_reader(&mut numbers).map_err(not_npy)?;
        let shape = header.shape().to_vec();
        let element = element_name(&header.dtype());
        let width = match element.as_str() {
            "<f2" => 2,
            "<f4" => 4,
            _ => {
                return Err(Fault::ElementType {
                    path: path_buf(),
                    found: element,
                });
            }
        };
        let (rows, vocabulary) = match shape[..] {
            [vocabulary] => (1, vocabulary),
            [rows, vocabulary] => (rows, vocabulary),
            _ => {
                return Err(Fault::Dimensions {
                    path: path_buf(),
                    shape,
                });
            }
        };
        if rows == 0 || vocabulary == 0 {
            return Err(Fault::Empty {
                path: path_buf(),
                shape,
            });
        }
        if header.order() == Order::Fortran {
            return Err(Fault::FortranOrder { path: path_buf() });
        }
        let needed = u128::from(rows) * u128::from(vocabulary) * width;
        if (numbers.len() as u128) < needed {
            return Err(Fault::CutShort {
                path: path_buf(),
                shape,
                needed,
                found: numbers.len(),
            });
        }
        let file = NpyFile::with_header(header, numbers);
        let logits = match width {
            2 => Logits::F16(file.into_vec().map_err(not_npy)?),
            _ => Logits::F32(file.into_vec().map_err(not_npy)?),
        };
        // What is in memory has a length that fits.
        let (rows, vocabulary) = (rows as usize, vocabulary as usize);
        let array = Self {
            logits,
            rows,
            vocabulary,
        };
        array.check(path)?;
        Ok(array)
    }

    /// NaN, +∞ and rows without a finite logit, by the row.
    fn check(&self, path: &Path) -> Result<(), Fault> {
        let rows = self.rows()?;
        for row in 0..rows.len() {
            mirostat::log_z_nats(rows.get(row)).map_err(|error| Fault::Row {
                path: path.to_path_buf(),
                row,
                error,
            })?;
        }
        Ok(())
    }

    pub(crate) fn rows(&self) -> mirostat::Result<Rows<'_>> {
        let logits: Row<'_> = match &self.logits {
            Logits::F16(logits) => logits.into(),
            Logits::F32(logits) => logits.into(),
        };
        Ok(Matrix::new(logits, self.rows, self.vocabulary, self.vocabulary)?.into())
    }

    pub(crate) const fn len(&self) -> usize {
        self.rows
    }

    pub(crate) const fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    pub(crate) const fn element(&self) -> &'static str {
        match self.logits {
            Logits::F16(_) => "float16",
            Logits::F32(_) => "float32",
        }
    }
}

/// The type of an array's elements as numpy writes it: `<f4`.
fn element_name(dtype: &npyz::DType) -> String {
    match dtype {
        npyz::DType::Plain(element) => element.to_string(),
        other => other.descr(),
    }
}
