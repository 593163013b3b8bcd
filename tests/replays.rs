//! Sequences of steps: the ancestor's, and what becomes of those that end in an error.

use mirostat::{
    Config, Error, Matrix, PreparedRow, Row, Rows, Sampler, Step, Version, replay, replay_atomic,
    sample_shared_prepared, sample_shared_prepared_atomic,
};

const VERSIONS: [Version; 2] = [Version::V1, Version::V2];

fn fresh(tau: f64, version: Version) -> Sampler {
    Sampler::new(Config::new(tau).expect("sound"), version).expect("a sampler")
}

fn check(steps: &[Step], tokens: &[u32], kept: &[usize], mus: &[f64], within: f64) {
    assert_eq!(steps.iter().map(|s| s.token).collect::<Vec<_>>(), tokens);
    assert_eq!(steps.iter().map(|s| s.kept).collect::<Vec<_>>(), kept);
    for (step, mu) in steps.iter().zip(mus) {
        assert!((step.mu_after - mu).abs() <= within, "{step:?}: {mu}");
    }
}

fn replay_both(
    rows: &[Vec<f64>],
    tau: f64,
    version: Version,
    uniforms: &[f64],
    check: &dyn Fn(&[Step], f64),
) {
    let exact: Vec<Row<'_>> = rows.iter().map(Row::from).collect();
    check(
        &replay(&mut fresh(tau, version), &exact, uniforms).expect("steps"),
        1e-12,
    );
    let short: Vec<Vec<f32>> = rows
        .iter()
        .map(|row| row.iter().map(|&x| x as f32).collect())
        .collect();
    let fast: Vec<Row<'_>> = short.iter().map(Row::from).collect();
    check(
        &replay(&mut fresh(tau, version), &fast, uniforms).expect("steps"),
        1e-6,
    );
}

#[test]
fn the_ancestors_replay() {
    let rows = [
        vec![3.0, 2.0, 1.0],
        vec![2.0, 1.0, 0.0],
        vec![1.0, 0.5, 0.0],
    ];
    for (version, uniforms) in [
        (Version::V1, [0.2, 0.7, 0.1]),
        (Version::V2, [0.2, 0.7, 0.1]),
        (Version::V1, [0.1, 0.8, 0.4]),
    ] {
        replay_both(&rows, 2.0, version, &uniforms, &|steps, within| {
            check(
                steps,
                &[0, 1, 0],
                &[3; 3],
                &[4.1411948896459325, 4.138120275202969, 4.239978107172769],
                within,
            );
            for (step, surprise) in
                steps
                    .iter()
                    .zip([0.5880511035406708, 2.030746144429634, 0.981421680301999])
            {
                assert!((step.surprise_bits - surprise).abs() <= within);
            }
        });
    }
}

#[test]
fn the_ancestors_pairs() {
    let rows = [vec![2.0, 1.0], vec![1.0, 0.0], vec![0.0, -1.0]];
    for version in VERSIONS {
        replay_both(&rows, 2.0, version, &[0.2, 0.8, 0.4], &|steps, within| {
            check(
                steps,
                &[0, 1, 0],
                &[2; 3],
                &[4.154805891691695, 4.165342279294494, 4.320148170986189],
                within,
            );
        });
    }
}

#[test]
fn the_ancestors_sequence() {
    let rows = vec![vec![4.0, 3.0, 2.0, 1.0]; 4];
    let uniforms = [0.1, 0.9, 0.25, 0.75];
    replay_both(&rows, 2.0, Version::V1, &uniforms, &|steps, within| {
        check(
            steps,
            &[0, 2, 0, 1],
            &[4; 4],
            &[
                4.1364940504835355,
                3.984449092789278,
                4.120943143272814,
                4.113167689667453,
            ],
            within,
        );
    });
    replay_both(&rows, 2.0, Version::V2, &uniforms, &|steps, within| {
        check(
            steps,
            &[0, 1, 0, 1],
            &[3; 4],
            &[
                4.1364940504835355,
                4.1287185968781746,
                4.26521264736171,
                4.257437193756349,
            ],
            within,
        );
    });
}

#[test]
fn the_ancestors_allow_list() {
    let rows = vec![vec![f64::NEG_INFINITY, 4.0, f64::NEG_INFINITY, 2.0]; 3];
    let mus = [4.18168815879184, 4.363376317583681, 4.2565254681977285];
    for (version, kept) in [(Version::V1, [3, 3, 4]), (Version::V2, [2, 2, 2])] {
        replay_both(&rows, 2.0, version, &[0.0, 0.5, 0.99], &|steps, within| {
            check(steps, &[1, 1, 3], &kept, &mus, within);
        });
    }
}

#[test]
fn an_error_keeps_the_steps_before_it() {
    let logits = [3.0_f32, 2.0, 1.0, 2.0, 1.0, 0.0, 1.0, f32::NAN, 0.0];
    let rows = Matrix::new(&logits, 3, 3, 3).expect("a matrix");
    for version in VERSIONS {
        let mut sampler = fresh(2.0, version);
        let fault = replay(&mut sampler, rows, &[0.2, 0.7, 0.1]).expect_err("a fault");
        let mut alone = fresh(2.0, version);
        let before = replay(
            &mut alone,
            Matrix::new(&logits, 2, 3, 3).expect("a matrix"),
            &[0.2, 0.7],
        )
        .expect("steps");
        assert_eq!((fault.row, &fault.steps), (2, &before));
        assert!(matches!(fault.error, Error::InvalidLogit { index: 1, .. }));
        assert!(fault.to_string().starts_with("row 2"));
        assert_eq!(sampler.state(), alone.state());
    }
}

#[test]
fn an_atomic_replay_is_all_or_nothing() {
    let logits = [3.0_f32, 2.0, 1.0, 2.0, 1.0, 0.0];
    let rows = Matrix::new(&logits, 2, 3, 3).expect("a matrix");
    for version in VERSIONS {
        let mut sampler = fresh(2.0, version);
        let _ = sampler.sample(&logits, 0.3).expect("a step");
        let before = sampler.state();
        let fault = replay_atomic(&mut sampler, rows, &[0.2, 1.0]).expect_err("a fault");
        assert_eq!(
            (fault.row, fault.error),
            (1, Error::InvalidUniform { value: 1.0 })
        );
        assert_eq!(sampler.state(), before);
        let mut other = sampler.clone();
        assert_eq!(
            replay_atomic(&mut sampler, rows, &[0.2, 0.9]).ok(),
            replay(&mut other, rows, &[0.2, 0.9]).ok()
        );
        assert_eq!(sampler.state(), other.state());
    }
}

#[test]
fn numbers_that_differ_are_refused_before_anything_happens() {
    let rows = [Row::from(&[3.0_f32, 2.0]); 2];
    let row = PreparedRow::from_logits(&[3.0_f32, 2.0]).expect("a sound row");
    let mut sampler = fresh(2.0, Version::V1);
    for uniforms in [&[0.1][..], &[0.1, 0.2, 0.3]] {
        let fault = replay(&mut sampler, &rows, uniforms).expect_err("a fault");
        assert_eq!((fault.row, fault.steps.len()), (uniforms.len().min(2), 0));
        assert!(matches!(
            fault.error,
            Error::LengthMismatch { expected: 2, .. }
        ));
        assert!(replay_atomic(&mut sampler, &rows, uniforms).is_err());
        let mut sessions = [sampler.clone(), sampler.clone()];
        assert!(sample_shared_prepared(&mut sessions, &row, uniforms).is_err());
        assert!(sample_shared_prepared_atomic(&mut sessions, &row, uniforms).is_err());
        assert!(sessions.iter().all(|session| session.steps() == 0));
    }
    assert_eq!(sampler.steps(), 0);
    assert_eq!(replay(&mut sampler, Rows::List(&[]), &[]), Ok(vec![]));
    assert_eq!(sample_shared_prepared(&mut [], &row, &[]), Ok(vec![]));
}

#[test]
fn sessions_share_a_prepared_row() {
    let logits = [3.0_f32, 2.0, 1.0];
    let row = PreparedRow::from_logits(&logits).expect("a sound row");
    let fresh = || {
        [
            fresh(2.0, Version::V1),
            fresh(2.0, Version::V2),
            fresh(2.0, Version::V2),
        ]
    };
    let states = |sessions: &[Sampler; 3]| sessions.each_ref().map(Sampler::state);

    let mut sessions = fresh();
    let steps = sample_shared_prepared(&mut sessions, &row, &[0.2, 0.8, 0.99]).expect("steps");
    let mut alone = fresh();
    for ((session, step), uniform) in alone.iter_mut().zip(&steps).zip([0.2, 0.8, 0.99]) {
        assert_eq!(session.sample(&logits, uniform), Ok(*step));
    }
    assert_eq!(states(&sessions), states(&alone));

    let mut sessions = fresh();
    let fault =
        sample_shared_prepared_atomic(&mut sessions, &row, &[0.2, 0.8, 1.0]).expect_err("a fault");
    assert_eq!(fault.row, 2);
    assert_eq!(states(&sessions), states(&fresh()));
    let fault = sample_shared_prepared(&mut sessions, &row, &[0.2, 0.8, 1.0]).expect_err("a fault");
    assert_eq!((fault.row, &fault.steps[..]), (2, &steps[..2]));
    assert_eq!(sessions.each_ref().map(Sampler::steps), [1, 1, 0]);
    assert_eq!(
        sample_shared_prepared_atomic(&mut fresh(), &row, &[0.2, 0.8, 0.99]),
        Ok(steps)
    );
}
