//! A step of the kernels is a step of the f64 reference, within the contract, on every level, arithmetic and element type.
//!
//! `MIROSTAT_CASES=100000 cargo test --release --test agrees_with_reference` tries as many rows as named; 300 by default.

use mirostat::{
    Config, DrawOrder, KRule, Level, Numerics, Row, SurpriseBasis, Version, VocabularySize,
};
use mirostat_contract::{Outcome, check};
use mirostat_rows::{Rng, bf16_row, f16_row, named};
use proptest::prelude::*;
use strategies::{rows, settings, uniforms};

mod strategies;

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
