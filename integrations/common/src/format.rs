//! Numbers as people read them.

/// 128256 as `128,256`.
#[must_use]
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 token`, `2 tokens`.
pub(crate) fn tokens(number: usize) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} token{s}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1_048_576, "1,048,576"),
        ] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(
            (tokens(1).as_str(), tokens(2).as_str()),
            ("1 token", "2 tokens")
        );
    }
}
