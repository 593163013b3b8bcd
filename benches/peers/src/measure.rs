//! The measurement: every cell, every task, everyone who offers it; answers first, then the clock.

use crate::check::{self, DRAWS, SMALL, Truth};
use crate::clock::{Clock, Player, quartiles, turn};
use crate::contestant::{Contestant, Role, contestants};
use crate::python::{Python, Remote};
use crate::record::{Language, Measured, Verdict, rounded};
use crate::rows::{Cell, Rows, Source};
use crate::task::Task;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Rows of a cell whose answers are checked.
const CHECKED: usize = 3;

/// What is measured, and by whom.
pub(crate) struct Measurement {
    pub(crate) source: Source,
    pub(crate) python: Option<Python>,
    pub(crate) clock: Clock,
    /// Where rows are written for Python.
    pub(crate) folder: PathBuf,
    /// By task and name: what is wrong with the draws.
    draws: HashMap<(&'static str, String), String>,
}

/// What is known of a contestant when the clock starts.
struct Judged {
    name: String,
    role: Role,
    wrong: Option<String>,
    /// Nothing where it refused.
    stride: Option<usize>,
    times_us: Vec<f64>,
}

impl Judged {
    fn measured(self, task: Task, cell: Cell, language: Language) -> Measured {
        let quartiles = (!self.times_us.is_empty()).then(|| quartiles(&self.times_us));
        Measured {
            task,
            peer: self.name,
            role: self.role,
            language,
            rows: cell.kind,
            vocabulary: cell.vocabulary,
            median_us: quartiles.map(|q| rounded(q[1])),
            quartiles_us: quartiles.map(|q| [rounded(q[0]), rounded(q[2])]),
            calls: self.times_us.len(),
            verdict: match self.wrong {
                None => Verdict::Right,
                Some(_) => Verdict::Wrong,
            },
            reason: self.wrong,
        }
    }
}

impl Measurement {
    pub(crate) fn new(
        source: Source,
        python: Option<Python>,
        clock: Clock,
        folder: PathBuf,
    ) -> Self {
        Self {
            source,
            python,
            clock,
            folder,
            draws: HashMap::new(),
        }
    }

    /// How often everyone draws each token of small rows; once, before all cells.
    pub(crate) fn check_draws(&mut self, tasks: &[Task]) -> Result<()> {
        for cell in SMALL {
            let path = self.folder.join("small.npy");
            let rows = self.source.so_many_rows(cell, 1)?;
            rows.write(&path)?;
            for &task in tasks.iter().filter(|&&task| task != Task::Softmax) {
                for mut one in contestants(task, cell) {
                    if one.role() != Role::Anchor
                        && let Err(wrong) = check::draw_test(one.as_mut(), task, cell, &self.source)
                    {
                        self.draws
                            .insert((task.name(), one.name().to_owned()), wrong);
                    }
                }
                let Some(python) = &mut self.python else {
                    continue;
                };
                python.load(&path, cell.mu_bits())?;
                let truth = Truth::of(task, cell, rows.row(0));
                for remote in python.enter(task)? {
                    if remote.role == Role::Anchor {
                        continue;
                    }
                    let reply = python.answer(&remote.name, 0)?;
                    let Some(answer) = reply.answer else {
                        continue;
                    };
                    let drawn = python.draws(&remote.name, DRAWS)?;
                    if let Err(wrong) = check::judge_draws(&truth, &answer, &drawn) {
                        self.draws.insert((task.name(), remote.name), wrong);
                    }
                }
            }
        }
        Ok(())
    }

    /// All tasks on the rows of a cell.
    pub(crate) fn cell(&mut self, cell: Cell, tasks: &[Task]) -> Result<Vec<Measured>> {
        let rows = self.source.rows(cell)?;
        if let Some(python) = &mut self.python {
            let path = self.folder.join("rows.npy");
            rows.write(&path)?;
            python.load(&path, cell.mu_bits())?;
            std::fs::remove_file(path)?;
        }
        let mut all = Vec::new();
        for &task in tasks {
            let start = Instant::now();
            let measured = self.task(cell, task, &rows)?;
            eprintln!(
                "{:>9} {:7} {:12} {:5.1} s",
                cell.kind.name(),
                cell.vocabulary,
                task.name(),
                start.elapsed().as_secs_f64()
            );
            all.extend(measured);
        }
        Ok(all)
    }

    fn task(&mut self, cell: Cell, task: Task, rows: &Rows) -> Result<Vec<Measured>> {
        let truths: Vec<Truth> = (0..CHECKED)
            .map(|i| Truth::of(task, cell, rows.row(i)))
            .collect();
        let mut local = contestants(task, cell);
        let mut here = Vec::new();
        for one in &mut local {
            here.push(self.judge(one.as_mut(), task, rows, &truths));
        }
        let mut there = Vec::new();
        if let Some(mut python) = self.python.take() {
            for remote in python.enter(task)? {
                there.push(self.judge_remote(&mut python, remote, task, &truths)?);
            }
            self.python = Some(python);
        }
        self.time(rows, &mut local, &mut here, &mut there)?;
        let here = here
            .into_iter()
            .map(|j| j.measured(task, cell, Language::Rust));
        let there = there
            .into_iter()
            .map(|j| j.measured(task, cell, Language::Python));
        Ok(here.chain(there).collect())
    }

    fn judge(&self, one: &mut dyn Contestant, task: Task, rows: &Rows, truths: &[Truth]) -> Judged {
        let name = one.name().to_owned();
        let mut judged = Judged {
            wrong: self.draws.get(&(task.name(), name.clone())).cloned(),
            name,
            role: one.role(),
            stride: None,
            times_us: Vec::new(),
        };
        for (i, truth) in truths.iter().enumerate() {
            match one.answer(rows.row(i)) {
                Ok(_) if judged.role == Role::Anchor => {}
                Ok(answer) => judged.wrong = truth.judge(&answer).err().or(judged.wrong),
                Err(refused) => {
                    judged.wrong = Some(format!("refuses: {refused}"));
                    return judged;
                }
            }
        }
        let mut estimates = Vec::new();
        for i in 0..3 {
            let start = Instant::now();
            if let Err(refused) = one.call(rows.row(i)) {
                judged.wrong = Some(format!("refuses: {refused}"));
                return judged;
            }
            estimates.push(start.elapsed().as_secs_f64() * 1e6);
        }
        judged.stride = Some(self.clock.stride(quartiles(&estimates)[1]));
        judged
    }

    fn judge_remote(
        &self,
        python: &mut Python,
        remote: Remote,
        task: Task,
        truths: &[Truth],
    ) -> Result<Judged> {
        let mut judged = Judged {
            wrong: self.draws.get(&(task.name(), remote.name.clone())).cloned(),
            name: remote.name,
            role: remote.role,
            stride: None,
            times_us: Vec::new(),
        };
        let mut estimates = Vec::new();
        for (i, truth) in truths.iter().enumerate() {
            let reply = python.answer(&judged.name, i)?;
            let Some(answer) = reply.answer else {
                let refused = reply.refused.unwrap_or_default();
                judged.wrong = Some(format!("refuses: {refused}"));
                return Ok(judged);
            };
            if judged.role != Role::Anchor {
                judged.wrong = truth.judge(&answer).err().or(judged.wrong);
            }
            estimates.push(reply.took_us);
        }
        judged.stride = Some(self.clock.stride(quartiles(&estimates)[0]));
        Ok(judged)
    }

    /// A turn here, a turn there, and again.
    fn time(
        &mut self,
        rows: &Rows,
        local: &mut [Box<dyn Contestant>],
        here: &mut [Judged],
        there: &mut [Judged],
    ) -> Result<()> {
        let Clock { turns, rounds, .. } = self.clock;
        let mut players: Vec<Player<'_>> = local
            .iter_mut()
            .zip(&*here)
            .filter_map(|(one, judged)| {
                Some(Player {
                    contestant: one.as_mut(),
                    stride: judged.stride?,
                    times_us: Vec::new(),
                })
            })
            .collect();
        let strides: Vec<(String, usize)> = there
            .iter()
            .filter_map(|judged| Some((judged.name.clone(), judged.stride?)))
            .collect();
        let step = Clock::row_step(rows.count());
        let warm_up = rounds / 10;
        turn(&mut players, rows, 0, warm_up)?;
        players.iter_mut().for_each(|p| p.times_us.clear());
        for number in 0..turns {
            turn(&mut players, rows, number * rounds, rounds)?;
            if let Some(python) = &mut self.python {
                // After its sleep it finds the caches as the other process left them.
                python.turn(&strides, step, 0, warm_up)?;
                let times = python.turn(&strides, step, number * rounds, rounds)?;
                let timed = there.iter_mut().filter(|judged| judged.stride.is_some());
                timed
                    .zip(times)
                    .for_each(|(judged, t)| judged.times_us.extend(t));
            }
        }
        let timed = here.iter_mut().filter(|judged| judged.stride.is_some());
        for (judged, player) in timed.zip(players) {
            judged.times_us = player.times_us;
        }
        Ok(())
    }
}
