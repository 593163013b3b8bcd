//! What a truncation rule keeps of a row.

/// The tokens that a rule keeps, and how many it counts.
///
/// The two differ only in V1, whose k counts masked tokens of the vocabulary too: `count` may exceed the length of `tokens`, and a
/// token of probability 0 is never in `tokens`. The greatest token is always kept, but by locally typical, which may drop it.
///
/// # Examples
///
/// ```
/// use mirostat::reference::{Distribution, v2_kept};
/// let kept = v2_kept(&Distribution::from_logits(&[1.0, 3.0, 2.0], 1.0)?, 2.0);
/// assert_eq!((kept.tokens, kept.count), (vec![1], 1));
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kept {
    /// Ids of the kept tokens that can be drawn, in the order in which the rule ranks: best first for V1 and truncations by
    /// rank, ascending for V2, nearest to the entropy first for locally typical.
    pub tokens: Vec<u32>,
    /// The size of the kept set as the rule counts it, at least 1.
    pub count: usize,
}
