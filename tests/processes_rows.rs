//! What the processors make of a row: the ancestor's vectors, real reports of faults, and in place against out of place.

use mirostat::processors::{
    History, Logit, allow_token_ids, allow_token_ids_in_place, bias_logits, bias_logits_in_place,
    block_token_ids, block_token_ids_in_place, mask_logits, mask_logits_in_place, penalize_counts,
    penalize_counts_in_place, penalize_repetition, penalize_repetition_in_place,
};
use mirostat::reference::{probabilities, rank};
use mirostat::{Config, Error, Result, Sampler, Version, bf16, f16};
use mirostat_rows::{bf16_row, f16_row};
use proptest::prelude::*;

const MASKED: f64 = f64::NEG_INFINITY;
const BIASED: Error = Error::NumericalFailure {
    quantity: "a biased logit",
};
const PENALISED: Error = Error::NumericalFailure {
    quantity: "a penalised logit",
};

/// An element with an oracle for its rounding that owes nothing to the code under test.
trait Element: Logit + core::fmt::Debug {
    fn row(of: &[f32]) -> Vec<Self>;
    fn wide(self) -> f64;
    fn nearest(value: f64) -> Self;
}

impl Element for f64 {
    fn row(of: &[f32]) -> Vec<Self> {
        of.iter().copied().map(Self::from).collect()
    }
    fn wide(self) -> f64 {
        self
    }
    fn nearest(value: f64) -> Self {
        value
    }
}

impl Element for f32 {
    fn row(of: &[f32]) -> Vec<Self> {
        of.to_vec()
    }
    fn wide(self) -> f64 {
        self.into()
    }
    fn nearest(value: f64) -> Self {
        value as Self
    }
}

impl Element for f16 {
    fn row(of: &[f32]) -> Vec<Self> {
        f16_row(of)
    }
    fn wide(self) -> f64 {
        self.into()
    }
    fn nearest(value: f64) -> Self {
        Self::from_bits(nearest_bits(value, 0x7c00, 65_536.0, |bits| {
            Self::from_bits(bits).into()
        }))
    }
}

impl Element for bf16 {
    fn row(of: &[f32]) -> Vec<Self> {
        bf16_row(of)
    }
    fn wide(self) -> f64 {
        self.into()
    }
    fn nearest(value: f64) -> Self {
        Self::from_bits(nearest_bits(value, 0x7f80, 2_f64.powi(128), |bits| {
            Self::from_bits(bits).into()
        }))
    }
}

/// The bits, among all of one sign, whose value is nearest; infinity stands where the next number would.
fn nearest_bits(value: f64, infinity: u16, next: f64, of_bits: impl Fn(u16) -> f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    let at = |bits| {
        if bits == infinity {
            next
        } else {
            of_bits(bits)
        }
    };
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if at(middle) <= size {
            low = middle;
        } else {
            high = middle;
        }
    }
    let (down, up) = (size - at(low), at(high) - size);
    sign | if down < up || (down == up && low % 2 == 0) {
        low
    } else {
        high
    }
}

fn bits<E: Element>(row: &[E]) -> Vec<u64> {
    row.iter().map(|x| x.wide().to_bits()).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12, "{found}, not {expected}");
}

/// Runs a processor that must refuse the row and leave it alone.
fn refused<E: Element>(row: &mut [E], process: impl FnOnce(&mut [E]) -> Result<()>) -> Error {
    let before = bits(row);
    let error = process(row).unwrap_err();
    assert_eq!(bits(row), before, "a refused row is as it was");
    error
}

#[test]
fn the_literals_of_the_ancestor() {
    let row = penalize_repetition(&[4.0, -2.0, 1.0], &[0, 0, 1], 2.0);
    assert_eq!(row, Ok(vec![2.0, -4.0, 1.0]));
    let row = penalize_counts(&[5.0, 4.0, 3.0], &[0, 0, 1], 1.0, 0.5);
    assert_eq!(row, Ok(vec![3.0, 2.5, 3.0]));
    assert_eq!(mask_logits(&[1.0], &[false]), Err(Error::AllMasked));
    let row = [4.0, 3.0, 2.0, 1.0];
    let masked = vec![MASKED, 3.0, MASKED, 1.0];
    assert_eq!(block_token_ids(&row, &[0, 2, 2]), Ok(masked.clone()));
    assert_eq!(allow_token_ids(&row, &[1, 3]), Ok(masked.clone()));
    assert_eq!(mask_logits(&row, &[false, true, false, true]), Ok(masked));
    assert_eq!(allow_token_ids(&row, &[]), Err(Error::AllMasked));
    assert_eq!(
        block_token_ids(&row, &[4]),
        Err(Error::TokenOutsideVocabulary {
            token: 4,
            vocabulary: 4
        })
    );
    let biased = bias_logits(&[2.0, 1.0], &[0.0, 2.0]).unwrap();
    assert_eq!(rank(&biased).unwrap()[0], 1);
}

#[test]
fn the_programme_process() {
    let row = penalize_counts(&[3.0, 2.0, 1.0, 0.0], &[0, 0, 1], 0.5, 0.25).unwrap();
    assert_eq!(row, [2.0, 1.25, 1.0, 0.0]);
    let row = allow_token_ids(&row, &[1, 2]).unwrap();
    let p = probabilities(&row).unwrap();
    assert_eq!((p[0], p[3]), (0.0, 0.0));
    close(p[1], 0.5621765008857981);
    close(p[2], 0.4378234991142019);
    for (version, kept) in [(Version::V2, 2), (Version::V1, 4)] {
        let mut sampler = Sampler::new(Config::new(1.5).unwrap(), version).unwrap();
        let step = sampler.sample(&row, 0.6).unwrap();
        assert_eq!((step.token, step.kept), (2, kept));
        close(step.surprise_bits, 1.191578705133915);
        close(step.mu_after, 3.0308421294866084);
    }
}

#[test]
fn the_row_of_the_allow_list() {
    let row = allow_token_ids(&[9.0, 4.0, 9.0, 2.0], &[3, 1]).unwrap();
    assert_eq!(row, [MASKED, 4.0, MASKED, 2.0]);
    let mu = [4.18168815879184, 4.363376317583681, 4.2565254681977285];
    for (version, kept) in [(Version::V1, [3, 3, 4]), (Version::V2, [2, 2, 2])] {
        let mut sampler = Sampler::new(Config::new(2.0).unwrap(), version).unwrap();
        for (i, uniform) in [0.0, 0.5, 0.99].into_iter().enumerate() {
            let step = sampler.sample(&row, uniform).unwrap();
            assert_eq!((step.token, step.kept), ([1, 1, 3][i], kept[i]));
            close(step.mu_after, mu[i]);
        }
    }
}

type Process<E> = fn(&mut [E]) -> Result<()>;

/// Every processor, in place, with parameters that leave a sound row sound.
fn every<E: Element>() -> [Process<E>; 6] {
    [
        |row| mask_logits_in_place(row, &vec![true; row.len()]),
        |row| block_token_ids_in_place(row, &[]),
        |row| allow_token_ids_in_place(row, &(0..row.len() as u32).collect::<Vec<_>>()),
        |row| bias_logits_in_place(row, &vec![0.0_f32; row.len()]),
        |row| penalize_repetition_in_place(row, &History::new(), 2.0),
        |row| penalize_counts_in_place(row, &History::new(), 1.0, 1.0),
    ]
}

fn stands_at_the_door<E: Element>() {
    for process in every::<E>() {
        assert_eq!(refused(&mut E::row(&[]), process), Error::EmptyRow);
        let mut row = E::row(&[f32::NEG_INFINITY; 2]);
        assert_eq!(refused(&mut row, process), Error::AllMasked);
        for value in [f32::INFINITY, f32::NAN, -f32::NAN] {
            let mut row = E::row(&[f32::NEG_INFINITY, value, f32::NAN]);
            let place = Error::InvalidLogit {
                index: 1,
                value: value.into(),
            };
            assert_eq!(refused(&mut row, process), place);
        }
        let sound = E::row(&[1.0, f32::NEG_INFINITY, -0.0, -3.5]);
        let mut row = sound.clone();
        process(&mut row).unwrap();
        if bits(&row)[2] != bits(&sound)[2] {
            assert_eq!(row[2].wide(), 0.0, "-0.0 + 0.0");
        }
        assert_eq!(row[3].wide(), -3.5);
        assert_eq!(row[1].wide(), MASKED);
    }
}

#[test]
fn every_row_stands_at_the_same_door() {
    stands_at_the_door::<f64>();
    stands_at_the_door::<f32>();
    stands_at_the_door::<f16>();
    stands_at_the_door::<bf16>();
}

#[test]
fn lengths_ids_and_parameters_are_refused_in_the_ancestors_order() {
    let bad = [f64::NAN, 1.0];
    let length = |what| Error::LengthMismatch {
        what,
        expected: 2,
        found: 1,
    };
    let outside = Error::TokenOutsideVocabulary {
        token: 7,
        vocabulary: 2,
    };
    // Before the row:
    assert_eq!(mask_logits(&bad, &[true]), Err(length("flags of the mask")));
    assert_eq!(bias_logits(&bad, &[0.0]), Err(length("biases")));
    assert_eq!(block_token_ids(&bad, &[0, 7, 9]), Err(outside));
    assert_eq!(allow_token_ids(&bad, &[0, 7, 9]), Err(outside));
    for penalty in [0.5, 1.0_f64.next_down(), 0.0, -2.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            penalize_repetition(&bad, &[7], penalty),
            Err(Error::InvalidParameter {
                name: "penalty",
                ..
            })
        ));
    }
    for value in [f64::NAN, f64::INFINITY, MASKED] {
        for (presence, frequency, name) in [
            (value, value, "presence"),
            (value, 0.0, "presence"),
            (0.0, value, "frequency"),
        ] {
            let refused = penalize_counts(&bad, &[7], presence, frequency);
            let expected = "finite";
            let place = Error::InvalidParameter {
                name,
                value,
                expected,
            };
            assert_eq!(refused, Err(place));
        }
    }
    // The row before the history, the history before the numbers:
    let invalid = Error::InvalidLogit {
        index: 0,
        value: f64::NAN,
    };
    assert_eq!(penalize_repetition(&bad, &[7], 2.0), Err(invalid));
    assert_eq!(penalize_counts(&bad, &[7], 1.0, 1.0), Err(invalid));
    let deep = [-1e308, 1.0];
    assert_eq!(penalize_repetition(&deep, &[0, 7, 9], 1e10), Err(outside));
    assert_eq!(
        penalize_counts(&deep, &[0, 7, 9], 1e308, 1e308),
        Err(outside)
    );
    // As walked, out of place; the least, in a history:
    assert_eq!(penalize_repetition(&[1.0; 2], &[9, 7], 2.0), {
        Err(Error::TokenOutsideVocabulary {
            token: 9,
            vocabulary: 2,
        })
    });
    let history = History::from_prompt(&[0, 9, 7]);
    let least = |row: &mut [f32]| penalize_repetition_in_place(row, &history, 2.0);
    assert_eq!(refused(&mut [1.0_f32; 2], least), outside);
    let least = |row: &mut [f32]| penalize_counts_in_place(row, &history, 1.0, 2.0);
    assert_eq!(refused(&mut [1.0_f32; 2], least), outside);
}

// I1: transformers #2302, NeMo #8194.
#[test]
fn a_negative_logit_is_not_made_likelier() {
    let row = penalize_repetition(&[-2.0, 2.0, 0.0, MASKED], &[0, 1, 2, 3], 2.0);
    assert_eq!(row, Ok(vec![-4.0, 1.0, 0.0, MASKED]));
}

// I2: lattice #312, transformers.js #1062.
#[test]
fn repetition_counts_a_token_once() {
    let mut row = vec![0.0; 8];
    row[7] = 3.3;
    close(penalize_repetition(&row, &[7, 7, 7], 1.1).unwrap()[7], 3.0);
    let mut narrow = [0.0_f32, 3.3];
    let history = History::from_prompt(&[1; 80]);
    penalize_repetition_in_place(&mut narrow, &history, 1.1).unwrap();
    assert_eq!(narrow[1], (f64::from(3.3_f32) / 1.1) as f32);
}

// I3: vmlx #294, TensorRT-LLM #5623.
#[test]
fn counts_see_what_was_generated_and_repetition_the_prompt_too() {
    let mut everything = History::from_prompt(&[1, 1]);
    let mut generated = History::new();
    everything.record(2);
    generated.record(2);
    let mut row = [0.0_f32; 3];
    penalize_counts_in_place(&mut row, &generated, 0.25, 0.5).unwrap();
    assert_eq!(row, [0.0, 0.0, -0.75]);
    let mut row = [0.0_f32, 2.0, 2.0];
    penalize_repetition_in_place(&mut row, &everything, 2.0).unwrap();
    assert_eq!(row, [0.0, 1.0, 1.0]);
}

// I5: ik_llama #2410, llama.cpp #8971.
#[test]
fn a_prompt_counts_however_it_came() {
    let at_once = History::from_prompt(&[3, 4, 5]);
    let mut cached = History::from_prompt(&[3, 4]);
    cached.record(5);
    let mut one_by_one = History::with_capacity(3);
    for token in [5, 4, 3] {
        one_by_one.record(token);
    }
    for history in [at_once, cached, one_by_one] {
        let mut row = [2.0_f32; 7];
        penalize_repetition_in_place(&mut row, &history, 2.0).unwrap();
        assert_eq!(row, [2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 2.0]);
    }
}

// I7.
#[test]
fn the_order_of_penalties_is_the_callers() {
    let once = |row: &[f64]| penalize_counts(row, &[0], 1.5, 0.0).unwrap();
    let twice = |row: &[f64]| penalize_repetition(row, &[0], 2.0).unwrap();
    assert_eq!(once(&twice(&[2.0])), [-0.5]);
    assert_eq!(twice(&once(&[2.0])), [0.25]);
}

// I9: mlc-llm #1693.
#[test]
fn presence_is_not_frequency() {
    let history = [0; 3];
    assert_eq!(penalize_counts(&[0.0], &history, 0.0, 0.5), Ok(vec![-1.5]));
    assert_eq!(penalize_counts(&[0.0], &history, 0.5, 0.0), Ok(vec![-0.5]));
    // Negative costs reward.
    assert_eq!(penalize_counts(&[0.0], &history, -1.0, -0.5), Ok(vec![2.5]));
}

// I10: vLLM #16529, sglang #7670. I11: an id outside the row is an error in the ancestor's functions.
#[test]
fn a_token_outside_the_row_is_an_error_and_no_crash() {
    let outside = |token| Error::TokenOutsideVocabulary {
        token,
        vocabulary: 4,
    };
    let mut row = [1.0_f32; 4];
    for token in [4, 9, u32::MAX] {
        let ids = [0, token];
        let history = History::from_prompt(&ids);
        for error in [
            refused(&mut row, |row| block_token_ids_in_place(row, &ids)),
            refused(&mut row, |row| allow_token_ids_in_place(row, &ids)),
            refused(&mut row, |row| {
                penalize_repetition_in_place(row, &history, 2.0)
            }),
            refused(&mut row, |row| {
                penalize_counts_in_place(row, &history, 1.0, 1.0)
            }),
        ] {
            assert_eq!(error, outside(token));
        }
    }
    let error = refused(&mut row, |row| {
        bias_logits_in_place(row, &[0.0, 0.0, 0.0, 0.0, -100.0])
    });
    assert_eq!(
        error,
        Error::LengthMismatch {
            what: "biases",
            expected: 4,
            found: 5
        }
    );
}

// I13: mistral.rs masks by a bias of −1e9.
#[test]
fn a_huge_negative_bias_is_no_mask() {
    let mut row = [f16::from_f32(1.0), f16::from_f32(3.0)];
    let bias = |row: &mut [f16]| bias_logits_in_place(row, &[-1e9_f32; 2]);
    assert_eq!(refused(&mut row, bias), BIASED);
    let mask = |row: &mut [f16]| mask_logits_in_place(row, &[false; 2]);
    assert_eq!(refused(&mut row, mask), Error::AllMasked);
    assert_eq!(
        bias_logits(&[1.0, 3.0], &[-1e9; 2]),
        Ok(vec![1.0 - 1e9, 3.0 - 1e9])
    );
}

// I14: llama-cpp-2's `sample` accepts, and its examples accept again.
#[test]
fn a_token_is_recorded_once() {
    let mut history = History::new();
    let mut sampler = Sampler::new(Config::new(3.0).unwrap(), Version::V2).unwrap();
    let token = sampler.sample(&[0.0_f32, -50.0], 0.5).unwrap().token;
    history.record(token);
    let mut row = [0.0_f32, -50.0];
    penalize_counts_in_place(&mut row, &history, 0.0, 0.5).unwrap();
    assert_eq!(row, [-0.5, -50.0]);
}

// I15: vLLM #5639.
#[test]
fn rows_do_not_mix_when_only_some_have_penalties() {
    let seen = History::from_prompt(&[0]);
    let none = History::new();
    for order in [[&seen, &none], [&none, &seen]] {
        for history in order {
            let mut row = [2.0_f32, 1.0];
            penalize_repetition_in_place(&mut row, history, 2.0).unwrap();
            assert_eq!(row, [if history.is_empty() { 2.0 } else { 1.0 }, 1.0]);
        }
    }
}

// J1: xgrammar #694. J6: every second row of a buffer, or an error.
#[test]
fn a_mask_of_another_length_is_refused() {
    let mut row = [0.0_f32; 40];
    for flags in [0, 32, 39, 41] {
        let error = refused(&mut row, |row| {
            mask_logits_in_place(row, &vec![true; flags])
        });
        let expected = 40;
        let what = "flags of the mask";
        let mismatch = Error::LengthMismatch {
            what,
            expected,
            found: flags,
        };
        assert_eq!(error, mismatch);
    }
}

// J3.
#[test]
fn a_mask_that_leaves_nothing_is_refused() {
    let mut row = [1.0_f32, f32::NEG_INFINITY, 2.0];
    for error in [
        refused(&mut row, |row| mask_logits_in_place(row, &[false; 3])),
        refused(&mut row, |row| {
            mask_logits_in_place(row, &[false, true, false])
        }),
        refused(&mut row, |row| allow_token_ids_in_place(row, &[])),
        refused(&mut row, |row| allow_token_ids_in_place(row, &[1, 1])),
        refused(&mut row, |row| block_token_ids_in_place(row, &[0, 2])),
        refused(&mut row, |row| block_token_ids_in_place(row, &[2, 1, 0, 0])),
    ] {
        assert_eq!(error, Error::AllMasked);
    }
    // A list as long as the row that leaves one token.
    block_token_ids_in_place(&mut row, &[0, 0, 1, 1, 0]).unwrap();
    assert_eq!(row, [f32::NEG_INFINITY, f32::NEG_INFINITY, 2.0]);
}

// J7: the mask first, then min-p.
#[test]
fn a_filter_after_the_mask_measures_against_what_is_allowed() {
    let row = allow_token_ids(&[10.0, 1.0, 0.9, -3.0], &[1, 2, 3]).unwrap();
    let p = probabilities(&row).unwrap();
    let greatest = p.iter().copied().fold(0.0, f64::max);
    let kept: Vec<usize> = (0..4).filter(|&i| p[i] >= 0.1 * greatest).collect();
    assert_eq!(kept, [1, 2]);
}

// J9: Mference #30.
#[test]
fn padding_of_the_output_head_never_comes_out() {
    let row = allow_token_ids(&[-5.0, -6.0, -7.0, -8.0, 0.0, 0.0], &[0, 1, 2, 3]).unwrap();
    assert_eq!(mirostat::greatest(&row), Ok((0, -5.0)));
    assert_eq!(row[4..], [MASKED; 2]);
}

// M4: vLLM #4149.
#[test]
fn a_masked_token_is_minus_infinity_in_every_element() {
    fn of<E: Element>() {
        let mut row = E::row(&[1.0, 2.0]);
        block_token_ids_in_place(&mut row, &[1]).unwrap();
        assert_eq!(row[1].wide(), MASKED);
    }
    of::<f64>();
    of::<f32>();
    of::<f16>();
    of::<bf16>();
}

// §23, 6.
#[test]
fn a_logit_that_overflows_is_an_error_and_no_mask() {
    fn of<E: Element>(deepest: f64) {
        let mut row = E::row(&[deepest as f32, 1.0]);
        let history = History::from_prompt(&[1, 0]);
        let bias = |row: &mut [E]| bias_logits_in_place(row, &[deepest, 0.0]);
        assert_eq!(refused(&mut row, bias), BIASED);
        let repeat = |row: &mut [E]| penalize_repetition_in_place(row, &history, 1.5);
        assert_eq!(refused(&mut row, repeat), PENALISED);
        for (presence, frequency) in [(-deepest, 0.0), (0.0, -deepest), (0.0, 3.0 * deepest)] {
            let mut row = row.clone();
            let count =
                |row: &mut [E]| penalize_counts_in_place(row, &history, presence, frequency);
            assert_eq!(refused(&mut row, count), PENALISED);
        }
        // The tokens that nothing happens to may lie as deep as they like.
        penalize_repetition_in_place(&mut row, &History::from_prompt(&[1]), 2.0).unwrap();
        assert_eq!(row[1].wide(), 0.5);
    }
    of::<f32>(-1e38 * 2.5);
    of::<f16>(-65_504.0);
    of::<bf16>(-1e38 * 2.5);
    let deep = [-1e308, 1.0];
    assert_eq!(bias_logits(&deep, &[-1e308, 0.0]), Err(BIASED));
    assert_eq!(bias_logits(&[1e308, 1.0], &[1e308, 0.0]), Err(BIASED));
    assert_eq!(penalize_repetition(&deep, &[0], 2.0), Err(PENALISED));
    assert_eq!(penalize_counts(&deep, &[0], 1e308, 0.0), Err(PENALISED));
}

// §23, 6.
#[test]
fn a_bias_on_a_masked_token_has_no_effect() {
    let row = [MASKED, 1.0, MASKED, MASKED];
    let biases = [f64::NAN, 2.0, f64::INFINITY, MASKED];
    assert_eq!(
        bias_logits(&row, &biases),
        Ok(vec![MASKED, 3.0, MASKED, MASKED])
    );
    for value in [f64::NAN, f64::INFINITY, MASKED] {
        let error = bias_logits(&[0.0, 1.0], &[1.0, value]).unwrap_err();
        let Error::InvalidParameter { value: found, .. } = error else {
            panic!("{error}")
        };
        assert!(found == value || (found.is_nan() && value.is_nan()));
    }
}

#[test]
fn a_list_works_across_windows() {
    let vocabulary = 70_001_u32;
    let row: Vec<f32> = (0..vocabulary).map(|i| (i % 97) as f32).collect();
    let ids: Vec<u32> = (0..vocabulary).filter(|i| i % 3 == 1).rev().collect();
    let others: Vec<u32> = (0..vocabulary).filter(|i| i % 3 != 1).collect();
    let flags: Vec<bool> = (0..vocabulary).map(|i| i % 3 == 1).collect();
    let (mut allowed, mut blocked, mut masked) = (row.clone(), row.clone(), row.clone());
    allow_token_ids_in_place(&mut allowed, &ids).unwrap();
    block_token_ids_in_place(&mut blocked, &others).unwrap();
    mask_logits_in_place(&mut masked, &flags).unwrap();
    assert_eq!(allowed, masked);
    assert_eq!(blocked, masked);
    // All but the last token, then all of them, with as many ids as there are tokens.
    let mut ids: Vec<u32> = (0..vocabulary - 1).chain([0]).collect();
    let mut left = row.clone();
    block_token_ids_in_place(&mut left, &ids).unwrap();
    assert_eq!(left.iter().filter(|logit| logit.is_finite()).count(), 1);
    ids.push(vocabulary - 1);
    let mut all = row;
    let block = |row: &mut [f32]| block_token_ids_in_place(row, &ids);
    assert_eq!(refused(&mut all, block), Error::AllMasked);
}

#[test]
fn a_history_keeps_its_counts() {
    let mut history = History::new();
    assert!(history.is_empty());
    for token in [5, u32::MAX, 5, 0] {
        history.record(token);
    }
    assert_eq!(history, History::from_prompt(&[0, 5, 5, u32::MAX]));
    let copy = history.clone();
    history.record(5);
    assert_eq!(
        (copy.count(5), history.count(5), copy.distinct()),
        (2, 3, 3)
    );
    let mut target = History::from_prompt(&[1, 2, 3, 4]);
    target.clone_from(&history);
    assert_eq!(target, history);
    history.clear();
    assert_eq!((history.distinct(), target.count(u32::MAX)), (0, 1));
}

fn logit() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -30_f32..30.0,
        1 => Just(f32::NEG_INFINITY),
        1 => Just(-0.0_f32),
        1 => Just(0.0_f32),
        1 => -60_000_f32..60_000.0,
        1 => -3e38_f32..3e38,
        1 => -1e-7_f32..1e-7,
    ]
}

#[derive(Clone, Debug)]
struct Task {
    row: Vec<f32>,
    ids: Vec<u32>,
    flags: Vec<bool>,
    biases: Vec<f64>,
    penalty: f64,
    presence: f64,
    frequency: f64,
}

fn task() -> impl Strategy<Value = Task> {
    (1_usize..24).prop_flat_map(|len| {
        let bias = prop_oneof![8 => -10_f64..10.0, 1 => -1e39_f64..1e39, 1 => Just(f64::NAN)];
        let cost = || prop_oneof![8 => -2_f64..2.0, 1 => -1e5_f64..1e5];
        (
            proptest::collection::vec(logit(), len),
            proptest::collection::vec(0..len as u32 + u32::from(len % 8 == 0), 0..30),
            proptest::collection::vec(any::<bool>(), len),
            proptest::collection::vec(bias, len),
            prop_oneof![8 => 1_f64..2.0, 1 => Just(1.0), 1 => 1_f64..1e6],
            cost(),
            cost(),
        )
            .prop_map(
                |(row, ids, flags, biases, penalty, presence, frequency)| Task {
                    row,
                    ids,
                    flags,
                    biases,
                    penalty,
                    presence,
                    frequency,
                },
            )
    })
}

/// In place is out of place, rounded once; what leaves the finite numbers is refused, and then the row is as it was.
fn agrees<E: Element>(
    row: &[f32],
    in_place: impl FnOnce(&mut [E]) -> Result<()>,
    out_of_place: impl FnOnce(&[f64]) -> Result<Vec<f64>>,
) {
    let before = E::row(row);
    let wide: Vec<f64> = before.iter().map(|x| x.wide()).collect();
    let mut after = before.clone();
    let answer = in_place(&mut after);
    match out_of_place(&wide) {
        Ok(expected) => {
            let rounded: Vec<E> = expected.iter().map(|&x| E::nearest(x)).collect();
            let fits = |(x, y): (&E, &f64)| x.wide().is_finite() || y.is_infinite();
            if rounded.iter().zip(&expected).all(fits) {
                assert_eq!(answer, Ok(()));
                assert_eq!(bits(&after), bits(&rounded));
                return;
            }
            assert!(matches!(answer, Err(Error::NumericalFailure { .. })));
        }
        Err(_) => assert!(answer.is_err()),
    }
    assert_eq!(bits(&after), bits(&before));
}

fn all_agree<E: Element>(task: &Task) {
    let Task {
        row,
        ids,
        flags,
        biases,
        penalty,
        presence,
        frequency,
    } = task;
    let history = History::from_prompt(ids);
    agrees::<E>(
        row,
        |row| mask_logits_in_place(row, flags),
        |row| mask_logits(row, flags),
    );
    agrees::<E>(
        row,
        |row| block_token_ids_in_place(row, ids),
        |row| block_token_ids(row, ids),
    );
    agrees::<E>(
        row,
        |row| allow_token_ids_in_place(row, ids),
        |row| allow_token_ids(row, ids),
    );
    agrees::<E>(
        row,
        |row| bias_logits_in_place(row, biases),
        |row| bias_logits(row, biases),
    );
    agrees::<E>(
        row,
        |row| penalize_repetition_in_place(row, &history, *penalty),
        |row| penalize_repetition(row, ids, *penalty),
    );
    agrees::<E>(
        row,
        |row| penalize_counts_in_place(row, &history, *presence, *frequency),
        |row| penalize_counts(row, ids, *presence, *frequency),
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn in_place_is_out_of_place_rounded_once(task in task()) {
        all_agree::<f64>(&task);
        all_agree::<f32>(&task);
        all_agree::<f16>(&task);
        all_agree::<bf16>(&task);
    }

    /// By the definitions of the ancestor's document, said another way.
    #[test]
    fn out_of_place_is_what_the_ancestor_says(task in task()) {
        let row = f64::row(&task.row);
        let count = |i: usize| task.ids.iter().filter(|&&id| id as usize == i).count() as f64;
        let each = |of: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
            row.iter().enumerate().map(|(i, &l)| of(i, l)).collect()
        };
        let mask = |allowed: &dyn Fn(usize) -> bool| each(&|i, l| if allowed(i) { l } else { MASKED });
        let same = |found: Result<Vec<f64>>, expected: Vec<f64>| if let Ok(found) = found {
            assert_eq!(bits(&found), bits(&expected));
        };
        same(mask_logits(&row, &task.flags), mask(&|i| task.flags[i]));
        same(block_token_ids(&row, &task.ids), mask(&|i| count(i) == 0.0));
        same(allow_token_ids(&row, &task.ids), mask(&|i| count(i) > 0.0));
        same(bias_logits(&row, &task.biases), each(&|i, l| if l == MASKED { l } else { l + task.biases[i] }));
        same(penalize_repetition(&row, &task.ids, task.penalty), each(&|i, l| match () {
            () if count(i) == 0.0 => l,
            () if l < 0.0 => l * task.penalty,
            () => l / task.penalty,
        }));
        same(penalize_counts(&row, &task.ids, task.presence, task.frequency), each(&|i, l| {
            if count(i) == 0.0 { l } else { (l - task.presence) - task.frequency * count(i) }
        }));
    }

    #[test]
    fn a_history_is_its_recordings(tokens in proptest::collection::vec(0_u32..20, 0..60), cut in 0_usize..60) {
        let cut = cut.min(tokens.len());
        let mut history = History::from_prompt(&tokens[..cut]);
        for &token in &tokens[cut..] {
            history.record(token);
        }
        prop_assert_eq!(&history, &History::from_prompt(&tokens));
        for token in 0..20 {
            let count = tokens.iter().filter(|&&seen| seen == token).count();
            prop_assert_eq!(history.count(token) as usize, count);
        }
        prop_assert!(history.iter().zip(history.iter().skip(1)).all(|(a, b)| a.0 < b.0));
    }
}
