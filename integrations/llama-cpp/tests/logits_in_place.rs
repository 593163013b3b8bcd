//! The rows that are sampled are llama.cpp's memory, not a copy of it.

use mirostat::generation::{Logits as _, Model as _};
use mirostat_llama_cpp::{Llama, Sequences, Weights};
use mirostat_textgen::open_model;

#[test]
fn rows_are_read_where_llama_cpp_wrote_them() {
    let weights = Weights::load(&open_model(None).unwrap().0, false).unwrap();
    let mut sequences = Sequences::new(&weights, 3, 16, 1).unwrap();
    for (i, text) in ["The sea", "A king", "Water is"].iter().enumerate() {
        sequences.feed(i, &weights.tokens(text)).unwrap();
    }
    sequences.decode().unwrap();
    // llama.cpp keeps the rows of a batch one behind the other in one buffer; copies of ours would lie anywhere.
    let mut rows = [0, 1, 2].map(|i| sequences.logits(i).unwrap().as_ptr_range());
    rows.sort_by_key(|row| row.start);
    assert_eq!(rows[0].end, rows[1].start);
    assert_eq!(rows[1].end, rows[2].start);
    // And they stay where they are, however often they are asked for.
    assert_eq!(
        sequences.logits(1).unwrap().as_ptr(),
        sequences.logits(1).unwrap().as_ptr()
    );
    assert_eq!(sequences.logits(0).unwrap().len(), weights.vocabulary());
    drop(sequences);

    // The same through the doors of the common programme and of mirostat.
    let mut llama = Llama::new(&weights, 64, 1).unwrap();
    let mut context = weights.tokens("The sea");
    let mut places = Vec::new();
    for _ in 0..4 {
        let logits = llama.logits(&context).unwrap();
        assert!(matches!(logits.row(), mirostat::Row::F32(row) if row.as_ptr() == logits.as_ptr()));
        places.push(logits.as_ptr());
        context.push(5);
    }
    places.dedup();
    assert_eq!(places.len(), 1, "llama.cpp writes every row to one place");
}
