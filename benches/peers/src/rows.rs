//! The rows that everyone is given: pools of one vocabulary and one kind, the first row on a cache line.

use half::f16;
use mirostat_rows::{Normals, Pool, Rng, Shape, fill};
use npyz::WriterBuilder;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, Result};
use std::path::{Path, PathBuf};

/// A pool of so many MiB is in the third-level cache, with room for the buffers of all who are timed, and beyond the second.
pub(crate) const POOL_MIB: usize = 6;

/// What the rows hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    LlmLike,
    Flat,
    Iid,
    Smollm2,
    Gemma3,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::LlmLike => "llm_like",
            Self::Flat => "flat",
            Self::Iid => "iid",
            Self::Smollm2 => "smollm2",
            Self::Gemma3 => "gemma3",
        }
    }

    /// The file of real rows, in the folder that the user names.
    const fn file(self) -> Option<&'static str> {
        match self {
            Self::Smollm2 => Some("smollm2-135m-q4_1.f16.npy"),
            Self::Gemma3 => Some("gemma3-270m-q4km.f16.npy"),
            _ => None,
        }
    }

    const fn shape(self) -> Option<Shape> {
        match self {
            Self::LlmLike => Some(Shape::LlmLike),
            Self::Flat => Some(Shape::Flat),
            Self::Iid => Some(Shape::Iid),
            _ => None,
        }
    }
}

/// Rows of one kind and size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    pub(crate) kind: Kind,
    pub(crate) vocabulary: usize,
}

impl Cell {
    /// The mu that these rows are stepped with, in bits: 10, and on flat rows enough to keep everything.
    pub(crate) fn mu_bits(self) -> f64 {
        match self.kind {
            Kind::Flat => libm::log2(self.vocabulary as f64) + 1.0,
            _ => 10.0,
        }
    }
}

/// Where rows come from.
pub(crate) struct Source {
    normals: Normals,
    real: Option<PathBuf>,
    pool_mib: usize,
}

impl Source {
    /// `real` is the folder with the models' rows, if they are at hand.
    pub(crate) fn new(real: Option<PathBuf>) -> Self {
        Self {
            normals: Normals::new(42),
            real,
            pool_mib: POOL_MIB,
        }
    }

    /// The cells of real rows that are at hand.
    pub(crate) fn real_cells(&self) -> Vec<Cell> {
        let Some(folder) = &self.real else {
            return Vec::new();
        };
        [(Kind::Smollm2, 49_152), (Kind::Gemma3, 262_144)]
            .into_iter()
            .filter(|(kind, _)| kind.file().is_some_and(|file| folder.join(file).is_file()))
            .map(|(kind, vocabulary)| Cell { kind, vocabulary })
            .collect()
    }

    /// The same source with pools of another size.
    pub(crate) fn with_pool_mib(self, pool_mib: usize) -> Self {
        Self { pool_mib, ..self }
    }

    /// As many rows as fit the pool, at least two, the same every time.
    pub(crate) fn rows(&self, cell: Cell) -> Result<Rows> {
        let fit = (self.pool_mib << 20) / (4 * cell.vocabulary);
        self.so_many_rows(cell, fit.max(2))
    }

    pub(crate) fn so_many_rows(&self, cell: Cell, count: usize) -> Result<Rows> {
        let mut rows = Rows::with_room(cell.vocabulary, count);
        if let Some(shape) = cell.kind.shape() {
            let mut rng = Rng(42);
            let mut row = vec![0.0; cell.vocabulary];
            for _ in 0..count {
                fill(&mut row, shape, &mut rng, &self.normals);
                rows.push(&row);
            }
        } else {
            let folder = self.real.as_ref().expect("real cells need their folder");
            let file = cell.kind.file().expect("real rows have a file");
            let real = read_rows(&folder.join(file), count)?;
            let pool = Pool::from_rows(&real, 4 * cell.vocabulary * count, 42);
            (0..count).for_each(|i| rows.push(pool.row(i)));
        }
        Ok(rows)
    }
}

/// At most `count` rows of an f16 file.
fn read_rows(path: &Path, count: usize) -> Result<Vec<Vec<f32>>> {
    let npy = npyz::NpyFile::new(BufReader::new(File::open(path)?))?;
    let vocabulary = npy.shape()[1] as usize;
    let logits: Vec<f16> = npy.into_vec()?;
    let row = |row: &[f16]| row.iter().map(|x| x.to_f32()).collect();
    Ok(logits
        .chunks_exact(vocabulary)
        .take(count)
        .map(row)
        .collect())
}

/// Rows of one length in one piece of memory.
pub(crate) struct Rows {
    logits: Vec<f32>,
    /// Where the first row starts.
    start: usize,
    vocabulary: usize,
}

impl Rows {
    fn with_room(vocabulary: usize, count: usize) -> Self {
        let mut logits: Vec<f32> = Vec::with_capacity(vocabulary * count + 16);
        let start = logits.as_ptr().align_offset(64);
        logits.resize(start, 0.0);
        Self {
            logits,
            start,
            vocabulary,
        }
    }

    /// Appends a row, within the room there is: moving would lose the alignment.
    fn push(&mut self, row: &[f32]) {
        assert!(self.logits.len() + row.len() <= self.logits.capacity());
        self.logits.extend(row);
    }

    pub(crate) fn count(&self) -> usize {
        (self.logits.len() - self.start) / self.vocabulary
    }

    /// All rows end to end.
    pub(crate) fn logits(&self) -> &[f32] {
        &self.logits[self.start..]
    }

    /// Row `i` modulo the number of rows.
    pub(crate) fn row(&self, i: usize) -> &[f32] {
        let start = i % self.count() * self.vocabulary;
        &self.logits()[start..start + self.vocabulary]
    }

    /// Writes all rows as one .npy of f32.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut writer = npyz::WriteOptions::new()
            .default_dtype()
            .shape(&[self.count() as u64, self.vocabulary as u64])
            .writer(BufWriter::new(File::create(path)?))
            .begin_nd()?;
        writer.extend(self.logits())?;
        writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_aligned_and_come_back_from_the_file() {
        let cell = Cell {
            kind: Kind::LlmLike,
            vocabulary: 300,
        };
        let rows = Source::new(None).so_many_rows(cell, 3).expect("no file");
        assert_eq!(
            (rows.count(), rows.row(0).as_ptr().align_offset(64)),
            (3, 0)
        );
        assert_ne!(rows.row(0), rows.row(1));
        let path = std::env::temp_dir().join(format!("mirostat-peers-{}.npy", std::process::id()));
        rows.write(&path).expect("a writable temporary folder");
        let bytes = std::fs::read(&path).expect("written");
        let npy = npyz::NpyFile::new(&bytes[..]).expect("a .npy file");
        assert_eq!(npy.shape(), [3, 300]);
        assert_eq!(npy.into_vec::<f32>().expect("f32"), rows.logits());
        std::fs::remove_file(path).expect("there");
    }
}
