//! What a distribution, or the part of it that was kept, says about itself, in bits.
//!
//! With p a row of probabilities, o an order of its tokens and n how many of them are kept, the prefix is o₁ … oₙ, its mass is
//! m = Σᵢ p(oᵢ), its renormalised probabilities are qᵢ = p(oᵢ) / m, and I(p) = −log₂ p is a surprise:
//!
//! | function | formula | takes weights |
//! |---|---|---|
//! | [`entropy`] | Σ (p/T)·log₂(T/p), T = Σ p | yes |
//! | [`prefix_mass`] | m | yes |
//! | [`expected_prefix_surprise`] | Σ qᵢ·I(p(oᵢ)) | no |
//! | [`prefix_entropy`] | Σ qᵢ·I(qᵢ) | yes |
//! | [`prefix_surprise_variance`] | Σ qᵢ·(I(p(oᵢ)) − mean)² | yes |
//! | [`prefix_kl`] | Σ qᵢ·log₂(qᵢ / p(oᵢ)) = −log₂ m | no |
//! | [`perplexity`] | 2^bits | |
//!
//! Those that take weights answer the same for the row times any factor ([`prefix_mass`]: times that factor). The other two measure
//! against the row as it was given, so they refuse a value above 1, and a row that sums to more than 1.01: a row from f16 or bf16
//! probabilities passes, a row of counts does not. A row that sums to less passes, since a host may know only the head of one.
//!
//! The order may be any permutation of the row, [`rank`](crate::reference::rank) or another (that of typical sampling, say); it need
//! not descend. 0·log 0 is 0. Logarithms come from the `libm` crate, so that the same row gives the same bits on every machine.
//!
//! For a row of logits, [`row_entropy_bits`](crate::row_entropy_bits) is the entropy without the probabilities.
//!
//! # Where the ancestor was weak
//!
//! - A certain row has an entropy, a surprise and a divergence of +0.0 here, where −0.0 or a small negative could come out.
//! - An error names the token; values above 1 are an [`InvalidProbability`](crate::Error::InvalidProbability) with their place, where
//!   they gave a negative surprise.
//! - The entropies are sums of terms that are not negative, and the variance is a sum of squares: nothing is left of two large
//!   numbers that cancel.
//!
//! # Examples
//!
//! ```
//! use mirostat::{diagnostics::{expected_prefix_surprise, prefix_kl, prefix_mass}, reference::{probabilities, rank}};
//! let p = probabilities(&[3.0, 2.0, 1.0, 0.0, -1.0, -2.0])?;
//! let order = rank(&p)?;
//! assert!((prefix_mass(&p, &order, 4)? - 0.9841237600235332).abs() < 1e-12);
//! assert!((expected_prefix_surprise(&p, &order, 4)? - 1.3900952185277236).abs() < 1e-12);
//! assert!((prefix_kl(&p, &order, 4)? - 0.0230883).abs() < 1e-6);
//! # Ok::<(), mirostat::Error>(())
//! ```

mod entropy;
mod kl;
mod mass;
mod perplexity;
mod surprise;
mod variance;

pub use entropy::{entropy, prefix_entropy};
pub use kl::prefix_kl;
pub use mass::prefix_mass;
pub use perplexity::perplexity;
pub use surprise::expected_prefix_surprise;
pub use variance::prefix_surprise_variance;
