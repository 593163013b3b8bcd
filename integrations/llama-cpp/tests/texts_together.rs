//! A text of a batch of one is the text of the common loop; texts of a larger batch are each of their own session.

use clap::Parser;
use mirostat::{Config, Sampler, Uniforms, Version};
use mirostat_llama_cpp::{Llama, Sequences, Session, Weights, write_together};
use mirostat_textgen::{Chooser, Generated, Options, Request, generate, open_model};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

const LIMIT: usize = 40;

fn together(weights: &Weights, sessions: std::ops::Range<u64>, prompt: &[u32]) -> Vec<Vec<u32>> {
    let mut sessions: Vec<Session> = sessions
        .map(|session| Session {
            sampler: Sampler::new(Config::new(3.0).unwrap(), Version::V2).unwrap(),
            uniforms: Uniforms::new(42, session),
        })
        .collect();
    let mut sequences = Sequences::new(weights, sessions.len(), 64, 1).unwrap();
    let request = Request {
        prompt,
        limit: LIMIT,
        stop_at_end: false,
    };
    let texts = write_together(weights, &mut sequences, &mut sessions, &request).unwrap();
    texts.iter().map(tokens).collect()
}

fn tokens(text: &Generated) -> Vec<u32> {
    text.moments.iter().map(|moment| moment.token).collect()
}

#[test]
fn texts_are_those_of_their_sessions() {
    let weights = Weights::load(&open_model(None).unwrap().0, false).unwrap();
    let prompt = weights.tokens("Once upon a time");

    let options = Arguments::parse_from(["texts"]).options;
    let mut chooser = Chooser::new(&options.sampler, 0).unwrap();
    let mut llama = Llama::new(&weights, 64, 1).unwrap();
    let request = Request {
        prompt: &prompt,
        limit: LIMIT,
        stop_at_end: false,
    };
    let common = generate(&mut llama, &mut chooser, &request, |_, _| Ok(())).unwrap();
    let alone: Vec<Vec<u32>> = (0..4)
        .flat_map(|session| together(&weights, session..session + 1, &prompt))
        .collect();
    assert_eq!(alone[0], tokens(&common));

    let batch = together(&weights, 0..4, &prompt);
    assert_eq!(
        batch,
        together(&weights, 0..4, &prompt),
        "a run is repeatable"
    );
    for (i, (batch, alone)) in batch.iter().zip(&alone).enumerate() {
        let same = batch.iter().zip(alone).take_while(|(a, b)| a == b).count();
        println!("text {i}: the first {same} of {LIMIT} tokens are those of the text alone");
        assert_eq!((batch.len(), alone.len()), (LIMIT, LIMIT));
    }
    assert!(
        (1..4).all(|i| batch[i] != batch[0]),
        "sessions draw for themselves"
    );
}
