//! Every level that this machine has is tested: one that was skipped is a failure.
//!
//! What the machine has is asked of the standard library, not of the code that chooses levels.

use mirostat::{Config, Level, Numerics, Sampler, Step, Version, bf16, f16};

/// The features that a level's instructions need, asked one by one.
fn this_machine_has(level: Level) -> bool {
    match level {
        Level::Base => true,
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2(),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => {
            avx2()
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
        }
        #[cfg(target_arch = "aarch64")]
        Level::Neon => std::arch::is_aarch64_feature_detected!("neon"),
        _ => false,
    }
}

#[cfg(target_arch = "x86_64")]
fn avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

fn on(level: Level, numerics: Numerics, version: Version) -> Option<Sampler> {
    let config = Config::builder(3.0).numerics(numerics).build().unwrap();
    Sampler::on_level(config, version, level).ok()
}

/// A few steps over more than one block, few kept and many, in three element types.
fn steps(mut sampler: Sampler) -> Vec<Step> {
    let row: Vec<f32> = (0..6000).map(|i| (i * 37 % 101) as f32 / 9.0).collect();
    let narrow: Vec<f16> = row.iter().map(|&x| f16::from_f32(x)).collect();
    let brain: Vec<bf16> = row.iter().map(|&x| bf16::from_f32(x)).collect();
    let flat = vec![0.0_f32; 6000];
    let before = (sampler.level(), sampler.numerics());
    let steps = [
        sampler.sample(&row, 0.3),
        sampler.sample(&narrow, 0.3),
        sampler.sample(&brain, 0.3),
        sampler.sample(&flat, 0.3),
        sampler.sample(&row[..7], 0.3),
    ];
    assert_eq!(
        (sampler.level(), sampler.numerics(), sampler.steps()),
        (before.0, before.1, 5)
    );
    steps.map(Result::unwrap).to_vec()
}

#[test]
fn no_level_of_this_machine_was_skipped() {
    let mut ran = Vec::new();
    for level in Level::ALL {
        let has = this_machine_has(level);
        for numerics in [Numerics::Fused, Numerics::Portable] {
            // The base level is never fused; every other level runs both.
            let expected = has && (level != Level::Base || numerics == Numerics::Portable);
            for version in [Version::V1, Version::V2] {
                let sampler = on(level, numerics, version);
                assert_eq!(sampler.is_some(), expected, "{} {numerics:?}", level.name());
                let Some(sampler) = sampler else { continue };
                assert_eq!((sampler.level(), sampler.numerics()), (level, numerics));
                assert_eq!(steps(sampler).len(), 5);
            }
            if expected {
                ran.push(format!("{} {numerics:?}", level.name()));
            }
        }
    }
    println!("levels that ran: {}", ran.join(", "));
    assert!(ran.contains(&"base Portable".into()));
}

#[test]
fn levels_of_one_arithmetic_take_the_same_steps() {
    for numerics in [Numerics::Fused, Numerics::Portable] {
        for version in [Version::V1, Version::V2] {
            let of = |level| on(level, numerics, version).map(steps);
            let mut all = Level::ALL.into_iter().filter_map(of);
            // Where nothing is fused, there is nothing to compare.
            let Some(first) = all.next() else {
                assert_eq!(numerics, Numerics::Fused);
                continue;
            };
            assert!(all.all(|other| format!("{other:?}") == format!("{first:?}")));
        }
    }
}

#[test]
fn a_plain_session_runs_on_the_best_level() {
    let best = Level::ALL
        .into_iter()
        .find(|&level| this_machine_has(level))
        .unwrap();
    for numerics in [Numerics::Auto, Numerics::Portable] {
        let config = Config::builder(3.0).numerics(numerics).build().unwrap();
        let sampler = Sampler::new(config, Version::V2).unwrap();
        assert_eq!(sampler.level(), best);
        let fused = numerics == Numerics::Auto && best != Level::Base;
        assert_eq!(sampler.numerics() == Numerics::Fused, fused);
    }
    let fused = Config::builder(3.0)
        .numerics(Numerics::Fused)
        .build()
        .unwrap();
    assert_eq!(
        Sampler::new(fused, Version::V2).is_ok(),
        best != Level::Base
    );
}
