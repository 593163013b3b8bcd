//! A language model in candle that writes text: what the programmes of this crate run.

mod llama;
mod tokenizer;

pub use llama::Llama;
pub use tokenizer::GgufTokenizer;

use mirostat_textgen::Integration;

/// What a report of a programme of this crate is signed with.
#[must_use]
pub const fn signature(program: &'static str) -> Integration {
    Integration {
        program,
        version: env!("CARGO_PKG_VERSION"),
        runtime: "candle",
        runtime_version: CANDLE_VERSION,
    }
}

/// The version in Cargo.lock: candle has no constant of it.
const CANDLE_VERSION: &str = "0.11.1";

#[cfg(test)]
mod tests {
    #[test]
    fn the_version_of_candle_is_that_of_the_lock() {
        let lock = include_str!("../../Cargo.lock");
        let entry = format!(
            "name = \"candle-core\"\nversion = \"{}\"\n",
            super::CANDLE_VERSION
        );
        assert!(lock.contains(&entry));
    }
}
