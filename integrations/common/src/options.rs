//! The command line that every integration has.

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// How to write a text, and where to put what is told of it.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// The model, a GGUF file [default: $MIROSTAT_MODEL, or what `bash integrations/model` got]
    #[arg(long, value_name = "FILE.gguf")]
    pub model: Option<PathBuf>,
    /// The rule that chooses tokens, with its parameters.
    #[command(flatten)]
    pub sampler: SamplerOptions,
    /// What the text begins with
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        default_value = "Once upon a time, in a village by the sea,"
    )]
    pub prompt: String,
    /// Put the prompt as a question to the assistant, in the model's chat format
    #[arg(long)]
    pub chat: bool,
    /// The most tokens to write
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub max_tokens: usize,
    /// Write on where the model ends its text
    #[arg(long)]
    pub ignore_end: bool,
    /// Write text, ids, every step and the times to this file
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Draw the surprise and the kept tokens of every step to this file
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Print the text alone
    #[arg(long)]
    pub quiet: bool,
}

impl Options {
    /// The prompt as the model reads it.
    #[must_use]
    pub fn prompt_text(&self) -> String {
        if self.chat {
            chat(&self.prompt)
        } else {
            self.prompt.clone()
        }
    }
}

/// A question to the assistant in the chat format of SmolLM2, as its GGUF file states it.
#[must_use]
pub fn chat(question: &str) -> String {
    format!(
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n\
         <|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
    )
}

/// A rule with its parameters; those of other rules have no effect.
#[derive(Clone, Debug, PartialEq, Args, Serialize)]
pub struct SamplerOptions {
    /// The rule that chooses tokens
    #[arg(long = "sampler", value_enum, default_value_t = Kind::V2)]
    pub kind: Kind,
    /// v1, v2: the target surprise, in bits
    #[arg(
        long,
        value_name = "BITS",
        default_value_t = 3.0,
        allow_negative_numbers = true
    )]
    pub tau: f64,
    /// v1, v2: the learning rate, bits of mu per bit of error
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub eta: f64,
    /// top-p: the share of probability that is kept
    #[arg(long, default_value_t = 0.9, allow_negative_numbers = true)]
    pub top_p: f64,
    /// top-k: how many tokens are kept
    #[arg(long, default_value_t = 40)]
    pub top_k: usize,
    /// min-p: the least probability, as a fraction of the greatest
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    pub min_p: f64,
    /// typical: the share of probability that is kept
    #[arg(long, default_value_t = 0.95, allow_negative_numbers = true)]
    pub typical: f64,
    /// epsilon: the least probability
    #[arg(long, default_value_t = 3e-4, allow_negative_numbers = true)]
    pub epsilon: f64,
    /// What logits are divided by, for every rule but greedy; v1 and v2 then aim at the surprise of the tempered row
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub temperature: f64,
    /// The seed of all random draws
    #[arg(long, default_value_t = 42)]
    pub seed: u64,
}

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Mirostat, version 1
    V1,
    /// Mirostat, version 2
    V2,
    /// The nucleus
    TopP,
    /// The k likeliest tokens
    TopK,
    /// What is not far below the likeliest
    MinP,
    /// What is near the entropy in surprise
    Typical,
    /// What is not below a probability
    Epsilon,
    /// The whole row
    Temperature,
    /// The likeliest token, always
    Greedy,
}

impl SamplerOptions {
    /// The target in bits, of the rules that have one.
    #[must_use]
    pub const fn target_bits(&self) -> Option<f64> {
        match self.kind {
            Kind::V1 | Kind::V2 => Some(self.tau),
            _ => None,
        }
    }

    /// The rule in a few words: `v2, tau 3.0 bits, eta 0.1, seed 42`.
    #[must_use]
    pub fn in_words(&self) -> String {
        let rule = match self.kind {
            Kind::V1 => format!("v1, tau {:?} bits, eta {:?}", self.tau, self.eta),
            Kind::V2 => format!("v2, tau {:?} bits, eta {:?}", self.tau, self.eta),
            Kind::TopP => format!("top-p {:?}", self.top_p),
            Kind::TopK => format!("top-k {}", self.top_k),
            Kind::MinP => format!("min-p {:?}", self.min_p),
            Kind::Typical => format!("typical {:?}", self.typical),
            Kind::Epsilon => format!("epsilon {:?}", self.epsilon),
            Kind::Temperature => format!("temperature {:?}", self.temperature),
            Kind::Greedy => return "greedy".to_owned(),
        };
        let tempered = if self.temperature == 1.0 || self.kind == Kind::Temperature {
            String::new()
        } else {
            format!(", temperature {:?}", self.temperature)
        };
        format!("{rule}{tempered}, seed {}", self.seed)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Arguments {
        #[command(flatten)]
        options: Options,
    }

    /// The options of a command line.
    pub(crate) fn parse(arguments: &[&str]) -> Options {
        Arguments::parse_from(std::iter::once("textgen").chain(arguments.iter().copied())).options
    }

    #[test]
    fn the_words_name_what_acts_and_nothing_else() {
        let words = |arguments: &[&str]| parse(arguments).sampler.in_words();
        assert_eq!(words(&[]), "v2, tau 3.0 bits, eta 0.1, seed 42");
        let told = words(&["--sampler", "top-k", "--top-k", "7", "--temperature", "0.5"]);
        assert_eq!(told, "top-k 7, temperature 0.5, seed 42");
        assert_eq!(
            words(&["--sampler", "greedy", "--temperature", "0.5"]),
            "greedy"
        );
    }

    #[test]
    fn a_prompt_may_begin_with_a_dash_and_a_text_has_a_token() {
        assert_eq!(parse(&["--prompt", "- salt"]).prompt, "- salt");
        let parsed = |limit| Arguments::try_parse_from(["textgen", "--max-tokens", limit]);
        assert!(parsed("1").is_ok() && parsed("0").is_err());
    }

    #[test]
    fn a_question_is_put_in_the_chat_format_only_where_asked() {
        assert_eq!(parse(&["--prompt", "Hi"]).prompt_text(), "Hi");
        let chat = parse(&["--prompt", "Hi", "--chat"]).prompt_text();
        assert!(chat.ends_with("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"));
    }
}
