//! The protocol for hosts that speak JSON: seven operations, each a request and a response.
//!
//! Nothing is kept between two requests: a host holds its sessions as `state_mu` and `state_steps`, and sends them along. Rows are f64
//! and take the exact door of [`reference`](crate::reference), so an answer is the same on every machine.
//!
//! # Operations
//!
//! | operation | request | response, in this order |
//! |---|---|---|
//! | [`sample`](sample_json) | `logits` `tau` `eta` `uniform` `version` | `token` `kept_tokens` `probability` `surprise_bits` `mu_after` |
//! | [`weight`](weight_json) | `weights` `tau` `eta` `uniform` `version` | as `sample` |
//! | [`replay`](replay_json) | `rows` `draws` `tau` `eta` `version` | `steps` `mean_surprise` `final_mu` |
//! | [`init`](init_json) | `tau` `eta` `version` | `state_mu` `state_steps` |
//! | [`session`](session_json) | `logits` `tau` `eta` `uniform` `version` `state_mu` `state_steps` | `step` `state_mu` `state_steps` |
//! | [`batch`](batch_json) | `sessions`: requests of `session` | `sessions`: responses of `session` |
//! | [`preview`](preview_json) | `logits` `tau` `eta` `version` `state_mu` `state_steps` | `vocabulary` `kept_tokens` `retained_mass` `expected_surprise` `state_mu` |
//!
//! These fields are required. Beside them may stand, but for `batch`, whose sessions have their own: `m`, at least 2, 100 unless set;
//! `surprise_basis`, `"original"` unless set, or `"kept"`; and where a session begins (`sample`, `weight`, `replay`, `init`) `initial_mu`,
//! 2·`tau` unless set. An optional field that is `null` is not set. Any other field is refused, as is a field given twice.
//!
//! `null` in a row of logits is −∞: a masked token. `version` is `"v1"` or `"v2"`. Surprises and mu are in bits.
//!
//! # Numbers
//!
//! A number is written with as few digits as give it back exactly, a whole one without `.0`, −0 as `0`. A number beyond f64, such as
//! `1e999`, is refused. Counts must be whole: `4.0` is, `4.5` is not.
//!
//! # Errors
//!
//! An error is `{"code":…,"message":…,"row":…,"index":…}`. [`Code`] does not change, the message may. `row` is the row of a replay or the session of a
//! batch, `index` the place in the row of logits or weights; each is `null` where it has no meaning. Under [`Mode::Compatible`] an
//! error is the bare text of the ancestor, `moonbit-mirostat`; requests are read alike under both. The order of checks is: JSON,
//! `protocol`, `op`, the fields, `version`, the settings, the state, the row, the uniform.
//!
//! # Lines
//!
//! [`serve`] answers each line of a stream with a line, [`answer`] one. A line is a request with three more fields, in any order: `protocol`,
//! which is 1 and required; `op`, the operation; and, if wanted, `id`, a text or a whole number. The answer is the response, or `error`, after
//! `protocol` and the same `id`:
//!
//! ```
//! use mirostat::json::{Mode, answer};
//! let line = r#"{"protocol":1,"op":"init","id":7,"tau":2,"eta":0.1,"version":"v2"}"#;
//! assert_eq!(answer(line, Mode::Coded), r#"{"protocol":1,"id":7,"state_mu":4,"state_steps":0}"#);
//! let line = r#"{"protocol":1,"op":"init","id":8,"tau":2,"eta":0.1,"version":"V2"}"#;
//! assert_eq!(answer(line, Mode::Compatible), r#"{"protocol":1,"id":8,"error":"version must be v1 or v2"}"#);
//! ```
//!
//! The texts that [`sample_json`] and its like read may have `protocol` too, and neither `op` nor `id`.
//!
//! # Cost
//!
//! A text is read twice, first for its `protocol`; every step is the reference: f64, sorted, allocating.

mod batch;
mod code;
mod error;
mod init;
mod line;
mod operation;
mod preview;
mod reading;
mod replay;
mod sample;
mod serve;
mod session;
mod settings;
mod weight;
mod wire;

pub use batch::{BatchRequest, BatchResponse, batch_json, batch_request};
pub use code::Code;
pub use error::{Error, Mode};
pub use init::{InitRequest, InitResponse, init_json, init_request};
pub use line::answer;
pub use preview::{PreviewRequest, PreviewResponse, preview_json, preview_request};
pub use replay::{ReplayRequest, ReplayResponse, replay_json, replay_request};
pub use sample::{SamplingRequest, SamplingResponse, sample_json, sample_request};
pub use serve::{LONGEST_LINE, serve};
pub use session::{SessionRequest, SessionResponse, session_json, session_request};
pub use weight::{WeightRequest, weight_json, weight_request};

/// The number of this protocol.
pub const PROTOCOL: u32 = 1;

/// What an operation says, or why it says nothing.
pub type Result<T> = core::result::Result<T, Error>;
