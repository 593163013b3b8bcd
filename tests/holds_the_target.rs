//! In a closed loop the mean surprise reaches the target wherever the rows allow it, and mu does what is documented where they do not.
//!
//! Over N steps the mean error is (mu at the start − mu at the end) / (eta·N) exactly, so a mu that stays within bounds is a target held.

use mirostat::reference::Distribution;
use mirostat::{
    Config, ConfigBuilder, Limit, Row, Sampler, Step, SurpriseBasis, UniformSource, Uniforms,
    Version, bf16, f16,
};
use mirostat_rows::{Normals, Rng, Shape, bf16_row, f16_row, fill};

const BOTH: [Version; 2] = [Version::V1, Version::V2];
/// How far the mean of the last steps may be from the target, in bits.
const TOLERANCE_BITS: f64 = 0.05;

/// Rows of one shape that differ from step to step.
fn shaped(shape: Shape, vocabulary: usize, scale: f32) -> Vec<Vec<f32>> {
    let (mut rng, normals) = (Rng(21), Normals::with_len(22, 4096 + 77));
    (0..97)
        .map(|_| {
            let mut row = vec![0.0; vocabulary];
            fill(&mut row, shape, &mut rng, &normals);
            row.iter_mut().for_each(|x| *x *= scale);
            row
        })
        .collect()
}

/// Zipf rows with exponents from 0.7 to 1.1, their ids in another order each, and a best token of probability 0.35 to 0.55: so that
/// taking it always is less than 2 bits a step, and taking any more than 5.
fn zipf(vocabulary: usize) -> Vec<Vec<f32>> {
    let mut rng = Rng(23);
    (0..97)
        .map(|_| {
            let (exponent, best) = (0.7 + 0.4 * rng.uniform(), 0.35 + 0.2 * rng.uniform());
            let turn = (rng.bits() % vocabulary as u64) as usize;
            let rank = |i: usize| (i * 7919 + turn) % vocabulary;
            let tail: f64 = (1..vocabulary).map(|r| (r as f64).powf(-exponent)).sum();
            let logit = |i| match rank(i) {
                0 => (tail * best / (1.0 - best)).ln(),
                r => -exponent * (r as f64).ln(),
            };
            (0..vocabulary).map(|i| logit(i) as f32).collect()
        })
        .collect()
}

/// The mean surprise of always taking the best token, and of taking any: between them a target can be reached.
fn reach(rows: &[Vec<f32>], temperature: f64) -> (f64, f64) {
    let (mut least, mut most) = (0.0, 0.0);
    for row in rows {
        let exact: Vec<f64> = row.iter().map(|&x| x.into()).collect();
        let row = Distribution::from_logits(&exact, temperature).unwrap();
        least += row.surprise_bits(row.greatest());
        most += row.entropy_bits();
    }
    (least / rows.len() as f64, most / rows.len() as f64)
}

fn mean(steps: &[Step]) -> f64 {
    steps.iter().map(|step| step.surprise_bits).sum::<f64>() / steps.len() as f64
}

/// Runs a session over the rows in turn, and holds every step to the feedback law.
fn run<'a>(sampler: &mut Sampler, row: impl Fn(usize) -> Row<'a>, steps: usize) -> Vec<Step> {
    let (tau, eta) = (sampler.config().tau(), sampler.config().eta());
    let mut uniforms = Uniforms::new(2024, sampler.steps());
    (0..steps)
        .map(|i| {
            let step = sampler.sample(row(i), uniforms.peek().unwrap()).unwrap();
            uniforms.advance();
            let free = step.mu_before - eta * (step.surprise_bits - tau);
            match step.limited {
                None => assert_eq!(step.mu_after.to_bits(), free.to_bits()),
                Some(Limit::Upper) => assert!(step.mu_after < free),
                Some(Limit::Lower) => assert!(step.mu_after > free),
            }
            step
        })
        .collect()
}

fn holds(version: Version, builder: ConfigBuilder, rows: &[Vec<f32>], name: &str) {
    let config = builder.build().unwrap();
    let (least, most) = reach(rows, config.temperature());
    assert!(
        least + 0.25 < config.tau() && config.tau() < most - 0.25,
        "{name}: {} is out of reach from {least} to {most}",
        config.tau()
    );
    let mut sampler = Sampler::new(config, version).unwrap();
    let steps = run(&mut sampler, |i| (&rows[i % rows.len()]).into(), 5000);
    let found = mean(&steps[1000..]);
    let error = (found - config.tau()).abs();
    assert!(
        error < TOLERANCE_BITS,
        "{name} {version:?}: {found} for {}",
        config.tau()
    );
}

#[test]
fn changing_zipf_rows_hold_the_target() {
    let rows = zipf(2000);
    for version in BOTH {
        for tau in [2.0, 3.0, 4.0, 5.0] {
            holds(version, Config::builder(tau), &rows, "zipf");
        }
    }
}

#[test]
fn rows_of_the_shapes_of_models_hold_the_target() {
    for (shape, scale, within) in [
        (Shape::LlmLike, 1.4, 2.0..=3.0),
        (Shape::LlmLike, 1.0, 3.0..=5.0),
        (Shape::Iid, 0.9, 3.0..=5.0),
        (Shape::Iid, 1.2, 2.0..=3.0),
    ] {
        let rows = shaped(shape, 2000, scale);
        for version in BOTH {
            for tau in [2.0, 3.0, 4.0, 5.0]
                .into_iter()
                .filter(|tau| within.contains(tau))
            {
                holds(version, Config::builder(tau), &rows, shape.name());
            }
        }
    }
}

#[test]
fn a_temperature_and_the_surprise_of_the_kept_hold_the_target() {
    let rows = zipf(2000);
    let warm: Vec<Vec<f32>> = rows
        .iter()
        .map(|row| row.iter().map(|x| x * 1.4).collect())
        .collect();
    for version in BOTH {
        for tau in [2.0, 4.0] {
            holds(
                version,
                Config::builder(tau).temperature(1.4),
                &warm,
                "warm",
            );
            let kept = Config::builder(tau).surprise_basis(SurpriseBasis::Kept);
            holds(version, kept, &rows, "kept");
            holds(version, Config::builder(tau).eta(0.5), &rows, "fast");
            holds(
                version,
                Config::builder(tau).mu_bounds(0.0, 30.0),
                &rows,
                "bounded",
            );
        }
    }
}

#[test]
fn narrow_and_exact_rows_hold_the_target() {
    let rows = zipf(500);
    let narrow: Vec<Vec<f16>> = rows.iter().map(|row| f16_row(row)).collect();
    let brain: Vec<Vec<bf16>> = rows.iter().map(|row| bf16_row(row)).collect();
    let exact: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| row.iter().map(|&x| x.into()).collect())
        .collect();
    for version in BOTH {
        let new = || Sampler::new(Config::new(3.0).unwrap(), version).unwrap();
        let n = rows.len();
        for steps in [
            run(&mut new(), |i| (&narrow[i % n]).into(), 4000),
            run(&mut new(), |i| (&brain[i % n]).into(), 4000),
            run(&mut new(), |i| (&exact[i % n]).into(), 4000),
        ] {
            assert!((mean(&steps[1000..]) - 3.0).abs() < TOLERANCE_BITS);
        }
    }
}

#[test]
fn a_target_out_of_reach_winds_mu_up_linearly() {
    // A row that is certain (A12 of the cases): each step adds eta·tau.
    let certain = [50.0_f32, 0.0, 0.0];
    for version in BOTH {
        let mut sampler = Sampler::new(Config::new(5.0).unwrap(), version).unwrap();
        let steps = run(&mut sampler, |_| (&certain).into(), 1000);
        for (i, step) in steps.iter().enumerate() {
            assert!((step.mu_after - (10.0 + 0.5 * (i + 1) as f64)).abs() < 1e-6);
            assert_eq!((step.token, step.limited), (0, None));
        }
    }
}

#[test]
fn a_target_too_low_winds_mu_down_linearly() {
    // 64 equal tokens are 6 bits each, whatever is kept; the target is 2.
    for version in BOTH {
        let mut sampler = Sampler::new(Config::new(2.0).unwrap(), version).unwrap();
        let steps = run(&mut sampler, |_| (&[0.0_f32; 64]).into(), 1000);
        for (i, step) in steps.iter().enumerate() {
            assert!((step.mu_after - (4.0 - 0.4 * (i + 1) as f64)).abs() < 1e-3);
            assert_eq!(step.kept, 1);
        }
        assert!(sampler.mu() < -390.0);
    }
}

#[test]
fn bounds_stop_the_wind_up_and_say_so() {
    let bounded = |tau| Config::builder(tau).mu_bounds(1.0, 12.0).build().unwrap();
    for version in BOTH {
        let mut sampler = Sampler::new(bounded(5.0), version).unwrap();
        let steps = run(&mut sampler, |_| (&[50.0_f32, 0.0, 0.0]).into(), 50);
        for (i, step) in steps.iter().enumerate() {
            // From 10 by 0.5 a step: the fourth lands on the bound, the fifth and all after are held by it.
            let limited = (i >= 4).then_some(Limit::Upper);
            assert!(step.limited == limited || i == 3, "{i}: {step:?}");
            assert!(step.mu_after <= 12.0);
        }
        assert_eq!(sampler.mu(), 12.0);
        let mut sampler = Sampler::new(bounded(2.0), version).unwrap();
        let steps = run(&mut sampler, |_| (&[0.0_f32; 64]).into(), 50);
        assert!(
            steps[10..]
                .iter()
                .all(|s| s.limited == Some(Limit::Lower) && s.mu_after == 1.0)
        );
        assert!(steps[..7].iter().all(|s| s.limited.is_none()));
    }
}

#[test]
fn bounds_make_recovery_quick() {
    let (rows, certain) = (zipf(2000), [50.0_f32, 0.0, 0.0]);
    let reachable = |i: usize| Row::from(&rows[i % rows.len()]);
    for version in BOTH {
        // Steps until the mean of 50 is within half a bit of the target after 2000 certain ones.
        let recovery = |builder: ConfigBuilder| {
            let mut sampler = Sampler::new(builder.build().unwrap(), version).unwrap();
            let _ = run(&mut sampler, |_| (&certain).into(), 2000);
            let steps = run(&mut sampler, reachable, 8000);
            let near = |window: &[Step]| (mean(window) - 3.0).abs() < 0.5;
            steps.windows(50).position(near).unwrap_or(steps.len())
        };
        let held = recovery(Config::builder(3.0).mu_bounds(0.0, 8.0));
        let free = recovery(Config::builder(3.0));
        assert!(held < 150, "{version:?}: {held}");
        assert!(free > 10 * held.max(50), "{version:?}: {free}");
    }
}

#[test]
fn a_session_survives_a_hundred_thousand_steps() {
    // Reachable, certain, flat and masked rows in long stretches, so that mu wanders far both ways.
    let mut rows = zipf(300);
    rows.truncate(20);
    rows.push((0..300).map(|i| if i == 7 { 60.0 } else { 0.0 }).collect());
    rows.push(vec![0.0; 300]);
    rows.push(
        (0..300)
            .map(|i| if i == 9 { 0.0 } else { f32::NEG_INFINITY })
            .collect(),
    );
    for version in BOTH {
        let mut sampler = Sampler::new(Config::new(3.0).unwrap(), version).unwrap();
        let steps = run(
            &mut sampler,
            |i| (&rows[i / 1000 % rows.len()]).into(),
            100_000,
        );
        assert_eq!(sampler.steps(), 100_000);
        let sound = |s: &Step| {
            s.mu_after.is_finite()
                && s.surprise_bits >= 0.0
                && s.surprise_bits.is_finite()
                && s.probability > 0.0
                && s.probability <= 1.0
                && s.kept >= 1
        };
        assert!(steps.iter().all(sound));
        // The mean error is what mu moved, over eta and the steps.
        let moved = (6.0 - sampler.mu()) / (0.1 * 100_000.0);
        assert!((mean(&steps) - 3.0 - moved).abs() < 1e-6);
    }
}
