//! What a runtime is asked for.

use crate::Fault;
use mirostat::generation::Model;

/// A language model with its tokenizer.
///
/// [`Model::logits`] gets the whole context, prompt and generated tokens, every time; between two calls it has grown by one token, so a
/// model with a cache feeds the new ones only. A context that is not the last one and more is a new text. Its rows may be borrowed from
/// the runtime's memory: nothing here copies them.
pub trait TextModel: Model<Error = Fault> {
    /// Tokens that the tokenizer knows; every row must have as many logits.
    fn vocabulary(&self) -> usize;

    /// The most tokens that a context may have.
    fn context_limit(&self) -> usize;

    /// The tokens that end a text.
    fn end_tokens(&self) -> &[u32];

    /// The tokens of a text; a control token's name stands for that token. No token is added.
    ///
    /// # Errors
    ///
    /// [`Fault::Tokenizer`].
    fn tokens(&self, text: &str) -> Result<Vec<u32>, Fault>;

    /// The bytes of a token, which may be a part of a character; none for a control token.
    ///
    /// # Errors
    ///
    /// [`Fault::Tokenizer`] for a token that it does not know.
    fn piece(&self, token: u32) -> Result<Vec<u8>, Fault>;
}
