//! One line of a stream: which operation, for whom, and the answer.

use super::operation::{Operation, write};
use super::reading::{Head, Id, request_of_line, unknown_operation};
use super::{
    BatchRequest, Error, InitRequest, Mode, PROTOCOL, PreviewRequest, ReplayRequest, Result,
    SamplingRequest, SessionRequest, WeightRequest,
};
use serde::Serialize;

/// An answer, whatever it says.
#[derive(Serialize)]
struct Answer<'a, T> {
    protocol: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Id>,
    #[serde(flatten)]
    said: T,
}

#[derive(Serialize)]
struct Refused<T> {
    error: T,
}

/// Answers a line: the response, or the error, after `protocol` and the line's `id`; see [the protocol](super#lines).
///
/// Never fails, and the answer has no line break.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, answer};
/// let line = r#"{"protocol":1,"id":"a","op":"weight","weights":[1,-1],"tau":2,"eta":0.1,"uniform":0,"version":"v2"}"#;
/// assert_eq!(
///     answer(line, Mode::Coded),
///     r#"{"protocol":1,"id":"a","error":{"code":"invalid_probability","message":"the weight or probability at index 1 is -1","row":null,"index":1}}"#,
/// );
/// assert_eq!(answer("}", Mode::Compatible), r#"{"protocol":1,"error":"invalid JSON"}"#);
/// ```
#[must_use]
pub fn answer(line: &str, mode: Mode) -> String {
    match Head::read(line) {
        Ok(head) => {
            carry_out(line, &head).unwrap_or_else(|error| refusal(head.id.as_ref(), &error, mode))
        }
        Err(error) => refusal(None, &error, mode),
    }
}

fn carry_out(line: &str, head: &Head) -> Result<String> {
    fn said<O: Operation>(line: &str, id: Option<&Id>) -> Result<String> {
        write(&Answer {
            protocol: PROTOCOL,
            id,
            said: request_of_line::<O>(line)?.run()?,
        })
    }
    let id = head.id.as_ref();
    match head.operation()? {
        "sample" => said::<SamplingRequest>(line, id),
        "weight" => said::<WeightRequest>(line, id),
        "replay" => said::<ReplayRequest>(line, id),
        "init" => said::<InitRequest>(line, id),
        "session" => said::<SessionRequest>(line, id),
        "batch" => said::<BatchRequest>(line, id),
        "preview" => said::<PreviewRequest>(line, id),
        other => Err(unknown_operation(other)),
    }
}

/// The answer that says why there is no response.
pub(super) fn refusal(id: Option<&Id>, error: &Error, mode: Mode) -> String {
    fn text<T: Serialize>(id: Option<&Id>, error: T) -> String {
        serde_json::to_string(&Answer {
            protocol: PROTOCOL,
            id,
            said: Refused { error },
        })
        .expect("texts and counts are always JSON")
    }
    match mode {
        Mode::Coded => text(id, error),
        Mode::Compatible => text(id, error.compatible_text()),
    }
}
