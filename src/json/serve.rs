//! A stream of lines, each answered by a line.

use super::line::{answer, refusal};
use super::reading::not_json;
use super::{Code, Error, Mode};
use std::io::{self, BufRead, Read, Write};

/// The longest line that [`serve`] reads, in bytes: 256 MiB. Of a longer one the rest is read past, and nothing is kept.
pub const LONGEST_LINE: usize = 256 << 20;

/// Answers every line of `input`, an empty one too, with a line of `output`, which is flushed each time; returns where `input` ends.
///
/// Whatever a line holds (no JSON, no UTF-8, more than [`LONGEST_LINE`] bytes) is answered with an error, and the next line is read.
///
/// # Errors
///
/// Those of reading and of writing.
///
/// # Cost
///
/// The buffer of the longest line so far; what an answer costs.
///
/// # Examples
///
/// ```
/// use mirostat::json::{Mode, serve};
/// let lines = b"\xff\n{\"protocol\":1,\"op\":\"init\",\"tau\":2,\"eta\":0.1,\"version\":\"v1\"}\n";
/// let mut answers = Vec::new();
/// serve(&lines[..], &mut answers, Mode::Compatible)?;
/// assert_eq!(
///     String::from_utf8_lossy(&answers),
///     "{\"protocol\":1,\"error\":\"invalid JSON\"}\n{\"protocol\":1,\"state_mu\":4,\"state_steps\":0}\n",
/// );
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn serve(input: impl BufRead, output: impl Write, mode: Mode) -> io::Result<()> {
    serve_up_to(LONGEST_LINE, input, output, mode)
}

fn serve_up_to(
    longest: usize,
    mut input: impl BufRead,
    mut output: impl Write,
    mode: Mode,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        // One byte more than fits tells a line that is too long; its line break does not count.
        let most = longest as u64 + 1;
        if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let ended = line.pop_if(|&mut byte| byte == b'\n').is_some();
        let said = if ended || line.len() <= longest {
            match std::str::from_utf8(&line) {
                Ok(line) => answer(line, mode),
                Err(error) => refusal(None, &not_json(error.to_string()), mode),
            }
        } else {
            input.skip_until(b'\n')?;
            refusal(None, &too_long(longest), mode)
        };
        output.write_all(said.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

fn too_long(longest: usize) -> Error {
    let message = format!("the line has more than {longest} bytes");
    Error::new(Code::LineTooLong, message.clone(), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(longest: usize, lines: &[u8]) -> Vec<String> {
        let mut output = Vec::new();
        // A reader with a small buffer meets lines in pieces.
        let input = io::BufReader::with_capacity(3, lines);
        serve_up_to(longest, input, &mut output, Mode::Compatible).unwrap();
        let text = String::from_utf8(output).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_line_one_byte_too_long_is_refused_and_the_next_is_read() {
        let init = r#"{"protocol":1,"op":"init","tau":2,"eta":0.1,"version":"v2"}"#;
        let state = r#"{"protocol":1,"state_mu":4,"state_steps":0}"#;
        let refused = format!(
            r#"{{"protocol":1,"error":"the line has more than {} bytes"}}"#,
            init.len()
        );
        for end in ["", "\n"] {
            let lines = format!("{init}\n {init}\n{}{init}\n{init}{end}", " ".repeat(1000));
            assert_eq!(
                answers(init.len(), lines.as_bytes()),
                [state, &refused, &refused, state]
            );
            let lines = format!("{init}\n {init}{end}");
            assert_eq!(answers(init.len(), lines.as_bytes()), [state, &refused]);
        }
    }

    #[test]
    fn an_empty_line_is_answered_and_no_line_is_not() {
        let refused = r#"{"protocol":1,"error":"invalid JSON"}"#;
        assert_eq!(answers(9, b"\n\r\n"), [refused; 2]);
        assert_eq!(answers(9, b""), [""; 0]);
    }
}
