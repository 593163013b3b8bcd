//! A figure, and all of them.

use crate::{Fault, Settings, Traces};
use crate::{calibration, kept, mu, real_rows, surprise, zipf_rows};

/// A picture, and what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: String,
    /// How to read it, and what it was made with.
    pub caption: String,
    /// The text of the SVG file.
    pub svg: String,
}

/// How often [`draw_all`] calls `done`.
#[must_use]
pub const fn runs() -> u64 {
    const SAMPLERS: u64 = 2 + zipf_rows::TUNED.len() as u64;
    calibration::RUNS + SAMPLERS * (zipf_rows::ROWS + real_rows::ROWS)
}

/// Makes every figure; `done` is called after each run of the sweeps, from whatever thread it was on.
///
/// # Errors
///
/// Those of the experiments, such as for a seed that is none; [`Fault::Rows`]; [`Fault::Drawing`].
///
/// # Cost
///
/// The sweeps are shared out among the threads of rayon's current pool.
pub fn draw_all(settings: Settings, done: &(dyn Fn() + Sync)) -> Result<Vec<Figure>, Fault> {
    let traces = Traces::record(settings)?;
    let calibrated = calibration::measure_calibration(settings, done)?;
    let zipf = zipf_rows::measure_zipf_rows(settings, done)?;
    let real = real_rows::measure_real_rows(settings, done)?;
    Ok(vec![
        surprise::surprise(&traces)?,
        mu::mu(&traces)?,
        kept::kept(&traces)?,
        calibration::calibration(&calibrated, settings)?,
        zipf_rows::zipf_rows(&zipf, settings)?,
        real_rows::real_rows(&real, settings)?,
    ])
}
