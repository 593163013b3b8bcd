//! Which tokens of a row a list names, window by window, without memory of the size of the row.

/// Tokens in a window: 4 KiB of flags on the stack.
const WINDOW: usize = 1 << 15;

/// Some neighbouring tokens of a row, and a flag for each.
pub(super) struct Window {
    /// The first token.
    pub(super) start: usize,
    /// One past the last.
    pub(super) end: usize,
    listed: [u64; WINDOW / 64],
}

impl Window {
    /// The windows of a row of `vocabulary` tokens in turn, with the flags of the tokens in `ids` up.
    pub(super) fn over(vocabulary: usize, ids: &[u32]) -> impl Iterator<Item = Self> {
        (0..vocabulary).step_by(WINDOW).map(move |start| {
            let mut listed = [0; WINDOW / 64];
            for &id in ids {
                // An id before the window wraps around to one far behind it.
                let place = (id as usize).wrapping_sub(start);
                if place < WINDOW {
                    listed[place / 64] |= 1 << (place % 64);
                }
            }
            let end = vocabulary.min(start + WINDOW);
            Self { start, end, listed }
        })
    }

    /// Whether the list names the token, which lies in the window.
    pub(super) fn lists(&self, token: usize) -> bool {
        let place = token - self.start;
        self.listed[place / 64] >> (place % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_in_one_window_and_listed_where_named() {
        for vocabulary in [0, 1, 63, 64, 65, WINDOW - 1, WINDOW, WINDOW + 1, 128_256] {
            let ids: Vec<u32> = (0..vocabulary as u32)
                .filter(|id| id % 7 == 3 || id % WINDOW as u32 == 0)
                .collect();
            let mut tokens = 0;
            for window in Window::over(vocabulary, &ids) {
                assert_eq!(window.start, tokens);
                for token in window.start..window.end {
                    assert_eq!(
                        window.lists(token),
                        token % 7 == 3 || token % WINDOW == 0,
                        "{token}"
                    );
                }
                tokens = window.end;
            }
            assert_eq!(tokens, vocabulary);
        }
    }
}
