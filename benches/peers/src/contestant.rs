//! Who takes part, and what an answer is.

use crate::rows::Cell;
use crate::task::Task;
use serde::{Deserialize, Serialize};

/// What a contestant is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Role {
    /// Us.
    Ours,
    /// What a user would pick instead.
    Peer,
    /// Not a library: a few lines of array code without a sort, the bar that anyone can write.
    Baseline,
    /// No answer to the task, but a part of what others' calls take: the plain maximum of the row in both processes, a tensor alone,
    /// a call that has nothing to do.
    Anchor,
}

/// What a call answered.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Answer {
    /// The tokens that were drawn from, where the contestant shows them.
    #[serde(default)]
    pub(crate) kept: Option<Vec<u32>>,
    /// Their number, where it shows no more.
    #[serde(default)]
    pub(crate) count: Option<usize>,
    #[serde(default)]
    pub(crate) token: Option<u32>,
    /// Of a softmax: the logarithm of its denominator, in nats.
    #[serde(default)]
    pub(crate) log_z_nats: Option<f64>,
    /// Of a softmax that writes them.
    #[serde(default)]
    pub(crate) probabilities: Option<Vec<f32>>,
}

/// One peer at one task on rows of one cell.
pub(crate) trait Contestant {
    /// As the records write it.
    fn name(&self) -> &'static str;

    fn role(&self) -> Role {
        Role::Peer
    }

    /// One call, with everything that the peer must build for it: what is timed.
    ///
    /// # Errors
    ///
    /// What the peer refused with.
    fn call(&mut self, row: &[f32]) -> Result<(), String>;

    /// The same call, and what it answered.
    ///
    /// # Errors
    ///
    /// What the peer refused with.
    fn answer(&mut self, row: &[f32]) -> Result<Answer, String>;
}

/// Contestants of this process at a task, the anchor first.
pub(crate) fn contestants(task: Task, cell: Cell) -> Vec<Box<dyn Contestant>> {
    let mut all: Vec<Box<dyn Contestant>> = vec![Box::new(crate::peer::anchor::Anchor::new())];
    all.extend(crate::peer::peers(task, cell));
    all
}
