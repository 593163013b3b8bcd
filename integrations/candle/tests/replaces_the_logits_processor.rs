//! `MirostatProcessor` stands where candle's `LogitsProcessor` stood, and chooses as `mirostat` does.

use candle_core::{DType, Device, Error, Tensor};
use candle_transformers::generation::{LogitsProcessor, Sampling};
use mirostat::reference::Truncation;
use mirostat::{Config, FixedSampler, Sampler, Uniforms, Version};
use mirostat_candle::{MirostatBatch, MirostatProcessor};

const VOCABULARY: usize = 300;

/// Logits with a head and a tail, another row for every `step`.
fn row(step: usize) -> Vec<f32> {
    (0..VOCABULARY)
        .map(|i| {
            let place = (i * 7 + step * 13) % VOCABULARY;
            -1.1 * ((place + 1) as f32).ln()
        })
        .collect()
}

fn tensor(step: usize) -> Tensor {
    Tensor::from_vec(row(step), VOCABULARY, &Device::Cpu).unwrap()
}

fn config() -> Config {
    Config::new(3.0).unwrap()
}

#[test]
fn without_a_temperature_both_take_the_likeliest() {
    for temperature in [None, Some(0.0), Some(9e-8), Some(-1.0)] {
        let mut theirs = LogitsProcessor::new(1, temperature, Some(0.9));
        let mut ours = MirostatProcessor::new(2, temperature, Some(0.9)).unwrap();
        for step in 0..50 {
            let logits = tensor(step);
            assert_eq!(
                ours.sample(&logits).unwrap(),
                theirs.sample(&logits).unwrap()
            );
        }
    }
}

#[test]
fn a_temperature_that_is_no_number_is_refused() {
    for temperature in [f64::NAN, f64::INFINITY] {
        assert!(MirostatProcessor::new(1, Some(temperature), None).is_err());
    }
}

/// How often each token is drawn from one row.
fn counts(mut sample: impl FnMut() -> u32) -> Vec<f64> {
    let mut counts = vec![0.0; VOCABULARY];
    for _ in 0..DRAWS {
        counts[sample() as usize] += 1.0;
    }
    counts
}

const DRAWS: usize = 20_000;

/// Two samples of one distribution: chi-squared over the tokens, 5 standard deviations.
fn assert_alike(ours: &[f64], theirs: &[f64]) {
    let (mut statistic, mut freedom) = (0.0, -1.0_f64);
    for (a, b) in ours.iter().zip(theirs) {
        if a + b > 0.0 {
            statistic += (a - b) * (a - b) / (a + b);
            freedom += 1.0;
        }
    }
    assert!(
        statistic < freedom + 5.0 * (2.0 * freedom).sqrt(),
        "{statistic} of {freedom}"
    );
}

#[test]
fn both_draw_from_one_distribution() {
    let logits = tensor(0);
    for (temperature, top_p) in [
        (1.0, None),
        (0.7, Some(0.8)),
        (1.3, Some(1.0)),
        (1.0, Some(0.0)),
    ] {
        let mut theirs = LogitsProcessor::new(3, Some(temperature), top_p);
        let mut ours = MirostatProcessor::new(4, Some(temperature), top_p).unwrap();
        let theirs = counts(|| theirs.sample(&logits).unwrap());
        let ours = counts(|| ours.sample(&logits).unwrap());
        assert_alike(&ours, &theirs);
    }
    let mut theirs = LogitsProcessor::from_sampling(
        5,
        Sampling::TopK {
            k: 10,
            temperature: 0.9,
        },
    );
    let top_k = FixedSampler::new(Truncation::TopK(10))
        .unwrap()
        .with_temperature(0.9)
        .unwrap();
    let mut ours = MirostatProcessor::fixed(6, top_k);
    let theirs = counts(|| theirs.sample(&logits).unwrap());
    let ours = counts(|| ours.sample(&logits).unwrap());
    assert_eq!(ours.iter().filter(|&&count| count > 0.0).count(), 10);
    assert_alike(&ours, &theirs);
}

#[test]
fn mirostat_steps_as_the_library() {
    for version in [Version::V1, Version::V2] {
        let mut sampler = Sampler::new(config(), version).unwrap();
        let mut uniforms = Uniforms::new(42, 0);
        let mut processor = MirostatProcessor::mirostat(42, config(), version).unwrap();
        assert!(processor.last_step().is_none());
        for step in 0..100 {
            let expected = sampler.sample_with(&row(step), &mut uniforms).unwrap();
            assert_eq!(processor.sample(&tensor(step)).unwrap(), expected.token);
            assert_eq!(processor.last_step(), Some(&expected));
        }
        assert_eq!(processor.sampler().map(Sampler::steps), Some(100));
    }
}

#[test]
fn a_batch_is_its_rows() {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let mut batch = MirostatBatch::new(7, config(), Version::V2, 3).unwrap();
        let mut samplers = vec![Sampler::new(config(), Version::V2).unwrap(); 3];
        let mut uniforms = [0, 1, 2].map(|session| Uniforms::new(7, session));
        for step in 0..20 {
            let rows = [0, 1, 2].map(|i| tensor(3 * step + i));
            let logits = Tensor::stack(&rows, 0).unwrap().to_dtype(dtype).unwrap();
            let tokens = batch.sample(&logits).unwrap();
            for i in 0..3 {
                let row = logits.get(i).unwrap();
                let row = mirostat_candle::TensorRows::new(&row).unwrap();
                let expected = samplers[i]
                    .sample_with(row.get(0), &mut uniforms[i])
                    .unwrap();
                assert_eq!((tokens[i], batch.steps()[i]), (expected.token, expected));
            }
        }
    }
}

/// What `mirostat` said; where backtraces are asked for, candle appends one.
fn said(error: &Error) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_nan_is_told_with_its_index_and_changes_nothing() {
    let mut logits = row(0);
    logits[17] = f32::NAN;
    let broken = Tensor::from_vec(logits, VOCABULARY, &Device::Cpu).unwrap();
    let mut processor = MirostatProcessor::mirostat(42, config(), Version::V2).unwrap();
    let error = processor.sample(&broken).unwrap_err();
    assert_eq!(said(&error), "the logit at index 17 is NaN");
    assert_eq!(processor.sampler().map(Sampler::steps), Some(0));
    let mut fresh = MirostatProcessor::mirostat(42, config(), Version::V2).unwrap();
    assert_eq!(
        processor.sample(&tensor(1)).unwrap(),
        fresh.sample(&tensor(1)).unwrap()
    );

    let mut batch = MirostatBatch::new(42, config(), Version::V2, 2).unwrap();
    let both = Tensor::stack(&[tensor(0), broken], 0).unwrap();
    let error = batch.sample(&both).unwrap_err();
    assert_eq!(said(&error), "row 1: the logit at index 17 is NaN");
    assert!(batch.samplers().iter().all(|sampler| sampler.steps() == 0));
    assert!(batch.steps().is_empty());
}

#[test]
fn rows_that_have_no_session_are_refused() {
    let two = Tensor::stack(&[tensor(0), tensor(1)], 0).unwrap();
    let mut one = MirostatProcessor::new(1, Some(1.0), None).unwrap();
    let said = one.sample(&two).unwrap_err().to_string();
    assert!(said.contains("MirostatBatch"), "{said}");
    let mut three = MirostatBatch::new(1, config(), Version::V1, 3).unwrap();
    assert!(three.sample(&two).is_err());
    assert!(three.samplers().iter().all(|sampler| sampler.steps() == 0));
}
