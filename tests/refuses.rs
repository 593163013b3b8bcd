//! What bad input gets: an error that names the place and the value, and a session that stands where it stood.

use mirostat::{
    BatchError, BatchScratch, Checkpoint, Config, ConfigBuilder, Error, Job, Level, Matrix,
    Numerics, Parallelism, ParkMiller, Row, Sampler, SamplerState, Scratch, Step, Tape,
    UniformSource, Uniforms, Version, bf16, f16, sample_batch, sample_batch_atomic, step_batch,
    step_batch_atomic,
};

const BOTH: [Version; 2] = [Version::V1, Version::V2];
const SIZES: [usize; 9] = [1, 2, 15, 16, 17, 255, 256, 257, 5000];
const PLACES: [usize; 5] = [0, 15, 16, 255, 256];
const LARGEST_BELOW_1: f64 = 1.0 - f64::EPSILON / 2.0;

/// An element type, and what no logit may be in it: +∞ and NaNs of either sign, quiet and signalling, full and empty.
trait Logit: Copy + Into<f64> + 'static {
    const INVALID: &'static [Self];
    fn of(x: f32) -> Self;
    fn row(logits: &[Self]) -> Row<'_>;
}

macro_rules! logit {
    ($element:ty, $of:expr, $($bits:literal)*) => {
        impl Logit for $element {
            const INVALID: &'static [Self] = &[$(<$element>::from_bits($bits)),*];
            fn of(x: f32) -> Self {
                $of(x)
            }
            fn row(logits: &[Self]) -> Row<'_> {
                logits.into()
            }
        }
    };
}
logit!(f32, |x| x, 0x7F80_0000 0x7FC0_0000 0x7F80_0001 0x7FBF_FFFF 0xFFC0_1234 0xFFFF_FFFF);
logit!(f16, f16::from_f32, 0x7C00 0x7E00 0x7C01 0xFE12 0xFFFF);
logit!(bf16, bf16::from_f32, 0x7F80 0x7FC0 0x7F81 0xFFC1 0xFFFF);
logit!(f64, f64::from, 0x7FF0_0000_0000_0000 0x7FF8_0000_0000_0000 0x7FF0_0000_0000_0001 0xFFFF_FFFF_FFFF_FFFF);

fn config() -> Config {
    Config::new(3.0).unwrap()
}

/// Both versions on every level of this machine with either numerics, each one step in.
fn sessions() -> Vec<Sampler> {
    let mut sessions = Vec::new();
    for numerics in [Numerics::Fused, Numerics::Portable] {
        let config = config().to_builder().numerics(numerics).build().unwrap();
        for level in Level::ALL {
            for version in BOTH {
                if let Ok(mut sampler) = Sampler::on_level(config, version, level) {
                    let _ = sampler.sample(&[1.0_f32, 0.5, 0.0], 0.4).unwrap();
                    sessions.push(sampler);
                }
            }
        }
    }
    assert!(sessions.len() >= 2, "the base level is everywhere");
    sessions
}

fn stand(sampler: &Sampler) -> (u64, u64) {
    (sampler.mu().to_bits(), sampler.steps())
}

/// The same session gives the same error by every door, and does not move.
fn refuses(sampler: &mut Sampler, row: Row<'_>, scratch: &mut Scratch, error: Error) {
    let before = stand(sampler);
    assert_eq!(sampler.sample_in(row, 0.5, scratch), Err(error));
    assert_eq!(
        sampler.sample_in(row, 7.0, scratch),
        Err(error),
        "row first"
    );
    assert_eq!(sampler.read(row, scratch).err(), Some(error));
    assert_eq!(stand(sampler), before);
}

fn refuses_invalid_logits<E: Logit>() {
    let (mut sessions, mut scratch) = (sessions(), Scratch::new());
    for len in SIZES {
        let sound: Vec<E> = (0..len).map(|i| E::of((i % 7) as f32)).collect();
        for place in PLACES.into_iter().filter(|&p| p < len).chain([len - 1]) {
            for (which, &bad) in E::INVALID.iter().enumerate() {
                let mut row = sound.clone();
                row[place] = bad;
                let error = Error::InvalidLogit {
                    index: place,
                    value: bad.into(),
                };
                for sampler in &mut sessions {
                    refuses(sampler, E::row(&row), &mut scratch, error);
                }
                // The first of several is named, whatever the others are, and masks around it change nothing.
                for (i, logit) in row.iter_mut().enumerate() {
                    if i > place && i % 3 != 0 {
                        *logit = E::INVALID[(which + i) % E::INVALID.len()];
                    } else if i != place {
                        *logit = E::of(f32::NEG_INFINITY);
                    }
                }
                for sampler in &mut sessions {
                    refuses(sampler, E::row(&row), &mut scratch, error);
                }
            }
        }
    }
}

fn refuses_nothing_to_choose<E: Logit>() {
    let (mut sessions, mut scratch) = (sessions(), Scratch::new());
    for sampler in &mut sessions {
        refuses(sampler, E::row(&[]), &mut scratch, Error::EmptyRow);
        for len in SIZES {
            let masked = vec![E::of(f32::NEG_INFINITY); len];
            refuses(sampler, E::row(&masked), &mut scratch, Error::AllMasked);
        }
    }
}

#[test]
fn an_invalid_logit_is_named_in_f32() {
    refuses_invalid_logits::<f32>();
}

#[test]
fn an_invalid_logit_is_named_in_f16() {
    refuses_invalid_logits::<f16>();
}

#[test]
fn an_invalid_logit_is_named_in_bf16() {
    refuses_invalid_logits::<bf16>();
}

#[test]
fn an_invalid_logit_is_named_in_f64() {
    refuses_invalid_logits::<f64>();
}

#[test]
fn an_empty_or_wholly_masked_row_is_refused() {
    refuses_nothing_to_choose::<f32>();
    refuses_nothing_to_choose::<f16>();
    refuses_nothing_to_choose::<bf16>();
    refuses_nothing_to_choose::<f64>();
}

#[test]
fn one_finite_logit_anywhere_is_enough() {
    let mut scratch = Scratch::new();
    for mut sampler in sessions() {
        for len in SIZES {
            for place in PLACES.into_iter().filter(|&p| p < len).chain([len - 1]) {
                let mut row = vec![f32::NEG_INFINITY; len];
                row[place] = -3.0;
                let step = sampler.sample_in(&row, LARGEST_BELOW_1, &mut scratch);
                let step = step.unwrap();
                assert_eq!((step.token as usize, step.support), (place, 1));
                assert_eq!(step.surprise_bits.to_bits(), 0.0_f64.to_bits());
            }
        }
    }
}

#[test]
fn summaries_refuse_what_samplers_refuse() {
    let all: [fn(Row<'_>) -> Option<Error>; 3] = [
        |row| mirostat::log_z_nats(row).err(),
        |row| mirostat::row_entropy_bits(row).err(),
        |row| mirostat::greatest(row).err(),
    ];
    let nan = Error::InvalidLogit {
        index: 1,
        value: f64::NAN,
    };
    for refuse in all {
        assert_eq!(refuse((&[0.0, f32::NAN]).into()), Some(nan));
        assert_eq!(refuse((&[0.0, f64::NAN]).into()), Some(nan));
        assert_eq!(
            refuse((&[f16::NEG_INFINITY; 300]).into()),
            Some(Error::AllMasked)
        );
        assert_eq!(
            refuse((&[f64::NEG_INFINITY; 3]).into()),
            Some(Error::AllMasked)
        );
        assert_eq!(refuse((&[0.0_f32; 0]).into()), Some(Error::EmptyRow));
        assert_eq!(refuse((&[0.0_f64; 0]).into()), Some(Error::EmptyRow));
    }
}

#[test]
fn a_uniform_outside_0_to_1_is_refused_and_the_ends_are_right() {
    let mut scratch = Scratch::new();
    let logits = [1.0_f32, 1.0, f32::NEG_INFINITY];
    let exact = logits.map(f64::from);
    for mut sampler in sessions() {
        let before = stand(&sampler);
        for value in [
            f64::NAN,
            -0.1,
            1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -f64::from_bits(1),
            1.0_f64.next_up(),
        ] {
            let error = Err(Error::InvalidUniform { value });
            assert_eq!(sampler.sample_in(&logits, value, &mut scratch), error);
            assert_eq!(sampler.sample_in(&exact, value, &mut scratch), error);
            assert_eq!(sampler.sample(&logits, value), error);
            assert_eq!(sampler.sample_weights(&[1.0, 1.0], value), error);
            assert_eq!(
                sampler.sample_with(&logits, &mut Tape::new(&[value])),
                error
            );
            let mut read = sampler.read(&logits, &mut scratch).unwrap();
            assert_eq!(read.propose(value).err(), error.err());
            // The reading is not spoilt by it.
            assert_eq!(read.propose(0.0).unwrap().token(), 0);
        }
        assert_eq!(stand(&sampler), before);
        for (uniform, token) in [
            (0.0, 0),
            (-0.0, 0),
            (f64::from_bits(1), 0),
            (LARGEST_BELOW_1, 1),
        ] {
            assert_eq!(
                sampler.fork().sample(&logits, uniform).unwrap().token,
                token
            );
            assert_eq!(sampler.fork().sample(&exact, uniform).unwrap().token, token);
        }
    }
}

#[test]
fn weights_are_refused_with_their_place() {
    for mut sampler in sessions() {
        let before = stand(&sampler);
        for value in [
            f64::NAN,
            -f64::from_bits(1),
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            let error = Err(Error::InvalidProbability { index: 1, value });
            assert_eq!(sampler.sample_weights(&[0.0, value, -7.0], 9.0), error);
        }
        assert_eq!(sampler.sample_weights(&[], 0.5), Err(Error::EmptyRow));
        let error = Err(Error::NumericalFailure {
            quantity: "the total weight",
        });
        assert_eq!(sampler.sample_weights(&[0.0, -0.0], 0.5), error);
        assert_eq!(stand(&sampler), before);
    }
}

#[test]
fn a_parameter_out_of_range_is_refused_by_name() {
    let set = |f: fn(ConfigBuilder, f64) -> ConfigBuilder| move |x| f(Config::builder(3.0), x);
    let refused = |builder: ConfigBuilder, name, value, expected| {
        let error = Error::InvalidParameter {
            name,
            value,
            expected,
        };
        assert_eq!(builder.build(), Err(error));
        assert_eq!(Config::try_from(builder), Err(error));
    };
    let not_finite = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    let tiny = f64::from_bits(1);
    for x in not_finite.into_iter().chain([0.0, -0.0, -1.0, -tiny]) {
        refused(Config::builder(x), "tau", x, "finite and positive");
        refused(set(ConfigBuilder::eta)(x), "eta", x, "finite and positive");
    }
    refused(
        Config::builder(1e308),
        "initial_mu",
        f64::INFINITY,
        "finite and non-negative",
    );
    for x in not_finite.into_iter().chain([-1.0, -tiny]) {
        refused(
            set(ConfigBuilder::initial_mu)(x),
            "initial_mu",
            x,
            "finite and non-negative",
        );
    }
    for m in [0, 1] {
        refused(Config::builder(3.0).m(m), "m", m as f64, "at least two");
    }
    let (lowest, highest) = (2.0_f64.powi(-20), 2.0_f64.powi(20));
    for x in not_finite.into_iter().chain([
        0.0,
        -1.0,
        2.0_f64.powi(-21),
        2.0_f64.powi(21),
        lowest.next_down(),
        highest.next_up(),
    ]) {
        refused(
            set(ConfigBuilder::temperature)(x),
            "temperature",
            x,
            "from 2^-20 to 2^20",
        );
    }
    for x in not_finite {
        refused(
            Config::builder(3.0).mu_bounds(x, 1.0),
            "mu_bounds.lowest",
            x,
            "finite",
        );
        let expected = "finite and not below the lowest";
        refused(
            Config::builder(3.0).mu_bounds(1.0, x),
            "mu_bounds.highest",
            x,
            expected,
        );
    }
    refused(
        Config::builder(3.0).mu_bounds(1.0, 0.5),
        "mu_bounds.highest",
        0.5,
        "finite and not below the lowest",
    );
    // The first in the order of the fields is named.
    refused(
        Config::builder(-1.0).eta(-2.0).m(0),
        "tau",
        -1.0,
        "finite and positive",
    );
    refused(
        Config::builder(1.0).m(0).temperature(0.0),
        "m",
        0.0,
        "at least two",
    );
}

#[test]
fn a_parameter_at_the_end_of_its_range_is_taken() {
    let tiny = f64::from_bits(1);
    for builder in [
        Config::builder(tiny),
        Config::builder(1e308).initial_mu(0.0),
        Config::builder(3.0).eta(f64::MAX),
        Config::builder(3.0).m(2),
        Config::builder(3.0).m(usize::MAX),
        Config::builder(3.0).temperature(2.0_f64.powi(-20)),
        Config::builder(3.0).temperature(2.0_f64.powi(20)),
        Config::builder(3.0).mu_bounds(-5.0, -5.0),
    ] {
        for version in BOTH {
            let mut sampler = Sampler::new(builder.build().unwrap(), version).unwrap();
            let step = sampler.sample(&[0.5_f32], 0.5);
            // One token gives no surprise; only the greatest eta takes mu beyond the finite numbers by it.
            assert_eq!(step.is_err(), builder.build().unwrap().eta() == f64::MAX);
        }
    }
    let held = Config::builder(3.0).mu_bounds(-5.0, -4.0).build().unwrap();
    assert_eq!(held.initial_mu(), -4.0);
}

#[test]
fn a_feedback_that_leaves_the_finite_numbers_is_refused() {
    let failure = Error::NumericalFailure { quantity: "mu" };
    let config = Config::builder(1.0)
        .eta(1e308)
        .initial_mu(20.0)
        .build()
        .unwrap();
    let (row, exact) = ([0.0_f32; 1024], [0.0_f64; 1024]);
    let mut scratch = Scratch::new();
    for version in BOTH {
        let mut sampler = Sampler::new(config, version).unwrap();
        assert_eq!(sampler.sample(&row, 0.5), Err(failure));
        assert_eq!(sampler.sample(&exact, 0.5), Err(failure));
        assert_eq!(
            sampler.sample_weights(&exact.map(|_| 1.0), 0.5),
            Err(failure)
        );
        let mut uniforms = Uniforms::new(3, 4);
        assert_eq!(sampler.sample_with(&row, &mut uniforms), Err(failure));
        assert_eq!(uniforms, Uniforms::new(3, 4));
        let proposal = sampler
            .read(&row, &mut scratch)
            .unwrap()
            .propose(0.5)
            .unwrap();
        assert_eq!(sampler.accept(proposal), Err(failure));
        let read = sampler.read(&row, &mut scratch).unwrap();
        assert_eq!(read.observe(7), Err(failure));
        let read = sampler.read(&row, &mut scratch).unwrap();
        assert_eq!(read.observe_any(7), Err(failure));
        assert_eq!((sampler.mu(), sampler.steps()), (20.0, 0));
    }
}

#[test]
fn a_mu_too_great_for_version_1_is_refused_before_the_uniform() {
    let config = Config::builder(3.0).initial_mu(1e305).build().unwrap();
    let failure = Error::NumericalFailure {
        quantity: "the logarithm of k",
    };
    let mut sampler = Sampler::new(config, Version::V1).unwrap();
    let mut scratch = Scratch::new();
    refuses(&mut sampler, (&[0.0_f32; 40]).into(), &mut scratch, failure);
    refuses(&mut sampler, (&[0.0_f64; 40]).into(), &mut scratch, failure);
    assert_eq!(sampler.sample_weights(&[1.0; 40], f64::NAN), Err(failure));
    let step = Sampler::new(config, Version::V2)
        .unwrap()
        .sample(&[0.0_f32; 40], 0.5);
    assert_eq!(step.unwrap().kept, 40);
}

#[test]
fn a_proposal_of_another_step_is_stale() {
    let (row, mut scratch) = ([2.0_f32, 1.0, 0.0], Scratch::new());
    for mut sampler in sessions() {
        sampler.reset();
        let proposal = sampler
            .read(&row, &mut scratch)
            .unwrap()
            .propose(0.9)
            .unwrap();
        let _ = sampler.accept(proposal).unwrap();
        let before = stand(&sampler);
        let stale = Err(Error::StaleProposal {
            proposed: 0,
            current: 1,
        });
        assert_eq!(sampler.accept(proposal), stale);
        // The same step number, and another past: mu differs.
        let second = sampler
            .read(&row, &mut scratch)
            .unwrap()
            .propose(0.9)
            .unwrap();
        assert_eq!(stand(&sampler), before);
        sampler.reset();
        let _ = sampler.sample(&row, 0.0).unwrap();
        let stale = Err(Error::StaleProposal {
            proposed: 1,
            current: 1,
        });
        assert_eq!(sampler.accept(second), stale);
        assert_eq!(sampler.steps(), 1);
    }
}

#[test]
fn a_foreign_checkpoint_is_refused() {
    let row = [2.0_f32, 1.0, 0.0];
    let other = Config::builder(3.0).eta(0.2).build().unwrap();
    for version in BOTH {
        let mut sampler = Sampler::new(config(), version).unwrap();
        let _ = sampler.sample(&row, 0.5).unwrap();
        let before = stand(&sampler);
        let swapped = BOTH[usize::from(version == Version::V1)];
        let portable = config()
            .to_builder()
            .numerics(Numerics::Portable)
            .build()
            .unwrap();
        let foreign: Vec<Checkpoint> = [
            Sampler::new(other, version),
            Sampler::new(config(), swapped),
            Sampler::new(portable, version),
        ]
        .map(|s| s.unwrap().checkpoint())
        .to_vec();
        for checkpoint in &foreign {
            assert_eq!(sampler.restore(checkpoint), Err(Error::ForeignCheckpoint));
            assert_eq!(stand(&sampler), before);
        }
        let own = sampler.checkpoint();
        let _ = sampler.sample(&row, 0.1).unwrap();
        assert_eq!(sampler.restore(&own), Ok(()));
        assert_eq!((stand(&sampler), own.mu()), (before, sampler.mu()));
    }
}

#[test]
fn a_state_of_another_arithmetic_is_refused() {
    let with = |numerics| config().to_builder().numerics(numerics).build().unwrap();
    let portable = Sampler::new(with(Numerics::Portable), Version::V2)
        .unwrap()
        .state();
    if let Ok(fused) = Sampler::new(with(Numerics::Fused), Version::V2) {
        let error = Error::ForeignState {
            what: "it ran with another arithmetic than the configuration asks for",
        };
        let crossed = [
            (Numerics::Fused, portable),
            (Numerics::Portable, fused.state()),
        ];
        for (asked, state) in crossed {
            assert_eq!(Sampler::from_state(with(asked), state).err(), Some(error));
        }
    }
    let goes_on = Sampler::from_state(config(), portable).unwrap();
    assert_eq!(goes_on.numerics(), Numerics::Portable);
}

#[test]
fn a_state_needs_a_finite_mu() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = Error::InvalidParameter {
            name: "mu",
            value,
            expected: "finite",
        };
        assert_eq!(SamplerState::new(Version::V2, value, 0), Err(error));
    }
    let state = SamplerState::new(Version::V1, -7.5, u64::MAX).unwrap();
    let mut sampler = Sampler::from_state(config(), state).unwrap();
    let step = sampler.sample(&[1.0_f32, 0.0], 0.9).unwrap();
    assert_eq!((step.token, step.kept, step.mu_before), (0, 1, -7.5));
    assert_eq!(sampler.steps(), u64::MAX, "the count stays at its end");
}

#[test]
fn what_this_machine_lacks_is_unsupported() {
    let fused = config()
        .to_builder()
        .numerics(Numerics::Fused)
        .build()
        .unwrap();
    let error = Error::Unsupported {
        what: "this level with this arithmetic",
    };
    let on = |config, level| Sampler::on_level(config, Version::V2, level).map(|s| s.level());
    assert_eq!(on(fused, Level::Base), Err(error));
    assert_eq!(on(config(), Level::Base), Ok(Level::Base));
    if cfg!(target_arch = "x86_64") {
        assert_eq!(on(config(), Level::Neon), Err(error));
    } else {
        assert_eq!(on(config(), Level::Avx2), Err(error));
        assert_eq!(on(config(), Level::Avx512), Err(error));
    }
}

fn refuses_hosts_tokens(row: Row<'_>) {
    let (mut scratch, vocabulary) = (Scratch::new(), row.len());
    for mut sampler in sessions() {
        let before = stand(&sampler);
        for token in [vocabulary as u32, u32::MAX] {
            let error = Error::TokenOutsideVocabulary { token, vocabulary };
            let mut read = sampler.read(row, &mut scratch).unwrap();
            assert_eq!(read.propose_token(token).err(), Some(error));
            assert_eq!(read.observe(token), Err(error));
            let read = sampler.read(row, &mut scratch).unwrap();
            assert_eq!(read.observe_any(token), Err(error));
        }
        // Token 2 is masked; version 1 counts it among the kept, and still it cannot be chosen.
        let masked = Error::TokenNotKept { token: 2 };
        let mut read = sampler.read(row, &mut scratch).unwrap();
        assert_eq!(read.propose_token(2).err(), Some(masked));
        assert_eq!(read.observe(2), Err(masked));
        let read = sampler.read(row, &mut scratch).unwrap();
        assert_eq!(read.observe_any(2), Err(masked));
        assert_eq!(stand(&sampler), before);

        // Token 1 is far below the best: not among the kept, but it has a probability.
        let read = sampler.read(row, &mut scratch).unwrap();
        assert_eq!(read.observe(1), Err(Error::TokenNotKept { token: 1 }));
        assert_eq!(stand(&sampler), before);
        let read = sampler.read(row, &mut scratch).unwrap();
        let step = read.observe_any(1).unwrap();
        assert!((28.0..30.0).contains(&step.surprise_bits), "{step:?}");
        assert_eq!(sampler.steps(), before.1 + 1);
    }
}

#[test]
fn a_token_that_the_host_cannot_have_chosen_is_refused() {
    let mut row = [-9.0_f32; 40];
    (row[0], row[1], row[2]) = (10.0, -10.0, f32::NEG_INFINITY);
    refuses_hosts_tokens((&row).into());
    refuses_hosts_tokens((&row.map(f16::from_f32)).into());
    refuses_hosts_tokens((&row.map(bf16::from_f32)).into());
    refuses_hosts_tokens((&row.map(f64::from)).into());
}

#[test]
fn a_position_is_used_up_only_by_success() {
    let (good, bad) = ([1.0_f32, 0.0], [1.0, f32::NAN]);
    for mut sampler in sessions() {
        let mut uniforms = Uniforms::new(9, 1);
        let mut generator = ParkMiller::new(12_345).unwrap();
        let mut tape = Tape::new(&[0.25, 1.5]);
        let (peeked, state) = (generator.peek().unwrap(), generator.state());
        for row in [&bad[..], &[][..], &[f32::NEG_INFINITY][..]] {
            assert!(sampler.sample_with(row, &mut uniforms).is_err());
            assert!(sampler.sample_with(row, &mut generator).is_err());
            assert!(sampler.sample_with(row, &mut tape).is_err());
        }
        assert_eq!(
            (uniforms.step, generator.state(), tape.position()),
            (0, state, 0)
        );
        let _ = sampler.sample_with(&good, &mut uniforms).unwrap();
        let _ = sampler.sample_with(&good, &mut generator).unwrap();
        let _ = sampler.sample_with(&good, &mut tape).unwrap();
        assert_eq!((uniforms.step, tape.position()), (1, 1));
        assert_eq!(f64::from(generator.state()) / 2_147_483_647.0, peeked);
        let error = Err(Error::InvalidUniform { value: 1.5 });
        assert_eq!(sampler.sample_with(&good, &mut tape), error);
        assert_eq!(tape.position(), 1);
    }
}

#[test]
fn a_tape_ends_with_an_error() {
    let mut sampler = Sampler::new(config(), Version::V2).unwrap();
    let mut tape = Tape::new(&[0.5]);
    let _ = sampler.sample_with(&[0.0_f32; 3], &mut tape).unwrap();
    let before = stand(&sampler);
    for _ in 0..2 {
        let error = Err(Error::UniformsExhausted { length: 1 });
        assert_eq!(sampler.sample_with(&[0.0_f32; 3], &mut tape), error);
    }
    assert_eq!((stand(&sampler), tape.position()), (before, 1));
}

#[test]
fn a_park_miller_seed_is_within_its_range() {
    for seed in [0, 2_147_483_647, u32::MAX] {
        let error = Error::InvalidParameter {
            name: "seed",
            value: f64::from(seed),
            expected: "in 1..2147483646",
        };
        assert_eq!(ParkMiller::new(seed), Err(error));
        assert_eq!(ParkMiller::try_from(seed), Err(error));
    }
    assert!(ParkMiller::new(1).is_ok() && ParkMiller::new(2_147_483_646).is_ok());
}

#[test]
fn a_matrix_that_does_not_hold_its_rows_is_refused() {
    let data = [0.0_f32; 10];
    let new = |rows, vocabulary, stride| Matrix::new(&data, rows, vocabulary, stride).err();
    let short = |what, expected, found| {
        Some(Error::LengthMismatch {
            what,
            expected,
            found,
        })
    };
    assert_eq!(new(2, 0, 5), Some(Error::EmptyRow));
    assert_eq!(new(2, 5, 4), short("stride of a matrix", 5, 4));
    assert_eq!(new(3, 3, 4), short("logits of a matrix", 11, 10));
    assert_eq!(
        new(usize::MAX, 3, 4),
        short("logits of a matrix", usize::MAX, 10)
    );
    assert_eq!(
        new(2, 3, usize::MAX),
        short("logits of a matrix", usize::MAX, 10)
    );
    assert_eq!(new(0, 30, 40), None);
    assert_eq!(new(1, 10, usize::MAX), None);
    assert_eq!(new(2, 4, 6), None);
}

#[test]
fn a_batch_with_missing_partners_is_refused_before_anything_happens() {
    let row = [1.0_f32, 0.0];
    let rows: Vec<Row<'_>> = vec![(&row).into(); 3];
    let (mut scratch, mut out, mut steps) = (BatchScratch::new(), Vec::new(), Vec::new());
    let serial = Parallelism::Serial;
    for (sessions, rows, uniforms, what, found, first) in [
        (3, &rows[..2], &[0.5; 3][..], "rows of a batch", 2, 2),
        (1, &rows[..2], &[0.5; 1][..], "rows of a batch", 2, 1),
        (2, &rows[..2], &[0.5; 1][..], "uniforms of a batch", 1, 1),
        (2, &rows[..2], &[0.5; 3][..], "uniforms of a batch", 3, 2),
        (0, &rows[..2], &[][..], "rows of a batch", 2, 0),
    ] {
        let mut samplers = vec![Sampler::new(config(), Version::V2).unwrap(); sessions];
        let error = Error::LengthMismatch {
            what,
            expected: sessions,
            found,
        };
        let refused = sample_batch(
            &mut samplers,
            rows,
            uniforms,
            serial,
            &mut scratch,
            &mut out,
        );
        assert_eq!((refused, out.len()), (Err(error), 0));
        let refused = sample_batch_atomic(
            &mut samplers,
            rows,
            uniforms,
            serial,
            &mut scratch,
            &mut steps,
        );
        assert_eq!(refused, Err(BatchError { row: first, error }));
        assert!(steps.is_empty() && samplers.iter().all(|s| s.steps() == 0));
    }
    let empty: &[Row<'_>] = &[];
    assert_eq!(
        sample_batch(&mut [], empty, &[], serial, &mut scratch, &mut out),
        Ok(())
    );
    assert_eq!(
        sample_batch_atomic(&mut [], empty, &[], serial, &mut scratch, &mut steps),
        Ok(())
    );
}

fn bits(step: &Step) -> [u64; 7] {
    let Step {
        token,
        probability,
        surprise_bits,
        kept,
        support,
        mu_before,
        mu_after,
        limited: _,
    } = *step;
    [
        token.into(),
        probability.to_bits(),
        surprise_bits.to_bits(),
        kept as u64,
        support as u64,
        mu_before.to_bits(),
        mu_after.to_bits(),
    ]
}

/// Rows of which the second, fourth and last are bad, each in its way, and the errors.
fn with_bad_rows(logits: &[f32]) -> ([Vec<f32>; 6], [Option<Error>; 6]) {
    let mut poisoned = logits.to_vec();
    let place = logits.len() - 2;
    poisoned[place] = f32::NAN;
    let nan = Error::InvalidLogit {
        index: place,
        value: f64::NAN,
    };
    let masked = vec![f32::NEG_INFINITY; logits.len()];
    let sound = logits.to_vec();
    (
        [
            sound.clone(),
            poisoned,
            sound.clone(),
            masked,
            sound,
            Vec::new(),
        ],
        [
            None,
            Some(nan),
            None,
            Some(Error::AllMasked),
            None,
            Some(Error::EmptyRow),
        ],
    )
}

#[test]
fn neighbours_of_a_bad_row_take_the_step_they_take_alone() {
    // The longer ones are enough for a parallel batch.
    for len in [2, 300, 260_000] {
        let logits: Vec<f32> = (0..len).map(|i| (i * 37 % 101) as f32 / 9.0).collect();
        let (rows, errors) = with_bad_rows(&logits);
        let first = |i: usize| Sampler::new(config(), BOTH[i % 4 / 2]).unwrap();
        let uniform = |i: usize| 0.1 + 0.15 * i as f64;
        for parallelism in [Parallelism::Serial, Parallelism::Auto] {
            let mut samplers: Vec<Sampler> = (0..6).map(first).collect();
            let mut jobs: Vec<Job<'_>> = samplers
                .iter_mut()
                .zip(&rows)
                .enumerate()
                .map(|(i, (sampler, row))| Job {
                    sampler,
                    row: row.into(),
                    uniform: uniform(i),
                })
                .collect();
            let (mut scratch, mut out, mut steps) = (BatchScratch::new(), Vec::new(), Vec::new());
            let refused = step_batch_atomic(&mut jobs, parallelism, &mut scratch, &mut steps);
            let error = errors[1].unwrap();
            assert_eq!(refused, Err(BatchError { row: 1, error }));
            assert!(steps.is_empty());
            assert!(
                jobs.iter()
                    .all(|job| job.sampler.steps() == 0 && job.sampler.mu() == 6.0)
            );
            step_batch(&mut jobs, parallelism, &mut scratch, &mut out);
            for (i, (result, error)) in out.iter().zip(errors).enumerate() {
                let mut solo = first(i);
                let alone = solo.sample(&rows[i], uniform(i));
                assert_eq!(alone.err(), error);
                assert_eq!(result.err(), error);
                assert_eq!(result.map(|s| bits(&s)), alone.map(|s| bits(&s)));
                assert_eq!(stand(&samplers[i]), stand(&solo));
            }
        }
    }
}

#[test]
fn a_session_goes_on_after_an_error_as_if_there_had_been_none() {
    let mut scratch = Scratch::new();
    let row: Vec<f32> = (0..5000).map(|i| (i * 37 % 101) as f32 / 9.0).collect();
    let mut poisoned = row.clone();
    poisoned[4999] = f32::NAN;
    for mut sampler in sessions() {
        let mut untouched = sampler.fork();
        for i in 0..20 {
            let uniform = f64::from(i) / 20.0;
            assert!(sampler.sample_in(&poisoned, uniform, &mut scratch).is_err());
            assert!(
                sampler
                    .sample_in(&row, -uniform - 1.0, &mut scratch)
                    .is_err()
            );
            let step = sampler.sample_in(&row, uniform, &mut scratch).unwrap();
            let same = untouched.sample(&row, uniform).unwrap();
            assert_eq!(bits(&step), bits(&same));
        }
    }
}

#[test]
fn the_reference_refuses_orders_and_parameters() {
    use mirostat::reference::*;
    let p = [0.5, 0.25, 0.25];
    let order = |position, token| Some(Error::InvalidOrder { position, token });
    assert_eq!(draw_prefix(&p, &[0, 1, 3], 2, 0.5).err(), order(2, 3));
    assert_eq!(draw_prefix(&p, &[0, 1, 0], 2, 0.5).err(), order(2, 0));
    assert_eq!(draw_candidates(&p, &[2, 2], 0.5).err(), order(1, 2));
    assert_eq!(v2_prefix_size(&p, &[1, 1, 2], 2.0).err(), order(1, 1));
    assert_eq!(zipf_exponent(&p, &[9, 1, 2], 3).err(), order(0, 9));
    let parameter = |error: Option<Error>| match error {
        Some(Error::InvalidParameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(parameter(draw_prefix(&p, &[0, 1, 2], 0, 0.5).err()), "keep");
    assert_eq!(parameter(draw_prefix(&p, &[0, 1, 2], 4, 0.5).err()), "keep");
    assert_eq!(parameter(draw_candidates(&p, &[], 0.5).err()), "candidates");
    assert_eq!(parameter(top_indices(&p, 0).err()), "k");
    assert_eq!(parameter(top_indices(&p, 4).err()), "k");
    assert_eq!(parameter(zipf_exponent(&p, &[0, 1, 2], 1).err()), "m");
    assert_eq!(parameter(estimated_k(f64::NAN, 1.0, 4).err()), "mu");
    assert_eq!(parameter(estimated_k(1.0, 0.0, 4).err()), "exponent");
    assert_eq!(parameter(estimated_k(1.0, 1.0, 0).err()), "vocabulary");
    for p in [f64::NAN, 0.0, -0.5, 1.0_f64.next_up()] {
        let error = Error::InvalidProbability { index: 0, value: p };
        assert_eq!(surprise(p), Err(error));
    }
}

#[test]
fn an_error_says_the_place_and_the_value() {
    let mut sampler = Sampler::new(config(), Version::V2).unwrap();
    let mut row = [0.0_f32; 300];
    row[257] = f32::INFINITY;
    let error = sampler.sample(&row, 0.5).unwrap_err();
    assert_eq!(error.to_string(), "the logit at index 257 is inf");
    let nan = Error::InvalidLogit {
        index: 257,
        value: f64::NAN,
    };
    assert_ne!(error, nan);
    let error = sampler.sample(&[0.0_f32], 1.5).unwrap_err();
    assert_eq!(error.to_string(), "the uniform draw is 1.5, outside [0, 1)");
}

#[cfg(feature = "serde")]
mod files {
    use super::{BOTH, bits, config};
    use mirostat::{Config, Limit, ParkMiller, Sampler, SamplerState, Step, Uniforms, Version};
    use mirostat_rows::Rng;
    use serde_json::{Value, from_str, from_value, json, to_string, to_value};

    fn state() -> Value {
        let mut sampler = Sampler::new(config(), Version::V2).unwrap();
        let _ = sampler.sample(&[1.0_f32, 0.3, 0.2], 0.7).unwrap();
        to_value(sampler.state()).unwrap()
    }

    fn with(mut file: Value, key: &str, value: Value) -> Value {
        file[key] = value;
        file
    }

    #[test]
    fn a_state_from_a_bad_file_is_refused() {
        let good = state();
        assert!(from_value::<SamplerState>(good.clone()).is_ok());
        for (key, value) in [
            ("mu", Value::Null),
            ("mu", json!("NaN")),
            ("steps", json!(-1)),
            ("steps", json!(1.5)),
            ("format", json!(0)),
            ("format", json!(2)),
            ("version", json!("V3")),
            ("numerics", json!("fast")),
            ("surplus", json!(1)),
        ] {
            let bad = with(good.clone(), key, value);
            assert!(from_value::<SamplerState>(bad.clone()).is_err(), "{bad}");
            assert!(from_str::<SamplerState>(&bad.to_string()).is_err(), "{bad}");
        }
        for key in ["mu", "steps", "format", "version", "numerics"] {
            let mut bad = good.clone();
            let _ = bad.as_object_mut().unwrap().remove(key);
            assert!(from_value::<SamplerState>(bad).is_err(), "without {key}");
        }
        assert!(
            from_str::<SamplerState>(&good.to_string().replace("\"mu\":", "\"mu\":1e999,\"x\":"))
                .is_err()
        );
    }

    #[test]
    fn a_configuration_from_a_bad_file_is_refused() {
        let good = to_value(config()).unwrap();
        assert_eq!(from_value::<Config>(good.clone()).unwrap(), config());
        for (key, value) in [
            ("tau", json!(-1.0)),
            ("tau", Value::Null),
            ("tau", json!(1e308)),
            ("eta", json!(0.0)),
            ("initial_mu", json!(-0.5)),
            ("m", json!(1)),
            ("m", json!(-2)),
            ("temperature", json!(0.0)),
            ("temperature", json!(2_097_152.0)),
            ("mu_bounds", json!([2.0, 1.0])),
            ("mu_bounds", json!([null, 1.0])),
            ("k_rule", json!("Upwards")),
            ("top_k", json!(40)),
        ] {
            let bad = with(good.clone(), key, value);
            assert!(from_value::<Config>(bad.clone()).is_err(), "{bad}");
        }
        assert!(from_value::<Config>(json!({})).is_err());
        let short: Config = from_value(json!({"tau": 3.0})).unwrap();
        assert_eq!(short, config());
    }

    // A20: SillyTavern #4188, langflow #8666, comfyui-ollama #145: settings accepted and dropped.
    #[test]
    fn a_version_that_does_not_exist_is_not_plain_sampling() {
        for version in [json!("V3"), json!("V0"), json!(3), json!(null)] {
            assert!(from_value::<Version>(version.clone()).is_err(), "{version}");
        }
        assert_eq!(from_value::<Version>(json!("V2")).unwrap(), Version::V2);
    }

    #[test]
    fn a_generator_from_a_bad_file_is_refused() {
        for bad in [
            json!({"seed": -1, "session": 0, "step": 0}),
            json!({"seed": 1, "session": 0}),
            json!({"seed": 1, "session": 0, "step": 0.5}),
            json!({"seed": 1, "session": 0, "step": 0, "surplus": 0}),
        ] {
            assert!(from_value::<Uniforms>(bad.clone()).is_err(), "{bad}");
        }
        for bad in [json!(0), json!(2_147_483_647), json!(-5), json!(null)] {
            assert!(from_value::<ParkMiller>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_round_trip_changes_no_bit() {
        let mut rng = Rng(77);
        for i in 0..2000 {
            let version = BOTH[i % 2];
            let mu = 40.0 * rng.uniform() - 5.0;
            let state = SamplerState::new(version, mu, rng.bits()).unwrap();
            let back: SamplerState = from_str(&to_string(&state).unwrap()).unwrap();
            assert_eq!(back.mu().to_bits(), mu.to_bits());
            assert_eq!(back, state);
            let back: SamplerState = from_value(to_value(state).unwrap()).unwrap();
            assert_eq!((back, back.mu().to_bits()), (state, mu.to_bits()));

            let uniforms = Uniforms {
                seed: rng.bits(),
                session: rng.bits(),
                step: rng.bits(),
            };
            let back: Uniforms = from_str(&to_string(&uniforms).unwrap()).unwrap();
            assert_eq!(back, uniforms);

            let config = Config::builder(mu.abs() + 1.0)
                .mu_bounds(-1.0, 20.0)
                .build()
                .unwrap();
            let mut sampler = Sampler::new(config, version).unwrap();
            let row = [0.5_f32, mu as f32 / 9.0, f32::NEG_INFINITY, -1.0];
            let step = sampler.sample(&row, rng.uniform()).unwrap();
            let back: Step = from_str(&to_string(&step).unwrap()).unwrap();
            assert_eq!(bits(&back), bits(&step));
            assert_eq!(back.limited, step.limited);
            let back: Config = from_str(&to_string(&config).unwrap()).unwrap();
            assert_eq!(back, config);
        }
        let generator = ParkMiller::new(48_271).unwrap();
        let back: ParkMiller = from_str(&to_string(&generator).unwrap()).unwrap();
        assert_eq!(back, generator);
        for limit in [Limit::Lower, Limit::Upper] {
            assert_eq!(
                from_value::<Limit>(to_value(limit).unwrap()).unwrap(),
                limit
            );
        }
    }

    #[test]
    fn a_saved_session_goes_on_with_the_same_bits() {
        let row: Vec<f32> = (0..300).map(|i| (i * 37 % 101) as f32 / 9.0).collect();
        for version in BOTH {
            let mut sampler = Sampler::new(config(), version).unwrap();
            let mut uniforms = Uniforms::new(5, 6);
            for _ in 0..10 {
                let _ = sampler.sample_with(&row, &mut uniforms).unwrap();
            }
            let file = to_string(&(sampler.state(), sampler.config(), uniforms)).unwrap();
            let (state, config, mut again) =
                from_str::<(SamplerState, Config, Uniforms)>(&file).unwrap();
            let mut resumed = Sampler::from_state(config, state).unwrap();
            for _ in 0..10 {
                let step = sampler.sample_with(&row, &mut uniforms).unwrap();
                let same = resumed.sample_with(&row, &mut again).unwrap();
                assert_eq!(bits(&step), bits(&same));
            }
        }
    }
}
