//! Copies of the model that are broken in one place.

use std::{fs, ops::Range};

/// A GGUF file with its parts found.
pub(crate) struct Gguf {
    pub(crate) bytes: Vec<u8>,
    /// The bytes of every value, by key.
    values: Vec<(String, Range<usize>)>,
    /// Where the description of every tensor begins, after its name.
    tensors: Vec<(String, usize)>,
    data: usize,
}

impl Gguf {
    pub(crate) fn read() -> Self {
        let bytes = fs::read(mirostat_textgen::open_model(None).unwrap().0).unwrap();
        let mut at = 8;
        let tensors = number(&bytes, &mut at);
        let keys = number(&bytes, &mut at);
        let values = (0..keys)
            .map(|_| {
                let key = string(&bytes, &mut at);
                let start = at;
                let kind = word(&bytes, &mut at);
                skip(&bytes, &mut at, kind);
                (key, start..at)
            })
            .collect();
        let tensors = (0..tensors)
            .map(|_| {
                let name = string(&bytes, &mut at);
                let start = at;
                let dimensions = word(&bytes, &mut at);
                at += 8 * dimensions as usize + 4 + 8;
                (name, start)
            })
            .collect();
        Self {
            data: at.next_multiple_of(32),
            bytes,
            values,
            tensors,
        }
    }

    /// Makes NaN of the first block of a quantised tensor: all bits of its scale are set, and of its quants.
    pub(crate) fn with_nan(mut self, tensor: &str) -> Self {
        let mut at = self
            .tensors
            .iter()
            .find(|(name, _)| name == tensor)
            .unwrap()
            .1;
        let dimensions = word(&self.bytes, &mut at);
        at += 8 * dimensions as usize;
        let kind = word(&self.bytes, &mut at);
        let block = match kind {
            2 => 18, // Q4_0
            3 => 20, // Q4_1
            8 => 34, // Q8_0
            _ => panic!("{tensor} is of kind {kind}"),
        };
        let place = self.data + number(&self.bytes, &mut at) as usize;
        self.bytes[place..place + block].fill(0xff);
        self
    }

    /// Gives a text another of the same length.
    pub(crate) fn with_text(mut self, key: &str, text: &str) -> Self {
        let value = self.value(key);
        let place = value.end - text.len()..value.end;
        assert_eq!(place.start, value.start + 12, "{key} has another length");
        self.bytes[place].copy_from_slice(text.as_bytes());
        self
    }

    /// Makes one token of the last two: the tokenizer then knows one less than the weights.
    pub(crate) fn with_a_token_less(mut self) -> Self {
        let mut at = self.value("tokenizer.ggml.tokens").start + 8;
        let count_at = at;
        let count = number(&self.bytes, &mut at);
        for _ in 0..count - 2 {
            string(&self.bytes, &mut at);
        }
        let mut last = at;
        let len = number(&self.bytes, &mut last);
        let both = self.value("tokenizer.ggml.tokens").end - last;
        assert!(both as u64 > len);
        self.bytes[at..at + 8].copy_from_slice(&(both as u64).to_le_bytes());
        self.bytes[count_at..count_at + 8].copy_from_slice(&(count - 1).to_le_bytes());
        self
    }

    /// Ends the file at a fraction of its length.
    pub(crate) fn cut(mut self, fraction: f64) -> Self {
        self.bytes
            .truncate((self.bytes.len() as f64 * fraction) as usize);
        self
    }

    fn value(&self, key: &str) -> Range<usize> {
        self.values
            .iter()
            .find(|(name, _)| name == key)
            .unwrap()
            .1
            .clone()
    }
}

fn take<const N: usize>(bytes: &[u8], at: &mut usize) -> [u8; N] {
    let taken = bytes[*at..*at + N].try_into().unwrap();
    *at += N;
    taken
}

fn word(bytes: &[u8], at: &mut usize) -> u32 {
    u32::from_le_bytes(take(bytes, at))
}

fn number(bytes: &[u8], at: &mut usize) -> u64 {
    u64::from_le_bytes(take(bytes, at))
}

fn string(bytes: &[u8], at: &mut usize) -> String {
    let len = number(bytes, at) as usize;
    *at += len;
    String::from_utf8_lossy(&bytes[*at - len..*at]).into_owned()
}

/// Goes past a value of a kind, by the table in GGUF's specification.
fn skip(bytes: &[u8], at: &mut usize, kind: u32) {
    match kind {
        0 | 1 | 7 => *at += 1,
        2 | 3 => *at += 2,
        4..=6 => *at += 4,
        10..=12 => *at += 8,
        8 => drop(string(bytes, at)),
        9 => {
            let kind = word(bytes, at);
            for _ in 0..number(bytes, at) {
                skip(bytes, at, kind);
            }
        }
        _ => panic!("a value of kind {kind} at {at}"),
    }
}
