//! A seed, a prompt and a build give one text; another seed gives another.

use std::process::Command;

fn text(arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_mirostat-llama-cpp"))
        .args(["--quiet", "--max-tokens", "24", "--prompt", "The sea"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

#[test]
fn the_text_is_of_the_seed() {
    for sampler in ["v1", "v2", "top-p"] {
        let of = |seed| text(&["--sampler", sampler, "--seed", seed]);
        assert_eq!(of("7"), of("7"), "{sampler}");
        assert_ne!(of("7"), of("8"), "{sampler}");
    }
    assert_eq!(
        text(&["--sampler", "greedy"]),
        text(&["--sampler", "greedy", "--seed", "9"])
    );
}
