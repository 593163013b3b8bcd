//! The law: every rule in f64, scalar, straight down the page, one file per rule.
//!
//! Nothing here is fast. The kernels are fast, and are judged by what stands here. The rules are those of Basu, Ramachandran, Keskar
//! and Varshney, "Mirostat: A Neural Text Decoding Algorithm that Directly Controls Perplexity", ICLR 2021, arXiv 2007.14966, and
//! each file opens with the equation that it carries out; the fixed truncations name their own papers. Logarithms, exponentials and
//! powers of two come from the `libm` crate, so that the same row gives the same bits on every machine.
//!
//! # Examples
//!
//! ```
//! use mirostat::reference::{Distribution, Rule, Version, choose, feedback};
//! let (tau, eta, mu) = (3.0, 0.1, 6.0);
//! let rule = Rule { version: Version::V2, ..Rule::default() };
//! let distribution = Distribution::from_logits(&[4.0, 2.0, 1.0], 1.0)?;
//! let chosen = choose(&distribution, &rule, mu, 0.42)?;
//! assert_eq!((chosen.token, chosen.kept), (0, 3));
//! let mu_after = feedback(mu, chosen.surprise_bits, tau, eta)?;
//! assert!((mu_after - 6.2754963989871415).abs() < 1e-12);
//! # Ok::<(), mirostat::Error>(())
//! ```

mod distribution;
mod draw;
mod epsilon;
mod feedback;
mod kept;
mod min_p;
mod mirostat_v1;
mod mirostat_v2;
pub(crate) mod order;
mod probability;
mod step;
mod temperature;
mod top_k;
mod top_p;
mod truncation;
mod typical;
mod zipf;

pub use distribution::Distribution;
pub(crate) use draw::check_uniform;
pub use draw::{DrawOrder, draw, draw_candidates, draw_prefix};
pub use epsilon::{epsilon_kept, epsilon_prefix_size};
pub use feedback::feedback;
pub use kept::Kept;
pub use min_p::{min_p_kept, min_p_prefix_size};
pub use mirostat_v1::{KRule, VocabularySize, estimated_k, estimated_k_by, v1_kept};
pub use mirostat_v2::{v2_kept, v2_prefix_size};
pub use probability::{normalize_weights, probabilities, rank, surprise, top_indices};
pub(crate) use step::select;
pub use step::{Chosen, Rule, SurpriseBasis, Version, choose, observe, observe_any};
pub use temperature::with_temperature;
pub use top_k::top_k_kept;
pub use top_p::{top_p_kept, top_p_prefix_size};
pub use truncation::Truncation;
pub use typical::{typical_kept, typical_order, typical_prefix_size};
pub use zipf::{zipf_exponent, zipf_fit};
pub(crate) use zipf::{zipf_slope, zipf_step};
