//! How the numbers of a step move: what one read tells of a row of logits, what stays of it, and one of it by its weight.
//!
//! Each file is one kernel: a struct of arguments and one generic body over sixteen logical f32 lanes. This crate knows rows,
//! weights and cuts; it does not know what they are for, and holds no state. It is the engine room of the `mirostat` crate,
//! published because that crate is; its interface may change in any release.
//!
//! # The numeric contract
//!
//! - **Lanes.** Sixteen logical lanes on every level, blocks of 256 logits, one fixed tree inside a block, block sums added in f64 in
//!   id order. The last block is padded with −∞: there is no scalar tail.
//! - **Weights.** w = 2^(x·c − N), c = log2(e) / temperature in two f32, N an even whole number near the maximum: at most 1.25 units
//!   in the last place [`Fused`](Numerics::Fused), 1.5 [`Portable`](Numerics::Portable).
//! - **Bits.** Within one of the two numerics every level gives the same bits for the same row.
//! - **Extreme rows.** Where |x·c| passes 2^18 (fused) or 3,840 (portable) the maximum is found first and taken from each logit.
//! - **Zeros.** −0.0 and +0.0 are one logit.
//!
//! # Example
//!
//! A row is read once, what lies within 2 nats of its greatest logit is listed, and one of it is chosen by weight:
//!
//! ```
//! use mirostat_kernels::{
//!     Candidates, Cut, Engine, Found, List, Maxima, blocks, choose_listed, gather, stats,
//! };
//! let row: Vec<f32> = (0..1000).map(|i| (i as f32 * 0.37).sin() * 9.0).collect();
//! let engine = Engine::detect();
//! let mut maxima = vec![Maxima::NONE; blocks(row.len())];
//! let mut sums = vec![0.0; blocks(row.len())];
//! let mut room = Candidates::new();
//! room.reserve(blocks(row.len()));
//!
//! let summary = stats(engine, &row, std::f64::consts::LOG2_E, &mut maxima, &mut sums).unwrap();
//! let cut = Cut::at(summary.max - 2.0);
//! let Found::Few(n) = gather(engine, &row, &maxima, cut, &mut room) else { unreachable!() };
//! let list = List { n, ordered: n, top: summary.max, scale: summary.frame.scale };
//! let chosen = choose_listed(engine, list, 0.5, &mut room);
//! assert!(row[chosen.id as usize] >= summary.max - 2.0);
//! ```

#![forbid(unsafe_code)]

mod ahead;
mod block;
mod bracket;
mod candidates;
mod choose;
mod choose_in_blocks;
mod count;
mod cut;
mod distance;
mod element;
mod enclose;
mod entropy;
mod exp;
mod frame;
mod gather;
mod group_max;
mod hits;
mod lanes;
mod late_sums;
mod level;
mod likely;
mod masses;
mod one_place;
mod order;
mod part_by_mass;
mod read_max;
mod running_sums;
mod search;
mod select;
mod stats;
mod stats_pass;
mod stays;
mod tally;
mod top_m;
mod weigh;

pub use block::{BLOCK, Maxima, blocks};
pub use candidates::{Candidates, FEW};
pub use choose::{List, Listed, choose_listed, cut_keyed, cut_listed};
pub use choose_in_blocks::{InBlocks, Kept, choose_in_blocks, choose_whole};
pub use count::count_at_least;
pub use cut::{Cut, first_equal};
pub use distance::{Distance, Window};
pub use element::{Element, logit};
pub use entropy::{entropy_bits, stats_and_entropy};
pub use frame::Frame;
pub use gather::{Found, gather};
pub use group_max::group_max;
pub use level::{Engine, Level, Numerics};
pub use read_max::read_max;
pub use running_sums::running_sums;
pub use select::{Due, Mass, Parts, Weighed, mass_cut, mass_near, mass_select, rank_cut};
pub use stats::{Fault, Summary, stats};
pub use stays::Stays;
pub use top_m::{kth, top_m};
