//! A step in a batch of sequences is the step alone on the same row, bit for bit; llama.cpp's own rows need only be near.

use mirostat::{
    BatchScratch, Config, Job, Parallelism, Sampler, UniformSource as _, Uniforms, Version,
    step_batch,
};
use mirostat_llama_cpp::{Sequences, Weights};
use mirostat_textgen::open_model;

const PROMPTS: [&str; 4] = ["The sea", "A king of old", "Water is", "def main():\n"];
const STEPS: usize = 12;

#[test]
fn steps_are_the_same_and_rows_are_near() {
    let weights = Weights::load(&open_model(None).unwrap().0, false).unwrap();
    let mut batch = Sequences::new(&weights, PROMPTS.len(), 64, 1).unwrap();
    let mut samplers = [Version::V1, Version::V2, Version::V1, Version::V2]
        .map(|version| Sampler::new(Config::new(3.0).unwrap(), version).unwrap());
    let mut contexts = PROMPTS.map(|text| weights.tokens(text));
    for (i, context) in contexts.iter().enumerate() {
        batch.feed(i, context).unwrap();
    }
    let (mut scratch, mut steps) = (BatchScratch::new(), Vec::new());
    let (mut bits, mut all) = (0_u32, 0_u32);
    let mut furthest = 0.0_f32;
    for step in 0..STEPS {
        batch.decode().unwrap();
        let uniforms = [0, 1, 2, 3].map(|i| {
            Uniforms {
                seed: 7,
                session: i,
                step: step as u64,
            }
            .peek()
            .unwrap()
        });
        let before = samplers.clone();
        let mut jobs: Vec<Job<'_>> = samplers
            .iter_mut()
            .enumerate()
            .map(|(i, sampler)| Job {
                sampler,
                row: batch.logits(i).unwrap().into(),
                uniform: uniforms[i],
            })
            .collect();
        step_batch(&mut jobs, Parallelism::Auto, &mut scratch, &mut steps);
        for (i, mut sampler) in before.into_iter().enumerate() {
            let row = batch.logits(i).unwrap();
            let alone = sampler.sample(row, uniforms[i]);
            assert_eq!(steps[i], alone, "text {i}, step {step}");

            let mut single = Sequences::new(&weights, 1, 64, 1).unwrap();
            single.feed(0, &contexts[i]).unwrap();
            single.decode().unwrap();
            for (a, b) in single.logits(0).unwrap().iter().zip(row) {
                bits += u32::from(a.to_bits() == b.to_bits());
                all += 1;
                furthest = furthest.max((a - b).abs());
            }
            contexts[i].push(alone.unwrap().token);
        }
        for (i, context) in contexts.iter().enumerate() {
            batch.feed(i, &context[context.len() - 1..]).unwrap();
        }
    }
    println!("llama.cpp's logits, in a batch of 4 and alone: {bits} of {all} have the same bits");
    assert!(
        furthest < 1.0,
        "sequences of a batch are mixed up: {furthest}"
    );
}
