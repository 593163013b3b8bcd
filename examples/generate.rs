//! The ancestor's generation: a toy model of four words says its three-word sentence.
//!
//! `cargo run --release --example generate`
#![forbid(unsafe_code)]

use mirostat::generation::Generator;
use mirostat::{Config, ParkMiller, Sampler, Version};
use std::convert::Infallible;
use std::error::Error;

const WORDS: [&str; 4] = ["<start>", "moon", "bit", "<end>"];
const END: u32 = 3;

/// What follows the last word.
fn toy(context: &[u32]) -> Result<[f64; 4], Infallible> {
    Ok(match context.last() {
        Some(1) => [-5.0, 0.0, 5.0, 0.0],
        Some(2) => [-5.0, -2.0, 0.0, 5.0],
        _ => [-5.0, 5.0, -5.0, -5.0],
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut sampler = Sampler::new(Config::new(1.5)?, Version::V2)?;
    let mut uniforms = ParkMiller::new(9)?;
    let mut model = |context: &[u32]| toy(context);

    let told = Generator::new(8)
        .end_tokens(&[END])
        .run(&mut sampler, &mut uniforms, &mut model)?;
    let words: Vec<&str> = told.tokens.iter().map(|&id| WORDS[id as usize]).collect();
    println!("{}", words.join(" "));
    println!("steps={}", told.steps.len());
    Ok(())
}
