//! Configuration is shared, state is sent: what a runtime with many threads needs of the types.

use mirostat::experiments::{Baseline, Comparison, Scenario, SweepPoint};
use mirostat::generation::{Generation, GenerationError};
use mirostat::trace::{SurpriseWindow, TraceAccumulator, TraceSpread, TraceSummary};
use mirostat::{
    BatchScratch, CandidateSet, Checkpoint, Config, Error, FixedSampler, Job, Matrix, ParkMiller,
    PreparedRow, Preview, Proposal, ReplayError, Row, Rows, Sampler, SamplerState, Scratch, Step,
    Tape, Uniforms, Version,
};

fn shared<T: Send + Sync>() {}
fn sent_and_cloned<T: Send + Clone + 'static>() {}
fn sent<T: Send>() {}

#[test]
fn configuration_is_shared_and_state_is_sent() {
    shared::<Config>();
    shared::<Error>();
    shared::<Row<'_>>();
    shared::<Rows<'_>>();
    shared::<Matrix<'_>>();
    sent_and_cloned::<Sampler>();
    sent_and_cloned::<SamplerState>();
    sent_and_cloned::<Checkpoint>();
    sent_and_cloned::<Proposal>();
    sent_and_cloned::<Step>();
    sent_and_cloned::<Scratch>();
    sent_and_cloned::<Uniforms>();
    sent_and_cloned::<ParkMiller>();
    shared::<FixedSampler>();
    shared::<PreparedRow>();
    shared::<CandidateSet>();
    shared::<Preview>();
    shared::<ReplayError>();
    shared::<(Baseline, Comparison, Scenario, SweepPoint)>();
    shared::<(Generation, GenerationError<Error>)>();
    sent_and_cloned::<(TraceAccumulator, TraceSpread, TraceSummary)>();
    sent_and_cloned::<SurpriseWindow>();
    sent::<Tape<'_>>();
    sent::<BatchScratch>();
    sent::<Job<'_>>();
}

#[test]
fn a_session_goes_on_in_another_thread() {
    let row = [3.0_f32, 2.0, 1.0];
    let mut here = Sampler::new(Config::new(2.0).expect("sound"), Version::V2).expect("a sampler");
    let mut there = here.clone();
    let steps = [here.sample(&row, 0.3), here.sample(&row, 0.9)];
    let first = there.sample(&row, 0.3);
    let second = std::thread::spawn(move || there.sample(&row, 0.9))
        .join()
        .expect("no panic");
    assert_eq!([first, second], steps);
}

#[test]
fn a_session_is_small() {
    // mu, steps and a configuration by value: a clone is a copy of two cache lines or three.
    assert!(size_of::<Sampler>() <= 192, "{}", size_of::<Sampler>());
}
