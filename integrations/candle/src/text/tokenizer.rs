//! The tokenizer inside a GGUF file.

use super::llama::in_words;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::quantized::tokenizer::TokenizerFromGguf as _;
use mirostat_textgen::Fault;
use std::collections::HashSet;
use std::path::Path;
use tokenizers::Tokenizer;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::digits::Digits;
use tokenizers::pre_tokenizers::sequence::Sequence;

/// A byte-level BPE tokenizer: text to tokens, tokens to bytes.
#[derive(Debug)]
pub struct GgufTokenizer {
    tokenizer: Tokenizer,
    vocabulary: usize,
    control: HashSet<u32>,
    end_tokens: Vec<u32>,
}

/// The names that models give the token after which nothing of the answer comes.
const END_NAMES: [&str; 3] = ["<|endoftext|>", "<|im_end|>", "<|eot_id|>"];

impl GgufTokenizer {
    /// The tokenizer of the file at `path`, whose head is `content`.
    ///
    /// candle builds it, but knows `smollm` not, and takes it for GPT-2 with a space before every text. Here it is what it is in its
    /// `tokenizer.json`: digits apart, no space added.
    ///
    /// # Errors
    ///
    /// [`Fault::UnknownKind`] for a tokenizer that is not byte-level BPE, or splits words in a way that is unknown here;
    /// [`Fault::BrokenModel`] if a part is missing.
    pub fn of(content: &Content, path: &Path) -> Result<Self, Fault> {
        let text = |key: &str| match content.metadata.get(key) {
            Some(Value::String(text)) => Ok(text.as_str()),
            _ => Err(Fault::broken(path, format!("it has no text {key}"))),
        };
        let unknown = |found: &str| Fault::UnknownKind {
            path: path.to_path_buf(),
            what: "tokenizer",
            found: found.to_owned(),
        };
        let kind = text("tokenizer.ggml.model")?;
        if kind != "gpt2" {
            return Err(unknown(kind));
        }
        let mut tokenizer =
            Tokenizer::from_gguf(content).map_err(|error| Fault::broken(path, in_words(error)))?;
        match text("tokenizer.ggml.pre")? {
            "smollm" => {
                let digits = Digits::new(true).into();
                let bytes = ByteLevel::new(false, true, true).into();
                tokenizer.with_pre_tokenizer(Some(Sequence::new(vec![digits, bytes])));
            }
            "gpt-2" => {
                tokenizer.with_pre_tokenizer(Some(ByteLevel::new(false, true, true)));
            }
            "qwen2" | "smaug-bpe" | "lfm2" | "llama3" => {}
            other => return Err(unknown(&format!("{kind}, words by {other}"))),
        }
        let control: HashSet<u32> = tokenizer.get_added_tokens_decoder().into_keys().collect();
        let named = END_NAMES
            .iter()
            .filter_map(|name| tokenizer.token_to_id(name));
        let mut end_tokens: Vec<u32> = named.filter(|token| control.contains(token)).collect();
        if let Some(Value::U32(token)) = content.metadata.get("tokenizer.ggml.eos_token_id") {
            end_tokens.push(*token);
        }
        end_tokens.sort_unstable();
        end_tokens.dedup();
        Ok(Self {
            vocabulary: tokenizer.get_vocab_size(true),
            tokenizer,
            control,
            end_tokens,
        })
    }

    /// How many tokens there are.
    #[must_use]
    pub const fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// The tokens that end a text.
    #[must_use]
    pub fn end_tokens(&self) -> &[u32] {
        &self.end_tokens
    }

    /// The tokens of a text; names of control tokens are those tokens.
    ///
    /// # Errors
    ///
    /// [`Fault::Tokenizer`].
    pub fn tokens(&self, text: &str) -> Result<Vec<u32>, Fault> {
        let encoding = self.tokenizer.encode(text, false);
        encoding
            .map(|encoding| encoding.get_ids().to_vec())
            .map_err(|error| Fault::Tokenizer(error.to_string()))
    }

    /// The bytes of a token; none of a control token.
    ///
    /// # Errors
    ///
    /// [`Fault::Tokenizer`] for a token that does not exist, or is not written in byte-level characters.
    pub fn piece(&self, token: u32) -> Result<Vec<u8>, Fault> {
        if self.control.contains(&token) {
            return Ok(Vec::new());
        }
        let name = self
            .tokenizer
            .id_to_token(token)
            .ok_or_else(|| Fault::Tokenizer(format!("there is no token {token}")))?;
        let bytes: Option<Vec<u8>> = name.chars().map(byte).collect();
        bytes.ok_or_else(|| Fault::Tokenizer(format!("token {token} is {name:?}, not byte-level")))
    }
}

/// The byte that a character stands for in byte-level BPE: printable ones stand for themselves, the other 68 are, in their order, the
/// characters from U+0100 on.
fn byte(character: char) -> Option<u8> {
    let printable = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    match u32::from(character) {
        code @ 0..=0xFF => Some(code as u8).filter(|&byte| printable(byte)),
        code => (0..=0xFF)
            .filter(|&byte| !printable(byte))
            .nth((code - 0x100) as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::byte;

    #[test]
    fn every_byte_has_one_character() {
        let mut bytes: Vec<u8> = ('\0'..'\u{200}').filter_map(byte).collect();
        bytes.sort_unstable();
        assert!(bytes.into_iter().eq(0..=0xFF));
        assert_eq!(
            ['Ġ', 'Ċ', 'A', 'é'].map(byte),
            [Some(b' '), Some(b'\n'), Some(b'A'), Some(0xE9)]
        );
        assert_eq!([' ', '\n', '😀'].map(byte), [None; 3]);
    }
}
