//! Shapes of rows: what a model gives, what is easy to reason about, and what is hard.

use crate::Rng;

/// A way to fill a row with logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A body of 2.5 · normal and a head of 400 tokens at random places, whose logits fall like Zipf's law.
    LlmLike,
    /// 3 · normal, each token independent.
    Iid,
    /// Every logit 1.25.
    Flat,
    /// 0.01 · normal: nearly every token is as likely as the next.
    NearlyFlat,
}

impl Shape {
    /// Every shape, in the order of the enum.
    pub const ALL: [Self; 4] = [Self::LlmLike, Self::Iid, Self::Flat, Self::NearlyFlat];

    /// The shape's name in tables and digests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LlmLike => "llm_like",
            Self::Iid => "iid",
            Self::Flat => "flat",
            Self::NearlyFlat => "nearly_flat",
        }
    }
}

/// A table of normals that rows are cut from: making a logit's normal anew for each row would take minutes.
#[derive(Clone, Debug)]
pub struct Normals(Vec<f32>);

impl Normals {
    /// A table of 2^19 + 77 normals from `Rng(seed)`.
    pub fn new(seed: u64) -> Self {
        Self::draw(&mut Rng(seed), FULL)
    }

    /// A table of `len` normals from `Rng(seed)`, the same as the first of [`Normals::new`]; rows longer than it repeat.
    ///
    /// # Panics
    /// When `len` is 0.
    pub fn with_len(seed: u64, len: usize) -> Self {
        assert!(len > 0, "a table of normals holds at least one");
        Self::draw(&mut Rng(seed), len)
    }

    /// The full table from a generator that goes on to fill the rows.
    pub(crate) fn from_rng(rng: &mut Rng) -> Self {
        Self::draw(rng, FULL)
    }

    fn draw(rng: &mut Rng, len: usize) -> Self {
        Self((0..len).map(|_| rng.normal() as f32).collect())
    }

    /// Fills `row` with `scale` times the table from a random offset on.
    fn cut(&self, row: &mut [f32], scale: f32, rng: &mut Rng) {
        let offset = (rng.bits() % 65_536) as usize;
        for (i, logit) in row.iter_mut().enumerate() {
            *logit = scale * self.0[(offset + i) % self.0.len()];
        }
    }
}

const FULL: usize = (1 << 19) + 77;

/// Fills `row` with logits of a shape. An empty row is left alone and draws nothing.
pub fn fill(row: &mut [f32], shape: Shape, rng: &mut Rng, normals: &Normals) {
    if row.is_empty() {
        return;
    }
    match shape {
        Shape::LlmLike => {
            normals.cut(row, 2.5, rng);
            zipf_head(row, rng);
        }
        Shape::Iid => normals.cut(row, 3.0, rng),
        Shape::Flat => row.fill(1.25),
        Shape::NearlyFlat => normals.cut(row, 0.01, rng),
    }
}

/// Puts h − s·ln(rank + 1) + noise at 400 random places; where two meet, the later rank stays.
fn zipf_head(row: &mut [f32], rng: &mut Rng) {
    let head = 17.5 + rng.normal();
    let slope = 1.15 + 0.15 * rng.normal();
    for rank in 0..400 {
        let place = (rng.bits() % row.len() as u64) as usize;
        let logit = head - slope * libm::log(f64::from(rank + 1)) + 0.15 * rng.normal();
        row[place] = logit as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    fn digest(shape: Shape, len: usize, seed: u64) -> u64 {
        let mut rng = Rng(seed);
        let normals = Normals::with_len(seed, 4096);
        let mut row = vec![0.0; len];
        fill(&mut row, shape, &mut rng, &normals);
        assert!(row.iter().all(|x| x.is_finite()), "{}", shape.name());
        let mut digest = Digest::new();
        row.iter().for_each(|&x| digest.push_f32(x));
        digest.finish()
    }

    #[test]
    fn shapes_are_finite_and_the_same_each_time() {
        for shape in Shape::ALL {
            for len in [1, 2, 17, 1000, 5000] {
                assert_eq!(digest(shape, len, 3), digest(shape, len, 3));
            }
        }
    }

    #[test]
    fn an_llm_like_row_has_the_bits_it_always_had() {
        assert_eq!(digest(Shape::LlmLike, 1000, 42), 0x658E_6227_12F4_9D9A);
    }

    #[test]
    fn a_short_table_is_the_beginning_of_the_long_one() {
        let (short, long) = (Normals::with_len(5, 9), Normals::new(5));
        assert_eq!(short.0[..], long.0[..9]);
        assert_eq!(long.0.len(), 524_365);
    }

    #[test]
    fn an_empty_row_draws_nothing() {
        let mut rng = Rng(1);
        fill(&mut [], Shape::LlmLike, &mut rng, &Normals::with_len(1, 1));
        assert_eq!(rng, Rng(1));
    }
}
