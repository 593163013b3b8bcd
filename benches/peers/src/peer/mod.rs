//! The peers of this process, one file each; what is not compiled in takes no part.

pub(crate) mod anchor;
#[cfg(feature = "candle")]
mod candle;
#[cfg(feature = "llama-cpp")]
pub(crate) mod llama_cpp;
#[cfg(feature = "llm-samplers")]
mod llm_samplers;
pub(crate) mod ours;
#[cfg(feature = "rten")]
mod rten;
#[cfg(feature = "token-sampling")]
pub(crate) mod token_sampling;

use crate::contestant::Contestant;
use crate::rows::Cell;
use crate::task::Task;

/// Everyone who offers the task, ourselves first.
pub(crate) fn peers(task: Task, cell: Cell) -> impl Iterator<Item = Box<dyn Contestant>> {
    let offered = [
        vec![ours::contestant(task, cell)],
        #[cfg(feature = "llama-cpp")]
        Vec::from_iter(llama_cpp::contestant(task, cell)),
        #[cfg(feature = "token-sampling")]
        Vec::from_iter(token_sampling::contestant(task, cell)),
        #[cfg(feature = "llm-samplers")]
        Vec::from_iter(llm_samplers::contestant(task, cell)),
        #[cfg(feature = "rten")]
        rten::contestants(task),
        #[cfg(feature = "candle")]
        candle::contestants(task),
    ];
    offered.into_iter().flatten()
}
