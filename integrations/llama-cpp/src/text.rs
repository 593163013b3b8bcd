//! One text, as the integrations' common programme asks for it.

use mirostat::generation::Model;
use mirostat_textgen::{Fault, TextModel};

use crate::{Sequences, Weights};

/// A model that writes one text at a time.
#[derive(Debug)]
pub struct Llama<'w> {
    weights: &'w Weights,
    sequences: Sequences<'w>,
    seen: Vec<u32>,
}

impl<'w> Llama<'w> {
    /// Room for a text of `length` tokens, or of as many as the model was trained on if that is less, on `threads` threads.
    ///
    /// # Errors
    ///
    /// As [`Sequences::new`].
    pub fn new(weights: &'w Weights, length: usize, threads: usize) -> Result<Self, Fault> {
        let length = length.min(weights.trained_length());
        Ok(Self {
            weights,
            sequences: Sequences::new(weights, 1, length, threads)?,
            seen: Vec::new(),
        })
    }
}

impl Model for Llama<'_> {
    type Logits<'a>
        = &'a [f32]
    where
        Self: 'a;
    type Error = Fault;

    fn logits(&mut self, context: &[u32]) -> Result<&[f32], Fault> {
        let new = match context.strip_prefix(self.seen.as_slice()) {
            Some(new) if !new.is_empty() => new,
            _ => {
                self.sequences.clear(0);
                self.seen.clear();
                context
            }
        };
        self.sequences.feed(0, new)?;
        self.seen.extend(new);
        self.sequences.decode()?;
        self.sequences.logits(0).ok_or(Fault::EmptyPrompt)
    }
}

impl TextModel for Llama<'_> {
    fn vocabulary(&self) -> usize {
        self.weights.vocabulary()
    }

    fn context_limit(&self) -> usize {
        self.weights.trained_length()
    }

    fn end_tokens(&self) -> &[u32] {
        self.weights.end_tokens()
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, Fault> {
        Ok(self.weights.tokens(text))
    }

    fn piece(&self, token: u32) -> Result<Vec<u8>, Fault> {
        self.weights.piece(token)
    }
}
