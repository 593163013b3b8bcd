//! A step of the kernels is a step of the f64 reference, within the contract, on every level, arithmetic and element type.
//!
//! `MIROSTAT_CASES=100000 cargo test --release --test agrees_with_reference` tries as many rows as named; 300 by default.

use mirostat::{
    Config, DrawOrder, KRule, Level, Numerics, Row, SurpriseBasis, Version, VocabularySize,
};
use mirostat_contract::{Outcome, check};
use mirostat_rows::{Normals, Rng, Shape, bf16_row, f16_row, fill, named};
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

fn settings() -> ProptestConfig {
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
    fn rows()(shape in prop::sample::select(&Shape::ALL[..]), length in lengths(), seed in any::<u64>(), twist in twists()) -> Vec<f32> {
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

prop_compose! {
    fn configs()(
        tau in 0.5_f64..8.0,
        eta in prop_oneof![Just(0.1), 0.01_f64..2.0],
        mu in prop_oneof![6 => 0.0_f64..20.0, 1 => Just(0.0), 1 => Just(1e6), 1 => 900.0_f64..1200.0],
        m in prop_oneof![3 => Just(100_usize), 1 => 2_usize..300, 1 => 4_000_usize..5_000],
        temperature in prop_oneof![3 => Just(1.0), 2 => 0.3_f64..2.0, 1 => prop_oneof![Just(1e-6), Just(1e-2), Just(30.0), Just(1e6)]],
        order in prop::sample::select(&[DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank][..]),
        rule in prop::sample::select(&[KRule::RoundHalfUp, KRule::PaperCode, KRule::Truncate][..]),
        size in prop::sample::select(&[VocabularySize::Row, VocabularySize::Support][..]),
        basis in prop::sample::select(&[SurpriseBasis::Original, SurpriseBasis::Kept][..]),
        bounds in prop::option::weighted(0.2, (-2.0_f64..4.0, 4.0_f64..30.0)),
    ) -> mirostat::ConfigBuilder {
        let builder = Config::builder(tau).eta(eta).initial_mu(mu).m(m).temperature(temperature)
            .draw_order(order).k_rule(rule).vocabulary_size(size).surprise_basis(basis);
        match bounds {
            Some((lowest, highest)) => builder.mu_bounds(lowest, highest),
            None => builder,
        }
    }
}

fn uniforms() -> impl Strategy<Value = f64> {
    prop_oneof![8 => 0.0_f64..1.0, 1 => Just(0.0), 1 => Just(1.0 - f64::EPSILON / 2.0)]
}

/// Holds every level and arithmetic of this machine to the contract; returns how many ran.
fn check_everywhere(
    row: Row<'_>,
    config: mirostat::ConfigBuilder,
    version: Version,
    uniform: f64,
) -> Result<usize, String> {
    let mut ran = 0;
    for numerics in [Numerics::Fused, Numerics::Portable] {
        let config = config
            .numerics(numerics)
            .build()
            .map_err(|e| e.to_string())?;
        for level in Level::ALL {
            let outcome = check(row, &config, version, level, uniform)
                .map_err(|breach| format!("{} {numerics:?}: {breach}", level.name()))?;
            ran += usize::from(outcome != Outcome::Unsupported);
        }
    }
    Ok(ran)
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn any_row_any_settings(row in rows(), config in configs(), v1 in any::<bool>(), uniform in uniforms(), element in 0..3) {
        let version = if v1 { Version::V1 } else { Version::V2 };
        let (halves, brains) = (f16_row(&row), bf16_row(&row));
        let row = match element {
            0 => Row::from(&row),
            1 => Row::from(&halves),
            _ => Row::from(&brains),
        };
        let ran = check_everywhere(row, config, version, uniform);
        prop_assert!(ran.as_ref().is_ok_and(|&n| n > 0), "{ran:?}");
    }

    #[test]
    fn any_bits(bits in prop::collection::vec(any::<u32>(), 1..600), v1 in any::<bool>(), uniform in uniforms()) {
        let row: Vec<f32> = bits.into_iter().map(f32::from_bits).collect();
        let version = if v1 { Version::V1 } else { Version::V2 };
        let ran = check_everywhere(Row::from(&row), Config::builder(3.0), version, uniform);
        prop_assert!(ran.is_ok(), "{ran:?}");
        // The same bits without what a row may not hold.
        let sound: Vec<f32> = row.into_iter().filter(|x| *x < f32::INFINITY).collect();
        let ran = check_everywhere(Row::from(&sound), Config::builder(3.0), version, uniform);
        prop_assert!(ran.is_ok(), "{ran:?}");
    }
}

#[test]
fn every_named_row() {
    let mut rng = Rng(3);
    for named in named() {
        let (halves, brains) = (f16_row(&named.row), bf16_row(&named.row));
        for row in [
            Row::from(&named.row),
            Row::from(&halves),
            Row::from(&brains),
        ] {
            for version in [Version::V1, Version::V2] {
                for mu in [0.0, 3.0, 9.0, 18.0, 1e6] {
                    let config = Config::builder(3.0).initial_mu(mu);
                    if let Err(breach) = check_everywhere(row, config, version, rng.uniform()) {
                        panic!("{} {version:?}, mu {mu}: {breach}", named.name);
                    }
                }
            }
        }
    }
}
