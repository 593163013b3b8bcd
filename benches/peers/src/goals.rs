//! The goals, and whether this record meets them.

use crate::record::{Record, Verdict};
use crate::table::{MAIN, cells_of, compared, ours};
use crate::task::Task;

/// Task, peer, at least how many times our time; at V = 128,256 on llm-like rows.
const GOALS: [(Task, &str, f64); 5] = [
    (Task::MirostatV2, "llama.cpp", 300.0),
    (Task::MirostatV2, "token-sampling", 200.0),
    (Task::MirostatV2, "numpy", 5.0),
    (Task::TopK, "llama.cpp", 6.0),
    (Task::Softmax, "rten-vecmath", 1.5),
];

/// A line for each goal.
pub(crate) fn lines(record: &Record) -> Vec<String> {
    let cells = cells_of(record, MAIN);
    let mut lines = Vec::new();
    for (task, peer, goal) in GOALS {
        let found = cells.iter().find(|m| m.task == task && m.peer == peer);
        let line = match (found.and_then(|m| m.median_us), ours(&cells, task)) {
            (Some(theirs), Some(us)) => {
                let times = theirs / us;
                let word = if times >= goal { "met" } else { "missed" };
                format!("{times:7.2} >= {goal:<5} {word}")
            }
            _ => "        not measured".to_owned(),
        };
        lines.push(format!("{:18} {peer:16}{line}", task.title()));
    }
    let all = record.measured();
    let lost: Vec<_> = compared(all)
        .filter(|(m, our_us)| m.median_us.is_some_and(|us| us < *our_us))
        .collect();
    let word = if lost.is_empty() { "met" } else { "missed" };
    lines.push(format!(
        "ahead of every right answer: behind in {} of {} {word}",
        lost.len(),
        compared(all).count()
    ));
    let wrong = all.iter().filter(|m| m.verdict == Verdict::Wrong).count();
    lines.push(format!("wrong answers: {wrong} of {}", all.len()));
    lines
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_goal_is_met_missed_or_not_measured() {
        let lines = super::lines(&crate::table::tests::record());
        assert!(lines[3].ends_with(">= 6     met"), "{}", lines[3]);
        assert!(lines[0].ends_with("not measured"), "{}", lines[0]);
        assert!(lines[5].contains("behind in 1 of 2 missed"), "{}", lines[5]);
    }
}
