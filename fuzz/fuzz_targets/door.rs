//! Any bytes at the door: whatever is handed in, nothing panics, an error changes nothing, and a step is a step.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use mirostat::{
    Error, Matrix, ParkMiller, Row, Rows, Sampler, SamplerState, Scratch, Step, SurpriseBasis,
    Uniforms, greatest, log_z_nats, release_thread_scratch, row_entropy_bits,
};
use mirostat_fuzz::{Element, Number, Recipe, Settings, level, version};

#[derive(Arbitrary, Debug)]
struct Input {
    settings: Settings,
    other: Settings,
    level: Option<u8>,
    second: bool,
    acts: Vec<Act>,
}

#[derive(Arbitrary, Debug)]
enum Act {
    Sample(Element, Recipe, Number),
    SampleInside(Element, Recipe, u16),
    Weights(Vec<Number>, Number),
    ProposeAndAccept(Element, Recipe, Number),
    AcceptTwice(Element, Recipe, u16),
    AcceptLate(Element, Recipe, u16),
    Observe(Element, Recipe, u32, bool),
    Matrix(Element, Recipe, u16, u16, u16),
    HugeMatrix(u64, u64, u64),
    Part(Element, Recipe, u64, u64),
    Measure(Element, Recipe),
    FromState(bool, Number, u64),
    CheckpointAndRestore(Element, Recipe),
    RestoreForeign,
    ParkMiller(u32),
    Seeded(u64, u64, u64, Element, Recipe),
    Reset,
    Release,
}

/// What every step promises.
fn sound(sampler: &Sampler, row: Option<Row<'_>>, step: &Step) {
    assert!(
        step.probability > 0.0 && step.probability <= 1.0,
        "{step:?}"
    );
    assert!(
        step.surprise_bits >= 0.0 && step.surprise_bits.is_finite(),
        "{step:?}"
    );
    assert!(
        step.surprise_bits.is_sign_positive() && step.kept >= 1 && step.support >= 1,
        "{step:?}"
    );
    assert!(
        step.mu_before.is_finite() && step.mu_after.is_finite(),
        "{step:?}"
    );
    assert_eq!(sampler.mu().to_bits(), step.mu_after.to_bits());
    if let Some((lowest, highest)) = sampler.config().mu_bounds() {
        assert!(
            step.mu_after >= lowest && step.mu_after <= highest,
            "{step:?}"
        );
    } else {
        assert!(step.limited.is_none(), "{step:?}");
    }
    let Some(row) = row else { return };
    assert!(
        step.kept <= row.len() && step.support <= row.len(),
        "{step:?}"
    );
    let logits = row.to_f64();
    let max = logits.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let depth = (max - logits[step.token as usize]) / sampler.config().temperature();
    assert!(depth <= 745.2, "{step:?} was drawn from below the support");
    if step.kept == 1 && sampler.config().surprise_basis() == SurpriseBasis::Kept {
        assert_eq!((step.probability, step.surprise_bits), (1.0, 0.0));
    }
}

/// Does something to a session, and holds its outcome to the promises.
fn act(
    sampler: &mut Sampler,
    row: Option<Row<'_>>,
    mut work: impl FnMut(&mut Sampler) -> Result<Step, Error>,
) {
    let before = sampler.clone();
    let mut twin = sampler.clone();
    let outcome = work(sampler);
    match outcome {
        Ok(step) => {
            assert_eq!(step.mu_before.to_bits(), before.mu().to_bits());
            assert_eq!(sampler.steps(), before.steps().saturating_add(1));
            sound(sampler, row, &step);
        }
        Err(error) => {
            assert_eq!(
                sampler.state(),
                before.state(),
                "{error:?} moved the session"
            );
            assert!(!error.to_string().is_empty());
        }
    }
    assert_eq!(work(&mut twin), outcome, "done twice, two outcomes");
}

fn inside(uniform: u16) -> f64 {
    f64::from(uniform) / 65_536.0
}

fuzz_target!(|input: Input| {
    let builder = input.settings.builder();
    let config = match builder.build() {
        Ok(config) => {
            assert_eq!(config.to_builder().build(), Ok(config));
            config
        }
        Err(error) => {
            assert!(matches!(error, Error::InvalidParameter { .. }));
            return;
        }
    };
    let version = version(input.second);
    let made = match input.level {
        Some(pick) => Sampler::on_level(config, version, level(pick)),
        None => Sampler::new(config, version),
    };
    let mut sampler = match made {
        Ok(sampler) => sampler,
        Err(error) => {
            assert!(matches!(error, Error::Unsupported { .. }));
            return;
        }
    };
    let mut scratch = Scratch::new();
    let mut kept_proposal = None;
    for what in input.acts.iter().take(12) {
        match what {
            Act::Sample(element, recipe, uniform) => {
                let made = recipe.make(*element);
                let row = made.row();
                act(&mut sampler, Some(row), |s| s.sample(row, uniform.f64()));
            }
            Act::SampleInside(element, recipe, uniform) => {
                let made = recipe.make(*element);
                let row = made.row();
                act(&mut sampler, Some(row), |s| {
                    s.sample_in(row, inside(*uniform), &mut scratch)
                });
            }
            Act::Weights(weights, uniform) => {
                let weights: Vec<f64> = weights.iter().map(|x| x.f64()).collect();
                act(&mut sampler, None, |s| {
                    s.sample_weights(&weights, uniform.f64())
                });
            }
            Act::ProposeAndAccept(element, recipe, uniform) => {
                let made = recipe.make(*element);
                let row = made.row();
                act(&mut sampler, Some(row), |s| {
                    let mut read = s.read(row, &mut scratch)?;
                    let _ = read.propose(0.25);
                    let proposal = read.propose(uniform.f64())?;
                    kept_proposal = Some(proposal);
                    s.accept(proposal)
                });
            }
            Act::AcceptTwice(element, recipe, uniform) => {
                let made = recipe.make(*element);
                let row = made.row();
                let proposal = sampler
                    .read(row, &mut scratch)
                    .and_then(|mut r| r.propose(inside(*uniform)));
                let Ok(proposal) = proposal else { continue };
                act(&mut sampler, Some(row), |s| s.accept(proposal));
                if sampler.steps() > proposal.step() {
                    let state = sampler.state();
                    assert!(matches!(
                        sampler.accept(proposal),
                        Err(Error::StaleProposal { .. })
                    ));
                    assert_eq!(sampler.state(), state);
                }
            }
            Act::AcceptLate(element, recipe, uniform) => {
                let made = recipe.make(*element);
                let row = made.row();
                if let Some(proposal) = kept_proposal {
                    act(&mut sampler, None, |s| s.accept(proposal));
                }
                act(&mut sampler, Some(row), |s| s.sample(row, inside(*uniform)));
            }
            Act::Observe(element, recipe, token, any) => {
                let made = recipe.make(*element);
                let row = made.row();
                // Half of the tokens are in the row, most likely.
                let token = match (token % 2, row.len()) {
                    (0, len @ 1..) => token / 2 % len as u32,
                    _ => *token,
                };
                let before = sampler.clone();
                let read = sampler.read(row, &mut scratch);
                let observed = match (read, *any) {
                    (Ok(read), true) => read.observe_any(token),
                    (Ok(read), false) => read.observe(token),
                    (Err(error), _) => Err(error),
                };
                match observed {
                    Ok(step) => {
                        assert_eq!(step.token, token);
                        assert_eq!(sampler.steps(), before.steps().saturating_add(1));
                        // A token that the host chose may have a probability that f64 rounds to 0; its surprise stays finite.
                        assert!(
                            step.surprise_bits >= 0.0 && step.surprise_bits.is_finite(),
                            "{step:?}"
                        );
                        assert!((0.0..=1.0).contains(&step.probability), "{step:?}");
                        assert!(sampler.mu().is_finite());
                    }
                    Err(_) => assert_eq!(sampler.state(), before.state()),
                }
            }
            Act::Matrix(element, recipe, rows, vocabulary, stride) => {
                let made = recipe.make(*element);
                let (rows, vocabulary) = (usize::from(rows % 16), usize::from(*vocabulary));
                let Ok(matrix) = Matrix::new(made.row(), rows, vocabulary, usize::from(*stride))
                else {
                    continue;
                };
                let rows = Rows::from(matrix);
                for i in 0..rows.len() {
                    let row = rows.get(i);
                    assert_eq!(row.len(), vocabulary);
                    act(&mut sampler, Some(row), |s| {
                        s.sample_in(row, 0.5, &mut scratch)
                    });
                }
            }
            Act::HugeMatrix(rows, vocabulary, stride) => {
                let buffer = [0.0_f32; 64];
                let (rows, vocabulary, stride) =
                    (*rows as usize, *vocabulary as usize, *stride as usize);
                if let Ok(matrix) = Matrix::new(&buffer, rows, vocabulary, stride) {
                    let all = Rows::from(matrix);
                    assert_eq!(all.len(), rows);
                    if rows > 0 {
                        assert_eq!(all.get(rows - 1).len(), vocabulary);
                    }
                }
            }
            Act::Part(element, recipe, start, len) => {
                let made = recipe.make(*element);
                if let Some(part) = made.row().part(*start as usize, *len as usize) {
                    assert_eq!(part.len(), *len as usize);
                }
            }
            Act::Measure(element, recipe) => {
                let made = recipe.make(*element);
                let row = made.row();
                let (log_z, entropy, best) =
                    (log_z_nats(row), row_entropy_bits(row), greatest(row));
                assert_eq!(log_z.is_ok(), entropy.is_ok());
                assert_eq!(log_z.is_ok(), best.is_ok());
                if let (Ok(log_z), Ok(entropy), Ok((token, logit))) = (log_z, entropy, best) {
                    assert!(!log_z.is_nan() && log_z >= logit - 1e-6 - logit.abs() * 1e-12);
                    let most = (row.len() as f64).log2();
                    assert!(entropy >= 0.0 && entropy.is_sign_positive() && entropy <= most + 1e-5);
                    let logits = row.to_f64();
                    let max = logits.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
                    assert_eq!(logit, max);
                    assert_eq!(logits.iter().position(|&x| x == max), Some(token as usize));
                }
            }
            Act::FromState(second, mu, steps) => {
                let made = SamplerState::new(mirostat_fuzz::version(*second), mu.f64(), *steps);
                assert_eq!(made.is_ok(), mu.f64().is_finite());
                let Ok(state) = made else { continue };
                if let Ok(other) = Sampler::from_state(config, state) {
                    assert_eq!(
                        (other.mu().to_bits(), other.steps()),
                        (mu.f64().to_bits(), *steps)
                    );
                    sampler = other;
                }
            }
            Act::CheckpointAndRestore(element, recipe) => {
                let made = recipe.make(*element);
                let checkpoint = sampler.checkpoint();
                let before = sampler.state();
                let first = sampler.sample_in(made.row(), 0.75, &mut scratch);
                assert_eq!(sampler.restore(&checkpoint), Ok(()));
                assert_eq!(sampler.state(), before);
                assert_eq!(
                    sampler.fork().sample_in(made.row(), 0.75, &mut scratch),
                    first
                );
            }
            Act::RestoreForeign => {
                let Some(other) = input.other.config().filter(|other| *other != config) else {
                    continue;
                };
                let Ok(other) = Sampler::new(other, version) else {
                    continue;
                };
                let before = sampler.state();
                assert_eq!(
                    sampler.restore(&other.checkpoint()),
                    Err(Error::ForeignCheckpoint)
                );
                assert_eq!(sampler.state(), before);
            }
            Act::ParkMiller(seed) => {
                if let Ok(mut source) = ParkMiller::new(*seed) {
                    act(&mut sampler, None, |s| {
                        s.sample_with(&[1.0_f32, 0.5], &mut source.clone())
                    });
                    let _ = sampler.sample_with(&[1.0_f32, f32::NAN], &mut source);
                }
            }
            Act::Seeded(seed, session, step, element, recipe) => {
                let made = recipe.make(*element);
                let source = Uniforms {
                    seed: *seed,
                    session: *session,
                    step: *step,
                };
                let before = sampler.steps();
                let mut used = source;
                let outcome = sampler.sample_with(made.row(), &mut used);
                assert_eq!(used != source, outcome.is_ok());
                assert_eq!(
                    sampler.steps() != before,
                    outcome.is_ok() && before != u64::MAX
                );
            }
            Act::Reset => {
                sampler.reset();
                assert_eq!((sampler.mu(), sampler.steps()), (config.initial_mu(), 0));
            }
            Act::Release => release_thread_scratch(),
        }
    }
});
