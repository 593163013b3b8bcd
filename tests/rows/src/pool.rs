//! Many rows of one vocabulary size side by side, to rotate through so that each is new to caches and branch predictors.

use crate::{Normals, Rng, Shape, bf16_row, f16_row, fill};
use half::{bf16, f16};

/// Rows of one vocabulary size in one piece of memory.
#[derive(Clone, Debug)]
pub struct Pool {
    logits: Vec<f32>,
    vocabulary: usize,
}

impl Pool {
    /// As many rows of a shape as fit `bytes` in f32, at least one; the table of normals and then the rows come from one `Rng(seed)`.
    ///
    /// # Panics
    /// When `vocabulary` is 0.
    pub fn new(vocabulary: usize, bytes: usize, shape: Shape, seed: u64) -> Self {
        assert!(vocabulary > 0, "a row holds at least one logit");
        let rows = (bytes / (4 * vocabulary)).max(1);
        let mut logits = vec![0.0; rows * vocabulary];
        let mut rng = Rng(seed);
        let normals = Normals::from_rng(&mut rng);
        for row in logits.chunks_exact_mut(vocabulary) {
            fill(row, shape, &mut rng, &normals);
        }
        Self { logits, vocabulary }
    }

    /// Copies of real rows in turn until `bytes` of f32 are full, each row at least once.
    ///
    /// Every copy has its own constant added, a random multiple of 1/64 in [−4, 4]: the same distribution in other bits.
    ///
    /// # Panics
    /// When there is no row, a row is empty, or the rows differ in length.
    pub fn from_rows(rows: &[Vec<f32>], bytes: usize, seed: u64) -> Self {
        let vocabulary = rows.first().map_or(0, Vec::len);
        assert!(
            vocabulary > 0,
            "a pool of rows needs a row of at least one logit"
        );
        assert!(
            rows.iter().all(|row| row.len() == vocabulary),
            "rows of one pool are equally long"
        );
        let copies = (bytes / (4 * vocabulary)).max(rows.len());
        let mut logits = Vec::with_capacity(copies * vocabulary);
        let mut rng = Rng(seed);
        for row in rows.iter().cycle().take(copies) {
            let constant = ((rng.bits() % 513) as f32 - 256.0) / 64.0;
            logits.extend(row.iter().map(|x| x + constant));
        }
        Self { logits, vocabulary }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.logits.len() / self.vocabulary
    }

    /// How many logits a row has.
    pub fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// Row `i` modulo the number of rows.
    pub fn row(&self, i: usize) -> &[f32] {
        let start = i % self.rows() * self.vocabulary;
        &self.logits[start..start + self.vocabulary]
    }

    /// All rows end to end.
    pub fn logits(&self) -> &[f32] {
        &self.logits
    }

    /// All rows end to end in f16, as [`f16_row`] makes them.
    pub fn to_f16(&self) -> Vec<f16> {
        f16_row(&self.logits)
    }

    /// All rows end to end in bf16, as [`bf16_row`] makes them.
    pub fn to_bf16(&self) -> Vec<bf16> {
        bf16_row(&self.logits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_fills_its_bytes_and_goes_round() {
        let pool = Pool::new(300, 4 * 300 * 3 + 5, Shape::LlmLike, 42);
        assert_eq!((pool.rows(), pool.vocabulary()), (3, 300));
        assert_eq!(pool.row(4), pool.row(1));
        assert_ne!(pool.row(0), pool.row(1));
        assert_eq!(pool.to_f16().len(), 900);
        assert_eq!(pool.to_bf16().len(), 900);
        assert_eq!(Pool::new(300, 0, Shape::Flat, 42).rows(), 1);
    }

    #[test]
    fn copies_differ_by_a_constant_and_keep_their_mask() {
        let base = [vec![0.0, 1.0, f32::NEG_INFINITY], vec![2.0, 0.5, -3.0]];
        let pool = Pool::from_rows(&base, 4 * 3 * 5, 9);
        assert_eq!(pool.rows(), 5);
        for i in 0..5 {
            let (row, from) = (pool.row(i), &base[i % 2]);
            let constant = row[0] - from[0];
            assert!(constant.abs() <= 4.0 && (constant * 64.0).fract() == 0.0);
            assert!(row.iter().zip(from).all(|(x, b)| *x == b + constant));
        }
        assert_eq!(Pool::from_rows(&base, 0, 9).rows(), 2);
    }
}
