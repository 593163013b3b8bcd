//! Where it ran, and with what.

use crate::record::Circumstances;
use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::process::Command;

/// The peers whose versions the lock file pins, as they are called there.
const PINNED: [&str; 10] = [
    "mirostat",
    "llama-cpp-sys-2",
    "token-sampling",
    "llm-samplers",
    "rten-generate",
    "rten-vecmath",
    "candle-core",
    "candle-nn",
    "candle-transformers",
    "rayon",
];

/// The circumstances of this moment, with the versions of the Rust side and `more`.
pub(crate) fn circumstances(more: BTreeMap<String, String>) -> Circumstances {
    let mut versions = pinned(include_str!("../Cargo.lock"));
    versions.insert("rustc".to_owned(), output("rustc", &["--version"]));
    versions.extend(more);
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    Circumstances {
        date: output("date", &["-u", "+%Y-%m-%dT%H:%M:%SZ"]),
        command: std::env::args().collect::<Vec<_>>().join(" "),
        machine: name(),
        kernel: first_line("/proc/sys/kernel/osrelease"),
        governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        cores_allowed: field(&status, "Cpus_allowed_list").unwrap_or_default(),
        load: first_line("/proc/loadavg"),
        versions,
    }
}

/// Processor, family, model, cores.
fn name() -> String {
    let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let of = |name| field(&cpu, name).unwrap_or_else(|| "?".to_owned());
    let cores = cpu.lines().filter(|l| l.starts_with("processor")).count();
    format!(
        "{} (family {}, model {}), {cores} cores",
        of("model name"),
        of("cpu family"),
        of("model\t")
    )
}

/// A folder's name for this processor: `amd-epyc-zen4`, or the model's name with family and model.
pub(crate) fn slug() -> String {
    let cpu = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let number = |name| field(&cpu, name).and_then(|n| n.parse().ok());
    let name = field(&cpu, "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    slug_of(&name, number("cpu family"), number("model\t"))
}

fn slug_of(name: &str, family: Option<u32>, model: Option<u32>) -> String {
    let kind = match (family, model) {
        (Some(25), Some(0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf)) => "zen4".to_owned(),
        (Some(25), _) => "zen3".to_owned(),
        (Some(26), _) => "zen5".to_owned(),
        (Some(family), Some(model)) => format!("{family}-{model}"),
        _ => String::new(),
    };
    let lower = name.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let words = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty() && !["processor", "cpu"].contains(word))
        .take(2)
        .chain((!kind.is_empty()).then_some(kind.as_str()));
    words.collect::<Vec<_>>().join("-")
}

/// The versions that a lock file gives to the peers.
fn pinned(lock: &str) -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    let mut name = "";
    for line in lock.lines() {
        if let Some(quoted) = line.strip_prefix("name = ") {
            name = quoted.trim_matches('"');
        } else if let Some(version) = line.strip_prefix("version = ")
            && PINNED.contains(&name)
        {
            versions.insert(name.to_owned(), version.trim_matches('"').to_owned());
        }
    }
    versions
}

/// The value of the first line that starts with `name`, after its colon.
fn field(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn first_line(path: &str) -> String {
    let text = read_to_string(path).unwrap_or_else(|_| "not told".to_owned());
    text.lines().next().unwrap_or_default().to_owned()
}

fn output(program: &str, args: &[&str]) -> String {
    match Command::new(program).args(args).output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        Err(_) => "not told".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_have_short_names() {
        assert_eq!(slug_of("AMD EPYC", Some(25), Some(17)), "amd-epyc-zen4");
        assert_eq!(
            slug_of("AMD EPYC 9755 128-Core Processor", Some(26), Some(2)),
            "amd-epyc-zen5"
        );
        assert_eq!(
            slug_of("Intel(R) Xeon(R) CPU @ 2.2GHz", Some(6), Some(85)),
            "intel-xeon-6-85"
        );
        assert_eq!(slug_of("aarch64", None, None), "aarch64");
    }

    #[test]
    fn the_lock_file_pins_every_peer() {
        let versions = pinned(include_str!("../Cargo.lock"));
        for peer in PINNED {
            assert!(versions.contains_key(peer), "{peer}");
        }
    }
}
