//! Rows, states and draws at the ends of their ranges get the reference's step.

use mirostat::{
    Config, DrawOrder, Level, Numerics, Row, Sampler, SamplerState, Scratch, Version, f16,
};
use mirostat_contract::{Outcome, check_session};
use mirostat_rows::{Normals, Rng, Shape, f16_row, fill};

const LARGEST_BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;

/// Holds both versions on every level and arithmetic to the contract, with the session at `mu`.
fn holds<'a>(name: &str, row: impl Into<Row<'a>>, mus: &[f64], order: DrawOrder) {
    let row = row.into();
    let mut scratch = Scratch::new();
    let mut ran = 0;
    for version in [Version::V1, Version::V2] {
        for numerics in [Numerics::Fused, Numerics::Portable] {
            for level in Level::ALL {
                let config = Config::builder(3.0)
                    .numerics(numerics)
                    .draw_order(order)
                    .build()
                    .expect("sound");
                if Sampler::on_level(config, version, level).is_err() {
                    continue;
                }
                for &mu in mus {
                    let config = config
                        .to_builder()
                        .initial_mu(mu.max(0.0))
                        .build()
                        .expect("sound");
                    let mut sampler =
                        Sampler::on_level(config, version, level).expect("it ran above");
                    if mu < 0.0 {
                        // Only a session that went on gets there; states do not carry a level.
                        sampler = Sampler::from_state(
                            config,
                            SamplerState::new(version, mu, 7).expect("finite"),
                        )
                        .expect("sound");
                    }
                    for uniform in [0.0, 0.37, LARGEST_BELOW_ONE] {
                        match check_session(&sampler, row, uniform, &mut scratch) {
                            Ok(Outcome::Stepped(_)) => ran += 1,
                            other => panic!(
                                "{name}, {version:?} on {}, mu {mu}, u {uniform}: {other:?}",
                                level.name()
                            ),
                        }
                    }
                }
            }
        }
    }
    assert!(ran > 0);
}

const MUS: [f64; 4] = [-1e6, 0.0, 10.0, 1e6];

fn filled(shape: Shape, length: usize) -> Vec<f32> {
    let mut row = vec![0.0; length];
    fill(
        &mut row,
        shape,
        &mut Rng(11),
        &Normals::with_len(11, 70_000),
    );
    row
}

#[test]
fn every_edge_length() {
    for length in [1, 2, 15, 16, 17, 255, 256, 257] {
        for shape in Shape::ALL {
            holds(
                &format!("{} {length}", shape.name()),
                &filled(shape, length),
                &MUS,
                DrawOrder::Rule,
            );
        }
    }
}

#[test]
fn a_million_tokens() {
    holds(
        "llm_like",
        &filled(Shape::LlmLike, 1 << 20),
        &[10.0],
        DrawOrder::Rule,
    );
    holds(
        "nearly_flat",
        &filled(Shape::NearlyFlat, 1 << 20),
        &[21.0],
        DrawOrder::Rule,
    );
}

#[test]
fn one_survivor_among_262144() {
    for at in [0, 131_071, 262_143] {
        let mut row = vec![f32::NEG_INFINITY; 262_144];
        row[at] = -3.5;
        let mut sampler =
            Sampler::new(Config::new(3.0).expect("sound"), Version::V2).expect("a sampler");
        let step = sampler
            .sample(&row, LARGEST_BELOW_ONE)
            .expect("one may be drawn");
        assert_eq!(
            (step.token as usize, step.probability, step.surprise_bits),
            (at, 1.0, 0.0)
        );
        assert_eq!((step.kept, step.support), (1, 1));
        holds("one survivor", &row, &[6.0], DrawOrder::Rule);
    }
}

#[test]
fn k_near_the_vocabulary() {
    // At these mu version 1 keeps nearly all of a flat-ish row, or all.
    let row: Vec<f32> = (0..9_000).map(|i| (i % 4_500) as f32 * -1e-4).collect();
    let mus: Vec<f64> = (0..12).map(|i| 12.6 + f64::from(i) * 0.05).collect();
    for order in [DrawOrder::Rank, DrawOrder::Id] {
        holds("k near V", &row, &mus, order);
    }
}

#[test]
fn all_ties() {
    for length in [2, 17, 4_096, 4_097, 20_000] {
        let bits = libm::log2(length as f64);
        for order in [DrawOrder::Rank, DrawOrder::Id] {
            holds(
                "all ties",
                &vec![0.3_f32; length],
                &[bits - 0.01, bits, bits + 0.01],
                order,
            );
        }
    }
}

#[test]
fn the_largest_and_the_smallest_logits() {
    let huge: Vec<f32> = (0..600)
        .map(|i| if i % 3 == 0 { f32::MAX } else { f32::MIN })
        .collect();
    holds("huge", &huge, &MUS, DrawOrder::Rule);
    for offset in [1e9_f32, -1e9] {
        let row: Vec<f32> = (0..600).map(|i| offset + 64.0 * (i % 5) as f32).collect();
        holds("offset", &row, &MUS, DrawOrder::Rule);
    }
    let tiny: Vec<f32> = (0..600)
        .map(|i| f32::from_bits(i % 7) * if i % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    holds(
        "subnormals and both zeros",
        &tiny,
        &[0.0, 9.2, 9.3],
        DrawOrder::Rule,
    );
}

#[test]
fn half_precision_with_padding() {
    let mut row: Vec<f16> = f16_row(&filled(Shape::LlmLike, 5_000));
    row.extend([f16::NEG_INFINITY; 376]);
    holds("padded f16", &row, &MUS, DrawOrder::Rule);
}

#[test]
fn a_masked_head_does_not_hide_faint_tokens() {
    // The first thousand logits choose the units of the weights; where they are masked, a row far below 0 lost its tail.
    for (length, masked) in [
        (20_000, f32::NEG_INFINITY),
        (262_144, -1e9),
        (262_144, f32::NEG_INFINITY),
    ] {
        let mut row = vec![-86.65_f32; length];
        row[..1024].fill(masked);
        row[5000] = -62.3;
        holds("masked head", &row, &[6.0, 40.0], DrawOrder::Rule);
    }
}
