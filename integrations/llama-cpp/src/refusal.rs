//! Why llama.cpp refuses a file, out of the words of its log: it gives no code.

use std::path::Path;

use mirostat_textgen::Fault;

/// The fault that these words mean; words that are not known are handed on as they are.
pub(crate) fn fault(path: &Path, cause: &str) -> Fault {
    let unknown = |what| Fault::UnknownKind {
        path: path.to_owned(),
        what,
        found: quoted(cause).unwrap_or("it has no name").to_owned(),
    };
    if cause.contains("unknown tokenizer") || cause.contains("unknown pre-tokenizer") {
        return unknown("tokenizer");
    }
    if cause.contains("unknown model architecture") {
        return unknown("architecture");
    }
    match shapes(cause) {
        Some([tokenizer, row]) if tokenizer != row => Fault::Vocabulary { row, tokenizer },
        _ => Fault::broken(path, cause),
    }
}

/// What stands between the last two quotation marks.
fn quoted(cause: &str) -> Option<&str> {
    cause.rsplit('\'').nth(1)
}

/// Tokens of the tokenizer and of the weights, where the matrix of embeddings is said to have another shape.
///
/// `… tensor 'token_embd.weight' has wrong shape; expected   576, 49151, got   576, 49152,     1,     1`
fn shapes(cause: &str) -> Option<[usize; 2]> {
    let (_, shapes) = cause.split_once("'token_embd.weight' has wrong shape; expected")?;
    let (expected, found) = shapes.split_once("got")?;
    let second = |shape: &str| shape.split(',').nth(1)?.trim().parse().ok();
    Some([second(expected)?, second(found)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_understood() {
        let path = Path::new("m.gguf");
        for (cause, kind, name) in [
            (
                "error loading model: unknown tokenizer: 'gptx'",
                "tokenizer",
                "gptx",
            ),
            ("unknown pre-tokenizer type: 'new'", "tokenizer", "new"),
            (
                "unknown model architecture: 'llama9'",
                "architecture",
                "llama9",
            ),
        ] {
            let understood = matches!(
                fault(path, cause),
                Fault::UnknownKind { what, found, .. } if what == kind && found == name
            );
            assert!(understood, "{cause}");
        }
        let shapes = "check_tensor_dims: tensor 'token_embd.weight' has wrong shape; expected   576, 49151, got   576, 49152,     1,     1";
        let understood = matches!(
            fault(path, shapes),
            Fault::Vocabulary {
                row: 49_152,
                tokenizer: 49_151
            }
        );
        assert!(understood);
        let understood = matches!(
            fault(path, "something new"),
            Fault::BrokenModel { what, .. } if what == "something new"
        );
        assert!(understood);
    }
}
