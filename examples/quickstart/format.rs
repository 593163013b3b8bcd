//! Numbers and texts as people read them.

pub(crate) use mirostat_figures::draw::grouped;

/// Three decimals, or an exponent where they would say too little or too much.
pub(crate) fn bits(bits: f64) -> String {
    if bits == 0.0 || (1e-3..1e6).contains(&bits.abs()) {
        format!("{bits:.3}")
    } else {
        format!("{bits:.3e}")
    }
}

/// `1 thread`, `2 threads`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(number))
}

/// The end of a text, at most `width` characters of it, on one line.
pub(crate) fn tail(text: &str, width: usize) -> String {
    let text: Vec<char> = escaped(text).chars().collect();
    if text.len() <= width {
        return text.into_iter().collect();
    }
    let end = &text[text.len() - (width - 1)..];
    std::iter::once('…').chain(end.iter().copied()).collect()
}

/// A text in quotes, its beginning if it is longer than `width` characters with them.
pub(crate) fn quoted(text: &str, width: usize) -> String {
    let text: Vec<char> = escaped(text).chars().collect();
    let body: String = if text.len() + 2 <= width {
        text.into_iter().collect()
    } else {
        let start = text.into_iter().take(width - 3);
        start.chain(std::iter::once('…')).collect()
    };
    format!("\"{body}\"")
}

/// A text on one line: what does not print as itself is written as Rust writes it, quotes excepted.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' | '\'' => c.to_string(),
            _ => c.escape_debug().to_string(),
        })
        .collect()
}
