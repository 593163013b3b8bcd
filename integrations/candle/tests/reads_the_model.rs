//! The model of `integrations/model` in candle: its tokens, its cache, and copies of its file that are not what they should be.

use candle_core::quantized::gguf_file::{Content, Value};
use mirostat::generation::{Logits as _, Model as _};
use mirostat_candle::text::{GgufTokenizer, Llama};
use mirostat_textgen::{Fault, TextModel as _, chat, open_model};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Loading takes its time, so all tests clone one.
static MODEL: LazyLock<Llama> = LazyLock::new(|| {
    let (path, file) = open_model(None).unwrap_or_else(|fault| {
        panic!("{fault}: {}", fault.advice().unwrap_or_default());
    });
    Llama::load(&path, file).unwrap()
});

fn content() -> (Content, PathBuf) {
    let (path, mut file) = open_model(None).unwrap();
    (Content::read(&mut file).unwrap(), path)
}

#[test]
fn a_text_comes_back_from_its_tokens() {
    let model = MODEL.clone();
    for text in [
        "Hello, world",
        " a  b\n\tc",
        "naïve 🙂 日本",
        "in 1984, 12345",
    ] {
        let tokens = model.tokens(text).unwrap();
        let bytes: Vec<u8> = tokens
            .iter()
            .flat_map(|&token| model.piece(token).unwrap())
            .collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), text);
    }
}

// The ids are llama.cpp's (llama-cpp-python 0.3.36), of the same file: no space is added, and every digit is a token.
#[test]
fn the_tokens_are_those_of_llama_cpp() {
    for (text, tokens) in [
        ("The capital of France is", &[504, 3575, 282, 4649, 314][..]),
        (
            "def fibonacci(n):\n    if n <= 1:\n        return",
            &[
                1604, 3987, 46477, 24, 94, 727, 472, 585, 304, 10204, 216, 33, 42, 448, 1003,
            ][..],
        ),
        (
            "Top five countries by population:\n1. India\n2. China\n3.",
            &[
                14777, 2531, 2075, 411, 2155, 42, 198, 33, 30, 3089, 198, 34, 30, 3275, 198, 35, 30,
            ][..],
        ),
        (
            "今天天气很",
            &[
                15076, 228, 18614, 119, 18614, 119, 177, 125, 238, 29157, 226,
            ][..],
        ),
    ] {
        assert_eq!(MODEL.tokens(text).unwrap(), tokens, "{text:?}");
    }
}

#[test]
fn control_tokens_are_read_by_name_and_have_no_text() {
    let model = MODEL.clone();
    let tokens = model.tokens(&chat("Hi")).unwrap();
    assert_eq!(
        (
            tokens[0],
            tokens.iter().filter(|&&token| token == 2).count()
        ),
        (1, 2)
    );
    assert_eq!(model.piece(1).unwrap(), b"");
    assert_eq!(model.end_tokens(), [0, 2]);
    assert!(matches!(model.piece(49_152), Err(Fault::Tokenizer(_))));
}

fn row(model: &mut Llama, context: &[u32]) -> Vec<f64> {
    let logits = model.logits(context).unwrap();
    assert!(!logits.is_copy());
    logits.row().to_f64()
}

#[test]
fn a_context_may_grow_change_and_repeat() {
    let mut model = MODEL.clone();
    let text = model
        .tokens("The capital of France is Paris. The capital")
        .unwrap();
    let (start, grown) = (&text[..5], &text[..6]);
    let first = row(&mut model, start);
    assert_eq!(first.len(), model.vocabulary());
    let after = row(&mut model, grown);
    // A fresh model that reads all at once computes nearly the same: only the order of its sums differs.
    let whole = row(&mut MODEL.clone(), grown);
    let worst = after
        .iter()
        .zip(&whole)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(worst < 0.5, "{worst}");
    assert_ne!(after, first);
    assert_eq!(row(&mut model, start), first);
    assert_eq!(row(&mut model, start), first);
}

#[test]
fn the_capital_of_france_is_paris() {
    let mut model = MODEL.clone();
    let context = model.tokens("The capital of France is").unwrap();
    let (token, _) = mirostat::greatest(model.logits(&context).unwrap().row()).unwrap();
    assert_eq!(model.piece(token).unwrap(), b" Paris");
}

#[test]
fn a_tokenizer_of_an_unknown_kind_is_refused() {
    for (key, value) in [("model", "llama"), ("pre", "klingon")] {
        let (mut content, path) = content();
        content.metadata.insert(
            format!("tokenizer.ggml.{key}"),
            Value::String(value.to_owned()),
        );
        let fault = GgufTokenizer::of(&content, &path).unwrap_err();
        assert!(fault.to_string().contains(value), "{fault}");
        assert!(
            matches!(
                fault,
                Fault::UnknownKind {
                    what: "tokenizer",
                    ..
                }
            ),
            "{fault}"
        );
    }
}

#[test]
fn a_tokenizer_with_a_part_missing_is_refused() {
    for key in ["model", "pre", "tokens", "merges"] {
        let (mut content, path) = content();
        content.metadata.remove(&format!("tokenizer.ggml.{key}"));
        let fault = GgufTokenizer::of(&content, &path).unwrap_err();
        assert!(matches!(fault, Fault::BrokenModel { .. }), "{fault}");
    }
}

/// A copy of the model's file in which one occurrence of `from` has become `to`, of the same length.
fn changed(name: &str, from: &[u8], to: &[u8], length: Option<usize>) -> PathBuf {
    let (path, _) = open_model(None).unwrap();
    let mut bytes = std::fs::read(path).unwrap();
    let place = bytes
        .windows(from.len())
        .position(|window| window == from)
        .unwrap();
    bytes[place..place + to.len()].copy_from_slice(to);
    bytes.truncate(length.unwrap_or(bytes.len()));
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.gguf"));
    std::fs::write(&copy, bytes).unwrap();
    copy
}

fn load(path: &Path) -> Fault {
    let fault = Llama::load(path, File::open(path).unwrap())
        .map(|_| ())
        .unwrap_err();
    std::fs::remove_file(path).unwrap();
    fault
}

#[test]
fn a_file_that_is_cut_short_is_refused_wherever_it_was_cut() {
    for length in [4, 20, 1_000, 1_500_000, 60_000_000, 98_362_000] {
        let fault = load(&changed(
            &format!("short-{length}"),
            b"GGUF",
            b"GGUF",
            Some(length),
        ));
        assert!(
            matches!(fault, Fault::BrokenModel { .. }),
            "{length}: {fault}"
        );
        assert!(
            fault
                .advice()
                .is_some_and(|advice| advice.contains("integrations/model"))
        );
    }
}

#[test]
fn another_architecture_is_refused_by_name() {
    let from = b"general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0llama";
    let to = b"general.architecture\x08\0\0\0\x05\0\0\0\0\0\0\0mamba";
    let fault = load(&changed("mamba", from, to, None));
    assert!(
        matches!(
            fault,
            Fault::UnknownKind {
                what: "architecture",
                ..
            }
        ),
        "{fault}"
    );
    assert!(fault.to_string().contains("mamba"));
}
