//! What is broken is refused in words, with what to do, an exit code other than 0, and nothing half-written.

mod broken;

use broken::Gguf;
use mirostat_llama_cpp::{Sequences, Weights};
use mirostat_textgen::Fault;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs, thread};

/// Runs the programme in an empty folder, told to leave a report and a plot there; they must not be left.
fn refused(arguments: &[&str], expected: &[&str]) {
    let folder = folder();
    let report = folder.join("report.json");
    let plot = folder.join("plot.svg");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mirostat-llama-cpp"));
    command
        .args(["--report".as_ref(), report.as_os_str()])
        .args(arguments);
    // Of several texts there is no plot.
    if !arguments
        .iter()
        .any(|a| ["--sequences", "--compare"].contains(a))
    {
        command.args(["--plot".as_ref(), plot.as_os_str()]);
    }
    let output = command.output().unwrap();
    let Output {
        status,
        stdout,
        stderr,
    } = output;
    let said = String::from_utf8(stderr).unwrap();
    println!("{said}");
    assert!(
        status.code().is_some_and(|code| code != 0),
        "{arguments:?} ends with {status}: {said}"
    );
    assert!(stdout.is_empty(), "{}", String::from_utf8_lossy(&stdout));
    for words in expected {
        assert!(said.contains(words), "'{words}' is not in: {said}");
    }
    assert!(
        said.lines().count() <= 2,
        "llama.cpp's log is silent: {said}"
    );
    let left = fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 0, "{arguments:?} leaves files");
}

/// An empty folder of the test that asks.
fn folder() -> PathBuf {
    let test = thread::current().name().unwrap().to_owned();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    // What a failed run has left.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Refuses this copy of the model.
fn refused_model(model: &Gguf, arguments: &[&str], expected: &[&str]) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken.gguf");
    fs::write(&path, &model.bytes).unwrap();
    let mut all = vec!["--model", path.to_str().unwrap()];
    all.extend(arguments);
    refused(&all, expected);
    fs::remove_file(path).unwrap();
}

#[test]
fn broken_models_are_refused() {
    let get_it = "bash integrations/model";
    refused(
        &["--model", "/nowhere/m.gguf"],
        &["no model: /nowhere/m.gguf is not there", get_it],
    );
    refused(
        &["--model", "Cargo.toml"],
        &["does not begin with the letters GGUF", get_it],
    );
    for fraction in [0.999, 0.5, 0.01] {
        refused_model(
            &Gguf::read().cut(fraction),
            &[],
            &["is not a sound GGUF model", get_it],
        );
    }
    refused_model(
        &Gguf::read().with_text("tokenizer.ggml.model", "gptx"),
        &[],
        &[
            "has a tokenizer that this runtime does not know: gptx",
            get_it,
        ],
    );
    refused_model(
        &Gguf::read().with_text("general.architecture", "llamb"),
        &[],
        &["architecture that this runtime does not know: llamb"],
    );
    refused_model(
        &Gguf::read().with_a_token_less(),
        &[],
        &[
            "the model's rows have 49152 logits, but its tokenizer knows 49151 tokens",
            "tokenizer was made with it",
        ],
    );
    // The weights are tied: this is also what the logit of token 0 is made of. (A NaN in a norm llama.cpp quantises away.)
    let nan = Gguf::read().with_nan("token_embd.weight");
    let no_numbers = [
        "the row of step 0 was refused: the logit at index 0 is NaN",
        "the model computed no numbers",
    ];
    refused_model(&nan, &[], &no_numbers);
    refused_model(&nan, &["--sampler", "top-p"], &no_numbers);
    refused_model(&nan, &["--sequences", "3"], &no_numbers);
}

#[test]
fn mistakes_of_the_command_line_are_refused() {
    refused(&["--tau", "-1"], &["tau is -1"]);
    refused(
        &["--max-tokens", "100000"],
        &[
            "more than the 8192 of the model's context",
            "lower --max-tokens",
        ],
    );
    for more in [&["--compare"][..], &["--sequences", "2"], &[]] {
        let no_token = ["the prompt has no token", "--prompt"];
        refused(&[&["--prompt", ""], more].concat(), &no_token);
        refused(&[&["--tau", "nan"], more].concat(), &["tau is NaN"]);
    }
    refused(
        &["--sampler", "top-k", "--top-k", "49153"],
        &["the model knows 49152 tokens", "lower --top-k"],
    );
    refused(
        &["--sequences", "257"],
        &["no context for 257 sequences", "ask for fewer"],
    );
}

#[test]
fn numbers_out_of_range_are_refused_by_the_command_line() {
    for [option, number] in [
        ["--max-tokens", "0"],
        ["--sequences", "0"],
        ["--threads", "0"],
        ["--threads", "4096"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_mirostat-llama-cpp"))
            .args([option, number])
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(option) && output.stdout.is_empty(), "{said}");
    }
}

#[test]
fn no_room_is_refused_where_llama_cpp_would_abort() {
    let path = mirostat_textgen::open_model(None).unwrap().0;
    let weights = Weights::load(&path, false).unwrap();
    for (count, length) in [(0, 0), (0, 8), (1, 0)] {
        let mut sequences = Sequences::new(&weights, count, length, 1).unwrap();
        assert_eq!(sequences.count(), count);
        if count > 0 {
            let fault = sequences.feed(0, &[1]).unwrap_err();
            assert!(matches!(fault, Fault::Context { context: 0, .. }));
        }
    }
}
