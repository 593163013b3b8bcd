//! A model in memory: its weights, its tokenizer.

use std::path::Path;

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::vocab::LlamaVocab;
use mirostat_textgen::{Fault, Request};

use crate::{log, refusal};

/// A GGUF file in memory. A process holds one at a time, since it has one backend of llama.cpp.
#[derive(Debug)]
pub struct Weights {
    // Dropped in this order: the model before the backend.
    model: LlamaModel,
    backend: LlamaBackend,
    vocabulary: usize,
    end_tokens: Vec<u32>,
}

impl Weights {
    /// Loads a file. With `verbose` llama.cpp's log goes to standard error; the first load of a process decides.
    ///
    /// # Errors
    ///
    /// [`Fault::NoModel`], [`Fault::BrokenModel`], [`Fault::UnknownKind`], [`Fault::Vocabulary`].
    ///
    /// # Panics
    ///
    /// If the process holds another.
    pub fn load(path: &Path, verbose: bool) -> Result<Self, Fault> {
        if !path.exists() {
            return Err(Fault::NoModel {
                path: path.to_owned(),
            });
        }
        log::install(verbose);
        let backend = LlamaBackend::init().expect("one Weights at a time");
        let model = LlamaModel::load_from_file(&backend, path, &LlamaModelParams::default())
            .map_err(|_| refusal::fault(path, &log::cause()))?;
        let vocabulary = usize::try_from(model.n_vocab()).unwrap_or(0);
        if vocabulary == 0 {
            return Err(Fault::broken(path, "it has no vocabulary"));
        }
        let vocab = model.vocab();
        let end_tokens = vocab.tokens().filter(|&token| vocab.is_eog(token)).map(id);
        Ok(Self {
            end_tokens: end_tokens.collect(),
            vocabulary,
            backend,
            model,
        })
    }

    /// Tokens of the vocabulary, which is the length of every row of logits.
    #[must_use]
    pub const fn vocabulary(&self) -> usize {
        self.vocabulary
    }

    /// The tokens that end a text.
    #[must_use]
    pub fn end_tokens(&self) -> &[u32] {
        &self.end_tokens
    }

    /// The longest sequence that the model was trained on, in tokens.
    #[must_use]
    pub fn trained_length(&self) -> usize {
        self.model.n_ctx_train() as usize
    }

    /// Tokens of the prompt and of what may be written on it.
    ///
    /// # Errors
    ///
    /// [`Fault::EmptyPrompt`], [`Fault::Context`] if they are more than the model was trained on.
    pub fn length_of(&self, request: &Request<'_>) -> Result<usize, Fault> {
        let (prompt, limit) = (request.prompt.len(), request.limit);
        let (length, context) = (prompt.saturating_add(limit), self.trained_length());
        match prompt {
            0 => Err(Fault::EmptyPrompt),
            _ if length > context => Err(Fault::Context {
                prompt,
                limit,
                context,
            }),
            _ => Ok(length),
        }
    }

    /// The tokens of a text; a control token's name stands for that token. No token is added.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        let tokens = self.vocab().tokenize(text.as_bytes(), false, true);
        tokens.into_iter().map(id).collect()
    }

    /// The bytes of a token, which may be a part of a character; none for a control token.
    ///
    /// # Errors
    ///
    /// [`Fault::Tokenizer`] for a token outside the vocabulary.
    pub fn piece(&self, token: u32) -> Result<Vec<u8>, Fault> {
        let token = self.known(token)?;
        Ok(self.vocab().token_to_piece(token, false, None))
    }

    /// llama.cpp's name of a token. It throws at what it does not know, through our frames.
    pub(crate) fn known(&self, token: u32) -> Result<LlamaToken, Fault> {
        i32::try_from(token)
            .ok()
            .filter(|_| (token as usize) < self.vocabulary)
            .map(LlamaToken)
            .ok_or_else(|| {
                let vocabulary = self.vocabulary;
                Fault::Tokenizer(format!(
                    "token {token} is outside the vocabulary of {vocabulary}"
                ))
            })
    }

    fn vocab(&self) -> LlamaVocab<'_> {
        self.model.vocab()
    }

    pub(crate) const fn model(&self) -> &LlamaModel {
        &self.model
    }

    pub(crate) const fn backend(&self) -> &LlamaBackend {
        &self.backend
    }
}

/// The id of one of llama.cpp's tokens, which are never negative where there is one.
pub(crate) fn id(token: LlamaToken) -> u32 {
    u32::try_from(token.0).expect("a token of the vocabulary")
}
