//! The closed loop as an SVG picture.

use crate::fault::Fault;
use crate::format::{count, grouped};
use crate::source::Source;
use crate::trace::{STEPS, Trace, running_mean};
use mirostat::Version;
use mirostat_figures::draw::{
    Axes, Dots, INK, Key, MUTED, Picture, Shape, Stroke, V1, V2, dots, line, number,
};
use mirostat_figures::write_whole;
use std::path::Path;

/// Steps that the running mean is taken over.
const WINDOW: usize = 100;

const MU: Stroke = Stroke::solid(MUTED, 2);
const TAU: Stroke = Stroke::dashed(INK, 3);

/// Makes the folder that the picture goes to.
pub(crate) fn make_folder_of(path: &Path) -> Result<(), Fault> {
    let unwritable = |cause| mirostat_figures::Fault::Unwritable {
        path: path.to_path_buf(),
        cause,
    };
    if path.is_dir() || path.file_name().is_none() {
        return Err(unwritable(std::io::ErrorKind::IsADirectory.into()).into());
    }
    match path.parent() {
        Some(folder) => Ok(std::fs::create_dir_all(folder).map_err(unwritable)?),
        None => Ok(()),
    }
}

/// Draws in memory and then writes the file, whole.
pub(crate) fn write(path: &Path, trace: &Trace, source: &Source) -> Result<(), Fault> {
    Ok(write_whole(path, draw(trace, source)?.as_bytes())?)
}

fn draw(trace: &Trace, source: &Source) -> Result<String, mirostat_figures::Fault> {
    let top = top(trace, source.vocabulary());
    let colour = if trace.version == Version::V1 { V1 } else { V2 };
    let surprise = Dots::new(colour, Shape::Speck).opacity(0.35);
    let mean = Stroke::solid(colour, 6);
    let outside = trace.mu_bits.iter().any(|bits| !(0.0..=top).contains(bits));
    let picture = Picture {
        size: (1200, 640),
        title: &format!("Mirostat {:?} in a closed loop", trace.version),
        note: &format!(
            "{} steps over {} of {} logits, tau {:?} bits, eta {:?}",
            grouped(STEPS),
            count(source.len(), "row"),
            grouped(source.vocabulary()),
            trace.tau,
            trace.eta,
        ),
        keys: &[
            Key::Dots("surprise of each step".to_owned(), surprise),
            Key::Line(format!("mean of the last {WINDOW} surprises"), mean),
            Key::Line(
                if outside {
                    "mu (outside of the picture, at its edge)"
                } else {
                    "mu, which each step was drawn with"
                }
                .to_owned(),
                MU,
            ),
            Key::Line("tau, the target".to_owned(), TAU),
        ],
    };
    picture.svg(|area| {
        let mut chart = Axes {
            heading: "",
            x_name: "step",
            y_name: "surprise and mu, bits",
            x: 0.0..STEPS as f64,
            y: 0.0..top,
            ticks: (11, 10),
            y_label: number,
            right: 60,
        }
        .draw(area)?;
        let along = |bits: &[f64]| -> Vec<(f64, f64)> {
            (1..).map(f64::from).zip(bits.iter().copied()).collect()
        };
        dots(&mut chart, area, &along(&trace.surprise_bits), &surprise)?;
        line(&mut chart, along(&trace.mu_bits), MU)?;
        let means = running_mean(&trace.surprise_bits, WINDOW);
        line(&mut chart, along(&means), mean)?;
        line(
            &mut chart,
            [(0.0, trace.tau), (STEPS as f64, trace.tau)],
            TAU,
        )
    })
}

/// The highest whole number of bits that is drawn: above every surprise, and above mu unless the target is out of reach and mu runs away.
fn top(trace: &Trace, vocabulary: usize) -> f64 {
    let most = |bits: &[f64]| bits.iter().copied().fold(0.0, f64::max);
    let of_surprise = most(&trace.surprise_bits).max((2.0 * trace.tau).min(100.0));
    let of_mu = most(&trace.mu_bits).min((vocabulary as f64).log2() + 2.0);
    (1.05 * of_surprise.max(of_mu)).ceil().max(1.0)
}
