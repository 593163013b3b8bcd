//! The record: one JSON file for a machine and a day, into which each part writes its own section.

use crate::contestant::Role;
use crate::rows::Kind;
use crate::task::Task;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) measured: Option<Section<Vec<Measured>>>,
    pub(crate) batch: Option<Section<Vec<Batch>>>,
    pub(crate) memory: Option<Section<Vec<Memory>>>,
    pub(crate) first_token: Option<Section<Vec<FirstToken>>>,
}

/// What a part wrote, and in which circumstances.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Section<T> {
    pub(crate) circumstances: Circumstances,
    pub(crate) results: T,
}

/// What a figure without which cannot be repeated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Circumstances {
    pub(crate) date: String,
    pub(crate) command: String,
    pub(crate) machine: String,
    pub(crate) kernel: String,
    pub(crate) governor: String,
    pub(crate) cores_allowed: String,
    pub(crate) load: String,
    pub(crate) versions: BTreeMap<String, String>,
}

/// One contestant at one task on one kind of rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) task: Task,
    pub(crate) peer: String,
    pub(crate) role: Role,
    pub(crate) language: Language,
    pub(crate) rows: Kind,
    pub(crate) vocabulary: usize,
    /// Nothing where the peer refused the rows.
    pub(crate) median_us: Option<f64>,
    pub(crate) quartiles_us: Option<[f64; 2]>,
    pub(crate) calls: usize,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Language {
    Rust,
    Python,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Right,
    Wrong,
}

/// Many sessions, one step each.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Batch {
    pub(crate) peer: String,
    pub(crate) vocabulary: usize,
    pub(crate) sessions: usize,
    pub(crate) threads: usize,
    pub(crate) median_us: f64,
    pub(crate) quartiles_us: [f64; 2],
    pub(crate) calls: usize,
}

/// What sessions hold, by the resident memory of a fresh process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Memory {
    pub(crate) peer: String,
    pub(crate) vocabulary: usize,
    pub(crate) sessions: usize,
    /// What stays of each after a step.
    pub(crate) bytes_a_session: f64,
    /// What one thread needed at the most while the sessions stepped, beyond what they keep.
    pub(crate) bytes_while_stepping: f64,
}

/// From the start of a process to its first token and end, the median of several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FirstToken {
    pub(crate) peer: String,
    pub(crate) vocabulary: usize,
    pub(crate) process_ms: f64,
    /// Of which from the making of the sampler to its token.
    pub(crate) sampler_ms: f64,
    pub(crate) processes: usize,
}

impl Record {
    /// The record at a path; an empty one where there is none.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path)?;
        Ok(serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?)
    }

    /// Changes the record at a path.
    pub(crate) fn update(path: &Path, change: impl FnOnce(&mut Self)) -> Result<()> {
        let mut record = Self::read(path)?;
        change(&mut record);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(
            path,
            format!("{}\n", serde_json::to_string_pretty(&record)?),
        )?;
        println!("wrote {}", path.display());
        Ok(())
    }

    /// All measured cells.
    pub(crate) fn measured(&self) -> &[Measured] {
        self.measured.as_ref().map_or(&[], |m| &m.results)
    }
}

/// To four digits that count: more than the clock knows.
pub(crate) fn rounded(x: f64) -> f64 {
    if x == 0.0 {
        return x;
    }
    let scale = libm::pow(10.0, 3.0 - libm::floor(libm::log10(x.abs())));
    (x * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_stay() {
        assert_eq!(
            [123_456.0, 23.456_78, 0.0].map(rounded),
            [123_500.0, 23.46, 0.0]
        );
    }

    #[test]
    fn a_section_is_written_beside_the_others() {
        let path =
            std::env::temp_dir().join(format!("mirostat-record-{}.json", std::process::id()));
        let memory = |peer: &str| Memory {
            peer: peer.to_owned(),
            vocabulary: 8,
            sessions: 1,
            bytes_a_session: 1.0,
            bytes_while_stepping: 2.0,
        };
        let section = |peer| {
            Some(Section {
                circumstances: crate::machine::circumstances(BTreeMap::new()),
                results: vec![memory(peer)],
            })
        };
        Record::update(&path, |r| r.memory = section("a")).expect("writable");
        Record::update(&path, |r| r.first_token = None).expect("writable");
        let back = Record::read(&path).expect("readable");
        assert_eq!(back.memory.expect("kept").results[0].peer, "a");
        std::fs::remove_file(path).expect("there");
    }
}
