//! Every sampler on the eight real rows of `examples/data`.

use crate::across::AcrossRows;
use crate::settings::{Settings, TAU};
use crate::{Fault, Figure};
use half::f16;
use mirostat::experiments::Baseline;
use std::path::Path;

pub(crate) const ROWS: u64 = 8;

/// Settings that people use.
const USUAL: [Baseline; 6] = [
    Baseline::TopK(40),
    Baseline::TopP(0.9),
    Baseline::MinP(0.05),
    Baseline::Epsilon(0.001),
    Baseline::Temperature(0.7),
    Baseline::Typical(0.9),
];

/// Runs both versions and six fixed samplers on each real row; `done` is called after each run.
///
/// # Errors
///
/// [`Fault::Rows`] where the rows cannot be read; for a seed that is none and for 0 steps.
pub fn measure_real_rows(
    settings: Settings,
    done: &(dyn Fn() + Sync),
) -> Result<AcrossRows, Fault> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/smollm2-rows.f16.npy");
    let unreadable = |cause| Fault::Rows {
        path: path.clone(),
        cause,
    };
    let bytes = std::fs::read(&path).map_err(unreadable)?;
    let file = npyz::NpyFile::new(&bytes[..]).map_err(unreadable)?;
    let vocabulary = file.len() as usize / ROWS as usize;
    let logits: Vec<f16> = file.into_vec().map_err(unreadable)?;
    let rows: Vec<_> = logits
        .chunks_exact(vocabulary)
        .map(|row| (row.into(), row.iter().map(|logit| logit.to_f64()).collect()))
        .collect();
    Ok(AcrossRows::measure(&USUAL, &rows, settings, done)?)
}

/// Mean surprise of each sampler against the entropy of the row.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn real_rows(measured: &AcrossRows, settings: Settings) -> Result<Figure, Fault> {
    let title = "Real rows: the same samplers on eight prompts";
    let note = format!(
        "SmolLM2-135M-Instruct, eight rows of 49,152 logits (examples/data), tau {TAU} bits, {}",
        settings.note()
    );
    Ok(Figure {
        name: "real-rows",
        title: title.to_owned(),
        svg: measured.svg(title, &note, "entropy of the row, bits")?,
        caption: format!(
            "A run on each row by itself (the lines only lead the eye), the fixed samplers at settings that people use. Where the \
             entropy is below tau Mirostat ends by keeping everything, and where the likeliest token alone is above tau, by keeping \
             that one. {note}."
        ),
    })
}
