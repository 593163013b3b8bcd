//! Numbers as people read them.

/// 128256 as `128,256`.
///
/// # Examples
///
/// ```
/// use mirostat_figures::draw::grouped;
/// assert_eq!([999, 1000, 1234567].map(grouped), ["999", "1,000", "1,234,567"]);
/// ```
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

/// A number of an axis, without the dust of its sum, a whole one grouped.
///
/// # Examples
///
/// ```
/// use mirostat_figures::draw::number;
/// assert_eq!([0.1 + 0.2, 1500.0, -2.5, -0.0].map(number), ["0.3", "1,500", "-2.5", "0"]);
/// ```
#[must_use]
pub fn number(number: f64) -> String {
    let rounded = (number * 1e3).round() / 1e3;
    if rounded >= 0.0 && rounded.fract() == 0.0 {
        grouped(rounded as usize)
    } else {
        format!("{rounded}")
    }
}
