//! What the host sees of a step, and the token it chooses: previews, candidates, observed tokens.

use mirostat::{
    BatchScratch, Config, Error, Parallelism, PreparedRow, Row, Sampler, Version, observe_batch,
    observe_batch_atomic, preview_batch, sample_batch_weights, sample_batch_weights_atomic,
};
use mirostat_rows::named;

const SIX: [f64; 6] = [3.0, 2.0, 1.0, 0.0, -1.0, -2.0];
const VERSIONS: [Version; 2] = [Version::V1, Version::V2];

fn at(tau: f64, mu: f64, version: Version) -> Sampler {
    let config = Config::builder(tau).initial_mu(mu).build().expect("sound");
    Sampler::new(config, version).expect("a sampler")
}

fn near(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within, "{a} is not {b}");
}

#[test]
fn the_ancestors_previews() {
    for (version, mu, kept, mass, expected) in [
        (Version::V1, 4.0, 4, 0.9841237600235332, 1.3900952185277236),
        (Version::V2, 4.0, 3, 0.9525741268224331, 1.2709897091437294),
        (Version::V1, 8.0, 6, 1.0, 1.476252925273043),
        (Version::V2, 8.0, 6, 1.0, 1.476252925273043),
    ] {
        let sampler = at(2.0, mu, version);
        let preview = sampler.preview(&SIX).expect("a preview");
        assert_eq!(
            (preview.vocabulary, preview.kept_tokens, preview.mu),
            (6, kept, mu)
        );
        near(preview.retained_mass, mass, 1e-12);
        near(preview.expected_surprise, expected, 1e-12);
        let fast = sampler.preview(&SIX.map(|x| x as f32)).expect("a preview");
        assert_eq!(fast.kept_tokens, kept);
        near(fast.retained_mass, mass, 1e-6);
        near(fast.expected_surprise, expected, 2e-6);
    }
    for version in VERSIONS {
        let sampler = at(2.0, 4.0, version);
        let three = sampler.preview(&[3.0, 2.0, 1.0_f64]).expect("a preview");
        assert_eq!(three.kept_tokens, 3);
        near(three.retained_mass, 0.9999999999999999, 1e-12);
        near(three.expected_surprise, 1.2008929779783635, 1e-12);
    }
    let sampler = at(2.0, 4.0, Version::V2);
    near(
        sampler
            .preview_weights(&[3.0, 2.0, 1.0])
            .expect("a preview")
            .expected_surprise,
        1.4591479170272446,
        1e-12,
    );
    let four = sampler
        .preview_weights(&[8.0, 4.0, 2.0, 1.0])
        .expect("a preview");
    assert_eq!((four.kept_tokens, four.retained_mass), (4, 1.0));
    near(four.expected_surprise, 1.640223928941852, 1e-12);
    assert_eq!(sampler.steps(), 0);
}

#[test]
fn kept_grows_with_mu_as_the_ancestors() {
    let mus = [0.0, 1.0, 2.0, 4.0, 8.0];
    for (version, kept) in [
        (Version::V1, [1, 2, 2, 4, 6]),
        (Version::V2, [1, 1, 1, 3, 6]),
    ] {
        let found = mus.map(|mu| {
            at(2.0, mu, version)
                .preview(&SIX)
                .expect("a preview")
                .kept_tokens
        });
        assert_eq!(found, kept);
        let short = SIX.map(|x| x as f32);
        let sets = mus.map(|mu| {
            at(2.0, mu, version)
                .candidates(&short)
                .expect("a set")
                .tokens()
                .len()
        });
        assert_eq!(sets, kept);
    }
    let row = [4.0, 3.0, 2.0, 1.0, 0.0];
    let sizes = [0.0, 0.5, 1.0, 2.0, 3.0, 8.0].map(|mu| {
        at(2.0, mu, Version::V2)
            .preview(&row)
            .expect("a preview")
            .kept_tokens
    });
    assert_eq!(sizes, [1, 1, 1, 1, 2, 5]);
}

#[test]
fn a_masked_token_is_counted_as_the_ancestor_counts_but_is_no_candidate() {
    let row = [f64::NEG_INFINITY, 4.0, f64::NEG_INFINITY, 2.0];
    let first = at(2.0, 4.0, Version::V1);
    for set in [
        first.candidates(&row),
        first.candidates(&row.map(|x| x as f32)),
    ] {
        let set = set.expect("a set");
        assert_eq!((set.tokens(), set.kept()), (&[1, 3][..], 3));
        assert_eq!(
            (
                set.position(0),
                set.conditional_probability(0),
                set.original_probability(0)
            ),
            (None, None, None)
        );
    }
    assert_eq!(first.preview(&row).expect("a preview").kept_tokens, 3);
}

#[test]
fn candidates_on_all_named_rows_are_ranked_and_observed_as_drawn() {
    for named in named()
        .into_iter()
        .filter(|named| named.row.len() <= 40_000)
    {
        for version in VERSIONS {
            for mu in [0.0, 3.0, 9.0, 25.0] {
                let sampler = at(3.0, mu, version);
                let set = sampler.candidates(&named.row).expect("a set");
                let preview = sampler.preview(&named.row).expect("a preview");
                assert_eq!(
                    (set.kept(), set.mu()),
                    (preview.kept_tokens, mu),
                    "{}",
                    named.name
                );
                assert!(!set.tokens().is_empty() && set.tokens().len() <= set.kept());
                let key = |token: u32| (named.row[token as usize] + 0.0, token);
                let ranked = set.tokens().windows(2).all(|pair| {
                    let (a, b) = (key(pair[0]), key(pair[1]));
                    a.0 > b.0 || (a.0 == b.0 && a.1 < b.1)
                });
                assert!(ranked, "{} {version:?} {mu}", named.name);
                near(set.conditional().iter().sum(), 1.0, 1e-9);
                near(
                    set.original().iter().sum::<f64>(),
                    preview.retained_mass,
                    1e-9,
                );
                let step = sampler.clone().sample(&named.row, 0.6).expect("a step");
                assert_eq!(step.kept, set.kept(), "{}", named.name);
                assert_eq!(
                    set.original_probability(step.token),
                    Some(step.probability),
                    "{}",
                    named.name
                );
                assert_eq!(
                    sampler.clone().observe_token(&named.row, step.token),
                    Ok(step),
                    "{}",
                    named.name
                );
                let last = set.tokens()[set.tokens().len() - 1];
                assert!(
                    sampler.clone().observe_token(&named.row, last).is_ok(),
                    "{}",
                    named.name
                );
            }
        }
    }
}

#[test]
fn what_is_not_kept_changes_nothing() {
    let row = [3.0_f32, 2.0, f32::NEG_INFINITY];
    let weights = [3.0, 2.0, 0.0];
    for version in VERSIONS {
        let mut sampler = at(2.0, 4.0, version);
        let before = sampler.state();
        let outside = Error::TokenOutsideVocabulary {
            token: 3,
            vocabulary: 3,
        };
        assert_eq!(sampler.observe_token(&row, 3), Err(outside));
        assert_eq!(
            sampler.observe_token(&row, 2),
            Err(Error::TokenNotKept { token: 2 })
        );
        assert_eq!(sampler.observe_weighted_token(&weights, 3), Err(outside));
        assert_eq!(
            sampler.observe_weighted_token(&weights, 2),
            Err(Error::TokenNotKept { token: 2 })
        );
        // The row's faults come first.
        assert_eq!(
            sampler.observe_token(Row::F32(&[]), 9),
            Err(Error::EmptyRow)
        );
        assert!(sampler.preview(&[f32::NAN]).is_err() && sampler.candidates(&[f64::NAN]).is_err());
        assert_eq!(
            sampler
                .candidates_weights(&[0.0, -1.0])
                .expect_err("a fault"),
            Error::InvalidProbability {
                index: 1,
                value: -1.0
            }
        );
        assert_eq!(sampler.state(), before);
    }
}

#[test]
fn batches_name_the_row() {
    let (mut scratch, mut steps, mut all) = (BatchScratch::new(), Vec::new(), Vec::new());
    let mut sessions = VERSIONS.map(|version| at(2.0, 4.0, version));
    let rows = [Row::from(&[3.0_f32, 2.0, 1.0]), Row::from(&[1.0_f64, 2.0])];
    let auto = Parallelism::Auto;

    let fault = observe_batch_atomic(&mut sessions, &rows, &[0, 2], auto, &mut scratch, &mut all)
        .expect_err("a fault");
    assert_eq!(
        (fault.row, fault.error),
        (
            1,
            Error::TokenOutsideVocabulary {
                token: 2,
                vocabulary: 2
            }
        )
    );
    let fault = observe_batch_atomic(&mut sessions, &rows, &[0], auto, &mut scratch, &mut all)
        .expect_err("a fault");
    assert_eq!(fault.row, 1);
    assert!(
        observe_batch(
            &mut sessions,
            &rows,
            &[0, 1, 1],
            auto,
            &mut scratch,
            &mut steps
        )
        .is_err()
    );
    assert!(sessions.iter().all(|session| session.steps() == 0));

    let mut alone = sessions.clone();
    observe_batch_atomic(&mut sessions, &rows, &[0, 1], auto, &mut scratch, &mut all)
        .expect("steps");
    observe_batch(
        &mut sessions,
        &rows,
        &[1, 0],
        auto,
        &mut scratch,
        &mut steps,
    )
    .expect("one of each");
    for (i, session) in alone.iter_mut().enumerate() {
        assert_eq!(session.observe_token(rows[i], [0, 1][i]), Ok(all[i]));
        assert_eq!(session.observe_token(rows[i], [1, 0][i]), steps[i]);
    }

    let weights: [&[f64]; 2] = [&[8.0, 4.0, 2.0, 1.0], &[4.0, 2.0, -1.0]];
    let fault = sample_batch_weights_atomic(
        &mut sessions,
        &weights,
        &[0.7, 0.4],
        auto,
        &mut scratch,
        &mut all,
    )
    .expect_err("a fault");
    assert_eq!(
        (fault.row, fault.error),
        (
            1,
            Error::InvalidProbability {
                index: 2,
                value: -1.0
            }
        )
    );
    let states = |sessions: &[Sampler; 2]| sessions.each_ref().map(Sampler::state);
    assert!(all.is_empty() && states(&sessions) == states(&alone));
    sample_batch_weights(
        &mut sessions,
        &weights,
        &[0.7, 0.4],
        auto,
        &mut scratch,
        &mut steps,
    )
    .expect("one of each");
    assert_eq!(alone[0].sample_weights(weights[0], 0.7), steps[0]);
    assert!(steps[1].is_err());

    let mut previews = Vec::new();
    preview_batch(&sessions, &rows, auto, &mut scratch, &mut previews).expect("one of each");
    for ((session, &row), preview) in sessions.iter().zip(&rows).zip(&previews) {
        assert_eq!(session.preview(row), *preview);
    }
}

#[test]
fn a_set_aliases_nothing() {
    let mut row = vec![1.0_f32, 3.0];
    let mut sampler = at(2.0, 4.0, Version::V2);
    let known = PreparedRow::from_logits(&row).expect("a sound row");
    let (set, copy) = (
        sampler.candidates(&row).expect("a set"),
        sampler.candidates_prepared(&known).expect("a set"),
    );
    row[0] = 9.0;
    let _ = sampler.sample(&row, 0.5).expect("a step");
    assert_eq!(set, copy);
    assert_eq!((set.tokens(), set.mu()), (&[1, 0][..], 4.0));
}
