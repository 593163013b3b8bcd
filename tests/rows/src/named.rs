//! The named rows: every length, shape, mask, tie and extreme that a kernel or a rule has to get right.

use crate::{Digest, Normals, Rng, Shape, fill};

const MASKED: f32 = f32::NEG_INFINITY;

/// A row and the name that digests and failing tests call it by.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name, unique among the named rows; where a shape comes in several lengths it ends in the length.
    pub name: String,
    /// The logits: no NaN, no +∞, at least one finite.
    pub row: Vec<f32>,
}

/// Lengths at and around the sizes that code is likely to trip over: lanes, blocks, the compact limit.
pub fn lengths() -> &'static [usize] {
    &[
        1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511,
        512, 513, 767, 768, 769, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 5000, 8191, 8192, 8193,
    ]
}

/// All named rows, always in the same order. A row's random numbers follow from its name alone, so adding a row changes no other.
pub fn named() -> Vec<Named> {
    let mut rows = Collection {
        rows: Vec::new(),
        normals: Normals::with_len(42, 32_768 + 77),
    };
    shapes(&mut rows);
    masks(&mut rows);
    outliers(&mut rows);
    extremes(&mut rows);
    offsets(&mut rows);
    slopes_and_ties(&mut rows);
    rows.rows
}

struct Collection {
    rows: Vec<Named>,
    normals: Normals,
}

impl Collection {
    fn add(&mut self, name: impl Into<String>, row: Vec<f32>) {
        self.rows.push(Named {
            name: name.into(),
            row,
        });
    }

    fn add_by(&mut self, name: &str, len: usize, logit: impl FnMut(usize) -> f32) {
        self.add(name, (0..len).map(logit).collect());
    }

    /// A row of a shape, seeded by a name.
    fn shaped(&self, name: &str, shape: Shape, len: usize) -> Vec<f32> {
        let mut digest = Digest::new();
        digest.push_bytes(name.as_bytes());
        let mut row = vec![0.0; len];
        fill(&mut row, shape, &mut Rng(digest.finish()), &self.normals);
        row
    }

    /// A row of a shape with each logit changed by its id and value.
    fn add_changed(
        &mut self,
        name: &str,
        shape: Shape,
        len: usize,
        change: impl Fn(usize, f32) -> f32,
    ) {
        let row = self.shaped(name, shape, len);
        self.add_by(name, len, |i| change(i, row[i]));
    }
}

fn shapes(rows: &mut Collection) {
    let sizes: [(Shape, &[usize]); 4] = [
        (
            Shape::LlmLike,
            &[
                1, 2, 15, 16, 17, 255, 256, 257, 1000, 4096, 4097, 5000, 32_000,
            ],
        ),
        (Shape::Iid, &[5000, 32_000]),
        (Shape::Flat, &[1, 17, 256, 4096, 4097, 20_000]),
        (Shape::NearlyFlat, &[300, 20_000]),
    ];
    for (shape, lengths) in sizes {
        for &len in lengths {
            rows.add_changed(&format!("{}_{len}", shape.name()), shape, len, |_, x| x);
        }
    }
}

fn masks(rows: &mut Collection) {
    rows.add("one_survivor_1", vec![-3.5]);
    for len in [17, 300, 20_000] {
        for (place, at) in [("first", 0), ("middle", len / 2), ("last", len - 1)] {
            let name = format!("one_survivor_{len}_{place}");
            rows.add_by(&name, len, |i| if i == at { -3.5 } else { MASKED });
        }
    }
    // The first of each pair of tokens masked, and every second block of 256.
    rows.add_changed("half_masked", Shape::LlmLike, 5000, |i, x| {
        if i % 2 == 0 { MASKED } else { x }
    });
    rows.add_changed("blocks_masked", Shape::LlmLike, 5000, |i, x| {
        if i / 256 % 2 == 0 { MASKED } else { x }
    });
    // A vocabulary padded to a round number.
    rows.add_changed("masked_tail", Shape::LlmLike, 6000, |i, x| {
        if i >= 4000 { MASKED } else { x }
    });
    // A mask that is a great number instead of −∞.
    rows.add_changed("minus_1e9_mask", Shape::LlmLike, 5000, |i, x| {
        if i % 3 == 0 { x } else { -1e9 }
    });
    rows.add_changed("lowest_mask", Shape::LlmLike, 5000, |i, x| {
        if i % 3 == 1 { x } else { f32::MIN }
    });
}

fn outliers(rows: &mut Collection) {
    for (name, at, top) in [
        ("late_outlier_200", 2000, 200.0),
        ("late_outlier_3e38", 2000, 3e38),
        ("early_outlier", 0, 200.0),
        ("early_outlier_3e38", 0, 3e38),
        ("early_low_outlier_3e38", 0, -3e38),
    ] {
        rows.add_changed(name, Shape::Iid, 2600, |i, x| if i == at { top } else { x });
    }
}

fn extremes(rows: &mut Collection) {
    let smallest = f32::from_bits(1);
    let largest_subnormal = f32::from_bits(0x007F_FFFF);
    let numbers = [
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        -f32::MIN_POSITIVE,
        smallest,
        -smallest,
        largest_subnormal,
        -largest_subnormal,
        0.0,
        -0.0,
        MASKED,
        1.0,
    ];
    rows.add("f32_extremes", numbers.to_vec());
    rows.add_by("f32_extremes_300", 300, |i| numbers[i % 12]);
    rows.add_by("huge", 300, |i| if i % 2 == 0 { 3.4e38 } else { -3.4e38 });
    rows.add_by("all_greatest_300", 300, |_| f32::MAX);
    rows.add_by("all_lowest_300", 300, |_| f32::MIN);
    rows.add_by("subnormals_300", 300, |i| {
        let bits = (i as u32 + 1) * 27_961; // below 2^23
        if i % 2 == 0 {
            f32::from_bits(bits)
        } else {
            -f32::from_bits(bits)
        }
    });
    rows.add_by(
        "signed_zeros_300",
        300,
        |i| if i % 2 == 0 { -0.0 } else { 0.0 },
    );
}

fn offsets(rows: &mut Collection) {
    // One unit in the last place is 64 at 1e9, and 1/16 at 1e6.
    for (name, offset) in [("offset_plus_1e9", 1e9), ("offset_minus_1e9", -1e9)] {
        rows.add_changed(name, Shape::Iid, 5000, |_, x| offset + 64.0 * x.round());
    }
    for (name, offset) in [("offset_1e6", 1e6), ("offset_minus_1e6", -1e6)] {
        rows.add_changed(name, Shape::LlmLike, 5000, |_, x| x + offset);
    }
}

fn slopes_and_ties(rows: &mut Collection) {
    rows.add_changed("quantised_8000", Shape::LlmLike, 8000, |_, x| {
        (x * 8.0).round() / 8.0
    });
    // 2000 nats in even steps, out of order: the support ends at 745 of them.
    rows.add_by("steep", 5000, |i| -0.4 * (i * 1237 % 5000) as f32);
    // Probabilities 1/2, 1/4, 1/8 … as near as f32 logits can say them.
    rows.add_by("powers_of_two", 100, |i| {
        (-(i as f64 + 1.0) * core::f64::consts::LN_2) as f32
    });
    rows.add_changed("two_clusters", Shape::NearlyFlat, 5000, |i, x| {
        if i % 5 == 0 { x } else { x - 12.0 }
    });
    rows.add_by("ascending_600", 600, |i| 0.05 * i as f32);
    rows.add_by("descending_600", 600, |i| -0.05 * i as f32);
    rows.add_by("descending_steps", 2000, |i| -0.5 * (i / 7) as f32);
    // The last logit with a probability in f64, four units in the last place to either side, under a maximum of 0.
    let last = (-745.133_219_101_941_1_f64) as f32;
    let near = |i: usize| f32::from_bits(last.to_bits() - 4 + (i % 9) as u32);
    rows.add_by("support_boundary", 300, |i| {
        if i == 150 { 0.0 } else { near(i) }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_is_a_row_and_has_a_name_of_its_own() {
        let rows = named();
        let names: HashSet<&str> = rows.iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names.len(), rows.len());
        for Named { name, row } in &rows {
            assert!(row.iter().any(|x| x.is_finite()), "{name}: nothing finite");
            assert!(row.iter().all(|&x| x < f32::INFINITY), "{name}: NaN or +∞");
        }
        let total: usize = rows.iter().map(|r| r.row.len()).sum();
        assert!(
            total < 700_000,
            "{total} logits are too many for a property test"
        );
    }

    #[test]
    fn the_named_rows_have_the_bits_they_always_had() {
        let mut digest = Digest::new();
        for Named { name, row } in named() {
            digest.push_bytes(name.as_bytes());
            digest.push_u64(row.len() as u64);
            row.iter().for_each(|&x| digest.push_f32(x));
        }
        assert_eq!(digest.finish(), 0xD903_4B68_93C1_7F7D);
    }

    #[test]
    fn the_support_boundary_lies_inside_its_row() {
        let rows = named();
        let row = &rows
            .iter()
            .find(|r| r.name == "support_boundary")
            .expect("named")
            .row;
        let inside = |x: f32| libm::exp(f64::from(x)) > 0.0;
        assert!(row.iter().any(|&x| x != 0.0 && inside(x)));
        assert!(row.iter().any(|&x| !inside(x)));
    }

    #[test]
    fn subnormals_are_subnormal() {
        let rows = named();
        let row = &rows
            .iter()
            .find(|r| r.name == "subnormals_300")
            .expect("named")
            .row;
        assert!(row.iter().all(|x| x.is_subnormal()));
    }

    #[test]
    fn lengths_ascend() {
        assert!(lengths().windows(2).all(|pair| pair[0] < pair[1]));
    }
}
