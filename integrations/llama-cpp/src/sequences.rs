//! Several sequences in one context of llama.cpp: tokens in, rows of logits out, where they lie.

use std::num::NonZeroU32;

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_batch::LlamaBatch;

use mirostat_textgen::Fault;

use crate::{Weights, log};

/// Sequences that one model continues at once.
///
/// [`feed`](Self::feed) each that goes on, [`decode`](Self::decode) all of them in one batch, then read each one's
/// [`logits`](Self::logits).
#[derive(Debug)]
pub struct Sequences<'w> {
    weights: &'w Weights,
    context: LlamaContext<'w>,
    batch: LlamaBatch<'static>,
    room: usize,
    sequences: Vec<Sequence>,
}

#[derive(Clone, Debug)]
struct Sequence {
    /// Tokens fed so far.
    length: usize,
    row: Place,
}

/// Where the last token of a sequence is in a batch, which is how llama.cpp names the row that follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not in the last batch.
    Nowhere,
    /// In the batch that has not been decoded yet.
    Fed(i32),
    /// In the batch that was decoded last.
    Decoded(i32),
}

impl<'w> Sequences<'w> {
    /// Room for `count` sequences of `length` tokens each, on `threads` threads.
    ///
    /// # Errors
    ///
    /// [`Fault::Runtime`] where llama.cpp has no memory for them.
    pub fn new(
        weights: &'w Weights,
        count: usize,
        length: usize,
        threads: usize,
    ) -> Result<Self, Fault> {
        let refused = |cause| {
            Fault::Runtime(format!(
                "no context for {count} sequences of {length} tokens, ask for fewer or shorter ones: {cause}"
            ))
        };
        let as_u32 = |n: usize| u32::try_from(n).map_err(|_| refused(format!("{n} is too many")));
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        // llama.cpp aborts where there is room for nothing.
        let tokens = count
            .max(1)
            .saturating_mul(length.max(1).next_multiple_of(PADDING));
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(as_u32(tokens)?))
            .with_n_batch(as_u32(tokens)?)
            .with_n_seq_max(as_u32(count.max(1))?)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = weights
            .model()
            .new_context(weights.backend(), params)
            .map_err(|_| refused(log::cause()))?;
        Ok(Self {
            weights,
            context,
            batch: LlamaBatch::new(tokens, 1),
            room: length,
            sequences: vec![
                Sequence {
                    length: 0,
                    row: Place::Nowhere,
                };
                count
            ],
        })
    }

    /// How many sequences there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sequences.len()
    }

    /// Appends tokens to a sequence, for the next [`decode`](Self::decode).
    ///
    /// # Errors
    ///
    /// [`Fault::Tokenizer`] for a token outside the vocabulary, [`Fault::Context`] where there is no room; nothing is appended then.
    ///
    /// # Panics
    ///
    /// If there is no such sequence, or it has been fed since the last [`decode`](Self::decode).
    pub fn feed(&mut self, sequence: usize, tokens: &[u32]) -> Result<(), Fault> {
        let state = &mut self.sequences[sequence];
        assert!(
            !matches!(state.row, Place::Fed(_)),
            "sequence {sequence} is fed twice"
        );
        let tokens = tokens
            .iter()
            .map(|&token| self.weights.known(token))
            .collect::<Result<Vec<_>, _>>()?;
        if state.length + tokens.len() > self.room {
            return Err(Fault::Context {
                prompt: state.length,
                limit: tokens.len(),
                context: self.room,
            });
        }
        let named = i32::try_from(sequence).expect("llama.cpp counts sequences in i32");
        for (i, &token) in tokens.iter().enumerate() {
            let position = i32::try_from(state.length).expect("llama.cpp counts tokens in i32");
            let last = i + 1 == tokens.len();
            if last {
                state.row = Place::Fed(self.batch.n_tokens());
            }
            self.batch
                .add(token, position, &[named], last)
                .expect("a batch has room for every token of every sequence");
            state.length += 1;
        }
        Ok(())
    }

    /// Forgets the tokens of a sequence, and its logits.
    ///
    /// # Panics
    ///
    /// If there is no such sequence, or it has been fed since the last [`decode`](Self::decode).
    pub fn clear(&mut self, sequence: usize) {
        let state = &mut self.sequences[sequence];
        assert!(
            !matches!(state.row, Place::Fed(_)),
            "sequence {sequence} is cleared before it is decoded"
        );
        *state = Sequence {
            length: 0,
            row: Place::Nowhere,
        };
        let named = u32::try_from(sequence).expect("llama.cpp counts sequences in i32");
        self.context
            .clear_kv_cache_seq(Some(named), None, None)
            .expect("a sequence of the context");
    }

    /// Runs the model on everything that was fed since the last call: one batch, whatever the number of sequences.
    ///
    /// A sequence that was not fed has no logits afterwards.
    ///
    /// # Errors
    ///
    /// [`Fault::Runtime`]: the sequences of the batch are then of no more use.
    pub fn decode(&mut self) -> Result<(), Fault> {
        let tokens = usize::try_from(self.batch.n_tokens()).unwrap_or(0);
        let decoded = self.context.decode(&mut self.batch);
        self.batch.clear();
        for state in &mut self.sequences {
            state.row = match state.row {
                Place::Fed(row) if decoded.is_ok() => Place::Decoded(row),
                _ => Place::Nowhere,
            };
        }
        decoded.map_err(|error| {
            let cause = log::cause();
            Fault::Runtime(format!("a batch of {tokens} tokens: {error}, {cause}"))
        })
    }

    /// The logits of the token that follows a sequence, in llama.cpp's own memory: nothing is copied, and the borrow ends before the
    /// next [`decode`](Self::decode) overwrites them. Nothing if the sequence was not in the last batch.
    ///
    /// # Panics
    ///
    /// If there is no such sequence.
    #[must_use]
    pub fn logits(&self, sequence: usize) -> Option<&[f32]> {
        self.row(sequence)
            .map(|row| self.context.get_logits_ith(row))
    }

    pub(crate) fn row(&self, sequence: usize) -> Option<i32> {
        match self.sequences[sequence].row {
            Place::Decoded(row) => Some(row),
            _ => None,
        }
    }

    pub(crate) const fn context(&self) -> &LlamaContext<'w> {
        &self.context
    }
}

/// llama.cpp rounds the length of a sequence up to this.
const PADDING: usize = 256;
