//! What is done to a row of logits before it is sampled: masks, biases and penalties.
//!
//! Each of the ancestor's six exists twice: under its name, out of place, from f64 to a new f64 row; and as `…_in_place`, on f32, f16,
//! bf16 and f64 rows, without allocating. They are one rule: the arithmetic is in f64, and is rounded once to the element.
//!
//! | function | what becomes of the logit l of a token |
//! |---|---|
//! | [`mask_logits`] | l where allowed, else −∞ |
//! | [`allow_token_ids`] | l where listed, else −∞ |
//! | [`block_token_ids`] | −∞ where listed, else l |
//! | [`bias_logits`] | l + b |
//! | [`penalize_repetition`] | if in the history: l·r for l < 0, l/r for l >= 0 |
//! | [`penalize_counts`] | if c > 0 times in the history: (l − presence) − frequency·c |
//!
//! A logit of −∞ stays −∞ whatever is done to it. All logits, biases and costs are in nats, as the softmax takes them. What is measured
//! of the row afterwards, surprise included, is measured of the processed row.
//!
//! **Order.** Repetition, then presence and frequency, then biases and masks, and all of them before a filter such as min-p, which would
//! otherwise measure against tokens that are not allowed. Repetition looks at the prompt and at what was generated, presence and
//! frequency at what was generated only; so a session keeps two [`History`] counters.
//!
//! **Errors.** Everything is checked before anything is written, so a row that was refused is as it was, to the bit.
//!
//! # Where the ancestor was weak
//!
//! - A finite logit that a bias or a penalty takes out of the finite numbers of its element is an
//!   [`Error::NumericalFailure`](crate::Error::NumericalFailure); it used to become a mask unnoticed. So a row that had a token to draw
//!   always has one afterwards, and only masks can end in [`Error::AllMasked`](crate::Error::AllMasked), which they do at once.
//! - A bias on a masked token has no effect, be it NaN or infinite; it used to be an error.
//! - Half and single precision rows are changed where they lie; they used to be widened and copied.
//!
//! # Examples
//!
//! ```
//! use mirostat::processors::{History, allow_token_ids_in_place, penalize_counts_in_place};
//! let history = History::from_prompt(&[0, 0, 1]);
//! let mut row = [3.0_f32, 2.0, 1.0, 0.0];
//! penalize_counts_in_place(&mut row, &history, 0.5, 0.25)?;
//! assert_eq!(row, [2.0, 1.25, 1.0, 0.0]);
//! allow_token_ids_in_place(&mut row, &[1, 2])?;
//! assert_eq!(row, [f32::NEG_INFINITY, 1.25, 1.0, f32::NEG_INFINITY]);
//! # Ok::<(), mirostat::Error>(())
//! ```

mod bias;
mod counts;
mod history;
mod logit;
mod mask;
mod penalty;
mod repetition;
mod token_ids;
mod window;

pub use bias::{bias_logits, bias_logits_in_place};
pub use counts::{penalize_counts, penalize_counts_in_place};
pub use history::History;
pub use logit::Logit;
pub use mask::{mask_logits, mask_logits_in_place};
pub use repetition::{penalize_repetition, penalize_repetition_in_place};
pub use token_ids::{
    allow_token_ids, allow_token_ids_in_place, block_token_ids, block_token_ids_in_place,
};
