//! Pools of rows in any element type, filled from one table of normals; the first row starts on a cache line.

use crate::case::{Case, Filling};
use half::{bf16, f16};
use mirostat::Row;
use mirostat_kernels::Element;
use mirostat_rows::{Normals, Pool, Rng, bf16_row, f16_row, fill};
use std::cell::OnceCell;

/// A logit type that a pool can be made of.
pub(crate) trait Logit: Element + Default {
    fn from_f32s(row: &[f32]) -> Vec<Self>;
    fn row(row: &[Self]) -> Row<'_>;
}

impl Logit for f32 {
    fn from_f32s(row: &[Self]) -> Vec<Self> {
        row.to_vec()
    }
    fn row(row: &[Self]) -> Row<'_> {
        row.into()
    }
}

impl Logit for bf16 {
    fn from_f32s(row: &[f32]) -> Vec<Self> {
        bf16_row(row)
    }
    fn row(row: &[Self]) -> Row<'_> {
        row.into()
    }
}

impl Logit for f16 {
    fn from_f32s(row: &[f32]) -> Vec<Self> {
        f16_row(row)
    }
    fn row(row: &[Self]) -> Row<'_> {
        row.into()
    }
}

/// What rows are made from.
pub(crate) struct Source {
    normals: Normals,
    real: OnceCell<Vec<Vec<f32>>>,
}

impl Source {
    pub(crate) fn new() -> Self {
        Self {
            normals: Normals::new(42),
            real: OnceCell::new(),
        }
    }

    pub(crate) fn rows<E: Logit>(&self, case: &Case) -> Rows<E> {
        let vocabulary = case.filling.vocabulary(case.vocabulary);
        let bytes_of_row = vocabulary * size_of::<E>();
        let count = case.pool.rows(bytes_of_row).max(1);
        let mut rows = Rows::with_room(vocabulary, count);
        match case.filling {
            Filling::Shape(shape) => {
                let mut rng = Rng(42);
                let mut row = vec![0.0; vocabulary];
                for _ in 0..count {
                    fill(&mut row, shape, &mut rng, &self.normals);
                    rows.push(&row);
                }
            }
            Filling::Real => {
                let pool =
                    Pool::from_rows(self.real.get_or_init(bundled), 4 * vocabulary * count, 42);
                (0..count).for_each(|i| rows.push(pool.row(i)));
            }
        }
        rows
    }
}

/// The rows of the quickstart.
fn bundled() -> Vec<Vec<f32>> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/examples/data/smollm2-rows.f16.npy"
    );
    let file = std::fs::File::open(path).expect("the bundled rows are there");
    let npy = npyz::NpyFile::new(std::io::BufReader::new(file)).expect("a .npy file");
    let vocabulary = npy.shape()[1] as usize;
    let logits: Vec<f16> = npy.into_vec().expect("rows of f16");
    logits
        .chunks_exact(vocabulary)
        .map(|row| row.iter().map(|x| x.to_f32()).collect())
        .collect()
}

/// Rows of one length in one piece of memory.
pub(crate) struct Rows<E> {
    logits: Vec<E>,
    /// Where the first row starts.
    start: usize,
    vocabulary: usize,
}

impl<E: Logit> Rows<E> {
    fn with_room(vocabulary: usize, count: usize) -> Self {
        let mut logits: Vec<E> = Vec::with_capacity(vocabulary * count + 64);
        let start = logits.as_ptr().align_offset(64);
        logits.resize(start, E::default());
        Self {
            logits,
            start,
            vocabulary,
        }
    }

    /// Appends a row, within the room there is: moving would lose the alignment.
    fn push(&mut self, row: &[f32]) {
        assert!(self.logits.len() + row.len() <= self.logits.capacity());
        self.logits.extend(E::from_f32s(row));
    }

    pub(crate) fn count(&self) -> usize {
        (self.logits.len() - self.start) / self.vocabulary
    }

    pub(crate) fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Row `i` modulo the number of rows.
    pub(crate) fn row(&self, i: usize) -> &[E] {
        let start = self.start + i % self.count() * self.vocabulary;
        &self.logits[start..start + self.vocabulary]
    }
}

/// Runs an expression with the rows of a case, which know their element type.
macro_rules! with_rows {
    ($source:expr, $case:expr, $rows:ident => $run:expr) => {
        match $case.element {
            $crate::case::ElementType::F32 => {
                let $rows = &$source.rows::<f32>(&$case);
                $run
            }
            $crate::case::ElementType::Bf16 => {
                let $rows = &$source.rows::<half::bf16>(&$case);
                $run
            }
            $crate::case::ElementType::F16 => {
                let $rows = &$source.rows::<half::f16>(&$case);
                $run
            }
        }
    };
}
pub(crate) use with_rows;
