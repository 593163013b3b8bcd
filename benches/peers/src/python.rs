//! The Python half: a process of its own, on the same core, which speaks lines of JSON.

use crate::contestant::{Answer, Role};
use crate::task::Task;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A contestant over there.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Remote {
    pub(crate) name: String,
    pub(crate) role: Role,
}

/// What came of asking for an answer.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) struct Reply {
    pub(crate) answer: Option<Answer>,
    pub(crate) refused: Option<String>,
    #[serde(default)]
    pub(crate) took_us: f64,
}

/// The running process.
pub(crate) struct Python {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Python {
    /// Starts `interpreter` on `python/server.py`, one thread in every library that would take more.
    pub(crate) fn start(interpreter: &Path, with_torch: bool) -> Result<Self> {
        let mut command = interpreter_command(interpreter, "server.py");
        if !with_torch {
            command.arg("--without-torch");
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        Ok(Self { child, to, from })
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &Value) -> Result<T> {
        let to = self.to.as_mut().ok_or("no pipe")?;
        writeln!(to, "{request}")?;
        to.flush()?;
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            return Err(format!("python stopped at {request}").into());
        }
        Ok(serde_json::from_str(&line)?)
    }

    pub(crate) fn versions(&mut self) -> Result<BTreeMap<String, String>> {
        #[derive(Deserialize)]
        struct Versions {
            versions: BTreeMap<String, String>,
        }
        Ok(self.ask::<Versions>(&json!({"op": "versions"}))?.versions)
    }

    pub(crate) fn load(&mut self, path: &Path, mu_bits: f64) -> Result<()> {
        self.ask::<Value>(&json!({"op": "load", "path": path, "mu_bits": mu_bits}))
            .map(drop)
    }

    pub(crate) fn enter(&mut self, task: Task) -> Result<Vec<Remote>> {
        #[derive(Deserialize)]
        struct Contestants {
            contestants: Vec<Remote>,
        }
        let request = json!({"op": "enter", "task": task.name()});
        Ok(self.ask::<Contestants>(&request)?.contestants)
    }

    pub(crate) fn answer(&mut self, name: &str, row: usize) -> Result<Reply> {
        self.ask(&json!({"op": "answer", "name": name, "row": row}))
    }

    pub(crate) fn draws(&mut self, name: &str, count: usize) -> Result<Vec<u32>> {
        #[derive(Deserialize)]
        struct Drawn {
            tokens: Vec<u32>,
        }
        let request = json!({"op": "draws", "name": name, "count": count});
        Ok(self.ask::<Drawn>(&request)?.tokens)
    }

    /// A turn of the clock; the times of each contestant, in µs.
    pub(crate) fn turn(
        &mut self,
        strides: &[(String, usize)],
        row_step: usize,
        first: usize,
        rounds: usize,
    ) -> Result<Vec<Vec<f64>>> {
        #[derive(Deserialize)]
        struct Times {
            times_us: Vec<Vec<f64>>,
        }
        let request = json!({
            "op": "turn", "first": first, "rounds": rounds, "row_step": row_step, "strides": strides,
        });
        Ok(self.ask::<Times>(&request)?.times_us)
    }

    /// Batches of V2 steps on the rows that are loaded; the time of each, in µs.
    pub(crate) fn batch(
        &mut self,
        sessions: usize,
        threads: usize,
        calls: usize,
    ) -> Result<Vec<f64>> {
        #[derive(Deserialize)]
        struct Times {
            times_us: Vec<f64>,
        }
        let request =
            json!({"op": "batch", "sessions": sessions, "threads": threads, "calls": calls});
        Ok(self.ask::<Times>(&request)?.times_us)
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // The end of its input ends it; then it must not stay a zombie.
        self.to = None;
        if let Err(error) = self.child.wait() {
            eprintln!("python: {error}");
        }
    }
}

/// A script of `python/` in an interpreter with one thread; this machine's OPENBLAS settings, if any, are none of numpy's own.
pub(crate) fn interpreter_command(interpreter: &Path, script: &str) -> Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut command = Command::new(interpreter);
    command
        .arg("-B")
        .arg(folder.join(script))
        .env("OMP_NUM_THREADS", "1")
        .env("HF_HUB_OFFLINE", "1")
        .env("TRANSFORMERS_VERBOSITY", "error")
        .env_remove("OPENBLAS_CORETYPE")
        .env_remove("OPENBLAS_NUM_THREADS");
    command
}
