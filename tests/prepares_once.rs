//! A prepared row gives the steps of the row itself, bit for bit, to every session and thread that shares it.

use mirostat::{
    CandidateSet, Config, ConfigBuilder, DrawOrder, Error, KRule, Level, Numerics, PreparedRow,
    Preview, Row, Sampler, Step, SurpriseBasis, Version, VocabularySize,
};
use mirostat_rows::{bf16_row, f16_row, named};

const UNIFORMS: [f64; 5] = [0.0, 0.37, 0.81, 0.999, 1.0 - f64::EPSILON / 2.0];

/// Under an emulator only the shorter rows.
fn longest() -> usize {
    if std::env::var_os("MIROSTAT_SMALL").is_some() {
        4200
    } else {
        usize::MAX
    }
}

fn builders() -> Vec<ConfigBuilder> {
    let of = Config::builder;
    vec![
        of(2.0),
        of(1.0).initial_mu(0.0).surprise_basis(SurpriseBasis::Kept),
        of(4.0).initial_mu(13.0).draw_order(DrawOrder::Id),
        of(6.0).initial_mu(20.0).draw_order(DrawOrder::Rank),
        of(5.0)
            .initial_mu(11.0)
            .draw_order(DrawOrder::Rank)
            .surprise_basis(SurpriseBasis::Kept),
        of(3.0)
            .initial_mu(8.0)
            .temperature(0.6)
            .k_rule(KRule::PaperCode),
        of(3.0)
            .initial_mu(9.0)
            .temperature(1.7)
            .m(2)
            .draw_order(DrawOrder::Id),
        of(4.0)
            .initial_mu(12.0)
            .m(777)
            .k_rule(KRule::Truncate)
            .vocabulary_size(VocabularySize::Support)
            .mu_bounds(1.0, 12.0),
    ]
}

fn same(raw: &Step, prepared: &Step) -> bool {
    let bits =
        |s: &Step| [s.probability, s.surprise_bits, s.mu_before, s.mu_after].map(f64::to_bits);
    raw == prepared && bits(raw) == bits(prepared)
}

fn follow(mut raw: Sampler, row: Row<'_>, known: &PreparedRow, name: &str) {
    let mut prepared = raw.clone();
    for uniform in UNIFORMS {
        let context = || format!("{name} at {uniform}: {raw:?}");
        let (a, b) = (
            raw.clone().sample(row, uniform),
            prepared.sample_prepared(known, uniform),
        );
        match (&a, &b) {
            (Ok(a), Ok(b)) => {
                assert!(same(a, b), "{}\n raw {a:?}\n prepared {b:?}", context());
                let mut other = raw.clone();
                let observed = other
                    .observe_prepared_token(known, a.token)
                    .expect("it was drawn");
                assert!(same(a, &observed), "{}: observed {observed:?}", context());
            }
            _ => assert_eq!(a, b, "{}", context()),
        }
        let _ = raw.sample(row, uniform);
    }
    for uniform in [1.0, -0.1, f64::NAN] {
        assert_eq!(
            prepared.sample_prepared(known, uniform),
            raw.sample(row, uniform),
            "{name}"
        );
    }
    for token in [0, row.len() as u32 - 1, row.len() as u32] {
        let (a, b) = (
            raw.observe_token(row, token),
            prepared.observe_prepared_token(known, token),
        );
        assert_eq!(a, b, "{name}: token {token}");
    }
    assert_eq!(
        (raw.mu(), raw.steps()),
        (prepared.mu(), prepared.steps()),
        "{name}"
    );
    let looks = |s: &Sampler| (s.preview(row), s.candidates(row));
    let known: (Result<Preview, Error>, Result<CandidateSet, Error>) = (
        prepared.preview_prepared(known),
        prepared.candidates_prepared(known),
    );
    assert!(
        looks(&raw) == known,
        "{name}: preview or candidates\n{raw:?}"
    );
}

fn follow_all(row: Row<'_>, name: &str, levels: &[Level]) {
    let known = PreparedRow::from_logits(row).expect("a sound row");
    assert_eq!(known.vocabulary(), row.len());
    for &level in levels {
        for numerics in [Numerics::Fused, Numerics::Portable] {
            for builder in builders() {
                let config = builder
                    .numerics(numerics)
                    .build()
                    .expect("a sound configuration");
                for version in [Version::V1, Version::V2] {
                    if let Ok(sampler) = Sampler::on_level(config, version, level) {
                        follow(sampler, row, &known, name);
                    }
                }
            }
        }
    }
}

#[test]
fn raw_is_prepared_on_all_named_rows() {
    for named in named() {
        if named.row.len() > longest() {
            continue;
        }
        let levels: Vec<Level> = if named.row.len() > 9000 {
            vec![
                Sampler::new(Config::new(2.0).expect("sound"), Version::V1)
                    .expect("a sampler")
                    .level(),
            ]
        } else {
            Level::ALL.to_vec()
        };
        follow_all(Row::from(&named.row), &named.name, &levels);
        follow_all(
            Row::from(&f16_row(&named.row)),
            &format!("{} f16", named.name),
            &levels,
        );
        follow_all(
            Row::from(&bf16_row(&named.row)),
            &format!("{} bf16", named.name),
            &levels,
        );
    }
}

#[test]
fn raw_is_prepared_by_the_reference() {
    for named in named().into_iter().filter(|named| named.row.len() <= 300) {
        let row: Vec<f64> = named.row.iter().map(|&x| f64::from(x)).collect();
        let level = Sampler::new(Config::new(2.0).expect("sound"), Version::V1)
            .expect("a sampler")
            .level();
        follow_all(Row::from(&row), &named.name, &[level]);
        let weights: Vec<f64> = row
            .iter()
            .map(|x| (x / 100.0).clamp(-700.0, 700.0).exp())
            .collect();
        let known = PreparedRow::from_weights(&weights).expect("sound weights");
        for builder in builders() {
            for version in [Version::V1, Version::V2] {
                let mut raw =
                    Sampler::new(builder.build().expect("sound"), version).expect("a sampler");
                let mut prepared = raw.clone();
                for uniform in UNIFORMS {
                    let (a, b) = (
                        raw.sample_weights(&weights, uniform),
                        prepared.sample_prepared(&known, uniform),
                    );
                    assert_eq!(a, b, "{}", named.name);
                }
                assert!(raw.candidates_weights(&weights) == prepared.candidates_prepared(&known));
                assert!(raw.preview_weights(&weights) == prepared.preview_prepared(&known));
            }
        }
    }
}

#[test]
fn a_fit_longer_than_a_list_is_exact_when_prepared_too() {
    let row: Vec<f32> = (0..5000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-6)
        .collect();
    let config = Config::builder(4.0).m(4500).build().expect("sound");
    let known = PreparedRow::from_logits(&row).expect("a sound row");
    follow(
        Sampler::new(config, Version::V1).expect("a sampler"),
        Row::from(&row),
        &known,
        "m 4500",
    );
}

#[test]
fn the_row_is_owned() {
    let mut logits = vec![3.0_f32, 2.0, 1.0];
    let row = PreparedRow::from_logits(&logits).expect("a sound row");
    let before = row.probability(0);
    logits[0] = -9.0;
    assert_eq!(row.probability(0), before);
    assert_eq!(
        row.probability(3),
        Err(Error::TokenOutsideVocabulary {
            token: 3,
            vocabulary: 3
        })
    );
}

#[test]
fn faults_are_those_of_the_row() {
    let fault = |row: Row<'_>| PreparedRow::from_logits(row).expect_err("a fault");
    assert_eq!(fault(Row::F32(&[])), Error::EmptyRow);
    assert_eq!(fault(Row::F64(&[f64::NEG_INFINITY; 2])), Error::AllMasked);
    let bad = Error::InvalidLogit {
        index: 1,
        value: f64::INFINITY,
    };
    assert_eq!(fault(Row::F32(&[0.0, f32::INFINITY])), bad);
    let weight = PreparedRow::from_weights(&[1.0, -1.0]).expect_err("a fault");
    assert_eq!(
        weight,
        Error::InvalidProbability {
            index: 1,
            value: -1.0
        }
    );
    assert!(PreparedRow::from_weights(&[0.0, 0.0]).is_err());
    assert!(
        PreparedRow::from_logits(&[1.0_f32])
            .expect("sound")
            .with_temperature(0.0)
            .is_err()
    );
}

#[test]
fn more_temperatures_than_are_remembered() {
    let row: Vec<f32> = (0..600).map(|i| (i as f32 * 0.7).sin() * 6.0).collect();
    let known = PreparedRow::from_logits(&row).expect("a sound row");
    for i in (0..40).chain(0..40) {
        let config = Config::builder(3.0)
            .temperature(0.5 + f64::from(i) * 0.05)
            .m(2 + i as usize)
            .build();
        let raw = Sampler::new(config.expect("sound"), Version::V1).expect("a sampler");
        follow(raw, Row::from(&row), &known, "many temperatures");
    }
}

#[test]
fn threads_share_a_row() {
    fn shared<T: Send + Sync>(_: &T) {}
    let row: Vec<f32> = (0..20_000_u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 1e-6)
        .collect();
    let known = PreparedRow::from_logits(&row).expect("a sound row");
    shared(&known);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (row, known) = (&row, &known);
            scope.spawn(move || {
                for (i, builder) in builders().into_iter().enumerate() {
                    let version = [Version::V1, Version::V2][(i + thread) % 2];
                    let raw =
                        Sampler::new(builder.build().expect("sound"), version).expect("a sampler");
                    follow(raw, Row::from(row), known, "shared");
                }
            });
        }
    });
}
