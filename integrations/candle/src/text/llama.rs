//! A quantized model of the Llama family, as `mirostat-textgen` wants a model.

use super::GgufTokenizer;
use crate::TensorRows;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{Device, Tensor};
use candle_transformers::models::quantized_llama::{MAX_SEQ_LEN, ModelWeights};
use mirostat::generation::Model;
use mirostat_textgen::{Fault, TextModel};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

/// The model with its cache. Clones share the weights, and go on from where the model stood.
#[derive(Clone, Debug)]
pub struct Llama {
    weights: ModelWeights,
    tokenizer: Arc<GgufTokenizer>,
    /// What the cache holds.
    seen: Vec<u32>,
    logits: Tensor,
}

impl Llama {
    /// Loads a GGUF file.
    ///
    /// # Errors
    ///
    /// [`Fault::BrokenModel`], [`Fault::UnknownKind`] for another architecture than `llama` or a tokenizer that
    /// [`GgufTokenizer::of`] does not know, [`Fault::Runtime`].
    pub fn load(path: &Path, file: File) -> Result<Self, Fault> {
        let broken = |error| Fault::broken(path, in_words(error));
        let mut reader = BufReader::new(file);
        let content = Content::read(&mut reader).map_err(broken)?;
        let architecture = match content.metadata.get("general.architecture") {
            Some(Value::String(architecture)) => architecture.as_str(),
            _ => return Err(Fault::broken(path, "it names no architecture")),
        };
        if architecture != "llama" {
            return Err(Fault::UnknownKind {
                path: path.to_path_buf(),
                what: "architecture",
                found: architecture.to_owned(),
            });
        }
        let tokenizer = Arc::new(GgufTokenizer::of(&content, path)?);
        let weights =
            ModelWeights::from_gguf(content, &mut reader, &Device::Cpu).map_err(broken)?;
        let logits = Tensor::new(&[0.0_f32], &Device::Cpu).map_err(runtime)?;
        Ok(Self {
            weights,
            tokenizer,
            seen: Vec::new(),
            logits,
        })
    }

    /// The tokenizer.
    #[must_use]
    pub fn tokenizer(&self) -> &GgufTokenizer {
        &self.tokenizer
    }

    /// Feeds what of the context is new.
    fn feed(&mut self, context: &[u32]) -> candle_core::Result<()> {
        let goes_on = context.len() > self.seen.len() && context.starts_with(&self.seen);
        if !goes_on {
            self.seen.clear();
            self.weights.clear_kv_cache();
        }
        let new = Tensor::new(&context[self.seen.len()..], &Device::Cpu)?.unsqueeze(0)?;
        let position = self.seen.len();
        // Should this fail, the cache may hold a part of the new tokens: it is then built anew.
        self.seen.clear();
        self.logits = self.weights.forward(&new, position)?;
        self.seen.extend_from_slice(context);
        Ok(())
    }
}

impl Model for Llama {
    type Logits<'a> = TensorRows<'a>;
    type Error = Fault;

    fn logits(&mut self, context: &[u32]) -> Result<TensorRows<'_>, Fault> {
        self.feed(context).map_err(runtime)?;
        TensorRows::new(&self.logits).map_err(runtime)
    }
}

impl TextModel for Llama {
    fn vocabulary(&self) -> usize {
        self.tokenizer.vocabulary()
    }

    fn context_limit(&self) -> usize {
        MAX_SEQ_LEN
    }

    fn end_tokens(&self) -> &[u32] {
        self.tokenizer.end_tokens()
    }

    fn tokens(&self, text: &str) -> Result<Vec<u32>, Fault> {
        self.tokenizer.tokens(text)
    }

    fn piece(&self, token: u32) -> Result<Vec<u8>, Fault> {
        self.tokenizer.piece(token)
    }
}

fn runtime(error: candle_core::Error) -> Fault {
    Fault::Runtime(in_words(error))
}

/// What candle says, without the backtrace that it adds where RUST_BACKTRACE is set.
pub(super) fn in_words(error: candle_core::Error) -> String {
    match error {
        candle_core::Error::WithBacktrace { inner, .. } => in_words(*inner),
        error => error.to_string(),
    }
}
