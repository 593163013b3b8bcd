//! The JSON protocol says what the ancestor's says, field for field, refuses what is not a request, and every answer is that of the
//! direct API. Tokens and counts are held exactly, reals to 1e-12.

use mirostat::json::*;
use mirostat::{Config, Row, Sampler, SamplerState, SurpriseBasis, Version, replay_atomic};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_str, json, to_string};
use std::fmt::Debug;

mod text {
    pub(super) const SAMPLE: &str =
        r#"{"logits":[3,2,1],"tau":2,"eta":0.1,"uniform":0.2,"version":"v2"}"#;
    pub(super) const WEIGHT: &str =
        r#"{"weights":[8,4,2,1],"tau":2,"eta":0.1,"uniform":0.7,"version":"v2"}"#;
    pub(super) const REPLAY: &str = r#"{"rows":[[3,2,1],[2,1,0],[1,0.5,0]],"draws":[0.2,0.7,0.1],"tau":2,"eta":0.1,"version":"v2"}"#;
    pub(super) const INIT: &str = r#"{"tau":3,"eta":0.1,"version":"v2"}"#;
    pub(super) const SESSION: &str = r#"{"logits":[3,2,1],"tau":2,"eta":0.1,"uniform":0.2,"version":"v2","state_mu":4,"state_steps":0}"#;
    pub(super) const BATCH: &str = r#"{"sessions":[{"logits":[3,2,1],"tau":2,"eta":0.1,"uniform":0.2,"version":"v1","state_mu":4,"state_steps":0},{"logits":[2,1,0],"tau":2,"eta":0.1,"uniform":0.8,"version":"v2","state_mu":4,"state_steps":7}]}"#;
    pub(super) const PREVIEW: &str =
        r#"{"logits":[3,2,1],"tau":2,"eta":0.1,"version":"v2","state_mu":4,"state_steps":0}"#;
}

type TextOperation = fn(&str, Mode) -> std::result::Result<String, String>;

/// Each operation: its name, what the ancestor calls a bad request of it, the function, a request.
const OPERATIONS: [(&str, &str, TextOperation, &str); 7] = [
    ("sample", "sampling", sample_json, text::SAMPLE),
    ("weight", "weight", weight_json, text::WEIGHT),
    ("replay", "replay", replay_json, text::REPLAY),
    ("init", "init", init_json, text::INIT),
    ("session", "session", session_json, text::SESSION),
    ("batch", "batch", batch_json, text::BATCH),
    ("preview", "preview", preview_json, text::PREVIEW),
];

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
        "found {found:?}, expected {expected:?}"
    );
}

/// What a text operation refuses, as an object.
#[track_caller]
fn refused(operation: TextOperation, text: &str) -> Value {
    let error = operation(text, Mode::Coded).expect_err(text);
    from_str(&error).expect("an object")
}

/// A request with one field replaced or added.
fn with(request: &str, field: &str, value: Value) -> String {
    let mut object: Value = from_str(request).unwrap();
    object[field] = value;
    object.to_string()
}

fn without(request: &str, field: &str) -> String {
    let mut object: Value = from_str(request).unwrap();
    assert!(object.as_object_mut().unwrap().remove(field).is_some());
    object.to_string()
}

fn fields(request: &str) -> Vec<String> {
    let object: Value = from_str(request).unwrap();
    object.as_object().unwrap().keys().cloned().collect()
}

fn both_versions() -> [Version; 2] {
    [Version::V1, Version::V2]
}

mod says_what_the_ancestor_says {
    use super::*;

    #[test]
    fn a_session_begins_at_twice_its_target() {
        assert_eq!(
            init_json(text::INIT, Mode::Compatible).unwrap(),
            r#"{"state_mu":6,"state_steps":0}"#
        );
    }

    #[test]
    fn texts_that_are_no_request() {
        assert_eq!(
            sample_json("{", Mode::Compatible),
            Err("invalid JSON".into())
        );
        for (_, kind, operation, _) in OPERATIONS {
            assert_eq!(
                operation("{}", Mode::Compatible),
                Err(format!("invalid {kind} request"))
            );
        }
    }

    /// Row, version, tau, uniform; token, probability, surprise, kept, mu after.
    type Vector = (
        &'static [f64],
        Version,
        f64,
        f64,
        (u32, f64, f64, usize, f64),
    );

    #[test]
    fn single_steps() {
        let vectors: [Vector; 11] = [
            (
                &[4.0, 2.0, 1.0],
                Version::V1,
                3.0,
                0.42,
                (
                    0,
                    0.8437947344813395,
                    0.24503601012858325,
                    3,
                    6.2754963989871415,
                ),
            ),
            (
                &[4.0, 2.0, 1.0],
                Version::V2,
                3.0,
                0.42,
                (
                    0,
                    0.8437947344813395,
                    0.24503601012858325,
                    3,
                    6.2754963989871415,
                ),
            ),
            (
                &[4.0, 3.0, 2.0, 1.0],
                Version::V1,
                3.0,
                0.4,
                (
                    0,
                    0.6439142598879724,
                    0.6350594951646441,
                    4,
                    6.236494050483536,
                ),
            ),
            (&[0.0; 4], Version::V1, 2.0, 0.75, (3, 0.25, 2.0, 4, 4.0)),
            (
                &[0.0; 3],
                Version::V2,
                2.0,
                0.9,
                (
                    2,
                    0.3333333333333333,
                    1.5849625007211563,
                    3,
                    4.041503749927885,
                ),
            ),
            (
                &[1000.0, 999.0, -1000.0],
                Version::V1,
                2.0,
                0.3,
                (
                    0,
                    0.7310585786300049,
                    0.45194108308304815,
                    3,
                    4.154805891691695,
                ),
            ),
            (&[5.0], Version::V1, 2.0, 0.9, (0, 1.0, 0.0, 1, 4.2)),
            (
                &[1e300, 1e300, -1e300],
                Version::V1,
                1.0,
                0.99,
                (1, 0.5, 1.0, 3, 2.0),
            ),
            (
                &[3.0, 2.0, 1.0],
                Version::V2,
                2.0,
                0.2,
                (
                    0,
                    0.6652409557748218,
                    0.5880511035406708,
                    3,
                    4.1411948896459325,
                ),
            ),
            // These two draw by ascending id, as the ancestor does since 0.1.2.
            (
                &[1.0, 2.0, 3.0],
                Version::V2,
                2.0,
                0.75,
                (
                    2,
                    0.6652409557748218,
                    0.5880511035406708,
                    3,
                    4.1411948896459325,
                ),
            ),
            (
                &[1.0, 3.0],
                Version::V2,
                3.0,
                0.9,
                (
                    1,
                    0.8807970779778823,
                    0.1831184120815962,
                    2,
                    6.28168815879184,
                ),
            ),
        ];
        for (row, version, tau, uniform, expected) in vectors {
            let request = SamplingRequest::new(row.to_vec(), tau, 0.1, uniform, version);
            let text = sample_json(&to_string(&request).unwrap(), Mode::Coded).unwrap();
            let step: SamplingResponse = from_str(&text).unwrap();
            let (token, probability, surprise, kept, mu) = expected;
            assert_eq!((step.token, step.kept_tokens), (token, kept), "{request:?}");
            close(step.probability, probability);
            close(step.surprise_bits, surprise);
            close(step.mu_after, mu);
        }
    }

    #[test]
    fn steps_that_begin_at_another_mu() {
        let mut request = SamplingRequest::new(vec![4.0, 3.0, 2.0], 1.0, 0.1, 0.9, Version::V2);
        request.initial_mu = Some(0.0);
        let step = sample_request(&request).unwrap();
        assert_eq!((step.token, step.kept_tokens), (0, 1));
        close(step.mu_after, 0.041194889645932924);

        let mut request = SamplingRequest::new(vec![2.0, 1.0, 0.0], 1.0, 0.5, 0.99, Version::V2);
        request.initial_mu = Some(5.0);
        let step = sample_request(&request).unwrap();
        assert_eq!((step.token, step.kept_tokens), (2, 3));
        close(step.probability, 0.09003057317038046);
        close(step.mu_after, 3.7632794073407014);
    }

    #[test]
    fn steps_on_weights() {
        for (weights, uniform, token, probability, kept, mu) in [
            (
                vec![4.0, 2.0, 1.0],
                0.4,
                0,
                0.5714285714285714,
                3,
                4.11926450779424,
            ),
            (
                vec![8.0, 4.0, 2.0, 1.0],
                0.7,
                1,
                0.26666666666666666,
                4,
                4.009310940439148,
            ),
            (
                vec![8.0, 4.0, 2.0, 1.0],
                0.2,
                0,
                0.5333333333333333,
                4,
                4.109310940439148,
            ),
        ] {
            let request = WeightRequest::new(weights, 2.0, 0.1, uniform, Version::V2);
            let step = weight_request(&request).unwrap();
            assert_eq!((step.token, step.kept_tokens), (token, kept));
            close(step.probability, probability);
            close(step.mu_after, mu);
        }
    }

    #[test]
    fn a_replay() {
        for (version, draws) in [
            (Version::V2, [0.2, 0.7, 0.1]),
            (Version::V1, [0.1, 0.8, 0.4]),
        ] {
            let rows = vec![
                vec![3.0, 2.0, 1.0],
                vec![2.0, 1.0, 0.0],
                vec![1.0, 0.5, 0.0],
            ];
            let request = ReplayRequest::new(rows, draws.to_vec(), 2.0, 0.1, version);
            let replayed = replay_request(&request).unwrap();
            let expected = [
                (0, 0.5880511035406708, 4.1411948896459325),
                (1, 2.030746144429634, 4.138120275202969),
                (0, 0.981421680301999, 4.239978107172769),
            ];
            assert_eq!(replayed.steps.len(), 3);
            for (step, (token, surprise, mu)) in replayed.steps.iter().zip(expected) {
                assert_eq!((step.token, step.kept_tokens), (token, 3));
                close(step.surprise_bits, surprise);
                close(step.mu_after, mu);
            }
            close(replayed.mean_surprise, 1.200072976090768);
            assert_eq!(replayed.final_mu, replayed.steps[2].mu_after);
        }
    }

    #[test]
    fn a_session_step_by_step() {
        for version in both_versions() {
            let (mut mu, mut steps) = (4.0, 0);
            for (row, uniform, token, surprise, after) in [
                (
                    [3.0, 2.0, 1.0],
                    0.2,
                    0,
                    0.5880511035406708,
                    4.1411948896459325,
                ),
                (
                    [2.0, 1.0, 0.0],
                    0.8,
                    1,
                    2.030746144429634,
                    4.138120275202969,
                ),
            ] {
                let request =
                    SessionRequest::new(row.to_vec(), 2.0, 0.1, uniform, version, mu, steps);
                let text = session_json(&to_string(&request).unwrap(), Mode::Coded).unwrap();
                let stepped: SessionResponse = from_str(&text).unwrap();
                assert_eq!((stepped.step.token, stepped.step.kept_tokens), (token, 3));
                close(stepped.step.surprise_bits, surprise);
                close(stepped.state_mu, after);
                assert_eq!(stepped.state_mu, stepped.step.mu_after);
                assert_eq!(stepped.state_steps, steps + 1);
                (mu, steps) = (stepped.state_mu, stepped.state_steps);
            }
        }
    }

    #[test]
    fn a_batch_is_its_sessions() {
        let request: BatchRequest = from_str(text::BATCH).unwrap();
        let response: BatchResponse =
            from_str(&batch_json(text::BATCH, Mode::Coded).unwrap()).unwrap();
        let alone: Vec<_> = request
            .sessions
            .iter()
            .map(|session| session_request(session).unwrap())
            .collect();
        assert_eq!(response.sessions, alone);
        assert_eq!(response.sessions[1].state_steps, 8);
        assert_eq!(
            batch_json(r#"{"sessions":[]}"#, Mode::Compatible).unwrap(),
            r#"{"sessions":[]}"#
        );
    }

    #[test]
    fn previews() {
        let row = vec![3.0, 2.0, 1.0, 0.0, -1.0, -2.0];
        let preview = |row: &Vec<f64>, version, mu| {
            preview_request(&PreviewRequest::new(row.clone(), 2.0, 0.1, version, mu, 0)).unwrap()
        };
        for (version, kept) in [
            (Version::V1, [1, 2, 2, 4, 6]),
            (Version::V2, [1, 1, 1, 3, 6]),
        ] {
            for (mu, kept) in [0.0, 1.0, 2.0, 4.0, 8.0].into_iter().zip(kept) {
                let preview = preview(&row, version, mu);
                assert_eq!((preview.vocabulary, preview.kept_tokens), (6, kept));
                assert_eq!(preview.state_mu, mu);
            }
        }
        for (version, mass, expected) in [
            (Version::V1, 0.9841237600235332, 1.3900952185277236),
            (Version::V2, 0.9525741268224331, 1.2709897091437294),
        ] {
            let preview = preview(&row, version, 4.0);
            close(preview.retained_mass, mass);
            close(preview.expected_surprise, expected);
        }
        close(
            preview(&row, Version::V2, 8.0).expected_surprise,
            1.476252925273043,
        );
        let short = preview(&vec![3.0, 2.0, 1.0], Version::V2, 4.0);
        close(short.retained_mass, 1.0);
        close(short.expected_surprise, 1.2008929779783635);
    }

    #[test]
    fn fields_stand_in_the_ancestors_order() {
        let step =
            r#"{"token":3,"kept_tokens":4,"probability":0.25,"surprise_bits":2,"mu_after":4}"#;
        let flat = r#"{"logits":[0,0,0,0],"tau":2,"eta":0.1,"uniform":0.75,"version":"v1""#;
        let said = |operation: TextOperation, text: &str| operation(text, Mode::Coded).unwrap();
        assert_eq!(said(sample_json, &format!("{flat}}}")), step);
        let session = format!(r#"{flat},"state_mu":4,"state_steps":11}}"#);
        let stepped = format!(r#"{{"step":{step},"state_mu":4,"state_steps":12}}"#);
        assert_eq!(said(session_json, &session), stepped);
        assert_eq!(
            said(batch_json, &format!(r#"{{"sessions":[{session}]}}"#)),
            format!(r#"{{"sessions":[{stepped}]}}"#)
        );
        assert_eq!(
            said(
                replay_json,
                r#"{"rows":[[0,0,0,0]],"draws":[0.75],"tau":2,"eta":0.1,"version":"v1"}"#
            ),
            format!(r#"{{"steps":[{step}],"mean_surprise":2,"final_mu":4}}"#)
        );
        assert_eq!(
            said(
                preview_json,
                r#"{"logits":[0,0,0,0],"tau":2,"eta":0.1,"version":"v2","state_mu":4.5,"state_steps":0}"#
            ),
            r#"{"vocabulary":4,"kept_tokens":4,"retained_mass":1,"expected_surprise":2,"state_mu":4.5}"#
        );
    }
}

mod is_a_thin_layer {
    use super::*;

    #[test]
    fn a_step_is_that_of_the_sampler_bit_for_bit() {
        let row: Vec<f64> = (0..127)
            .map(|i| match i {
                i if i > 0 && i % 7 == 0 => f64::NEG_INFINITY,
                i => f64::from((37 * i + 11) % 53) / 7.0,
            })
            .collect();
        for version in both_versions() {
            for basis in [SurpriseBasis::Original, SurpriseBasis::Kept] {
                for uniform in [0.0, 0.1, 0.49, 0.9, 0.999999] {
                    let mut request =
                        SessionRequest::new(row.clone(), 2.5, 0.3, uniform, version, 3.7, 9);
                    (request.m, request.surprise_basis) = (Some(5), Some(basis));
                    let config = Config::builder(2.5).eta(0.3).m(5).surprise_basis(basis);
                    let state = SamplerState::new(version, 3.7, 9).unwrap();
                    let mut sampler = Sampler::from_state(config.build().unwrap(), state).unwrap();
                    let step = sampler.sample(&row, uniform).unwrap();
                    let stepped = session_request(&request).unwrap();
                    assert_eq!(stepped.step, step.into());
                    assert_eq!(stepped.state_mu, sampler.mu());
                    let text = to_string(&request).unwrap();
                    let through: SessionResponse =
                        from_str(&session_json(&text, Mode::Coded).unwrap()).unwrap();
                    assert_eq!(through, stepped);
                }
            }
        }
    }

    #[test]
    fn a_replay_is_that_of_the_library() {
        let rows = vec![vec![3.0, f64::NEG_INFINITY, 1.0], vec![0.25, 0.5]];
        let mut request = ReplayRequest::new(rows.clone(), vec![0.9, 0.3], 1.5, 0.2, Version::V1);
        request.initial_mu = Some(1.0);
        let config = Config::builder(1.5)
            .eta(0.2)
            .initial_mu(1.0)
            .build()
            .unwrap();
        let mut sampler = Sampler::new(config, Version::V1).unwrap();
        let borrowed: Vec<Row<'_>> = rows.iter().map(Row::from).collect();
        let steps = replay_atomic(&mut sampler, &borrowed, &[0.9, 0.3]).unwrap();
        let replayed = replay_request(&request).unwrap();
        assert_eq!(replayed.final_mu, sampler.mu());
        for (said, step) in replayed.steps.into_iter().zip(steps) {
            assert_eq!(said, step.into());
        }
    }
}

mod optional_fields {
    use super::*;

    #[test]
    fn each_acts() {
        let mu_after = |text: &str| {
            let step: SamplingResponse =
                from_str(&sample_json(text, Mode::Coded).unwrap()).unwrap();
            step.mu_after
        };
        let plain = mu_after(text::SAMPLE);
        close(
            mu_after(&with(text::SAMPLE, "initial_mu", json!(5))),
            plain + 1.0,
        );
        let narrow = with(text::SAMPLE, "initial_mu", json!(1));
        let kept = with(&narrow, "surprise_basis", json!("kept"));
        // One token is kept, so by that basis it is certain.
        close(mu_after(&kept), 1.2);
        close(
            mu_after(&with(&narrow, "surprise_basis", json!("original"))),
            mu_after(&narrow),
        );
        assert!(mu_after(&narrow) < 1.2);

        // The row of the ancestor's tests on which the length of the fit decides k.
        let row = json!([3, 2.9, 2.5, 1, 0.2, -1, -4]);
        for (m, kept) in [(2, 7), (3, 7), (4, 6), (7, 4), (100, 4)] {
            let preview = json!({"logits": row, "tau": 2, "eta": 0.1, "version": "v1", "state_mu": 3.5, "state_steps": 0, "m": m});
            let preview: PreviewResponse =
                from_str(&preview_json(&preview.to_string(), Mode::Coded).unwrap()).unwrap();
            assert_eq!(preview.kept_tokens, kept, "m = {m}");
        }
    }

    #[test]
    fn null_is_not_set() {
        for (name, _, operation, request) in OPERATIONS {
            if name == "batch" {
                continue;
            }
            let expected = operation(request, Mode::Coded).unwrap();
            for field in ["m", "surprise_basis", "protocol"] {
                let request = with(request, field, Value::Null);
                assert_eq!(operation(&request, Mode::Coded).as_ref(), Ok(&expected));
            }
        }
    }

    #[test]
    fn null_masks_a_logit() {
        let row = with(text::SAMPLE, "logits", json!([null, 4, null, 2]));
        let masked = SamplingRequest::new(
            vec![f64::NEG_INFINITY, 4.0, f64::NEG_INFINITY, 2.0],
            2.0,
            0.1,
            0.2,
            Version::V2,
        );
        assert_eq!(from_str::<SamplingRequest>(&row).unwrap(), masked);
        assert!(to_string(&masked).unwrap().contains("[null,4,null,2]"));
        let all = with(text::SAMPLE, "logits", json!([null, null]));
        assert_eq!(refused(sample_json, &all)["code"], "all_masked");
        // A weight is masked by 0.
        let weights = with(text::WEIGHT, "weights", json!([1, null]));
        assert_eq!(refused(weight_json, &weights)["code"], "invalid_request");
    }

    #[test]
    fn masked_rows_are_those_of_the_ancestors_list_of_allowed_tokens() {
        for (version, kept) in [("v1", [3, 3, 4]), ("v2", [2, 2, 2])] {
            let rows = [[None, Some(4), None, Some(2)]; 3];
            let request = json!({"rows": rows, "draws": [0, 0.5, 0.99], "tau": 2, "eta": 0.1, "version": version});
            let text = replay_json(&request.to_string(), Mode::Coded).unwrap();
            let replayed: ReplayResponse = from_str(&text).unwrap();
            let steps = replayed.steps.iter();
            let found: Vec<_> = steps.map(|step| (step.token, step.kept_tokens)).collect();
            assert_eq!(found, [(1, kept[0]), (1, kept[1]), (3, kept[2])]);
            for (step, mu) in
                replayed
                    .steps
                    .iter()
                    .zip([4.18168815879184, 4.363376317583681, 4.2565254681977285])
            {
                close(step.mu_after, mu);
            }
        }
    }

    #[test]
    fn a_setting_without_effect_is_unknown() {
        for (operation, request) in [
            (session_json as TextOperation, text::SESSION),
            (preview_json, text::PREVIEW),
        ] {
            let request = with(request, "initial_mu", json!(4));
            assert_eq!(refused(operation, &request)["code"], "invalid_request");
        }
        let batch = with(text::BATCH, "m", json!(4));
        assert_eq!(refused(batch_json, &batch)["code"], "invalid_request");
    }
}

mod refuses {
    use super::*;

    #[test]
    fn what_is_no_json() {
        for (_, _, operation, request) in OPERATIONS {
            for bad in [
                "",
                " ",
                "{",
                "nul",
                "{}{}",
                "{'a':1}",
                "\u{feff}{}",
                &request[..request.len() - 1],
                &format!("{request}]"),
                &request.replace("\"tau\":", "\"tau\":NaN"),
                &request.replace("0.1", "01"),
                // A bad field does not hide that the text breaks off.
                r#"{"tau":"high""#,
                &"[".repeat(1_000_000),
                &format!(r#"{{"protocol":{}"#, "[".repeat(1_000_000)),
            ] {
                let error = refused(operation, bad);
                assert_eq!(error["code"], "invalid_json", "{:.99}", bad);
                assert!(error["row"].is_null() && error["index"].is_null());
                assert_eq!(operation(bad, Mode::Compatible), Err("invalid JSON".into()));
            }
        }
    }

    #[test]
    fn what_is_no_request() {
        for (name, kind, operation, request) in OPERATIONS {
            let refuse = |bad: &str| {
                assert_eq!(
                    refused(operation, bad)["code"],
                    "invalid_request",
                    "{name}: {bad:.99}"
                );
                let text = format!("invalid {kind} request");
                assert_eq!(
                    operation(bad, Mode::Compatible),
                    Err(text),
                    "{name}: {bad:.99}"
                );
            };
            for bad in [
                "null",
                "true",
                "7",
                "\"v1\"",
                "[]",
                "[[3,2,1],2,0.1,0.2,\"v2\"]",
                "[[]]",
            ] {
                refuse(bad);
            }
            for surplus in ["temperature", "op", "id", "Tau", "tau ", ""] {
                refuse(&with(request, surplus, json!(1)));
            }
            for field in fields(request) {
                refuse(&without(request, &field));
                for wrong in [json!(null), json!({}), json!(true), json!("4")] {
                    // A text may be a version, though a wrong one.
                    if field != "version" || !wrong.is_string() {
                        refuse(&with(request, &field, wrong));
                    }
                }
                // Twice.
                let again = format!(
                    "{{\"{field}\":{},",
                    from_str::<Value>(request).unwrap()[&field]
                );
                refuse(&request.replacen('{', &again, 1));
                let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
                refuse(&request.replacen('{', &format!("{{\"{field}\":{deep},"), 1));
            }
            refuse(&request.replacen('{', r#"{"protocol":1,"protocol":1,"#, 1));
        }
    }

    #[test]
    fn numbers_beyond_f64() {
        for huge in ["1e999", "-1e400", "123456789e308"] {
            for bad in [
                text::SAMPLE.replace("[3,", &format!("[{huge},")),
                text::SAMPLE.replace("\"tau\":2", &format!("\"tau\":{huge}")),
                text::SAMPLE.replace("0.2", huge),
            ] {
                assert_eq!(
                    refused(sample_json, &bad)["code"],
                    "invalid_request",
                    "{bad}"
                );
            }
        }
        // What only rounds is taken.
        for (tiny, value) in [
            ("1e-999", 0.0),
            ("0.1000000000000000055511151231257827", 0.1),
        ] {
            let request = text::SAMPLE.replace("0.2", tiny);
            assert_eq!(
                from_str::<SamplingRequest>(&request).unwrap().uniform,
                value
            );
        }
    }

    #[test]
    fn counts_that_are_not_whole() {
        for bad in [
            json!(0.5),
            json!(-0.5),
            json!(1e300),
            json!("1"),
            json!([1]),
            json!(u64::MAX),
        ] {
            for (operation, request) in [
                (session_json as TextOperation, text::SESSION),
                (preview_json, text::PREVIEW),
            ] {
                let error = refused(operation, &with(request, "state_steps", bad.clone()));
                assert_eq!(error["code"], "invalid_request", "{bad}");
            }
            let error = refused(init_json, &with(text::INIT, "m", bad.clone()));
            assert_eq!(error["code"], "invalid_request", "{bad}");
        }
        assert_eq!(
            refused(init_json, &with(text::INIT, "m", json!(-3)))["code"],
            "invalid_request"
        );
        // Whole, whatever it is written as.
        for (written, steps) in [("4.0", 5), ("4e0", 5), ("-0.0", 1), ("2e3", 2001)] {
            let request =
                text::SESSION.replace("\"state_steps\":0", &format!("\"state_steps\":{written}"));
            let text = session_json(&request, Mode::Coded).unwrap();
            assert_eq!(
                from_str::<SessionResponse>(&text).unwrap().state_steps,
                steps
            );
        }
    }

    #[test]
    fn steps_saturate() {
        let request = with(text::SESSION, "state_steps", json!(i64::MAX));
        let stepped: SessionResponse =
            from_str(&session_json(&request, Mode::Coded).unwrap()).unwrap();
        assert_eq!(stepped.state_steps, i64::MAX);
    }

    #[test]
    fn an_unknown_version_before_bad_settings() {
        for (name, _, operation, request) in OPERATIONS {
            for version in ["V1", "V2", "v3", "", "v1 ", "2"] {
                let request = request.replace("\"tau\":2", "\"tau\":-2");
                let request = request.replace("\"v2\"", &format!("\"{version}\""));
                let request = request.replace("\"v1\"", &format!("\"{version}\""));
                let error = refused(operation, &request);
                assert_eq!(error["code"], "invalid_version", "{name}");
                assert_eq!(
                    operation(&request, Mode::Compatible),
                    Err("version must be v1 or v2".into())
                );
                // But after a bad shape.
                let request = request.replacen('{', r#"{"surplus":1,"#, 1);
                assert_eq!(refused(operation, &request)["code"], "invalid_request");
            }
        }
    }

    #[test]
    fn another_protocol_whatever_else_is_wrong() {
        for (_, _, operation, request) in OPERATIONS {
            for bad in [
                json!(0),
                json!(2),
                json!(1.5),
                json!("1"),
                json!(-1),
                json!([1]),
            ] {
                let request = with(&with(request, "protocol", bad), "surplus", json!(1));
                assert_eq!(refused(operation, &request)["code"], "unsupported_protocol");
            }
            for good in [json!(1), json!(1.0)] {
                let numbered = with(request, "protocol", good);
                assert_eq!(
                    operation(&numbered, Mode::Coded),
                    operation(request, Mode::Coded)
                );
            }
        }
    }

    /// Operation, request, field, its value; code, row, index, the ancestor's text.
    type Fault = (
        TextOperation,
        &'static str,
        &'static str,
        Value,
        (&'static str, Option<u64>, Option<u64>, &'static str),
    );

    #[test]
    fn each_fault_with_its_code_its_place_and_the_ancestors_text() {
        let tau = "tau must be finite and positive";
        let eta = "eta must be finite and positive";
        let initial_mu = "initial_mu must be finite and non-negative";
        let state = "state needs finite mu and non-negative steps";
        let uniform = "uniform draw must be finite and in [0, 1)";
        let empty = "logits or weights must not be empty";
        let masked = "at least one finite logit must remain unmasked";
        let failed = "sampling calculation failed numerically";
        let draws = "one uniform draw is required per logits row";
        let parameter = "invalid_parameter";
        let faults: [Fault; 24] = [
            (
                sample_json,
                text::SAMPLE,
                "tau",
                json!(0),
                (parameter, None, None, tau),
            ),
            (
                sample_json,
                text::SAMPLE,
                "eta",
                json!(-0.1),
                (parameter, None, None, eta),
            ),
            (
                sample_json,
                text::SAMPLE,
                "tau",
                json!(1e308),
                (parameter, None, None, initial_mu),
            ),
            (
                sample_json,
                text::SAMPLE,
                "initial_mu",
                json!(-1),
                (parameter, None, None, initial_mu),
            ),
            (
                sample_json,
                text::SAMPLE,
                "m",
                json!(1),
                (parameter, None, None, "m must be at least two"),
            ),
            (
                sample_json,
                text::SAMPLE,
                "logits",
                json!([]),
                ("empty_row", None, None, empty),
            ),
            (
                sample_json,
                text::SAMPLE,
                "logits",
                json!([null]),
                ("all_masked", None, None, masked),
            ),
            (
                sample_json,
                text::SAMPLE,
                "uniform",
                json!(1),
                ("invalid_uniform", None, None, uniform),
            ),
            (
                sample_json,
                text::SAMPLE,
                "eta",
                json!(1.7e308),
                ("numerical_failure", None, None, failed),
            ),
            (
                weight_json,
                text::WEIGHT,
                "weights",
                json!([]),
                ("empty_row", None, None, empty),
            ),
            (
                weight_json,
                text::WEIGHT,
                "weights",
                json!([0, 0]),
                ("numerical_failure", None, None, failed),
            ),
            (
                weight_json,
                text::WEIGHT,
                "weights",
                json!([1, 2, -3]),
                (
                    "invalid_probability",
                    None,
                    Some(2),
                    "weight at token 2 is invalid",
                ),
            ),
            (
                weight_json,
                text::WEIGHT,
                "uniform",
                json!(-0.1),
                ("invalid_uniform", None, None, uniform),
            ),
            (
                replay_json,
                text::REPLAY,
                "draws",
                json!([0.5]),
                ("length_mismatch", Some(1), None, draws),
            ),
            (
                replay_json,
                text::REPLAY,
                "draws",
                json!([0, 0, 0, 0]),
                ("length_mismatch", Some(3), None, draws),
            ),
            (
                replay_json,
                text::REPLAY,
                "rows",
                json!([]),
                ("length_mismatch", Some(0), None, draws),
            ),
            (
                replay_json,
                text::REPLAY,
                "draws",
                json!([0, 0, 1]),
                ("invalid_uniform", Some(2), None, uniform),
            ),
            (
                replay_json,
                text::REPLAY,
                "rows",
                json!([[1], [], [2]]),
                ("empty_row", Some(1), None, empty),
            ),
            (
                replay_json,
                text::REPLAY,
                "rows",
                json!([[1], [1], [null]]),
                ("all_masked", Some(2), None, masked),
            ),
            (
                init_json,
                text::INIT,
                "tau",
                json!(-3),
                (parameter, None, None, tau),
            ),
            (
                session_json,
                text::SESSION,
                "state_steps",
                json!(-1),
                (parameter, None, None, state),
            ),
            (
                session_json,
                text::SESSION,
                "logits",
                json!([]),
                ("empty_row", None, None, empty),
            ),
            (
                preview_json,
                text::PREVIEW,
                "state_steps",
                json!(-4.0),
                (parameter, None, None, state),
            ),
            (
                preview_json,
                text::PREVIEW,
                "logits",
                json!([null, null]),
                ("all_masked", None, None, masked),
            ),
        ];
        for (operation, request, field, value, (code, row, index, ancestors)) in faults {
            let request = with(request, field, value);
            let error = refused(operation, &request);
            assert_eq!(error["code"], code, "{request}");
            assert_eq!(error["row"].as_u64(), row, "{request}");
            assert_eq!(error["index"].as_u64(), index, "{request}");
            assert!(!error["message"].as_str().unwrap().is_empty());
            assert_eq!(operation(&request, Mode::Compatible), Err(ancestors.into()));
        }
    }

    #[test]
    fn a_replay_of_nothing() {
        let nothing = with(&with(text::REPLAY, "rows", json!([])), "draws", json!([]));
        assert_eq!(refused(replay_json, &nothing)["code"], "invalid_parameter");
        let text = "replay requires at least one row";
        assert_eq!(replay_json(&nothing, Mode::Compatible), Err(text.into()));
    }

    #[test]
    fn the_session_of_a_batch_and_the_place_in_it() {
        let good: BatchRequest = from_str(text::BATCH).unwrap();
        let mut bad = good.clone();
        bad.sessions[1].logits[2] = f64::NAN;
        let fault = batch_request(&bad).unwrap_err();
        assert_eq!(fault.code(), Code::InvalidLogit);
        assert_eq!((fault.row(), fault.index()), (Some(1), Some(2)));
        assert_eq!(fault.message(), "row 1: the logit at index 2 is NaN");
        assert_eq!(
            fault.to_text(Mode::Coded),
            r#"{"code":"invalid_logit","message":"row 1: the logit at index 2 is NaN","row":1,"index":2}"#
        );
        assert_eq!(
            fault.to_text(Mode::Compatible),
            "logit at token 2 is NaN or positive infinity"
        );
        // The settings and the state of all sessions come before the row of any.
        bad = good.clone();
        bad.sessions[0].uniform = 1.0;
        assert_eq!(batch_request(&bad).unwrap_err().row(), Some(0));
        bad.sessions[1].state_steps = -1;
        let fault = batch_request(&bad).unwrap_err();
        assert_eq!(
            (fault.code(), fault.row()),
            (Code::InvalidParameter, Some(1))
        );
        bad.sessions[0].version = "V1".into();
        let fault = batch_request(&bad).unwrap_err();
        assert_eq!((fault.code(), fault.row()), (Code::InvalidVersion, Some(0)));
    }

    #[test]
    fn numbers_that_json_has_no_word_for() {
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(to_string(&InitRequest::new(x, 0.1, Version::V1)).is_err());
            let weights = WeightRequest::new(vec![x], 2.0, 0.1, 0.5, Version::V1);
            assert!(to_string(&weights).is_err());
            let logits = SamplingRequest::new(vec![x], 2.0, 0.1, 0.5, Version::V1);
            assert_eq!(to_string(&logits).is_ok(), x == f64::NEG_INFINITY);
            let state = SessionRequest::new(vec![1.0], 2.0, 0.1, 0.5, Version::V1, x, 0);
            assert!(to_string(&state).is_err());
            assert_eq!(
                session_request(&state).unwrap_err().code(),
                Code::InvalidParameter
            );
        }
    }

    #[test]
    fn every_code_is_written_as_it_is_named() {
        for code in [
            Code::InvalidJson,
            Code::UnsupportedProtocol,
            Code::EmptyRow,
            Code::UniformsExhausted,
        ] {
            assert_eq!(to_string(&code).unwrap(), format!("\"{}\"", code.as_str()));
        }
    }
}

mod round_trips {
    use super::*;

    #[track_caller]
    fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> String {
        let text = to_string(value).unwrap();
        assert_eq!(&from_str::<T>(&text).unwrap(), value, "{text}");
        text
    }

    #[test]
    fn every_request_and_response() {
        assert_eq!(
            comes_back(&from_str::<SamplingRequest>(text::SAMPLE).unwrap()),
            text::SAMPLE
        );
        assert_eq!(
            comes_back(&from_str::<WeightRequest>(text::WEIGHT).unwrap()),
            text::WEIGHT
        );
        assert_eq!(
            comes_back(&from_str::<ReplayRequest>(text::REPLAY).unwrap()),
            text::REPLAY
        );
        assert_eq!(
            comes_back(&from_str::<InitRequest>(text::INIT).unwrap()),
            text::INIT
        );
        assert_eq!(
            comes_back(&from_str::<SessionRequest>(text::SESSION).unwrap()),
            text::SESSION
        );
        assert_eq!(
            comes_back(&from_str::<BatchRequest>(text::BATCH).unwrap()),
            text::BATCH
        );
        assert_eq!(
            comes_back(&from_str::<PreviewRequest>(text::PREVIEW).unwrap()),
            text::PREVIEW
        );
        comes_back(&sample_request(&from_str(text::SAMPLE).unwrap()).unwrap());
        comes_back(&weight_request(&from_str(text::WEIGHT).unwrap()).unwrap());
        comes_back(&replay_request(&from_str(text::REPLAY).unwrap()).unwrap());
        comes_back(&init_request(&from_str(text::INIT).unwrap()).unwrap());
        comes_back(&session_request(&from_str(text::SESSION).unwrap()).unwrap());
        comes_back(&batch_request(&from_str(text::BATCH).unwrap()).unwrap());
        comes_back(&preview_request(&from_str(text::PREVIEW).unwrap()).unwrap());
        let mut full = ReplayRequest::new(
            vec![vec![f64::NEG_INFINITY, 1.5], vec![]],
            vec![],
            0.1,
            1e-300,
            Version::V1,
        );
        (full.m, full.initial_mu, full.surprise_basis) =
            (Some(7), Some(2.5), Some(SurpriseBasis::Kept));
        assert_eq!(
            comes_back(&full),
            r#"{"rows":[[null,1.5],[]],"draws":[],"tau":0.1,"eta":1e-300,"version":"v1","m":7,"initial_mu":2.5,"surprise_basis":"kept"}"#
        );
    }

    #[test]
    fn every_number_in_few_digits_and_no_point_where_it_is_whole() {
        let written = |x: f64| {
            let text = comes_back(&InitRequest::new(x, 0.1, Version::V1));
            let tau = text
                .strip_prefix("{\"tau\":")
                .unwrap()
                .split(',')
                .next()
                .unwrap();
            tau.to_owned()
        };
        for (x, text) in [
            (4.0, "4"),
            (-0.0, "0"),
            (-7.0, "-7"),
            (0.1, "0.1"),
            (4.1411948896459325, "4.1411948896459325"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (9_999_999_999_999_998.0, "9999999999999998"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(written(x), text);
        }
        for exponent in 0..308 {
            for x in [
                10f64.powi(exponent),
                -2f64.powi(exponent),
                1.5 * 2f64.powi(exponent),
            ] {
                let text = written(x);
                assert!(!text.ends_with(".0") && !text.contains(".0e"), "{text}");
            }
        }
    }
}

mod lines {
    use super::*;

    fn line(op: &str, id: &Value, request: &str) -> String {
        request.replacen('{', &format!(r#"{{"protocol":1,"op":"{op}","id":{id},"#), 1)
    }

    #[test]
    fn an_answer_is_the_response_after_protocol_and_id() {
        for (op, _, operation, request) in OPERATIONS {
            let response = operation(request, Mode::Coded).unwrap();
            for id in [json!(7), json!(-7), json!("a \"b\"\n"), json!(i64::MAX)] {
                let expected = response.replacen('{', &format!(r#"{{"protocol":1,"id":{id},"#), 1);
                let first = line(op, &id, request);
                // The head may as well stand at the end.
                let last = format!(
                    r#"{},"id":{id},"op":"{op}","protocol":1.0}}"#,
                    request.strip_suffix('}').unwrap()
                );
                for line in [first, last] {
                    assert_eq!(answer(&line, Mode::Coded), expected);
                    assert_eq!(answer(&line, Mode::Compatible), expected);
                }
            }
            let expected = response.replacen('{', r#"{"protocol":1,"#, 1);
            assert_eq!(
                answer(&line(op, &json!(null), request), Mode::Coded),
                expected
            );
        }
    }

    #[test]
    fn an_error_comes_with_the_id_where_one_can_be_read() {
        for (op, kind, _, request) in OPERATIONS {
            let good = line(op, &json!(7), request);
            for (bad, code, id, text) in [
                (
                    good.replacen('1', "2", 1),
                    "unsupported_protocol",
                    Some(7),
                    "the protocol is 2, but must be 1".into(),
                ),
                (
                    without(&good, "protocol"),
                    "invalid_request",
                    Some(7),
                    "invalid request".into(),
                ),
                (
                    without(&good, "op"),
                    "invalid_request",
                    Some(7),
                    "invalid request".into(),
                ),
                (
                    with(&good, "op", json!("Sample")),
                    "invalid_request",
                    Some(7),
                    "invalid request".into(),
                ),
                (
                    with(&good, "op", json!(1)),
                    "invalid_request",
                    Some(7),
                    "invalid request".into(),
                ),
                (
                    with(&good, "surplus", json!(1)),
                    "invalid_request",
                    Some(7),
                    format!("invalid {kind} request"),
                ),
                (
                    with(&good, "id", json!(1.5)),
                    "invalid_request",
                    None,
                    "invalid request".into(),
                ),
                (
                    with(&good, "id", json!([])),
                    "invalid_request",
                    None,
                    "invalid request".into(),
                ),
                (
                    format!("{good}}}"),
                    "invalid_json",
                    None,
                    "invalid JSON".into(),
                ),
                (
                    format!("[{good}]"),
                    "invalid_request",
                    None,
                    "invalid request".into(),
                ),
            ] {
                let said: Value = from_str(&answer(&bad, Mode::Coded)).unwrap();
                assert_eq!(said["protocol"], 1);
                assert_eq!(said["error"]["code"], code, "{bad}");
                assert_eq!(said["id"].as_i64(), id, "{bad}");
                let said: Value = from_str(&answer(&bad, Mode::Compatible)).unwrap();
                assert_eq!(said["error"], Value::String(text), "{bad}");
            }
        }
    }

    #[test]
    fn a_server_stays_up() {
        let good = line("init", &json!(1), text::INIT);
        let long = line("sample", &json!(2), text::SAMPLE)
            .replace("[3,", &format!("[{}3,", "0,".repeat(1_000_000)));
        let mut input = Vec::new();
        for part in [
            good.as_bytes(),
            b"\xff\xfe{}",
            b"",
            b"\0\0",
            b"{\"protocol\":1,\"op\":\"\xc3\"}",
            "[".repeat(3_000_000).as_bytes(),
            long.as_bytes(),
            good.replace('}', "}\r").as_bytes(),
        ] {
            input.extend_from_slice(part);
            input.push(b'\n');
        }
        // The last line has no end.
        input.extend_from_slice(good.as_bytes());
        let mut output = Vec::new();
        serve(&input[..], &mut output, Mode::Coded).unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.ends_with('\n'));
        let lines: Vec<Value> = output.lines().map(|line| from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 9);
        for i in [0, 7, 8] {
            assert_eq!(
                lines[i],
                json!({"protocol": 1, "id": 1, "state_mu": 6, "state_steps": 0})
            );
        }
        for line in &lines[1..6] {
            assert_eq!(line["error"]["code"], "invalid_json");
        }
        assert_eq!(
            (&lines[6]["id"], &lines[6]["token"].is_u64()),
            (&json!(2), &true)
        );
    }

    #[test]
    fn each_answer_is_flushed_before_the_next_line_is_read() {
        use std::cell::Cell;
        use std::io::{self, Read, Write};

        struct Host<'a>(&'a Cell<(usize, usize)>, &'a [u8]);
        impl Read for Host<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let (sent, flushed) = self.0.get();
                assert_eq!(sent, flushed, "a line is asked for while an answer is owed");
                if sent == 3 {
                    return Ok(0);
                }
                self.0.set((sent + 1, flushed));
                buffer[..self.1.len()].copy_from_slice(self.1);
                Ok(self.1.len())
            }
        }
        struct Answers<'a>(&'a Cell<(usize, usize)>);
        impl Write for Answers<'_> {
            fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
                Ok(buffer.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                let (sent, flushed) = self.0.get();
                self.0.set((sent, flushed + 1));
                Ok(())
            }
        }
        let counts = Cell::new((0, 0));
        let host = Host(&counts, b"{\"protocol\":1,\"op\":\"init\"}\n");
        serve(io::BufReader::new(host), Answers(&counts), Mode::Coded).unwrap();
        assert_eq!(counts.get(), (3, 3));
    }

    #[test]
    fn a_closed_output_is_an_error() {
        use std::io::{self, Write};
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let error = serve(&b"{}\n"[..], Closed, Mode::Coded).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
