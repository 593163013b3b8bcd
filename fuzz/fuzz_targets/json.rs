//! Any bytes as text, as lines and as requests: no panic, what is taken comes back from its text, the answer is that of the direct API.
#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use mirostat::json::*;
use mirostat::trace::summarize;
use mirostat::{Config, Row, Sampler, SamplerState, SurpriseBasis, Version, replay_atomic};
use mirostat_fuzz::Number;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_str, to_string};
use std::fmt::Debug;

const MODES: [Mode; 2] = [Mode::Coded, Mode::Compatible];

/// A request, what it is called, and what must come of it.
trait Request: Serialize + DeserializeOwned + PartialEq + Debug {
    type Response: Serialize + DeserializeOwned + PartialEq + Debug;
    const OP: &'static str;

    fn run(&self) -> Result<Self::Response>;
    fn run_text(text: &str, mode: Mode) -> core::result::Result<String, String>;
    /// The response by the direct API, `None` where it refuses.
    fn directly(&self) -> Option<Self::Response>;

    fn check(&self) {
        let run = self.run();
        assert_eq!(run.as_ref().ok(), self.directly().as_ref(), "{self:?}");
        // What JSON has no word for is not written.
        let Ok(text) = to_string(self) else { return };
        let read: Self = from_str(&text).expect("a request is read back");
        assert_eq!(&read, self, "{text}");
        let again = read.run();
        assert_eq!(run.ok(), again.as_ref().ok().cloned_by_text(), "{text}");
        let head = format!("{{\"protocol\":1,\"op\":\"{}\",\"id\":5,", Self::OP);
        let line = text.replacen('{', &head, 1);
        for mode in MODES {
            let said = Self::run_text(&text, mode);
            let answered = answer(&line, mode);
            match &again {
                Ok(response) => {
                    let written = to_string(response).expect("a response is written");
                    assert_eq!(said.as_ref(), Ok(&written), "{text}");
                    let expected = written.replacen('{', "{\"protocol\":1,\"id\":5,", 1);
                    assert_eq!(answered, expected, "{line}");
                }
                Err(error) => {
                    assert_eq!(said, Err(error.to_text(mode)), "{text}");
                    let error = match mode {
                        Mode::Compatible => Value::String(error.to_text(mode)).to_string(),
                        _ => error.to_text(mode),
                    };
                    let expected = format!("{{\"protocol\":1,\"id\":5,\"error\":{error}}}");
                    assert_eq!(answered, expected, "{line}");
                }
            }
        }
    }
}

/// A response that has been written and read.
trait ByText<T> {
    fn cloned_by_text(self) -> Option<T>;
}

impl<T: Serialize + DeserializeOwned> ByText<T> for Option<&T> {
    fn cloned_by_text(self) -> Option<T> {
        let text = to_string(self?).expect("a response is written");
        Some(from_str(&text).expect("a response is read back"))
    }
}

fn version_of(name: &str) -> Option<Version> {
    match name {
        "v1" => Some(Version::V1),
        "v2" => Some(Version::V2),
        _ => None,
    }
}

/// The session of a request by the direct API.
macro_rules! session_of {
    ($request:expr, begins) => {{
        let builder = Config::builder($request.tau).eta($request.eta);
        let builder = $request.initial_mu.map_or(builder, |mu| builder.initial_mu(mu));
        let config = session_of!(@options builder, $request);
        Sampler::new(config, version_of(&$request.version)?).ok()?
    }};
    ($request:expr, resumes) => {{
        let builder = Config::builder($request.tau).eta($request.eta);
        let config = session_of!(@options builder, $request);
        let steps = u64::try_from($request.state_steps).ok()?;
        let version = version_of(&$request.version)?;
        let state = SamplerState::new(version, $request.state_mu, steps).ok()?;
        Sampler::from_state(config, state).ok()?
    }};
    (@options $builder:expr, $request:expr) => {{
        let builder = $request.m.map_or($builder, |m| $builder.m(m));
        let basis = $request.surprise_basis.unwrap_or(SurpriseBasis::Original);
        builder.surprise_basis(basis).build().ok()?
    }};
}

macro_rules! request {
    ($request:ty => $response:ty, $op:literal, $run:ident, $text:ident, |$this:ident| $directly:block) => {
        impl Request for $request {
            type Response = $response;
            const OP: &'static str = $op;

            fn run(&self) -> Result<$response> {
                $run(self)
            }

            fn run_text(text: &str, mode: Mode) -> core::result::Result<String, String> {
                $text(text, mode)
            }

            fn directly(&self) -> Option<$response> {
                let $this = self;
                $directly
            }
        }
    };
}

/// A response by its parts, which cannot be put together outside the library.
fn response<T: DeserializeOwned>(value: &Value) -> Option<T> {
    Some(from_str(&value.to_string()).expect("the fields of the response"))
}

request!(SamplingRequest => SamplingResponse, "sample", sample_request, sample_json, |this| {
    let step = session_of!(this, begins).sample(&this.logits, this.uniform);
    step.ok().map(SamplingResponse::from)
});

request!(WeightRequest => SamplingResponse, "weight", weight_request, weight_json, |this| {
    let step = session_of!(this, begins).sample_weights(&this.weights, this.uniform);
    step.ok().map(SamplingResponse::from)
});

request!(ReplayRequest => ReplayResponse, "replay", replay_request, replay_json, |this| {
    let mut session = session_of!(this, begins);
    let rows: Vec<Row<'_>> = this.rows.iter().map(Row::from).collect();
    let steps = replay_atomic(&mut session, &rows, &this.draws).ok()?;
    let summary = summarize(&steps, this.tau).ok()?;
    let steps: Vec<_> = steps.into_iter().map(SamplingResponse::from).collect();
    response(&serde_json::json!({
        "steps": steps, "mean_surprise": summary.mean_surprise, "final_mu": session.mu(),
    }))
});

request!(InitRequest => InitResponse, "init", init_request, init_json, |this| {
    let session = session_of!(this, begins);
    response(&serde_json::json!({"state_mu": session.mu(), "state_steps": 0}))
});

request!(SessionRequest => SessionResponse, "session", session_request, session_json, |this| {
    let mut session = session_of!(this, resumes);
    let step = session.sample(&this.logits, this.uniform).ok()?;
    let steps = session.steps().min(i64::MAX as u64);
    response(&serde_json::json!({
        "step": SamplingResponse::from(step), "state_mu": session.mu(), "state_steps": steps,
    }))
});

request!(BatchRequest => BatchResponse, "batch", batch_request, batch_json, |this| {
    let sessions = this.sessions.iter().map(Request::directly).collect::<Option<Vec<_>>>()?;
    response(&serde_json::json!({"sessions": sessions}))
});

request!(PreviewRequest => PreviewResponse, "preview", preview_request, preview_json, |this| {
    let preview = session_of!(this, resumes).preview(&this.logits).ok()?;
    response(&serde_json::json!({
        "vocabulary": preview.vocabulary,
        "kept_tokens": preview.kept_tokens,
        "retained_mass": preview.retained_mass,
        "expected_surprise": preview.expected_surprise,
        "state_mu": preview.mu,
    }))
});

/// What a text is taken for, whatever it is.
fn check_text<Q: Request>(text: &str) {
    for mode in MODES {
        let said = Q::run_text(text, mode);
        if mode == Mode::Coded {
            let text = said.as_ref().unwrap_or_else(|error| error);
            assert!(from_str::<Value>(text).is_ok_and(|said| said.is_object()));
        }
        if said.is_ok() {
            let mut object: Value = from_str(text).expect("only JSON is carried out");
            let fields = object.as_object_mut().expect("only objects are requests");
            fields.remove("protocol");
            let _: Q = serde_json::from_value(object).expect("only requests are carried out");
        }
    }
    if let Ok(request) = from_str::<Q>(text) {
        request.check();
    }
}

fn check_lines(bytes: &[u8]) {
    for mode in MODES {
        let mut output = Vec::new();
        serve(bytes, &mut output, mode).expect("memory takes every answer");
        let output = String::from_utf8(output).expect("answers are UTF-8");
        let mut answers = output.lines();
        let whole = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let lines = whole.split(|&byte| byte == b'\n');
        for line in lines.take(if bytes.is_empty() { 0 } else { usize::MAX }) {
            let said = answers.next().expect("an answer for each line");
            let object: Value = from_str(said).expect("answers are JSON");
            assert_eq!(object["protocol"], 1);
            if let Ok(line) = std::str::from_utf8(line) {
                assert_eq!(said, answer(line, mode));
            }
        }
        assert_eq!(answers.next(), None);
    }
}

/// The parts of a session, from which every request is made.
#[derive(Arbitrary, Debug)]
struct Session {
    row: Vec<Option<Number>>,
    tau: Number,
    eta: Number,
    uniform: Uniform,
    version: u8,
    mu: Number,
    steps: i64,
    m: Option<u16>,
    initial_mu: Option<Number>,
    kept: Option<bool>,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Uniform {
    Inside(u32),
    Any(Number),
}

impl Uniform {
    fn f64(self) -> f64 {
        match self {
            Self::Inside(x) => f64::from(x) / 4_294_967_296.0,
            Self::Any(number) => number.f64(),
        }
    }
}

impl Session {
    fn logits(&self) -> Vec<f64> {
        let masked = |x: &Option<Number>| x.map_or(f64::NEG_INFINITY, Number::f64);
        self.row.iter().map(masked).collect()
    }

    fn version(&self) -> (Version, Option<String>) {
        match self.version % 8 {
            0 => (Version::V1, Some(format!("v{}", self.version))),
            pick if pick % 2 == 1 => (Version::V1, None),
            _ => (Version::V2, None),
        }
    }

    fn resumed(&self) -> SessionRequest {
        let (version, name) = self.version();
        let [tau, eta, mu] = [self.tau, self.eta, self.mu].map(Number::f64);
        let uniform = self.uniform.f64();
        let mut request =
            SessionRequest::new(self.logits(), tau, eta, uniform, version, mu, self.steps);
        request.version = name.unwrap_or(request.version);
        (request.m, request.surprise_basis) = (self.m.map(usize::from), self.basis());
        request
    }

    fn basis(&self) -> Option<SurpriseBasis> {
        self.kept.map(|kept| match kept {
            true => SurpriseBasis::Kept,
            false => SurpriseBasis::Original,
        })
    }

    fn check(&self) {
        let resumed = self.resumed();
        let SessionRequest {
            tau, eta, uniform, ..
        } = resumed;
        let (version, _) = self.version();
        let (logits, m, basis) = (self.logits(), resumed.m, resumed.surprise_basis);
        let initial_mu = self.initial_mu.map(Number::f64);
        macro_rules! begun {
            ($request:expr) => {{
                let mut request = $request;
                request.version.clone_from(&resumed.version);
                (request.m, request.initial_mu, request.surprise_basis) = (m, initial_mu, basis);
                request.check();
            }};
        }
        begun!(InitRequest::new(tau, eta, version));
        begun!(SamplingRequest::new(
            logits.clone(),
            tau,
            eta,
            uniform,
            version
        ));
        begun!(WeightRequest::new(
            logits.clone(),
            tau,
            eta,
            uniform,
            version
        ));
        let rows: Vec<_> = logits.chunks(3).map(<[f64]>::to_vec).collect();
        let draws = vec![uniform; rows.len() + usize::from(self.version == 255)];
        begun!(ReplayRequest::new(rows, draws, tau, eta, version));

        let mut preview = PreviewRequest::new(
            logits,
            tau,
            eta,
            version,
            resumed.state_mu,
            resumed.state_steps,
        );
        preview.version.clone_from(&resumed.version);
        (preview.m, preview.surprise_basis) = (m, basis);
        preview.check();
        resumed.check();
    }
}

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        check_text::<SamplingRequest>(text);
        check_text::<WeightRequest>(text);
        check_text::<ReplayRequest>(text);
        check_text::<InitRequest>(text);
        check_text::<SessionRequest>(text);
        check_text::<BatchRequest>(text);
        check_text::<PreviewRequest>(text);
    }
    check_lines(bytes);
    let Ok(mut sessions) = Vec::<Session>::arbitrary_take_rest(Unstructured::new(bytes)) else {
        return;
    };
    // Many sessions show no more than a few, and take long.
    sessions.truncate(4);
    for session in &sessions {
        session.check();
    }
    BatchRequest::new(sessions.iter().map(Session::resumed).collect()).check();
});
