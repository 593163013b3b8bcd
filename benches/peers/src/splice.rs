//! Puts a text between two markers of a file, and nothing else.

use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// `<!-- name:begin … -->` and `<!-- name:end -->`, each at the start of a line of its own.
///
/// # Errors
/// When a marker is missing, twice there, or they stand the wrong way round.
pub(crate) fn splice(text: &str, name: &str, new: &str) -> Result<String> {
    let begin = one_line(text, &format!("<!-- {name}:begin"))?;
    let end = one_line(text, &format!("<!-- {name}:end -->"))?;
    let inside = text[begin..].find('\n').map(|at| begin + at + 1);
    match inside {
        Some(inside) if inside <= end => Ok(format!(
            "{}{}\n{}",
            &text[..inside],
            new.trim_end(),
            &text[end..]
        )),
        _ => Err(format!("{name}:end stands before {name}:begin").into()),
    }
}

/// Where the only line that starts so begins.
fn one_line(text: &str, start: &str) -> Result<usize> {
    let mut at = 0;
    let mut found = None;
    for line in text.split_inclusive('\n') {
        if line.starts_with(start) {
            if found.is_some() {
                return Err(format!("'{start}' is there twice").into());
            }
            found = Some(at);
        }
        at += line.len();
    }
    found.ok_or_else(|| format!("'{start}' is missing").into())
}

/// The same in a file.
pub(crate) fn splice_file(path: &Path, name: &str, new: &str) -> Result<()> {
    let text = std::fs::read_to_string(path)?;
    let spliced = splice(&text, name, new).map_err(|e| format!("{}: {e}", path.display()))?;
    std::fs::write(path, spliced)?;
    println!("spliced {}", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "a\n<!-- t:begin by this command -->\nold\n\nold\n<!-- t:end -->\nz\n";

    #[test]
    fn only_what_stands_between_the_markers_changes() {
        let once = splice(TEXT, "t", "| new |\n").expect("markers");
        assert_eq!(
            once,
            "a\n<!-- t:begin by this command -->\n| new |\n<!-- t:end -->\nz\n"
        );
        assert_eq!(splice(&once, "t", "| new |").expect("markers"), once);
    }

    #[test]
    fn missing_doubled_and_swapped_markers_are_refused() {
        assert!(splice("a\n", "t", "").is_err());
        assert!(splice(&format!("{TEXT}{TEXT}"), "t", "").is_err());
        assert!(splice("<!-- t:end -->\n<!-- t:begin -->\n", "t", "").is_err());
        assert!(splice(TEXT, "other", "").is_err());
    }
}
