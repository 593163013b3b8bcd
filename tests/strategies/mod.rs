//! Rows and uniforms of any kind, for property tests.

use mirostat_rows::{Normals, Rng, Shape, fill};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use std::sync::LazyLock;

static NORMALS: LazyLock<Normals> = LazyLock::new(|| Normals::with_len(42, 70_000));

fn cases() -> u32 {
    match std::env::var("MIROSTAT_CASES") {
        Ok(cases) => cases.parse().expect("MIROSTAT_CASES is a number"),
        Err(_) => 300,
    }
}

pub(crate) fn settings() -> ProptestConfig {
    ProptestConfig {
        cases: cases(),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("failures"))),
        ..ProptestConfig::default()
    }
}

/// What is done to a row after it was filled.
#[derive(Clone, Copy, Debug)]
enum Twist {
    None,
    /// Every n-th logit is −∞.
    Mask(usize),
    /// Rounded to multiples of 2^−n: ties.
    Ties(i32),
    Offset(f32),
    /// Spread out by a factor.
    Stretch(f32),
    /// One logit far above the others.
    Outlier(f32),
    /// The first thousand logits are −∞, the others moved by an offset.
    MaskedHead(f32),
}

fn twists() -> impl Strategy<Value = Twist> {
    prop_oneof![
        4 => Just(Twist::None),
        2 => (1_usize..9).prop_map(Twist::Mask),
        2 => (-2_i32..5).prop_map(Twist::Ties),
        1 => prop_oneof![Just(1e9_f32), Just(-1e9), Just(1e6), Just(-3e4), -50_f32..50.0].prop_map(Twist::Offset),
        1 => prop_oneof![Just(1e-3_f32), Just(20.0), Just(300.0), Just(1e36)].prop_map(Twist::Stretch),
        1 => prop_oneof![Just(3e38_f32), Just(700.0), Just(90.0), Just(30.0)].prop_map(Twist::Outlier),
        1 => (-120_f32..120.0).prop_map(Twist::MaskedHead),
    ]
}

fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        3 => 1_usize..40,
        2 => 240_usize..300,
        4 => 300_usize..4_000,
        3 => 4_000_usize..20_000,
        1 => 20_000_usize..60_000,
    ]
}

prop_compose! {
    pub(crate) fn rows()(shape in prop::sample::select(&Shape::ALL[..]), length in lengths(), seed in any::<u64>(), twist in twists()) -> Vec<f32> {
        let mut row = vec![0.0; length];
        let mut rng = Rng(seed);
        fill(&mut row, shape, &mut rng, &NORMALS);
        let at = (rng.bits() % length as u64) as usize;
        match twist {
            Twist::None => {}
            Twist::Mask(n) => {
                for (i, x) in row.iter_mut().enumerate() {
                    if !(i + at).is_multiple_of(n) {
                        *x = f32::NEG_INFINITY;
                    }
                }
                row[at] = 1.0;
            }
            Twist::Ties(n) => {
                let unit = libm::exp2f(n as f32);
                row.iter_mut().for_each(|x| *x = libm::roundf(*x * unit) / unit);
            }
            Twist::Offset(offset) => row.iter_mut().for_each(|x| *x += offset),
            Twist::Stretch(factor) => row.iter_mut().for_each(|x| *x *= factor),
            Twist::Outlier(height) => row[at] = height,
            Twist::MaskedHead(offset) => {
                let head = 1024.min(length - 1);
                row[..head].fill(f32::NEG_INFINITY);
                row[head..].iter_mut().for_each(|x| *x += offset);
            }
        }
        row
    }
}

pub(crate) fn uniforms() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0_f64..1.0, 1 => Just(0.0), 1 => Just(1.0 - f64::EPSILON / 2.0)]
}
