//! Where each name of `moonbit-mirostat` 0.1.2 went, and what became of its weaknesses. There is nothing else in this module.
//!
//! The ancestor computes in f64 throughout, checks and allocates on every call, and sorts; here its formulas live on in
//! [`reference`](crate::reference), and what runs per token is on the kernels. Its `R<T>` is [`Result`](crate::Result), its
//! `SamplingError` is [`Error`](crate::Error), its `Int` is `u32` for ids, `usize` for counts of tokens and `u64` for steps.
//!
//! # Functions
//!
//! | ancestor | here |
//! |---|---|
//! | `probabilities`, `normalize_weights`, `rank`, `top_indices`, `surprise` | [`reference`](crate::reference), same names |
//! | `draw_prefix`, `draw_candidates` | [`reference`](crate::reference), same names |
//! | `zipf_exponent`, `estimated_k`, `v2_prefix_size` | [`reference`](crate::reference), same names; [`estimated_k_by`](crate::reference::estimated_k_by) has the other roundings |
//! | `top_p_prefix_size`, `min_p_prefix_size`, `epsilon_prefix_size`, `typical_prefix_size`, `typical_order`, `with_temperature` | [`reference`](crate::reference), same names |
//! | `sample_top_k`, `sample_top_p`, `sample_temperature`, `sample_min_p`, `sample_epsilon`, `sample_typical` | the crate's root, same names, on the kernels; [`FixedSampler`](crate::FixedSampler) to keep one |
//! | `sample_batch`, `sample_batch_atomic` | [`sample_batch`](crate::sample_batch), [`sample_batch_atomic`](crate::sample_batch_atomic); [`step_batch`](crate::step_batch) where sessions are scattered |
//! | `replay`, `replay_atomic`, `sample_shared_prepared` | the crate's root, same names; errors name the row, and those of `replay` carry the steps taken |
//! | `entropy`, `prefix_mass`, `expected_prefix_surprise`, `prefix_entropy`, `prefix_surprise_variance`, `prefix_kl`, `perplexity` | [`diagnostics`](crate::diagnostics), same names; [`row_entropy_bits`](crate::row_entropy_bits) of a row |
//! | `mask_logits`, `block_token_ids`, `allow_token_ids`, `bias_logits`, `penalize_repetition`, `penalize_counts` | [`processors`](crate::processors), same names; each also `_in_place` |
//! | `generate`, `generate_from_prompt`, `generate_stream` | [`generation`](crate::generation), same names; [`Generator`](crate::generation::Generator) |
//! | `summarize`, `trace_spread`, `running_surprise`, `rolling_surprise` | [`trace`](crate::trace), same names |
//! | `experiments` package | [`experiments`](crate::experiments), same names |
//! | `jsonio` package: `sample_json`, `weight_json`, `replay_json`, `init_json`, `session_json`, `batch_json`, `preview_json`, and their `_request` twins | [`json`](https://docs.rs/mirostat/latest/mirostat/json/) (feature `json`), same names; the texts take a mode, which says how errors are written |
//!
//! # Types
//!
//! | ancestor | here |
//! |---|---|
//! | `Config` | [`Config`](crate::Config), with [`Config::builder`](crate::Config::builder) for what is optional |
//! | `Version` | [`Version`](crate::Version) |
//! | `Step` | [`Step`](crate::Step): `original_probability` is [`probability`](crate::Step::probability), `observed_surprise` is [`surprise_bits`](crate::Step::surprise_bits), `kept_tokens` is [`kept`](crate::Step::kept) |
//! | `Sampler` | [`Sampler`](crate::Sampler); `new` names the version; `sample_with_rng` is [`sample_with`](crate::Sampler::sample_with) |
//! | `Sampler.candidates*`, `observe_*`, `preview*`, `sample_prepared` | [`Sampler`](crate::Sampler), same names; [`read`](crate::Sampler::read) gives the halves of a step |
//! | `CandidateSet`, `Preview`, `PreparedRow` | [`CandidateSet`](crate::CandidateSet) of what can be drawn, [`Preview`](crate::Preview), [`PreparedRow`](crate::PreparedRow) of any element type |
//! | `Checkpoint`, `SamplerState` | [`Checkpoint`](crate::Checkpoint), [`SamplerState`](crate::SamplerState), which knows its version and arithmetic |
//! | `ParkMiller` | [`ParkMiller`](crate::ParkMiller), one of the [`UniformSource`](crate::UniformSource)s |
//! | `Generation`, `StreamGeneration`, `StopReason` | [`generation`](crate::generation), same names |
//! | `TraceAccumulator`, `TraceSummary`, `TraceSpread`, `SurpriseWindow` | [`trace`](crate::trace), same names |
//! | `SamplingError` | [`Error`](crate::Error) |
//! | `jsonio`: `SamplingRequest`, `SamplingResponse`, `WeightRequest`, `ReplayRequest`, `ReplayResponse`, `InitRequest`, `InitResponse`, `SessionRequest`, `SessionResponse`, `BatchRequest`, `BatchResponse`, `PreviewRequest`, `PreviewResponse` | [`json`](https://docs.rs/mirostat/latest/mirostat/json/), same names and fields, all public; each request has a `new`, and all have equality |
//!
//! # Weaknesses
//!
//! 1. *Integral wind-up.* [`mu_bounds`](crate::ConfigBuilder::mu_bounds) holds mu, [`Step::limited`](crate::Step::limited) says
//!    when; off by default, as in the paper.
//! 2. *Version 1 counts masked tokens.* [`VocabularySize::Support`](crate::VocabularySize::Support) fits the support only; the row's
//!    length is the default. [`Step::support`](crate::Step::support) is told beside [`Step::kept`](crate::Step::kept).
//! 3. *Version 1 is all or one on flat heads.* Kept for parity; version 2 is not.
//! 4. *−0.0 bits of surprise, negative KL.* Certainty is +0.0 everywhere, KL never below it.
//! 5. *The edge of version 2 hangs on one rounding; the draw order changed in a patch.* The edge is an exact power of two, lowered by
//!    2^−20 bit on the kernels; the order is [`DrawOrder`](crate::DrawOrder), and output bits are API.
//! 6. *Finite logits that overflow are masked silently.* [`processors`](crate::processors) refuse that; a bias on a masked token has no
//!    effect, whatever it is.
//! 7. *f64 rows only.* f32, f16 and bf16 rows are read where they are.
//! 8. *Allocation and sorting on every step.* None of either on the kernels.
//! 9. *Generation rebuilds its context, loses tokens on error, burns draws.* The context grows in place, errors carry what was made,
//!    a uniform is used up only by a step that succeeds, and there may be several end tokens.
//! 10. *Step counts wrap at 2^31.* They are u64 and saturate.
//! 11. *Batch errors without an index, nothing parallel.* Every row has its own result, or the error names the row; sessions run in
//!     parallel, and one cannot be listed twice.
//! 12. *`surprise` always names index 0; prefixes accept anything.* [`diagnostics`](crate::diagnostics) name the token that is above 1 and
//!     refuse rows whose surprise would be negative. `surprise` of a single number still has nothing else to name.
//! 13. *JSON without options, masks or codes.* The requests of [`json`](https://docs.rs/mirostat/latest/mirostat/json/) take `m`, `initial_mu`, the basis of surprise and masks;
//!     errors have a code, a row and an index; unknown fields are refused, and a protocol number says what is spoken. Processors stay with
//!     the host.
//! 14. *31 bits of uniform, tiny first draws.* [`Uniforms`](crate::Uniforms) have 53 bits and any position at once.
//! 15. *Rolling sums drift, counters are quadratic.* Sums of traces are exact; n-grams are counted by hashing.
//! 16. *Arrays that alias.* Everything that is handed out is borrowed or owned.
