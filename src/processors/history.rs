//! Which tokens were seen, and how often.

use crate::{Error, Result};

/// How often each token was seen: what the penalties ask of a text.
///
/// The counts do not depend on the order of the tokens, or on how many came at once. There is one way to record a token,
/// [`record`](Self::record), so that nothing counts one twice; nothing in this crate records by itself.
///
/// The ids are not checked against a vocabulary, which is unknown here; the penalties do that. A count stops at `u32::MAX`.
///
/// # Cost
///
/// Eight bytes per distinct token, sorted by id. Memory grows with the number of distinct tokens only, whatever their ids are, and is kept
/// by [`clear`](Self::clear); `clone_from` reuses what the target has.
///
/// # Examples
///
/// ```
/// use mirostat::processors::History;
/// let mut history = History::from_prompt(&[7, 3, 7]);
/// history.record(7);
/// assert_eq!((history.count(7), history.count(3), history.count(0)), (3, 1, 0));
/// assert_eq!(history.iter().collect::<Vec<_>>(), [(3, 1), (7, 3)]);
/// history.clear();
/// assert!(history.is_empty());
/// ```
#[derive(Debug, Default, PartialEq, Eq)]
pub struct History {
    /// Token and count, the count at least 1, the tokens ascending.
    seen: Vec<(u32, u32)>,
}

impl History {
    /// No token seen. Does not allocate.
    #[must_use]
    pub const fn new() -> Self {
        Self { seen: Vec::new() }
    }

    /// No token seen, with room for as many distinct ones before it grows.
    #[must_use]
    pub fn with_capacity(distinct: usize) -> Self {
        Self {
            seen: Vec::with_capacity(distinct),
        }
    }

    /// The tokens of a prompt seen, each as often as it stands there: the same as recording them one by one.
    ///
    /// # Cost
    ///
    /// Sorts a copy of the prompt, O(n log n).
    #[must_use]
    pub fn from_prompt(prompt: &[u32]) -> Self {
        let mut seen: Vec<(u32, u32)> = prompt.iter().map(|&token| (token, 1)).collect();
        seen.sort_unstable();
        seen.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(1);
            }
            same
        });
        Self { seen }
    }

    /// Sees a token once more.
    ///
    /// # Cost
    ///
    /// A binary search; for a new token, room for it among the greater ids. Allocates only when there are more distinct tokens than ever.
    pub fn record(&mut self, token: u32) {
        match self.place(token) {
            Ok(place) => self.seen[place].1 = self.seen[place].1.saturating_add(1),
            Err(place) => self.seen.insert(place, (token, 1)),
        }
    }

    /// Forgets all tokens, and keeps the memory.
    pub fn clear(&mut self) {
        self.seen.clear();
    }

    /// How often the token was seen.
    #[must_use]
    pub fn count(&self, token: u32) -> u32 {
        self.place(token).map_or(0, |place| self.seen[place].1)
    }

    /// How many distinct tokens were seen.
    #[must_use]
    pub const fn distinct(&self) -> usize {
        self.seen.len()
    }

    /// Whether no token was seen.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// Each distinct token and its count, by ascending id.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, u32)> + '_ {
        self.seen.iter().copied()
    }

    /// Every token that was seen is one of the row; the least that is not is refused.
    pub(super) fn check(&self, vocabulary: usize) -> Result<()> {
        let outside = self
            .seen
            .partition_point(|&(token, _)| (token as usize) < vocabulary);
        match self.seen.get(outside) {
            Some(&(token, _)) => Err(Error::TokenOutsideVocabulary { token, vocabulary }),
            None => Ok(()),
        }
    }

    fn place(&self, token: u32) -> core::result::Result<usize, usize> {
        self.seen.binary_search_by_key(&token, |&(seen, _)| seen)
    }
}

impl Clone for History {
    fn clone(&self) -> Self {
        Self {
            seen: self.seen.clone(),
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.seen.clone_from(&source.seen);
    }
}
