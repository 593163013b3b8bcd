//! A model for the tests: five tokens, rows made to order.

use crate::{Fault, TextModel};
use mirostat::generation::Model;

/// What the row of a context is.
pub(crate) type Rule = fn(context: &[u32]) -> Vec<f32>;

pub(crate) struct Fake {
    pub(crate) rule: Rule,
    /// Contexts that it was asked about.
    pub(crate) asked: Vec<Vec<u32>>,
}

impl Fake {
    pub(crate) fn new(rule: Rule) -> Self {
        Self {
            rule,
            asked: Vec::new(),
        }
    }
}

impl Model for Fake {
    type Logits<'a> = Vec<f32>;
    type Error = Fault;

    fn logits(&mut self, context: &[u32]) -> Result<Vec<f32>, Fault> {
        self.asked.push(context.to_vec());
        Ok((self.rule)(context))
    }
}

/// Letters, of which `e` ends the text.
impl TextModel for Fake {
    fn vocabulary(&self) -> usize {
        5
    }

    fn context_limit(&self) -> usize {
        20
    }

    fn end_tokens(&self) -> &[u32] {
        &[4]
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, Fault> {
        let token = |byte: u8| match byte {
            b'a'..=b'e' => Ok(u32::from(byte - b'a')),
            other => Err(Fault::Tokenizer(format!("no byte {other}"))),
        };
        text.bytes().map(token).collect()
    }

    fn piece(&self, token: u32) -> Result<Vec<u8>, Fault> {
        match token {
            4 => Ok(Vec::new()),
            token => Ok(vec![b'a' + token as u8]),
        }
    }
}

/// A row whose greatest logit is the token after the last, round and round.
pub(crate) fn next_letter(context: &[u32]) -> Vec<f32> {
    let last = context.last().map_or(0, |&last| last as usize);
    let mut row = vec![0.0; 5];
    row[(last + 1) % 5] = 9.0;
    row
}
