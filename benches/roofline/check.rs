//! The answers, before the clock: the first rows of a case against the reference, within the contract.

use crate::case::Case;
use crate::kernels::{FIXED, fixed, sampler};
use crate::rows::{Logit, Rows};
use mirostat::reference::{self, Distribution, Rule};
use mirostat::{Scratch, Step, Version};
use mirostat_kernels::{self as kernels, Engine, Maxima, blocks};
use mirostat_rows::Rng;

const CHECKED: usize = 3;

/// Panics unless the read, the statistics and both versions' steps are right on the first rows.
pub(crate) fn answers<E: Logit>(case: &Case, rows: &Rows<E>, engines: &[Engine]) {
    let blocks = blocks(rows.vocabulary());
    let (mut maxima, mut sums) = (vec![Maxima::NONE; blocks], vec![0.0; blocks]);
    let mut scratch = Scratch::for_vocabulary(rows.vocabulary());
    let mut rng = Rng(5);
    for i in 0..CHECKED.min(rows.count()) {
        let logits = rows.row(i);
        let exact = E::row(logits).to_f64();
        let greatest = exact.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let distribution = Distribution::from_logits(&exact, 1.0).expect("a sound row");
        let uniform = rng.uniform();
        for &engine in engines {
            let read = kernels::read_max(engine, logits);
            assert_eq!(
                f64::from(read),
                greatest,
                "the read of {case:?} on {engine:?}"
            );
            let scale = core::f64::consts::LOG2_E;
            let summary = kernels::stats(engine, logits, scale, &mut maxima, &mut sums);
            let log_z = summary.expect("a sound row").log_z_nats();
            let error = (log_z - distribution.log_z_nats()).abs();
            assert!(
                error <= 5e-7,
                "ln Z of {case:?} on {engine:?} is off by {error}"
            );
        }
        let scale = core::f64::consts::LOG2_E;
        let (_, entropy_bits) =
            kernels::stats_and_entropy(engines[0], logits, scale, &mut maxima, &mut sums)
                .expect("a sound row");
        let error = (entropy_bits - distribution.entropy_bits()).abs();
        assert!(error <= 2e-6, "the entropy of {case:?} is off by {error}");
        for (name, truncation) in FIXED {
            let sampler = fixed(truncation);
            let tempered =
                Distribution::from_logits(&exact, sampler.temperature()).expect("a sound row");
            let kept = truncation.kept(&tempered).expect("a sound truncation");
            let drawn = sampler
                .draw_in(E::row(logits), uniform, &mut scratch)
                .expect("a sound row");
            // One token may lie within the contract's reach of the edge.
            assert!(
                kept.tokens.contains(&drawn.token) && kept.count.abs_diff(drawn.kept) <= 1,
                "row {i} of {case:?}, {name}: {drawn:?} for {}",
                kept.count
            );
        }
        for version in [Version::V1, Version::V2] {
            for &engine in engines {
                let mut sampler = sampler(case, version, engine);
                let step = sampler
                    .sample_in(E::row(logits), uniform, &mut scratch)
                    .expect("a sound row");
                assert!(
                    agrees(&step, &distribution, version, uniform),
                    "row {i} of {case:?} on {engine:?} at u = {uniform}: {step:?}"
                );
            }
        }
    }
}

/// Whether the reference takes this step at this mu and uniform, or at ones within the contract's reach.
fn agrees(step: &Step, distribution: &Distribution, version: Version, uniform: f64) -> bool {
    let rule = Rule {
        version,
        ..Rule::default()
    };
    let at = |mu_bits: f64, uniform: f64| {
        reference::choose(distribution, &rule, mu_bits, uniform).expect("a sound step")
    };
    let mu = step.mu_before;
    let same = at(mu, uniform);
    let (edge, reach) = (1.0 / 524_288.0, 2e-6);
    let kept = step.kept == same.kept
        || (at(mu - edge, uniform).kept..=at(mu + edge, uniform).kept).contains(&step.kept);
    let token = step.token == same.token
        || [-reach, reach]
            .map(|d| at(mu, (uniform + d).clamp(0.0, 1.0 - reach)).token)
            .contains(&step.token);
    let surprise = distribution.surprise_bits(step.token);
    kept && token && (step.surprise_bits - surprise).abs() <= 1e-6
}
