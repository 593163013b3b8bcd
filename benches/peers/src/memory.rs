//! What a session holds: the resident memory of a fresh process with one session, and with many more.
//!
//! A process for each peer, because what one gives back to the allocator the next would find there.

use crate::record::{Memory, rounded};
use crate::rows::Source;
use crate::session::{CELL, names, session};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Sessions beside the first: enough that pages of 4 KiB tell, of ours too.
const SESSIONS: usize = 256;

/// Everyone in a process of their own.
pub(crate) fn run() -> Result<Vec<Memory>> {
    let this = std::env::current_exe()?;
    let of = |name: &&str| {
        let output = Command::new(&this).args(["memory-of", name]).output()?;
        if !output.status.success() {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    names().iter().map(of).collect()
}

/// This process's answer.
pub(crate) fn of(name: &str) -> Result<Memory> {
    let rows = Source::new(None).so_many_rows(CELL, 2)?;
    let new = || session(name).ok_or_else(|| format!("{name} is not compiled in"));
    let mut sessions = Vec::with_capacity(SESSIONS + 1);
    let before = status("VmRSS")?;
    sessions.push(new()?);
    for i in 0..4 {
        sessions[0](rows.row(i))?;
    }
    let (first, most) = (status("VmRSS")?, status("VmHWM")?);
    for i in 0..SESSIONS {
        let mut one = new()?;
        one(rows.row(i))?;
        sessions.push(one);
    }
    let each = (status("VmRSS")? - first) / SESSIONS as f64;
    Ok(Memory {
        peer: name.to_owned(),
        vocabulary: CELL.vocabulary,
        sessions: SESSIONS,
        bytes_a_session: rounded(each),
        bytes_while_stepping: rounded((most - before - each).max(0.0)),
    })
}

/// A figure of /proc/self/status, in bytes.
fn status(name: &str) -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find(|line| line.starts_with(name));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    let kib: f64 = kib.ok_or("this system has no such figure")?.parse()?;
    Ok(kib * 1024.0)
}
