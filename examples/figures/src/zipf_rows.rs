//! Every sampler on rows of Zipf's law, from peaked to flat.

use crate::across::AcrossRows;
use crate::settings::{Settings, TAU, VOCABULARY};
use crate::{Fault, Figure};
use mirostat::experiments::{Baseline, zipf_logits};

/// From 1.7, peaked, to 0.7, flat.
const TENTHS: std::ops::RangeInclusive<u8> = 7..=17;
pub(crate) const ROWS: u64 = 11;

/// Each set so that it gives about 3 bits on the row of exponent 1.15: the cuts keep its same five tokens. Typical sampling cannot be:
/// it keeps what is near the entropy, 5.5 bits there.
pub(crate) const TUNED: [Baseline; 6] = [
    Baseline::TopK(5),
    Baseline::TopP(0.48),
    Baseline::MinP(0.15),
    Baseline::Epsilon(0.035),
    Baseline::Temperature(0.57),
    Baseline::Typical(0.9),
];

/// Runs both versions and six fixed samplers on rows of Zipf's law; `done` is called after each run.
///
/// # Errors
///
/// For a seed that is none and for 0 steps.
pub fn measure_zipf_rows(
    settings: Settings,
    done: &(dyn Fn() + Sync),
) -> mirostat::Result<AcrossRows> {
    let rows: Vec<_> = TENTHS
        .map(|tenths| zipf_logits(VOCABULARY, f64::from(tenths) / 10.0))
        .collect();
    let rows: Vec<_> = rows.iter().map(|row| (row.into(), row.clone())).collect();
    AcrossRows::measure(&TUNED, &rows, settings, done)
}

/// Mean surprise of each sampler against the entropy of the row.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn zipf_rows(measured: &AcrossRows, settings: Settings) -> Result<Figure, Fault> {
    let title = "Rows from peaked to flat: a fixed cut lets the surprise go";
    let note = format!(
        "Zipf rows, exponents 1.7 (left) to 0.7 (right), V = {VOCABULARY} tokens, tau {TAU} bits, {}",
        settings.note()
    );
    Ok(Figure {
        name: "zipf-rows",
        title: title.to_owned(),
        svg: measured.svg(title, &note, "entropy of the row, bits")?,
        caption: format!(
            "A run on each of 11 rows. The fixed samplers were set to give about 3 bits on the row of exponent 1.15 (entropy 5.5 bits), \
             all but typical, which follows the entropy by design (and may drop the likeliest tokens, so that it passes beyond the grey \
             edge). On other rows they give what the row gives; Mirostat gives tau wherever that is in reach: not below the surprise of \
             the likeliest token, not above the entropy. {note}."
        ),
    })
}
