//! The reference of the fixed samplers gives the ancestor's numbers, and has none of the faults reported of such samplers.
//!
//! Tokens and counts are held exactly, reals to 1e-12 relative. The comment above a test gives the case of the project's collection.

use mirostat::Error;
use mirostat::reference::*;

const MASKED: f64 = f64::NEG_INFINITY;
const JUST_BELOW_ONE: f64 = 1.0 - f64::EPSILON / 2.0;
const OUTSIDE_UNIT: [f64; 6] = [
    f64::NAN,
    -0.1,
    1.1,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1.0 + f64::EPSILON,
];

fn row(logits: &[f64]) -> Distribution {
    Distribution::from_logits(logits, 1.0).unwrap()
}

fn weights(weights: &[f64]) -> Distribution {
    Distribution::from_weights(weights).unwrap()
}

fn tokens(truncation: Truncation, distribution: &Distribution) -> Vec<u32> {
    truncation.kept(distribution).unwrap().tokens
}

fn sample(truncation: Truncation, distribution: &Distribution, uniform: f64) -> u32 {
    draw(distribution, &tokens(truncation, distribution), uniform).unwrap()
}

fn samples(truncation: Truncation, distribution: &Distribution, uniforms: &[f64]) -> Vec<u32> {
    let one = |&uniform| sample(truncation, distribution, uniform);
    uniforms.iter().map(one).collect()
}

/// What is left of a row, as a row of its own over the same ids.
fn renormalised(truncation: Truncation, distribution: &Distribution) -> Distribution {
    let mut left = vec![0.0; distribution.len()];
    for token in tokens(truncation, distribution) {
        left[token as usize] = distribution.probability(token);
    }
    weights(&left)
}

fn uniforms(count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| i as f64 / count as f64)
}

/// Rows with ties, masks, underflow and long tails.
fn assorted_rows() -> Vec<Distribution> {
    let mut rows = vec![
        row(&[7.0]),
        row(&[MASKED, 1.0, MASKED]),
        row(&[0.0, -2000.0, 0.0]),
        row(&[0.5, 2.5, 1.5, MASKED, 2.5, 0.0]),
        row(&[0.0; 49]),
        weights(&[0.0, 1e-300, 1e300, 3.0, 1e300]),
        weights(&[0.1, 0.3, 0.2, 0.3, 0.0, 0.1]),
    ];
    rows.extend([1usize, 16, 127, 1000].map(|n| {
        let logits: Vec<f64> = (0..n)
            .map(|i| match i {
                i if i > 0 && i % 7 == 0 => MASKED,
                i => ((37 * i + 11) % 53) as f64 / 7.0,
            })
            .collect();
        row(&logits)
    }));
    rows
}

fn refused(name: &'static str, value: f64, expected: &'static str) -> Error {
    Error::InvalidParameter {
        name,
        value,
        expected,
    }
}

#[track_caller]
fn close(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-12 * expected.abs(),
        "found {found:?}, expected {expected:?}"
    );
}

#[test]
fn temperature_is_that_of_the_ancestor() {
    let sharp = with_temperature(&[4.0, 3.0, 1.0], 0.5).unwrap();
    assert_eq!(sharp, [0.0, -2.0, -6.0]);
    let warm = row(&with_temperature(&[4.0, 3.0, 1.0], 2.0).unwrap());
    let expected = [0.5465493872661796, 0.3314989604240915, 0.12195165230972885];
    for (&found, expected) in warm.probabilities().iter().zip(expected) {
        close(found, expected);
    }
    assert_eq!(
        samples(Truncation::None, &warm, &[0.0, 0.5, 0.6, 0.7, 0.9, 0.99]),
        [0, 0, 1, 1, 2, 2]
    );
}

#[test]
fn the_greatest_logit_becomes_exactly_zero_and_a_mask_stays() {
    for temperature in [1e-300, 0.3, 1.0, 7.0, 1e300] {
        let logits = with_temperature(&[0.1, 1e300, MASKED, 1e300], temperature).unwrap();
        assert_eq!((logits[1], logits[3]), (0.0, 0.0));
        assert_eq!(logits[2], MASKED);
        assert!(logits[0] <= 0.0);
    }
    // A finite logit may leave the range, and is masked then.
    assert_eq!(
        with_temperature(&[0.0, -1e300], 1e-10),
        Ok(vec![0.0, MASKED])
    );
}

#[test]
fn a_row_at_a_temperature_has_the_bits_of_the_distribution_at_it() {
    let logits = [3.0, 2.9, 2.5, 1.0, MASKED, -1.0, -4.0];
    for temperature in [0.1, 0.7, 1.0, 3.0] {
        let direct = Distribution::from_logits(&logits, temperature).unwrap();
        let staged = row(&with_temperature(&logits, temperature).unwrap());
        assert_eq!(direct.probabilities(), staged.probabilities());
    }
}

#[test]
fn a_bad_row_is_named_before_a_bad_temperature() {
    let value = f64::NAN;
    assert_eq!(
        with_temperature(&[0.0, value], 0.0),
        Err(Error::InvalidLogit { index: 1, value })
    );
    assert_eq!(with_temperature(&[MASKED], 0.0), Err(Error::AllMasked));
    assert_eq!(with_temperature(&[], 0.0), Err(Error::EmptyRow));
}

#[test]
fn top_k_is_that_of_the_ancestor() {
    assert_eq!(sample(Truncation::TopK(1), &row(&[2.0, 3.0, 1.0]), 0.99), 1);
    assert_eq!(sample(Truncation::TopK(1), &row(&[2.0, 2.0]), 0.99), 0);
    assert_eq!(sample(Truncation::TopK(1), &row(&[MASKED, 0.0]), 0.99), 1);
    let three = row(&[1.0, 3.0, 2.0]);
    let drawn = |k| samples(Truncation::TopK(k), &three, &[0.0, 0.5, 0.8, 0.95]);
    assert_eq!(drawn(1), [1, 1, 1, 1]);
    assert_eq!(drawn(2), [1, 1, 2, 2]);
    assert_eq!(drawn(3), [1, 1, 2, 0]);
}

#[test]
fn top_k_counts_masked_tokens_and_never_keeps_them() {
    let kept = top_k_kept(&row(&[2.0, MASKED, 3.0]), 3).unwrap();
    assert_eq!((kept.tokens, kept.count), (vec![2, 0], 3));
}

#[test]
fn top_k_is_the_head_of_the_ranking() {
    for row in assorted_rows() {
        let order = rank(row.probabilities()).unwrap();
        for k in 1..=row.len() {
            let head = order[..k].iter().copied();
            let drawable: Vec<u32> = head.filter(|&t| row.probability(t) > 0.0).collect();
            let kept = top_k_kept(&row, k).unwrap();
            assert_eq!((kept.tokens, kept.count), (drawable, k));
        }
    }
}

#[test]
fn top_p_is_that_of_the_ancestor() {
    let three = row(&[3.0, 2.0, 1.0]);
    let five = row(&[4.0, 3.0, 2.0, 1.0, 0.0]);
    let size = |row: &Distribution, threshold| {
        let p = row.probabilities();
        let size = top_p_prefix_size(p, &rank(p).unwrap(), threshold).unwrap();
        assert_eq!(top_p_kept(row, threshold).unwrap().count, size);
        size
    };
    assert_eq!([0.5, 1.0].map(|p| size(&three, p)), [1, 3]);
    assert_eq!(
        [0.1, 0.3, 0.5, 0.8, 1.0].map(|p| size(&five, p)),
        [1, 1, 1, 2, 5]
    );
}

#[test]
fn min_p_is_that_of_the_ancestor() {
    let p = [0.5, 0.3, 0.2];
    let size = |min_p| min_p_prefix_size(&p, &[0, 1, 2], min_p).unwrap();
    assert_eq!([0.5, 1.0, 0.0].map(size), [2, 1, 3]);
    assert_eq!(sample(Truncation::MinP(0.5), &row(&[4.0, 0.0]), 0.99), 0);
    assert_eq!(
        min_p_kept(&row(&[4.0, 0.0]), 1.1),
        Err(refused("min-p", 1.1, "in [0, 1]"))
    );
}

#[test]
fn min_p_zero_counts_masked_tokens_and_never_keeps_them() {
    assert_eq!(min_p_prefix_size(&[0.5, 0.0, 0.5], &[0, 2, 1], 0.0), Ok(3));
    let kept = min_p_kept(&weights(&[0.25, 0.0, 0.75]), 0.0).unwrap();
    assert_eq!((kept.tokens, kept.count), (vec![2, 0], 3));
}

#[test]
fn epsilon_is_that_of_the_ancestor() {
    let p = [0.5, 0.3, 0.2];
    let size = |epsilon| epsilon_prefix_size(&p, &[0, 1, 2], epsilon).unwrap();
    assert_eq!([0.25, 0.75].map(size), [2, 1]);
    let three = row(&[3.0, 2.0, 1.0]);
    assert_eq!(sample(Truncation::Epsilon(0.9), &three, 0.9), 0);
}

#[test]
fn epsilon_zero_counts_masked_tokens_and_never_keeps_them() {
    assert_eq!(
        epsilon_prefix_size(&[0.5, 0.0, 0.5], &[0, 2, 1], 0.0),
        Ok(3)
    );
    let kept = epsilon_kept(&weights(&[0.25, 0.0, 0.75]), 0.0).unwrap();
    assert_eq!((kept.tokens, kept.count), (vec![2, 0], 3));
}

#[test]
fn typical_is_that_of_the_ancestor() {
    let p = [0.7, 0.2, 0.1];
    let order = typical_order(&p).unwrap();
    assert_eq!(order, [0, 1, 2]);
    assert_eq!(typical_prefix_size(&p, &order, 1.0), Ok(3));
    assert_eq!(typical_order(&[0.5, 0.5, 0.0]), Ok(vec![0, 1, 2]));
    assert_eq!(typical_order(&[0.0, 0.5, 0.5]), Ok(vec![1, 2, 0]));

    let distribution = weights(&p);
    let entropy = distribution.entropy_bits();
    close(entropy, 1.1567796494470395);
    let deviations = [0.6422064766172811, 1.1651484454403227, 2.1651484454403227];
    for (token, expected) in (0..).zip(deviations) {
        close(
            (distribution.surprise_bits(token) - entropy).abs(),
            expected,
        );
    }
    assert_eq!(tokens(Truncation::Typical(1.0), &distribution), order);
}

#[test]
fn typical_takes_values_that_do_not_sum_to_one() {
    // H = 1.5 of (1/8, 1/4, 1/8): deviations 1.5, 0.5, 1.5.
    assert_eq!(typical_order(&[0.125, 0.25, 0.125]), Ok(vec![1, 0, 2]));
    // H = 1.5 of (1, 1/2, 1/2): deviations 1.5, 0.5, 0.5.
    assert_eq!(typical_order(&[1.0, 0.5, 0.5]), Ok(vec![1, 2, 0]));
    // H = 6.25 / 1.625 + log2 1.625 = 4.55, nearer to 0 bits than to 10; the tied rest is in ascending id.
    let mut values = vec![1.0 / 1024.0; 640];
    values.push(1.0);
    let expected: Vec<u32> = [640].into_iter().chain(0..640).collect();
    assert_eq!(typical_order(&values), Ok(expected));
}

#[test]
fn typical_order_refuses_what_the_entropy_refuses() {
    assert_eq!(typical_order(&[]), Err(Error::EmptyRow));
    let at = |index, value| Err(Error::InvalidProbability { index, value });
    for value in [f64::NAN, f64::INFINITY, -0.5] {
        assert_eq!(typical_order(&[2.0, value]), at(1, value));
    }
    for values in [[0.0, 0.0], [1e308, 1e308]] {
        assert!(matches!(
            typical_order(&values),
            Err(Error::NumericalFailure { .. })
        ));
    }
    assert_eq!(typical_order(&[0.5, 1.5]), at(1, 1.5));
}

#[test]
fn baselines_on_a_zipf_row_have_the_means_of_the_ancestor() {
    let logits: Vec<f64> = (0..256)
        .map(|i| -1.15 * libm::log(f64::from(i) + 1.0))
        .collect();
    let zipf = row(&logits);
    assert_eq!(top_p_kept(&zipf, 0.9).unwrap().count, 101);
    let mean = |truncation| {
        let kept = tokens(truncation, &zipf);
        let mut state = 42_u64;
        let mut total = 0.0;
        for _ in 0..1000 {
            state = state * 16_807 % 2_147_483_647;
            let token = draw(&zipf, &kept, state as f64 / 2_147_483_647.0).unwrap();
            total += zipf.surprise_bits(token);
        }
        total / 1000.0
    };
    close(mean(Truncation::TopK(6)), 3.089354784987253);
    close(mean(Truncation::TopP(0.9)), 4.826917345519521);
}

#[test]
fn a_distribution_is_cut_as_the_ancestor_cuts_its_ranking() {
    for row in assorted_rows() {
        let p = row.probabilities();
        let order = rank(p).unwrap();
        let head = |count: usize| -> Vec<u32> {
            let head = order[..count].iter().copied();
            head.filter(|&token| row.probability(token) > 0.0).collect()
        };
        for share in [1e-9, 0.1, 0.25, 0.5, 0.8, 0.99] {
            let size = top_p_prefix_size(p, &order, share).unwrap();
            let kept = top_p_kept(&row, share).unwrap();
            assert_eq!((kept.tokens, kept.count), (head(size), size));
        }
        for fraction in [0.0, 1e-9, 0.02, 0.1, 0.5, 1.0] {
            let size = min_p_prefix_size(p, &order, fraction).unwrap();
            let kept = min_p_kept(&row, fraction).unwrap();
            assert_eq!((kept.tokens, kept.count), (head(size), size));
            let size = epsilon_prefix_size(p, &order, fraction).unwrap();
            let kept = epsilon_kept(&row, fraction).unwrap();
            assert_eq!((kept.tokens, kept.count), (head(size), size));
        }
    }
}

#[test]
fn typical_of_a_distribution_is_the_head_of_the_typical_order() {
    // Deviations here are apart by more than rounding, or tie between equal values.
    for values in [
        &[0.7, 0.2, 0.1][..],
        &[0.4, 0.3, 0.2, 0.1],
        &[0.5, 0.25, 0.125, 0.125],
        &[0.1, 0.3, 0.2, 0.3, 0.0, 0.1],
        &[0.05, 0.0, 0.9, 0.05],
    ] {
        let row = weights(values);
        let p = row.probabilities();
        let order = typical_order(p).unwrap();
        for share in [1e-9, 0.2, 0.35, 0.55, 0.85, 0.97] {
            let size = typical_prefix_size(p, &order, share).unwrap();
            let kept = typical_kept(&row, share).unwrap();
            assert_eq!((kept.tokens, kept.count), (order[..size].to_vec(), size));
        }
    }
}

#[test]
fn every_truncation_keeps_a_token_and_none_of_probability_zero() {
    for row in assorted_rows() {
        for truncation in [
            Truncation::None,
            Truncation::TopK(1),
            Truncation::TopK(row.len()),
            Truncation::TopP(f64::MIN_POSITIVE),
            Truncation::TopP(1.0),
            Truncation::MinP(0.0),
            Truncation::MinP(1.0),
            Truncation::Epsilon(0.0),
            Truncation::Epsilon(1.0),
            Truncation::Typical(f64::MIN_POSITIVE),
            Truncation::Typical(1.0),
        ] {
            let kept = truncation.kept(&row).unwrap();
            assert!(!kept.tokens.is_empty() && kept.tokens.len() <= kept.count);
            assert!(kept.count <= row.len());
            assert!(kept.tokens.iter().all(|&t| row.probability(t) > 0.0));
            for uniform in [0.0, 0.5, JUST_BELOW_ONE] {
                assert!(kept.tokens.contains(&sample(truncation, &row, uniform)));
            }
        }
    }
}

#[test]
fn more_is_kept_when_less_is_cut() {
    let steps = || (1..=20).map(|i| f64::from(i) / 20.0);
    for row in assorted_rows() {
        let counts = |of: fn(f64) -> Truncation| -> Vec<usize> {
            let count = |x| of(x).kept(&row).unwrap().count;
            steps().map(count).collect()
        };
        assert!(counts(Truncation::TopP).is_sorted());
        assert!(counts(Truncation::Typical).is_sorted());
        assert!(counts(Truncation::MinP).iter().rev().is_sorted());
        assert!(counts(Truncation::Epsilon).iter().rev().is_sorted());
    }
}

#[test]
fn prefix_sizes_refuse_the_parameter_then_the_order() {
    type PrefixSize = fn(&[f64], &[u32], f64) -> Result<usize, Error>;
    let all: [(PrefixSize, Error); 4] = [
        (
            top_p_prefix_size,
            refused("top-p threshold", f64::NAN, "in (0, 1]"),
        ),
        (
            typical_prefix_size,
            refused("typical threshold", f64::NAN, "in (0, 1]"),
        ),
        (min_p_prefix_size, refused("min-p", f64::NAN, "in [0, 1]")),
        (
            epsilon_prefix_size,
            refused("epsilon", f64::NAN, "in [0, 1]"),
        ),
    ];
    for (size, fault) in all {
        assert_eq!(size(&[], &[3], f64::NAN), Err(fault));
        assert_eq!(size(&[], &[], 0.5), Err(Error::EmptyRow));
        assert!(matches!(
            size(&[0.5, 0.5], &[0], 0.5),
            Err(Error::LengthMismatch {
                expected: 2,
                found: 1,
                ..
            })
        ));
        for order in [[0, 2], [0, 0]] {
            let token = order[1];
            assert_eq!(
                size(&[0.5, 0.5], &order, 0.5),
                Err(Error::InvalidOrder { position: 1, token })
            );
        }
        let value = -0.5;
        assert_eq!(
            size(&[0.5, value], &[0, 1], 0.1),
            Err(Error::InvalidProbability { index: 1, value })
        );
    }
}

#[test]
fn the_check_without_a_row_refuses_what_the_rule_refuses() {
    let row = row(&[1.0, 3.0, 2.0]);
    let mut all = vec![Truncation::None, Truncation::TopK(0), Truncation::TopK(3)];
    for x in OUTSIDE_UNIT.into_iter().chain([0.0, -0.0, 0.5, 1.0]) {
        all.extend([
            Truncation::TopP(x),
            Truncation::MinP(x),
            Truncation::Epsilon(x),
            Truncation::Typical(x),
        ]);
    }
    for truncation in all {
        assert_eq!(truncation.check().err(), truncation.kept(&row).err());
    }
    // Only a row can tell that k is too large.
    assert_eq!(Truncation::TopK(4).check(), Ok(()));
}

// C1: llama.cpp #684, ggml #37.
#[test]
fn temperature_zero_is_refused_and_greedy_is_a_rule() {
    let expected = "finite and positive";
    for value in [0.0, -0.0] {
        assert_eq!(
            with_temperature(&[1.0, 3.0, 2.0], value),
            Err(refused("temperature", value, expected))
        );
    }
    let greedy = |u| sample(Truncation::TopK(1), &row(&[1.0, 3.0, 2.0]), u);
    assert!(uniforms(64).chain([JUST_BELOW_ONE]).all(|u| greedy(u) == 1));
}

// C3: vLLM #22180.
#[test]
fn a_negative_temperature_does_not_turn_a_mask_inside_out() {
    for value in [-1.0, -1e-9, f64::NEG_INFINITY] {
        assert_eq!(
            with_temperature(&[1.0, 2.0, MASKED], value),
            Err(refused("temperature", value, "finite and positive"))
        );
    }
}

// C4: TensorRT-LLM #17158.
#[test]
fn nan_does_not_slip_through_a_range_check() {
    let nan = f64::NAN;
    let row = row(&[1.0, 3.0, 2.0]);
    assert_eq!(
        with_temperature(&[1.0, 3.0], nan),
        Err(refused("temperature", nan, "finite and positive"))
    );
    for (truncation, fault) in [
        (
            Truncation::TopP(nan),
            refused("top-p threshold", nan, "in (0, 1]"),
        ),
        (
            Truncation::Typical(nan),
            refused("typical threshold", nan, "in (0, 1]"),
        ),
        (Truncation::MinP(nan), refused("min-p", nan, "in [0, 1]")),
        (
            Truncation::Epsilon(nan),
            refused("epsilon", nan, "in [0, 1]"),
        ),
    ] {
        assert_eq!(truncation.kept(&row), Err(fault));
        assert_eq!(truncation.check(), Err(fault));
    }
}

// C7: mlc-llm #951, llama.cpp #4091.
#[test]
fn temperature_acts_where_the_caller_puts_it() {
    let logits = [3.0, 2.0, 1.0];
    assert_eq!(tokens(Truncation::TopP(0.8), &row(&logits)), [0, 1]);
    let sharp = row(&with_temperature(&logits, 0.5).unwrap());
    assert_eq!(tokens(Truncation::TopP(0.8), &sharp), [0]);
}

// D1: llama.cpp #779, lattice #225. Here k = 0 is an error.
#[test]
fn k_zero_is_not_a_silent_token_zero() {
    assert_eq!(
        top_k_kept(&row(&[0.0, 1.0, 2.0]), 0),
        Err(refused("k", 0.0, "between one and the vocabulary size"))
    );
}

// D2: vLLM #14234, llama.cpp #779, rten-generate 0.25. Here k > V is an error; a chain keeps all.
#[test]
fn k_above_the_vocabulary_is_no_panic_and_no_padding() {
    let three = row(&[0.0, 1.0, 2.0]);
    for k in [4, 10, usize::MAX] {
        assert_eq!(
            top_k_kept(&three, k),
            Err(refused(
                "k",
                k as f64,
                "between one and the vocabulary size"
            ))
        );
    }
    assert_eq!(tokens(Truncation::TopK(3), &three), [2, 1, 0]);
}

// D4: vLLM #15478, flashinfer #3774.
#[test]
fn ties_at_k_do_not_keep_more_than_k() {
    let five = row(&[1.0, 2.0, 2.0, 2.0, 3.0]);
    assert_eq!(tokens(Truncation::TopK(3), &five), [4, 1, 2]);
    let four = weights(&[0.4, 0.3, 0.3, 0.0]);
    assert_eq!(tokens(Truncation::TopK(2), &four), [0, 1]);
    let cut = renormalised(Truncation::TopK(2), &four);
    close(cut.probability(0), 4.0 / 7.0);
    close(cut.probability(1), 3.0 / 7.0);
}

// D5: mstar #254, tpu-inference #3580.
#[test]
fn k_one_is_the_first_of_the_tied_best() {
    for logits in [[0.0, 1.0, 1.0], [-0.5, 0.0, -0.0], [-0.5, -0.0, 0.0]] {
        let row = row(&logits);
        assert!(uniforms(64).all(|u| sample(Truncation::TopK(1), &row, u) == 1));
    }
}

// D7: mlx-lm #388, sglang-jax #1563.
#[test]
fn top_p_after_top_k_sees_a_renormalised_row() {
    let after = |values: &[f64], k, threshold| {
        let cut = renormalised(Truncation::TopK(k), &weights(values));
        tokens(Truncation::TopP(threshold), &cut)
    };
    assert_eq!(after(&[0.4, 0.3, 0.2, 0.1], 2, 0.5), [0]);
    assert_eq!(after(&[0.5, 0.3, 0.2], 1, 0.8), [0]);
}

// E1: llama.cpp #1953, transformers #18976.
#[test]
fn top_p_is_not_off_by_one_at_the_threshold() {
    let exact = [0.25, 0.125, 0.125, 0.5];
    assert_eq!(tokens(Truncation::TopP(0.75), &weights(&exact)), [3, 0]);
    assert_eq!(top_p_prefix_size(&exact, &[3, 0, 1, 2], 0.75), Ok(2));
    let above = 0.75 + f64::EPSILON;
    assert_eq!(tokens(Truncation::TopP(above), &weights(&exact)), [3, 0, 1]);
    let between = weights(&[0.5, 0.3, 0.1, 0.1]);
    assert_eq!(tokens(Truncation::TopP(0.6), &between), [0, 1]);
}

// E2: transformers #19839, simply #42. Here 0 is an error; the smallest threshold is greedy.
#[test]
fn top_p_zero_is_not_a_silent_token_zero() {
    let three = row(&[1.0, 3.0, 2.0]);
    for value in [0.0, -0.0] {
        assert_eq!(
            top_p_kept(&three, value),
            Err(refused("top-p threshold", value, "in (0, 1]"))
        );
    }
    assert_eq!(tokens(Truncation::TopP(f64::MIN_POSITIVE), &three), [1]);
}

// E3: ChatRWKV #170, lorax #676.
#[test]
fn top_p_one_cuts_nothing_whatever_the_rounding() {
    for count in [3, 10, 49, 1000, 32_000] {
        let flat = row(&vec![0.0; count]);
        for truncation in [Truncation::TopP(1.0), Truncation::Typical(1.0)] {
            let kept = truncation.kept(&flat).unwrap();
            assert_eq!(kept.count, count);
            assert!(kept.tokens.iter().copied().eq((0..).take(count)));
        }
    }
    for row in assorted_rows() {
        let all = tokens(Truncation::None, &row);
        assert_eq!(tokens(Truncation::TopP(1.0), &row), all);
        let mut typical = tokens(Truncation::Typical(1.0), &row);
        typical.sort_unstable_by_key(|&t| all.iter().position(|&a| a == t));
        assert_eq!(typical, all);
    }
    // Behind a greatest token of 1 - 1e-17, the rounded sum is 1 at once.
    let peaked = row(&[0.0, -40.0, -50.0]);
    assert_eq!(tokens(Truncation::TopP(1.0), &peaked), [0, 1, 2]);
}

// E5: tiny-llm #32, candle #819.
#[test]
fn a_best_token_above_top_p_is_kept() {
    let row = weights(&[0.9, 0.05, 0.05]);
    assert_eq!(tokens(Truncation::TopP(0.5), &row), [0]);
    assert_eq!(
        top_p_prefix_size(&[0.9, 0.05, 0.05], &[0, 1, 2], 0.5),
        Ok(1)
    );
}

// E6: lattice #328, gemma #790.
#[test]
fn top_p_outside_its_range_is_refused() {
    let row = row(&[1.0, 3.0, 2.0]);
    for value in OUTSIDE_UNIT {
        assert_eq!(
            top_p_kept(&row, value),
            Err(refused("top-p threshold", value, "in (0, 1]"))
        );
        assert_eq!(
            typical_kept(&row, value),
            Err(refused("typical threshold", value, "in (0, 1]"))
        );
    }
}

// E8: rten-generate 0.25.
#[test]
fn the_nucleus_is_not_taken_of_raw_logits() {
    let nucleus = |logits: &[f64]| tokens(Truncation::TopP(0.9), &row(logits));
    assert_eq!(nucleus(&[5.0, 4.9, 4.8]), [0, 1, 2]);
    assert_eq!(nucleus(&[-5.0, -5.1, -5.2]), [0, 1, 2]);
    assert_eq!(nucleus(&[-5.0, -9.0, -9.0]), [0]);
}

// E11: aprender #2317.
#[test]
fn top_p_is_used_and_not_only_stored() {
    let logits: Vec<f64> = (0..8).map(f64::from).collect();
    let eight = row(&logits);
    assert!(uniforms(128).all(|u| sample(Truncation::TopP(0.001), &eight, u) == 7));
    assert!(uniforms(128).any(|u| sample(Truncation::TopP(1.0), &eight, u) != 7));
}

// B6: llama.cpp #13405, ollama #9733.
#[test]
fn min_p_one_keeps_all_that_tie_with_the_best() {
    assert_eq!(tokens(Truncation::MinP(1.0), &row(&[0.0, 0.0])), [0, 1]);
    for ties in 1..200 {
        let mut logits = vec![0.3; ties];
        logits.push(0.2);
        assert_eq!(min_p_kept(&row(&logits), 1.0).unwrap().count, ties);
    }
}

// F1: mamba #1010, sglang-jax #1563.
#[test]
fn min_p_is_not_a_threshold_on_logits() {
    assert_eq!(tokens(Truncation::MinP(0.5), &row(&[2.0, 1.0, 0.0])), [0]);
    let negative = row(&[-2.0, -2.5, -4.0]);
    assert_eq!(tokens(Truncation::MinP(0.5), &negative), [0, 1]);
}

// F3: mistral.rs drops what is equal to the threshold.
#[test]
fn a_token_equal_to_the_min_p_threshold_is_kept() {
    let p = [0.5, 0.25, 0.25];
    assert_eq!(tokens(Truncation::MinP(0.5), &weights(&p)), [0, 1, 2]);
    assert_eq!(min_p_prefix_size(&p, &[0, 1, 2], 0.5), Ok(3));
}

// F6: TensorRT-LLM #16590.
#[test]
fn min_p_and_epsilon_outside_their_range_are_refused() {
    let row = row(&[1.0, 3.0, 2.0]);
    for value in OUTSIDE_UNIT.into_iter().chain([1.5]) {
        assert_eq!(
            min_p_kept(&row, value),
            Err(refused("min-p", value, "in [0, 1]"))
        );
        assert_eq!(
            epsilon_kept(&row, value),
            Err(refused("epsilon", value, "in [0, 1]"))
        );
    }
}

// G1: transformers #16080.
#[test]
fn typical_mass_one_does_not_read_past_the_end() {
    let p = [0.5, 0.3, 0.2];
    let kept = typical_kept(&weights(&p), 1.0).unwrap();
    assert_eq!((kept.tokens, kept.count), (vec![1, 0, 2], 3));
    // The sum stays below the threshold here, and ends with the order.
    assert_eq!(typical_prefix_size(&[0.5, 0.25], &[0, 1], 1.0), Ok(2));
    assert_eq!(top_p_prefix_size(&[0.5, 0.25], &[0, 1], 1.0), Ok(2));
}

// G3: llama.cpp #13822.
#[test]
fn typical_of_a_tiny_mass_is_not_empty() {
    let row = weights(&[0.5, 0.3, 0.2]);
    assert_eq!(tokens(Truncation::Typical(0.0001), &row), [1]);
}

// G4: of tied best tokens, one is kept.
#[test]
fn epsilon_above_every_probability_keeps_the_best() {
    let p = [0.4, 0.3, 0.2, 0.1];
    assert_eq!(tokens(Truncation::Epsilon(0.5), &weights(&p)), [0]);
    assert_eq!(epsilon_prefix_size(&p, &[0, 1, 2, 3], 0.5), Ok(1));
    assert_eq!(tokens(Truncation::Epsilon(0.5), &row(&[0.0; 4])), [0]);
}
