//! Which rules write on after which prompts.

use mirostat_textgen::{Kind, SamplerOptions};

/// Beginnings of five kinds of text.
pub(crate) const PROMPTS: [&str; 5] = [
    "Once upon a time, in a village by the sea,",
    "The history of mathematics begins with",
    "Dear Sir or Madam,\n\nI am writing to you because",
    "To make a good vegetable soup, you first need",
    "The scientists looked at the results of the experiment, and",
];

/// The targets, in bits.
const TARGETS: [f64; 5] = [2.0, 3.0, 4.0, 5.0, 6.0];
const NUCLEI: [f64; 4] = [0.5, 0.7, 0.9, 0.95];
const COUNTS: [usize; 4] = [5, 20, 50, 200];

/// Both versions of Mirostat at every target, then top-p and top-k, then the model's own distribution.
pub(crate) fn rules(seed: u64) -> Vec<SamplerOptions> {
    // What a rule does not read has no effect.
    let plain = SamplerOptions {
        kind: Kind::Temperature,
        tau: 3.0,
        eta: 0.1,
        top_p: 1.0,
        top_k: 1,
        min_p: 0.0,
        typical: 1.0,
        epsilon: 0.0,
        temperature: 1.0,
        seed,
    };
    let aiming = |kind| {
        let plain = &plain;
        TARGETS.map(|tau| SamplerOptions {
            kind,
            tau,
            ..plain.clone()
        })
    };
    let mut rules = Vec::new();
    rules.extend(aiming(Kind::V1));
    rules.extend(aiming(Kind::V2));
    rules.extend(NUCLEI.map(|top_p| SamplerOptions {
        kind: Kind::TopP,
        top_p,
        ..plain.clone()
    }));
    rules.extend(COUNTS.map(|top_k| SamplerOptions {
        kind: Kind::TopK,
        top_k,
        ..plain.clone()
    }));
    rules.push(plain);
    rules
}

/// The name of a rule in a table: `V2, tau 3`, `top-p 0.9`.
pub(crate) fn name(rule: &SamplerOptions) -> String {
    match rule.kind {
        Kind::V1 => format!("V1, tau {}", rule.tau),
        Kind::V2 => format!("V2, tau {}", rule.tau),
        Kind::TopP => format!("top-p {}", rule.top_p),
        Kind::TopK => format!("top-k {}", rule.top_k),
        _ => "whole row".to_owned(),
    }
}
