//! Each fault that a sampler somewhere had is absent here: one test a report, named after the mistake.
//!
//! The comment above a test gives the case of the project's collection and the thread it comes from. Rows given as probabilities run
//! exactly, as weights; on narrower logits whatever sits on an edge is moved by a thousandth in the direction that leaves the answer.

use mirostat::{
    BatchScratch, Config, ConfigBuilder, DrawOrder, Error, Job, KRule, Level, Numerics,
    Parallelism, PreparedRow, Row, Sampler, Scratch, Step, SurpriseBasis, UniformSource, Uniforms,
    Version, VocabularySize, bf16, f16, step_batch,
};
use mirostat_rows::Rng;

const BOTH: [Version; 2] = [Version::V1, Version::V2];
const MASKED: f32 = f32::NEG_INFINITY;
const LARGEST_BELOW_1: f64 = 1.0 - f64::EPSILON / 2.0;
/// The row that most of group A is about.
const HALVES: [f64; 4] = [0.5, 0.25, 0.125, 0.125];

fn builder(tau: f64, eta: f64, mu: f64) -> ConfigBuilder {
    Config::builder(tau).eta(eta).initial_mu(mu)
}

fn session(builder: ConfigBuilder, version: Version) -> Sampler {
    Sampler::new(builder.build().unwrap(), version).unwrap()
}

fn basis(builder: ConfigBuilder, basis: SurpriseBasis) -> ConfigBuilder {
    builder.surprise_basis(basis)
}

/// A configuration's session on every level and arithmetic of this machine.
fn everywhere(builder: ConfigBuilder, version: Version) -> Vec<Sampler> {
    let mut sessions = Vec::new();
    for numerics in [Numerics::Fused, Numerics::Portable] {
        let config = builder.numerics(numerics).build().unwrap();
        let on = |level| Sampler::on_level(config, version, level).ok();
        sessions.extend(Level::ALL.into_iter().filter_map(on));
    }
    assert!(!sessions.is_empty());
    sessions
}

fn logits(p: &[f64]) -> Vec<f32> {
    p.iter().map(|p| p.ln() as f32).collect()
}

fn close(found: f64, expected: f64, within: f64) {
    assert!(
        (found - expected).abs() <= within,
        "{found}, not {expected}"
    );
}

fn bits(step: &Step) -> (u32, u64, u64, usize, usize, u64) {
    (
        step.token,
        step.probability.to_bits(),
        step.surprise_bits.to_bits(),
        step.kept,
        step.support,
        step.mu_after.to_bits(),
    )
}

// A1: LLamaSharp #71, #72, llama-cpp-python #914.
#[test]
fn mu_is_not_thrown_away_after_a_step() {
    for (which, mu_after) in [
        (SurpriseBasis::Kept, 1.70752),
        (SurpriseBasis::Original, 1.5),
    ] {
        let mut sampler = session(basis(builder(1.0, 0.5, 2.0), which), Version::V2);
        let step = sampler.sample_weights(&HALVES, 0.7).unwrap();
        assert_eq!((step.token, step.kept), (1, 2));
        close(step.mu_after, mu_after, 5e-6);
        assert_eq!(sampler.mu().to_bits(), step.mu_after.to_bits());
        for uniform in [0.0, 0.7, LARGEST_BELOW_1] {
            let step = sampler.fork().sample_weights(&HALVES, uniform).unwrap();
            assert_eq!((step.token, step.kept), (0, 1));
        }
    }
}

// A1, by the kernels: mu is a thousandth above the edge; bf16 moves these logits by more than that.
#[test]
fn mu_is_not_thrown_away_after_a_step_on_narrow_logits() {
    let f32s = logits(&HALVES);
    let f16s: Vec<f16> = f32s.iter().map(|&x| f16::from_f32(x)).collect();
    let bf16s: Vec<bf16> = f32s.iter().map(|&x| bf16::from_f32(x)).collect();
    let rows: [(Row<'_>, f64); 3] = [
        ((&f32s).into(), 1e-3),
        ((&f16s).into(), 1e-3),
        ((&bf16s).into(), 1e-2),
    ];
    for (which, mu_after) in [
        (SurpriseBasis::Kept, 1.70752),
        (SurpriseBasis::Original, 1.5),
    ] {
        for (row, room) in rows {
            for mut sampler in everywhere(basis(builder(1.0, 0.5, 2.0 + room), which), Version::V2)
            {
                let step = sampler.sample(row, 0.7).unwrap();
                assert_eq!((step.token, step.kept), (1, 2), "{row:?}");
                close(step.mu_after, mu_after + room, room);
                let step = sampler.sample(row, 0.99).unwrap();
                assert_eq!((step.token, step.kept), (0, 1));
            }
        }
    }
}

// A2: llama.cpp #3537, fixed by #3543.
#[test]
fn mu_is_not_shared_by_sessions() {
    let new = || {
        session(
            basis(builder(1.0, 0.5, 2.0), SurpriseBasis::Kept),
            Version::V2,
        )
    };
    let on_a = |s: &mut Sampler| s.sample_weights(&HALVES, 0.7).unwrap();
    let on_b = |s: &mut Sampler| s.sample_weights(&[0.25; 4], 0.1).unwrap();
    let (mut a, mut b) = (new(), new());
    let (after_a, after_b) = (on_a(&mut a), on_b(&mut b));
    close(a.mu(), 1.70752, 5e-6);
    assert_eq!(b.mu(), 1.5);
    let (mut c, mut d) = (new(), new());
    assert_eq!((on_b(&mut d), on_a(&mut c)), (after_b, after_a));
    let threads = std::thread::scope(|scope| {
        let a = scope.spawn(|| on_a(&mut new()));
        let b = scope.spawn(|| on_b(&mut new()));
        (a.join().unwrap(), b.join().unwrap())
    });
    assert_eq!(threads, (after_a, after_b));
}

// A4: koboldcpp #338, #209.
#[test]
fn a_row_above_mu_everywhere_is_not_an_empty_set() {
    let row = [0.0_f32; 8];
    for (which, mu_after) in [(SurpriseBasis::Kept, 2.1), (SurpriseBasis::Original, 1.8)] {
        let built = basis(builder(1.0, 0.1, 2.0), which);
        let mut exact = session(built, Version::V2);
        let step = exact.sample_weights(&[0.125; 8], 0.99).unwrap();
        assert_eq!((step.token, step.kept, step.support), (0, 1, 8));
        close(step.mu_after, mu_after, 1e-12);
        for mut sampler in everywhere(built, Version::V2) {
            let step = sampler.sample(&row, 0.99).unwrap();
            assert_eq!((step.token, step.kept, step.support), (0, 1, 8));
            close(step.mu_after, mu_after, 1e-6);
        }
    }
}

// A4, the complaint itself: with the surprise of the kept tokens mu opens until texts differ again.
#[test]
fn a_row_above_mu_everywhere_opens_up_again() {
    let mut sampler = session(
        basis(builder(1.0, 0.1, 2.0), SurpriseBasis::Kept),
        Version::V2,
    );
    let mut uniforms = Uniforms::new(4, 0);
    let tokens: Vec<u32> = (0..100)
        .map(|_| {
            sampler
                .sample_with(&[0.0_f32; 8], &mut uniforms)
                .unwrap()
                .token
        })
        .collect();
    assert_eq!(tokens[..5], [0; 5]);
    assert!(tokens.iter().any(|&t| t != 0));
}

// A5: llm-samplers 0.0.7, SampleMirostat2.
#[test]
fn nothing_above_mu_is_not_a_single_candidate() {
    for mu in [3.5, 10.0] {
        let mut sampler = session(builder(5.0, 0.1, mu), Version::V2);
        let step = sampler.sample_weights(&HALVES, 0.99).unwrap();
        assert_eq!((step.token, step.kept), (3, 4));
        close(step.mu_after, mu + 0.2, 1e-12);
        for mut sampler in everywhere(builder(5.0, 0.1, mu), Version::V2) {
            let step = sampler.sample(&logits(&HALVES), 0.99).unwrap();
            assert_eq!((step.token, step.kept), (3, 4));
            close(step.mu_after, mu + 0.2, 1e-6);
        }
    }
    let mut sampler = session(builder(5.0, 0.1, 2.5), Version::V2);
    assert_eq!(sampler.sample_weights(&HALVES, 0.99).unwrap().kept, 2);
    // Exactly at the edge the token stays.
    let mut sampler = session(builder(5.0, 0.1, 3.0), Version::V2);
    assert_eq!(sampler.sample_weights(&HALVES, 0.99).unwrap().kept, 4);
}

// A7: llama.cpp and mirostat.py.
#[test]
fn an_exponent_of_one_is_not_zero_over_zero() {
    let weights = [12.0, 6.0, 4.0, 3.0];
    let kept = [
        (KRule::Truncate, 2),
        (KRule::RoundHalfUp, 3),
        (KRule::PaperCode, 4),
    ];
    for (rule, kept) in kept {
        let built = builder(1.0, 0.1, 2.0).k_rule(rule);
        let step = session(built, Version::V1)
            .sample_weights(&weights, 0.5)
            .unwrap();
        assert_eq!(step.kept, kept, "{rule:?}");
        for mut sampler in everywhere(built, Version::V1) {
            let row = logits(&weights);
            assert_eq!(sampler.sample(&row, 0.5).unwrap().kept, kept, "{rule:?}");
        }
    }
    // Beside one, where the textbook quotient cancels, it is no other number.
    for shift in [0.0, 1e-16, 1e-15, 1.19e-7, -1e-16, -1e-12, -1e-7] {
        let estimate = |mu| mirostat::reference::estimated_k(mu, 1.0 + shift, 50_257);
        // k = 2^mu / ln n = 1000.3: a relative error of 2e-4 would show.
        assert_eq!(estimate((1000.3 * 50_257.0_f64.ln()).log2()), Ok(1000));
    }
}

// A9: mirostat.py.
#[test]
fn a_vocabulary_smaller_than_m_is_not_read_beyond_its_end() {
    for version in BOTH {
        for mut sampler in everywhere(builder(3.0, 0.1, 6.0), version) {
            let step = sampler.sample(&[7.0_f32], 0.5).unwrap();
            assert_eq!((step.token, step.probability, step.kept), (0, 1.0, 1));
            assert_eq!(step.surprise_bits.to_bits(), 0.0_f64.to_bits());
            assert_eq!(step.mu_after, 6.0 + 0.1 * 3.0);
            let row = [3.0_f32, 2.0, 1.0];
            let exact = sampler.fork().sample(&row.map(f64::from), 0.999).unwrap();
            let step = sampler.sample(&row, 0.999).unwrap();
            assert_eq!((step.token, step.kept), (exact.token, exact.kept));
            close(step.surprise_bits, exact.surprise_bits, 1e-6);
        }
    }
}

// A9, the other way round: an m beyond every row, short or long.
#[test]
fn an_m_greater_than_the_vocabulary_is_no_fault() {
    let row: Vec<f32> = (0..300).map(|i| -(i as f32) / 50.0).collect();
    let step = |m| {
        session(builder(3.0, 0.1, 6.0).m(m), Version::V1)
            .sample(&row, 0.9)
            .unwrap()
    };
    assert_eq!(bits(&step(300)), bits(&step(4096)));
    assert_eq!(bits(&step(300)), bits(&step(4097)));
    assert_eq!(bits(&step(300)), bits(&step(usize::MAX)));
}

// A10: the formula in llama.cpp and mirostat.py.
#[test]
fn masked_tokens_do_not_poison_the_zipf_fit() {
    let row = [2.0, 1.0, MASKED, MASKED];
    for (rule, size, kept) in [
        (KRule::Truncate, VocabularySize::Row, 2),
        (KRule::RoundHalfUp, VocabularySize::Row, 3),
        (KRule::RoundHalfUp, VocabularySize::Support, 2),
    ] {
        let built = builder(1.0, 0.1, 2.0).k_rule(rule).vocabulary_size(size);
        for sampler in everywhere(built, Version::V1) {
            for i in 0..200 {
                let uniform = (f64::from(i) / 199.0).min(LARGEST_BELOW_1);
                let step = sampler.fork().sample(&row, uniform).unwrap();
                let exact = sampler.fork().sample(&row.map(f64::from), uniform).unwrap();
                assert_eq!((step.kept, step.support, step.token < 2), (kept, 2, true));
                assert_eq!((exact.kept, exact.token), (step.kept, step.token));
            }
        }
    }
    let p = mirostat::reference::probabilities(&row.map(f64::from)).unwrap();
    // One gap of 1 nat, over ln 2.
    let exponent = mirostat::reference::zipf_exponent(&p, &[0, 1, 2, 3], 4).unwrap();
    close(exponent, core::f64::consts::LOG2_E, 1e-12);
}

// A12: no thread; both surprises add eta·tau for each certain token.
#[test]
fn a_mu_that_ran_away_still_gives_draws() {
    for version in BOTH {
        for mut sampler in everywhere(builder(5.0, 0.1, 10.0), version) {
            for i in 0..1000 {
                let uniform = f64::from(i) / 1000.0;
                let step = sampler.sample(&[50.0_f32, 0.0, 0.0], uniform).unwrap();
                assert_eq!(step.token, 0);
            }
            close(sampler.mu(), 510.0, 1e-3);
            // 2^510 is no f32, and the whole row stays.
            let step = sampler.sample(&[0.0_f32; 3], 0.99).unwrap();
            assert_eq!((step.token, step.kept), (2, 3));
        }
    }
}

// A14: llama.cpp at commit 0344068, llama_sampler_mirostat_clone.
#[test]
fn a_clone_does_not_lose_the_state() {
    let mut sampler = session(
        basis(builder(1.0, 0.5, 2.0), SurpriseBasis::Kept),
        Version::V2,
    );
    let _ = sampler.sample_weights(&HALVES, 0.7).unwrap();
    for mut copy in [sampler.clone(), sampler.fork()] {
        close(copy.mu(), 1.70752, 5e-6);
        assert_eq!(copy.steps(), 1);
        let mut original = sampler.clone();
        for uniform in [0.99, 0.3, 0.8] {
            let step = copy.sample_weights(&HALVES, uniform).unwrap();
            assert_eq!(original.sample_weights(&HALVES, uniform), Ok(step));
        }
    }
    assert_eq!(sampler.steps(), 1, "the clones' steps are theirs");
}

// A15: mistral.rs, llama-cpp-rs #604.
#[test]
fn a_rejected_draw_does_not_move_mu() {
    for mut sampler in everywhere(
        basis(builder(1.0, 0.5, 2.001), SurpriseBasis::Kept),
        Version::V2,
    ) {
        let (row, mut scratch) = (logits(&HALVES), Scratch::new());
        let mut read = sampler.read(&row, &mut scratch).unwrap();
        assert_eq!(read.propose(0.1).unwrap().token(), 0);
        assert_eq!(read.propose(0.5).unwrap().token(), 0);
        let accepted = read.propose(0.7).unwrap();
        assert_eq!(sampler.steps(), 0);
        let step = sampler.accept(accepted).unwrap();
        assert_eq!((step.token, sampler.steps()), (1, 1));
        close(sampler.mu(), 1.70852, 5e-6);
        assert!(sampler.accept(accepted).is_err(), "once is once");
    }
}

// A15: what was rejected leaves no trace in the proposals that follow, whether few or many are kept.
#[test]
fn a_rejected_draw_does_not_change_the_next() {
    for len in [300, 20_000] {
        let row: Vec<f32> = (0..len).map(|i| (i * 37 % 101) as f32 / 99.0).collect();
        for version in BOTH {
            for order in [DrawOrder::Id, DrawOrder::Rank] {
                let built = builder(8.0, 0.1, 16.0).draw_order(order);
                let mut sampler = session(built, version);
                let mut scratch = Scratch::new();
                let solo = |u| sampler.fork().sample(&row, u).unwrap().token;
                let uniforms = [0.9, 0.2, 0.55, 0.0, LARGEST_BELOW_1, 0.2];
                let expected = uniforms.map(solo);
                let mut read = sampler.read(&row, &mut scratch).unwrap();
                let found = uniforms.map(|u| read.propose(u).unwrap().token());
                assert_eq!(found, expected, "{version:?} {order:?} {len}");
                let step = read.observe(found[2]).unwrap();
                assert_eq!((step.token, sampler.steps()), (found[2], 1));
            }
        }
    }
}

// A17: text-generation-webui.
#[test]
fn no_other_filter_is_left_on() {
    for mut sampler in everywhere(builder(5.0, 0.1, 10.0), Version::V2) {
        let step = sampler.sample(&logits(&HALVES), 0.99).unwrap();
        assert_eq!((step.token, step.kept, step.support), (3, 4, 4));
        // Nor a cap of the kind of "top 40" or "top 100" on a long tail.
        let step = sampler.sample(&[0.0_f32; 1000], LARGEST_BELOW_1).unwrap();
        assert_eq!((step.token, step.kept), (999, 1000));
    }
}

// A19: llama.cpp #23644, Aphrodite #74.
#[test]
fn a_parameter_is_not_taken_unchecked() {
    let refused = |builder: ConfigBuilder| match builder.build() {
        Err(Error::InvalidParameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(refused(Config::builder(0.0)), "tau");
    assert_eq!(refused(Config::builder(-1.0)), "tau");
    assert_eq!(refused(Config::builder(f64::NAN)), "tau");
    assert_eq!(refused(Config::builder(3.0).eta(-0.1)), "eta");
}

// B1: rten #1089, colibri #369, #370, lattice #327, #404.
#[test]
fn one_nan_is_not_a_silent_token() {
    for version in BOTH {
        for mut sampler in everywhere(builder(3.0, 0.1, 6.0), version) {
            let error = Err(Error::InvalidLogit {
                index: 1,
                value: f64::NAN,
            });
            assert_eq!(sampler.sample(&[1.0, f32::NAN, 3.0, 2.0], 0.5), error);
            assert_eq!(sampler.sample(&[1.0, f64::NAN, 3.0, 2.0], 0.5), error);
        }
    }
}

// B3: llama.cpp #26651, #21512, #15551, transformers #21435, #45413, lattice #457.
#[test]
fn a_wholly_masked_row_is_not_token_zero() {
    for version in BOTH {
        for mut sampler in everywhere(builder(3.0, 0.1, 6.0), version) {
            assert_eq!(sampler.sample(&[MASKED; 4], 0.5), Err(Error::AllMasked));
            assert_eq!(
                sampler.sample(&[f64::NEG_INFINITY; 4], 0.5),
                Err(Error::AllMasked)
            );
        }
    }
}

// B4: sglang #33187, #33206; B10: flashinfer #2402, #2455, #2456, vLLM #20177, #40376; L4: flashinfer #2402.
#[test]
fn a_nan_row_is_neither_cleaned_into_noise_nor_the_end_of_its_batch() {
    let rows = [
        [1.0_f32, 0.5, 0.2, 0.1],
        [f32::NAN; 4],
        [0.3, 0.2, 0.1, 0.9],
    ];
    for version in BOTH {
        let new = || session(builder(3.0, 0.1, 6.0), version);
        let mut samplers = [new(), new(), new()];
        let mut jobs: Vec<Job<'_>> = samplers
            .iter_mut()
            .zip(&rows)
            .map(|(sampler, row)| Job {
                sampler,
                row: row.into(),
                uniform: 0.77,
            })
            .collect();
        let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
        step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut out);
        let error = Err(Error::InvalidLogit {
            index: 0,
            value: f64::NAN,
        });
        assert_eq!(out[1], error);
        for i in [0, 2] {
            let alone = new().sample(&rows[i], 0.77).unwrap();
            assert_eq!(bits(&out[i].unwrap()), bits(&alone));
        }
        assert_eq!(samplers.map(|s| s.steps()), [1, 0, 1]);
    }
}

// B7: llama-cpp-python #990, lmql #135, rand #1808.
#[test]
fn great_logits_do_not_overflow() {
    for mut sampler in everywhere(builder(3.0, 0.1, 6.0), Version::V2) {
        for top in [89.0_f32, 1e4, 1e30, f32::MAX, f32::MIN] {
            let step = sampler.sample(&[top, top], 0.75).unwrap();
            assert_eq!((step.token, step.support), (1, 2), "{top}");
            close(step.probability, 0.5, 3e-7);
        }
        let step = sampler.sample(&[1e4_f32, 0.0], LARGEST_BELOW_1).unwrap();
        assert_eq!((step.token, step.probability, step.support), (0, 1.0, 1));
        let narrow = [f16::from_f32(89.0); 2];
        close(
            sampler.sample(&narrow, 0.75).unwrap().probability,
            0.5,
            3e-7,
        );
    }
    close(
        mirostat::log_z_nats(&[89.0_f32, 89.0]).unwrap(),
        89.0 + 2.0_f64.ln(),
        5e-7,
    );
}

// B11: trl #6166.
#[test]
fn a_peaked_row_has_no_nan_log_probability() {
    let row = [1000.0_f32, 0.0];
    let log_z = mirostat::log_z_nats(&row).unwrap();
    close(log_z, 1000.0, 5e-7);
    let log_p = row.map(|x| f64::from(x) - log_z);
    close(log_p[0], 0.0, 5e-7);
    close(log_p[1], -1000.0, 5e-7);
    assert_eq!(mirostat::row_entropy_bits(&row).unwrap().to_bits(), 0);
    // At 600 the other token can be drawn in principle, and is measured: 600 / ln 2 bits.
    for version in BOTH {
        for mut sampler in everywhere(builder(3.0, 0.1, 6.0), version) {
            let mut scratch = Scratch::new();
            let read = sampler.read(&[600.0_f32, 0.0], &mut scratch).unwrap();
            close(
                read.observe_any(1).unwrap().surprise_bits,
                865.617_024_5,
                1e-6,
            );
        }
    }
}

// H1: pytorch #4858, #9960, #48841, godot #93893, rten.
#[test]
fn a_masked_first_token_is_not_drawn_at_uniform_zero() {
    for version in BOTH {
        for order in [DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank] {
            let built = builder(3.0, 0.1, 6.0).draw_order(order);
            let step = session(built, version).sample_weights(&[0.0, 1.0], 0.0);
            assert_eq!(step.unwrap().token, 1);
            for mut sampler in everywhere(built, version) {
                for uniform in [0.0, -0.0, LARGEST_BELOW_1] {
                    let step = sampler.sample(&[MASKED, 0.0], uniform).unwrap();
                    assert_eq!(step.token, 1);
                }
            }
        }
    }
}

// H2: cupy #1614, numba #10810, #10812, half-rs #152, rand #1462, amrex #5643.
#[test]
fn a_uniform_that_rounded_up_to_one_is_not_past_the_end() {
    let rounded = f64::from(LARGEST_BELOW_1 as f32);
    for version in BOTH {
        for mut sampler in everywhere(builder(3.0, 0.1, 6.0), version) {
            let row = [0.0, 0.0, MASKED];
            let error = Err(Error::InvalidUniform { value: 1.0 });
            assert_eq!(sampler.sample(&row, rounded), error);
            assert_eq!(sampler.sample_weights(&[0.5, 0.5, 0.0], rounded), error);
            assert_eq!(sampler.sample(&row, LARGEST_BELOW_1).unwrap().token, 1);
            let step = sampler.sample_weights(&[0.5, 0.5, 0.0], LARGEST_BELOW_1);
            assert_eq!(step.unwrap().token, 1);
        }
    }
    // The greatest number that the stream of uniforms can give is the greatest below 1.
    let greatest = (u64::MAX >> 11) as f64 / 9_007_199_254_740_992.0;
    assert_eq!(greatest.to_bits(), LARGEST_BELOW_1.to_bits());
}

// H4: pytorch #50034, #13867, cutorch #398, KoboldAI #64.
#[test]
fn a_zero_in_the_middle_is_not_drawn() {
    let p = [0.25, 0.25, 0.0, 0.5];
    for version in BOTH {
        for order in [DrawOrder::Rule, DrawOrder::Id, DrawOrder::Rank] {
            let built = builder(3.0, 0.1, 6.0).draw_order(order);
            for i in 0..=1000 {
                let uniform = (f64::from(i) / 1000.0).min(LARGEST_BELOW_1);
                let token = session(built, version)
                    .sample_weights(&p, uniform)
                    .unwrap()
                    .token;
                assert_ne!(token, 2);
                let id =
                    order == DrawOrder::Id || (version == Version::V2 && order == DrawOrder::Rule);
                assert!(i != 500 || token == if id { 3 } else { 0 });
                let row = logits(&p);
                assert_ne!(
                    session(built, version).sample(&row, uniform).unwrap().token,
                    2
                );
            }
        }
    }
    // On logits the edge itself moves by their rounding, so the uniform stands a thousandth above it.
    for mut sampler in everywhere(builder(3.0, 0.1, 6.0), Version::V2) {
        assert_eq!(sampler.sample(&logits(&p), 0.501).unwrap().token, 3);
    }
}

// H7: char-rnn-tensorflow #1, llamppl #12, Theano #2592, numpy #25521.
#[test]
fn weights_need_not_sum_to_one() {
    for version in BOTH {
        for scale in [1.0, 1e-300, 1e300] {
            let weights = [0.2 * scale, 0.3 * scale];
            let step = session(builder(3.0, 0.1, 6.0), version).sample_weights(&weights, 0.7);
            let expected = if version == Version::V1 { 0 } else { 1 };
            // Version 1 walks from the likelier down: 0.7 · 0.5 is past its 0.3.
            let step = step.unwrap();
            assert_eq!(step.token, expected);
            close(step.probability, [0.4, 0.6][step.token as usize], 1e-12);
        }
        let step = session(builder(3.0, 0.1, 6.0), version).sample_weights(&[0.2, 0.3], 0.5);
        assert_eq!(step.unwrap().token, 1);
    }
}

// H8: vllm-ascend #16396, swift-transformers #49.
#[test]
fn a_position_in_the_list_is_not_returned_for_a_token() {
    let rows = [
        [2.0_f32, 1.0, 3.0, -5.0, -23.0, 12.5, MASKED, MASKED],
        [-8.0, -3.0, -2.0, -1.0, 0.0, 9.0, 1.0, 2.0],
    ];
    for row in rows {
        assert_eq!(mirostat::greatest(&row).unwrap().0, 5);
        for version in BOTH {
            for mut sampler in everywhere(builder(0.01, 0.1, 0.02), version) {
                let step = sampler.sample(&row, LARGEST_BELOW_1).unwrap();
                assert_eq!((step.token, step.kept), (5, 1));
            }
        }
    }
    assert_eq!(mirostat::greatest(&rows[0]).unwrap(), (5, 12.5));
    // The same with two kept, far out in the row, in every order.
    let mut row = vec![-20.0_f32; 1000];
    (row[700], row[901]) = (1.0, 2.0);
    for version in BOTH {
        for mut sampler in everywhere(builder(1.0, 0.1, 2.5).draw_order(DrawOrder::Rank), version) {
            assert_eq!(sampler.fork().sample(&row, 0.0).unwrap().token, 901);
            assert_eq!(sampler.sample(&row, 0.9).unwrap().token, 700);
        }
    }
}

// H9: mistral.rs #2424, #2329.
#[test]
fn the_greatest_is_not_taken_for_a_draw() {
    for version in BOTH {
        let mut count = [0; 3];
        for seed in 0..300 {
            let mut sampler = session(builder(3.0, 0.1, 6.0), version);
            let row = logits(&[0.5, 0.3, 0.2]);
            let step = sampler
                .sample_with(&row, &mut Uniforms::new(seed, 0))
                .unwrap();
            count[step.token as usize] += 1;
        }
        // Four standard deviations about 150, 90 and 60.
        for (found, expected, four_sigma) in
            [(count[0], 150, 35), (count[1], 90, 32), (count[2], 60, 28)]
        {
            assert!(i32::abs(found - expected) <= four_sigma, "{count:?}");
        }
    }
}

// K1: vllm-metal #50, private-mind #255, llama.cpp #6962.
#[test]
fn the_stream_is_not_reseeded_every_step() {
    let mut sampler = session(builder(3.0, 0.1, 6.0), Version::V2);
    let mut uniforms = Uniforms::new(1, 0);
    let mut seen = [0; 4];
    for step in 0..64 {
        let own = Uniforms {
            seed: 1,
            session: 0,
            step,
        }
        .peek()
        .unwrap();
        let token = sampler
            .sample_with(&[0.0_f32; 4], &mut uniforms)
            .unwrap()
            .token;
        assert_eq!(token, (own * 4.0) as u32, "step {step} uses draw {step}");
        seen[token as usize] += 1;
    }
    assert_eq!(uniforms.step, 64);
    assert!(seen.iter().all(|&n| n > 0), "{seen:?}");
}

// K3: vLLM #51226, #1637, TensorRT-LLM #17172, #17599, openvino.genai #3721; K7: vLLM #50979.
#[test]
fn a_step_does_not_depend_on_its_neighbours() {
    let mut rng = mirostat_rows::Rng(3);
    let mut row = || -> Vec<f32> { (0..20_000).map(|_| (3.0 * rng.normal()) as f32).collect() };
    let (own, others) = (row(), [row(), row()]);
    let uniform = Uniforms::new(42, 0).peek().unwrap();
    for version in BOTH {
        let alone = session(builder(3.0, 0.1, 6.0), version)
            .sample(&own, uniform)
            .unwrap();
        for (size, at) in [(1, 0), (2, 0), (2, 1), (64, 0), (64, 31), (64, 63)] {
            for parallelism in [Parallelism::Serial, Parallelism::Auto] {
                let mut samplers: Vec<Sampler> = (0..size)
                    .map(|i| session(builder(1.0 + i as f64 / 9.0, 0.3, 9.0), BOTH[i % 2]))
                    .collect();
                samplers[at] = session(builder(3.0, 0.1, 6.0), version);
                let mut jobs: Vec<Job<'_>> = samplers
                    .iter_mut()
                    .enumerate()
                    .map(|(i, sampler)| Job {
                        sampler,
                        row: if i == at { &own } else { &others[i % 2] }.into(),
                        uniform: if i == at {
                            uniform
                        } else {
                            0.5 / (i + 1) as f64
                        },
                    })
                    .collect();
                let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
                step_batch(&mut jobs, parallelism, &mut scratch, &mut out);
                assert_eq!(bits(&out[at].unwrap()), bits(&alone), "{at} of {size}");
            }
        }
    }
}

// K3: after pre-emption, on another machine's copy of the state.
#[test]
fn a_pre_empted_session_goes_on_with_the_same_numbers() {
    for version in BOTH {
        let row: Vec<f32> = (0..300).map(|i| (i * 37 % 101) as f32 / 9.0).collect();
        let mut sampler = session(builder(3.0, 0.1, 6.0), version);
        let mut uniforms = Uniforms::new(42, 0);
        let _ = sampler.sample_with(&row, &mut uniforms).unwrap();
        let mut resumed = Sampler::from_state(*sampler.config(), sampler.state()).unwrap();
        let mut again = Uniforms {
            seed: 42,
            session: 0,
            step: sampler.steps(),
        };
        for _ in 0..20 {
            let step = sampler.sample_with(&row, &mut uniforms).unwrap();
            let same = resumed.sample_with(&row, &mut again).unwrap();
            assert_eq!(bits(&step), bits(&same));
        }
    }
}

// K4: Halite-II #241, glow #1556, realm-core #2210, llama.cpp.
#[test]
fn the_uniforms_are_not_left_to_the_library() {
    // From a ChaCha8 written from its specification in Python, checked with the keystream of the zero key, 3e00ef2f 895f40d6.
    const KNOWN: [(u64, u64, u64, u64); 17] = [
        (0, 0, 0, 0x1A_C80B_F125_FDE0),
        (0, 0, 1, 0x14_34A1_23FD_170B),
        (0, 0, 2, 0x07_6FF3_59D8_61D0),
        (0, 0, 7, 0x08_5FC1_81D7_1FAF),
        (0, 0, 8, 0x0A_3834_BD41_BF55),
        (0, 0, 1_000_003, 0x08_945D_C988_E048),
        (42, 7, 0, 0x0D_98C5_D45F_BA5F),
        (42, 7, 1, 0x0D_B070_B8A1_2BDB),
        (42, 7, 2, 0x16_EDCF_8910_4001),
        (42, 7, 7, 0x18_B334_4EE7_A31C),
        (42, 7, 8, 0x01_421B_86B0_C4D5),
        (42, 7, 9, 0x19_6D05_1ADE_2CE2),
        (42, 7, 1_000_003, 0x1C_D1BF_566A_EA18),
        (42, 7, 1_099_511_627_781, 0x1A_0ACB_F599_6954),
        (42, 7, 9_223_372_036_854_775_809, 0x05_E6FA_E31B_E9FF),
        (42, 7, u64::MAX, 0x16_EF6D_A2C0_2FBB),
        (u64::MAX, u64::MAX, 0, 0x1B_33E9_B0E9_63D9),
    ];
    for (seed, session, step, known) in KNOWN {
        let found = Uniforms {
            seed,
            session,
            step,
        }
        .peek()
        .unwrap();
        assert_eq!(
            found,
            known as f64 / 9_007_199_254_740_992.0,
            "{seed} {session} {step}"
        );
    }
}

// K5: mistral.rs #1626, #1316, candle #3496.
#[test]
fn sessions_on_two_threads_do_not_share_a_generator() {
    let run = |id: u64| {
        let mut sampler = session(builder(3.0, 0.1, 6.0), BOTH[id as usize % 2]);
        let mut uniforms = Uniforms::new(42, id);
        let mut rng = mirostat_rows::Rng(8);
        let row: Vec<f32> = (0..2000).map(|_| (2.5 * rng.normal()) as f32).collect();
        (0..300)
            .map(|_| bits(&sampler.sample_with(&row, &mut uniforms).unwrap()))
            .collect::<Vec<_>>()
    };
    let solo = [0, 1, 2, 3].map(run);
    let together = std::thread::scope(|scope| {
        [0, 1, 2, 3]
            .map(|id| scope.spawn(move || run(id)))
            .map(|thread| thread.join().unwrap())
    });
    assert_eq!(together, solo);
    assert_ne!(solo[0], solo[2]);
}

// K7: rMLX #373, lattice #386.
#[test]
fn a_tie_does_not_go_to_the_last_of_the_equals() {
    for version in BOTH {
        for mut sampler in everywhere(builder(0.01, 0.1, 0.02), version) {
            for uniform in [0.0, 0.5, LARGEST_BELOW_1] {
                let step = sampler
                    .fork()
                    .sample(&[0.0_f32, 1.0, 1.0], uniform)
                    .unwrap();
                assert_eq!((step.token, step.kept), (1, 1));
            }
            // Across lanes and blocks, and whichever zero comes first.
            let mut row = vec![-1.0_f32; 600];
            for at in [599, 511, 300, 257] {
                row[at] = if at % 2 == 0 { -0.0 } else { 0.0 };
                let step = sampler.fork().sample(&row, 0.5).unwrap();
                assert_eq!((step.token as usize, step.kept), (at, 1));
                assert_eq!(mirostat::greatest(&row), Ok((at as u32, 0.0)));
            }
            sampler.reset();
        }
    }
    for size in [1, 2, 9, 64] {
        let row = [0.0_f32, 1.0, 1.0];
        let mut samplers = vec![session(builder(0.01, 0.1, 0.02), Version::V2); size];
        let mut jobs: Vec<Job<'_>> = samplers
            .iter_mut()
            .map(|sampler| Job {
                sampler,
                row: (&row).into(),
                uniform: 0.9,
            })
            .collect();
        let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
        step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut out);
        assert!(out.iter().all(|step| step.unwrap().token == 1));
    }
}

// L1: lmms-eval #1325, mlx-vlm #1647, #1353, sendnn #542.
#[test]
fn the_last_ones_parameters_are_not_used_for_all() {
    let builders = [
        builder(0.01, 0.1, 0.02),
        builder(9.0, 0.7, 18.0).draw_order(DrawOrder::Rank),
        builder(3.0, 0.1, 6.0)
            .temperature(0.25)
            .surprise_basis(SurpriseBasis::Kept),
        builder(2.0, 0.3, 4.0)
            .k_rule(KRule::PaperCode)
            .m(5)
            .mu_bounds(0.0, 4.0),
        builder(2.0, 0.3, 4.0)
            .draw_order(DrawOrder::Id)
            .vocabulary_size(VocabularySize::Support),
        builder(2.0, 0.3, 4.0).numerics(Numerics::Portable),
    ];
    let row: Vec<f32> = (0..900).map(|i| (i * 37 % 101) as f32 / 9.0).collect();
    let exact: Vec<f64> = row.iter().map(|&x| x.into()).collect();
    let narrow: Vec<f16> = row.iter().map(|&x| f16::from_f32(x)).collect();
    let rows: [Row<'_>; 3] = [(&row).into(), (&exact).into(), (&narrow).into()];
    let new = |i: usize| session(builders[i % 6], BOTH[i / 6 % 2]);
    for reversed in [false, true] {
        let mut order: Vec<usize> = (0..36).collect();
        if reversed {
            order.reverse();
        }
        let mut samplers: Vec<Sampler> = order.iter().map(|&i| new(i)).collect();
        let mut jobs: Vec<Job<'_>> = samplers
            .iter_mut()
            .zip(&order)
            .map(|(sampler, &i)| Job {
                sampler,
                row: rows[i / 12],
                uniform: 0.83,
            })
            .collect();
        let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
        step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut out);
        for (&i, step) in order.iter().zip(&out) {
            let alone = new(i).sample(rows[i / 12], 0.83).unwrap();
            assert_eq!(bits(&step.unwrap()), bits(&alone), "{i}");
        }
        let tokens: Vec<usize> = out.iter().map(|step| step.unwrap().kept).collect();
        assert!(
            tokens.contains(&1) && tokens.contains(&900),
            "they do differ"
        );
    }
}

// L6: vLLM #11637, IBM/vllm #33, dynamo #10224.
#[test]
fn two_choices_of_one_request_do_not_share_their_state() {
    for version in BOTH {
        let first = session(builder(3.0, 0.5, 6.0), version);
        let (mut a, mut b) = (first.fork(), first.fork());
        let row = logits(&HALVES);
        let mut solo = first.clone();
        for i in 0..10 {
            let step = a.sample(&row, f64::from(i) / 10.0).unwrap();
            let _ = b.sample(&row, 0.0).unwrap();
            let same = solo.sample(&row, f64::from(i) / 10.0).unwrap();
            assert_eq!(bits(&step), bits(&same));
        }
        assert_ne!(a.mu(), b.mu());
        assert_eq!((first.mu(), first.steps()), (6.0, 0));
    }
}

/// The log-probabilities of a row at a temperature, in nats.
fn log_probabilities_nats(row: &[f32], temperature: f64) -> Vec<f64> {
    let row_at = PreparedRow::from_logits(row)
        .and_then(|row| row.with_temperature(temperature))
        .unwrap();
    (0..row.len() as u32)
        .map(|token| row_at.probability(token).unwrap().ln())
        .collect()
}

// C6: FreeToken #471.
#[test]
fn greedy_is_not_a_very_low_temperature() {
    let ties = [1.0_f32, 1.0, 0.0];
    assert_eq!(mirostat::greatest(&ties), Ok((0, 1.0)));
    // The lowest temperature still draws among equals, and 0 is refused instead of faked.
    let coldest = |temperature| builder(3.0, 0.1, 6.0).temperature(temperature).build();
    let mut sampler = Sampler::new(coldest(1.0 / 1_048_576.0).unwrap(), Version::V2).unwrap();
    assert_eq!(sampler.sample(&ties, 0.9).unwrap().token, 1);
    assert!(coldest(0.0).is_err());
}

// D9: lattice #327, mistral.rs.
#[test]
fn an_unordered_logit_does_not_decide_the_order() {
    let mut rng = Rng(9);
    for _ in 0..1000 {
        let mut row = [f32::NAN, 2.0, f32::NAN, 1.0];
        for i in (1..4).rev() {
            row.swap(i, (rng.bits() % (i as u64 + 1)) as usize);
        }
        let first = row.iter().position(|x| x.is_nan()).unwrap();
        let refused = mirostat::sample_top_k(&row, 1, 0.5);
        assert!(matches!(refused, Err(Error::InvalidLogit { index, .. }) if index == first));
        // Masked instead, the best is the best wherever it stands.
        let masked = row.map(|x| if x.is_nan() { MASKED } else { x });
        let best = masked.iter().position(|&x| x == 2.0).unwrap() as u32;
        assert_eq!(mirostat::sample_top_k(&masked, 1, 0.5), Ok(best));
    }
}

// M1: mistral.rs #2327.
#[test]
fn a_log_probability_is_not_to_the_base_10() {
    for log_p in log_probabilities_nats(&[0.0, 0.0], 1.0) {
        close(log_p, -std::f64::consts::LN_2, 1e-6);
    }
    let step = session(builder(3.0, 0.1, 6.0), Version::V2)
        .sample(&[0.0_f32, 0.0], 0.5)
        .unwrap();
    close(step.surprise_bits, 1.0, 1e-6);
}

// M3: ollama #16196, vLLM #9453, llama.cpp #7125, #10783. M7: prime-rl #697.
#[test]
fn log_probabilities_are_those_of_the_named_row() {
    let row = [1.0_f32, 0.0, -1.0, -2.0];
    let expected = [
        (1.0, [-0.4402, -1.4402, -2.4402, -3.4402]),
        (0.5, [-0.1451, -2.1451, -4.1451, -6.1451]),
    ];
    for (temperature, expected) in expected {
        for (ours, theirs) in log_probabilities_nats(&row, temperature)
            .iter()
            .zip(expected)
        {
            close(*ours, theirs, 5e-5);
        }
    }
    // Of the kept only: mu is where the tempered row loses its last two tokens.
    let kept = basis(builder(3.0, 0.1, 4.0), SurpriseBasis::Kept).temperature(0.5);
    for (uniform, log_p) in [(0.0, -0.1269), (0.99, -2.1269)] {
        let step = session(kept, Version::V2).sample(&row, uniform).unwrap();
        assert_eq!(step.kept, 2);
        close(step.probability.ln(), log_p, 5e-5);
    }
}

// M6: mistral.rs, ollama #15685.
#[test]
fn the_best_alternatives_come_with_the_step() {
    // candidates() lists what is kept, ranked and measured, without a copy of the row: see allocates_nothing for the step itself.
    let sampler = session(builder(3.0, 0.1, 2.0), Version::V2);
    let candidates = sampler.candidates(&[1.0_f32, 0.0, -1.0, -2.0]).unwrap();
    assert_eq!(candidates.tokens(), [0]);
    close(candidates.original_probability(0).unwrap(), 0.643_914, 1e-6);
}
