//! The tables: what a README shows of a record.

use crate::contestant::Role;
use crate::record::{Measured, Record, Verdict};
use crate::rows::Kind;
use crate::task::Task;
use std::fmt::Write;

/// The cell that the front page shows.
pub(crate) const MAIN: (Kind, usize) = (Kind::LlmLike, 128_256);

/// Everyone but us and the anchors, in the order of the columns: libraries, then array code.
const COLUMNS: [&str; 11] = [
    "llama.cpp",
    "token-sampling",
    "llm-samplers",
    "rten-generate",
    "rten-generate, normalize(true)",
    "rten-vecmath",
    "candle",
    "transformers",
    "mirostat.py",
    "torch",
    "numpy",
];

/// Cells of one kind of rows and one vocabulary.
pub(crate) fn cells_of(record: &Record, (kind, vocabulary): (Kind, usize)) -> Vec<&Measured> {
    record
        .measured()
        .iter()
        .filter(|m| m.rows == kind && m.vocabulary == vocabulary)
        .collect()
}

/// Our time at a task.
pub(crate) fn ours(cells: &[&Measured], task: Task) -> Option<f64> {
    cells
        .iter()
        .find(|m| m.task == task && m.role == Role::Ours)
        .and_then(|m| m.median_us)
}

/// Everyone who took part in a cell, in columns.
pub(crate) fn columns<'a>(cells: &[&'a Measured]) -> Vec<&'a str> {
    let place = |name: &str| {
        COLUMNS
            .iter()
            .position(|&c| name == c)
            .unwrap_or(COLUMNS.len())
    };
    let mut names: Vec<&str> = cells
        .iter()
        .filter(|m| matches!(m.role, Role::Peer | Role::Baseline))
        .map(|m| m.peer.as_str())
        .collect();
    names.sort_by_key(|&name| (place(name), name));
    names.dedup();
    names
}

/// The front page's table: µs, and how many times ours; wrong answers are marked and explained beneath.
pub(crate) fn main_table(record: &Record) -> String {
    let cells = cells_of(record, MAIN);
    let names = columns(&cells);
    let mut out = String::new();
    let head: String = names.iter().map(|name| format!(" {name} |")).collect();
    let _ = writeln!(out, "| µs a token | mirostat |{head}");
    let _ = writeln!(out, "|---|---:|{}", "---:|".repeat(names.len()));
    let mut reasons: Vec<String> = Vec::new();
    for task in Task::ALL {
        let Some(our_us) = ours(&cells, task) else {
            continue;
        };
        let _ = write!(out, "| {} | **{}** |", task.title(), micros(our_us));
        for name in &names {
            let found = cells.iter().find(|m| m.task == task && m.peer == *name);
            let _ = write!(
                out,
                " {} |",
                found.map_or(String::new(), |m| entry(m, our_us, &mut reasons))
            );
        }
        out.push('\n');
    }
    if !reasons.is_empty() {
        out.push('\n');
        let _ = writeln!(out, "✗ answers wrongly: {}.", reasons.join("; "));
    }
    let _ = write!(out, "\n{}\n", behind(record));
    if let Some(section) = &record.measured {
        let c = &section.circumstances;
        let _ = writeln!(
            out,
            "\nMedians on {}, one core, V = 128,256 llm-like f32 rows, new on every call, {}; in brackets the ratio to ours.",
            c.machine,
            &c.date[..c.date.len().min(10)]
        );
    }
    out
}

fn entry(measured: &Measured, our_us: f64, reasons: &mut Vec<String>) -> String {
    let time = measured.median_us.map_or("refuses".to_owned(), |us| {
        format!("{} ({})", micros(us), ratio(us / our_us))
    });
    if measured.verdict == Verdict::Right {
        return time;
    }
    let reason = measured.reason.as_deref().unwrap_or("not told");
    reasons.push(format!(
        "{} at {}, {reason}",
        measured.peer,
        measured.task.title()
    ));
    format!("{time} ✗")
}

/// Where a right answer comes sooner than ours, in every cell that was measured.
fn behind(record: &Record) -> String {
    let all = record.measured();
    let slower: Vec<String> = compared(all)
        .filter(|(m, our_us)| m.median_us.is_some_and(|us| us < *our_us))
        .map(|(m, our_us)| {
            format!(
                "{} at {} on {} rows of {} ({} µs against {})",
                m.peer,
                m.task.title(),
                m.rows.name(),
                thousands(m.vocabulary as f64),
                micros(m.median_us.unwrap_or_default()),
                micros(our_us)
            )
        })
        .collect();
    let compared = compared(all).count();
    if slower.is_empty() {
        format!(
            "Of {compared} comparisons over all vocabularies and kinds of rows with peers that answer rightly, we are slower in none."
        )
    } else {
        format!(
            "Of {compared} comparisons over all vocabularies and kinds of rows with peers that answer rightly, we are slower in {}: {}.",
            slower.len(),
            slower.join("; ")
        )
    }
}

/// Every right answer of somebody else beside our time.
pub(crate) fn compared(all: &[Measured]) -> impl Iterator<Item = (&Measured, f64)> {
    all.iter()
        .filter(|m| matches!(m.role, Role::Peer | Role::Baseline) && m.verdict == Verdict::Right)
        .filter_map(|m| {
            let same: Vec<&Measured> = all
                .iter()
                .filter(|o| o.rows == m.rows && o.vocabulary == m.vocabulary)
                .collect();
            Some((m, ours(&same, m.task)?))
        })
}

/// Sessions, memory, first tokens.
pub(crate) fn other_tables(record: &Record) -> String {
    let mut out = String::new();
    if let Some(batch) = &record.batch {
        let _ = writeln!(
            out,
            "| ms a batch of Mirostat V2, V = 128,256 | sessions | 1 thread | 2 threads |"
        );
        let _ = writeln!(out, "|---|---:|---:|---:|");
        let results = &batch.results;
        for first in results.iter().filter(|b| b.threads == 1) {
            let second = results
                .iter()
                .find(|b| b.threads == 2 && b.peer == first.peer && b.sessions == first.sessions);
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                first.peer,
                first.sessions,
                millis(first.median_us),
                second.map_or(String::new(), |b| millis(b.median_us))
            );
        }
    }
    if let Some(memory) = &record.memory {
        let _ = writeln!(
            out,
            "\n| bytes, V = 128,256 | a session keeps | while stepping, a thread |"
        );
        let _ = writeln!(out, "|---|---:|---:|");
        for m in &memory.results {
            let [each, most] = [m.bytes_a_session, m.bytes_while_stepping].map(thousands);
            let _ = writeln!(out, "| {} | {each} | {most} |", m.peer);
        }
    }
    if let Some(first) = &record.first_token {
        let _ = writeln!(
            out,
            "\n| ms to the first token | whole process | of which the sampler |"
        );
        let _ = writeln!(out, "|---|---:|---:|");
        for f in &first.results {
            let _ = writeln!(
                out,
                "| {} | {:.1} | {:.2} |",
                f.peer, f.process_ms, f.sampler_ms
            );
        }
    }
    out
}

/// One table for each task: everyone on every kind of rows and vocabulary.
pub(crate) fn full_tables(record: &Record) -> String {
    let all = record.measured();
    let mut out = String::new();
    let mut cells: Vec<(Kind, usize)> = all.iter().map(|m| (m.rows, m.vocabulary)).collect();
    cells.dedup();
    for task in Task::ALL {
        let of_task: Vec<&Measured> = all.iter().filter(|m| m.task == task).collect();
        let names = columns(&of_task);
        if of_task.is_empty() {
            continue;
        }
        let head: String = names.iter().map(|name| format!(" {name} |")).collect();
        let _ = writeln!(out, "\n## {}\n\n| µs | V | mirostat |{head}", task.title());
        let _ = writeln!(out, "|---|---:|---:|{}", "---:|".repeat(names.len()));
        let mut reasons = Vec::new();
        for &(kind, vocabulary) in &cells {
            let row: Vec<&Measured> = of_task
                .iter()
                .copied()
                .filter(|m| m.rows == kind && m.vocabulary == vocabulary)
                .collect();
            let Some(our_us) = ours(&row, task) else {
                continue;
            };
            let _ = write!(
                out,
                "| {} | {} | **{}** |",
                kind.name(),
                thousands(vocabulary as f64),
                micros(our_us)
            );
            for name in &names {
                let text = row
                    .iter()
                    .find(|m| m.peer == *name)
                    .map_or(String::new(), |m| {
                        if let Some(reason) = &m.reason {
                            reasons.push(format!(
                                "- {}, {} rows of {vocabulary}: {reason}",
                                m.peer,
                                kind.name()
                            ));
                        }
                        entry(m, our_us, &mut Vec::new())
                    });
                let _ = write!(out, " {text} |");
            }
            out.push('\n');
        }
        if !reasons.is_empty() {
            let _ = writeln!(out, "\n✗:\n{}", reasons.join("\n"));
        }
    }
    out
}

/// A time in µs with three digits or so.
fn micros(us: f64) -> String {
    if us < 10.0 {
        format!("{us:.2}")
    } else if us < 100.0 {
        format!("{us:.1}")
    } else {
        thousands(us)
    }
}

fn millis(us: f64) -> String {
    if us < 1e5 {
        format!("{:.3}", us / 1e3)
    } else {
        format!("{:.0}", us / 1e3)
    }
}

fn ratio(times: f64) -> String {
    if times < 10.0 {
        format!("{times:.2}×")
    } else {
        format!("{times:.0}×")
    }
}

/// A whole number with commas.
fn thousands(x: f64) -> String {
    let digits = format!("{x:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::record::{Language, Section};
    use std::collections::BTreeMap;

    /// A record of three at one task.
    pub(crate) fn record() -> Record {
        let one = |peer: &str, role, us, reason: Option<&str>| Measured {
            task: Task::TopK,
            peer: peer.to_owned(),
            role,
            language: Language::Rust,
            rows: MAIN.0,
            vocabulary: MAIN.1,
            median_us: Some(us),
            quartiles_us: Some([us, us]),
            calls: 3,
            verdict: if reason.is_some() {
                Verdict::Wrong
            } else {
                Verdict::Right
            },
            reason: reason.map(str::to_owned),
        };
        Record {
            measured: Some(Section {
                circumstances: crate::machine::circumstances(BTreeMap::new()),
                results: vec![
                    one("mirostat", Role::Ours, 10.0, None),
                    one("llama.cpp", Role::Peer, 1234.0, None),
                    one("numpy", Role::Baseline, 9.0, None),
                    one("rten-generate", Role::Peer, 5.0, Some("keeps 3 of 9")),
                ],
            }),
            ..Record::default()
        }
    }

    #[test]
    fn ratios_reasons_and_what_we_lose_stand_in_the_table() {
        let table = main_table(&record());
        assert!(
            table
                .contains("| top-k 40 | **10.0** | 1,234 (123×) | 5.00 (0.50×) ✗ | 9.00 (0.90×) |"),
            "{table}"
        );
        assert!(
            table.contains("rten-generate at top-k 40, keeps 3 of 9"),
            "{table}"
        );
        // The wrong one is no rival, the baseline is.
        assert!(table.contains("Of 2 comparisons"), "{table}");
        assert!(table.contains("slower in 1: numpy at top-k 40"), "{table}");
    }

    #[test]
    fn numbers_have_commas() {
        assert_eq!(
            [7.0, 1234.0, 1_234_567.0].map(thousands),
            ["7", "1,234", "1,234,567"]
        );
    }
}
