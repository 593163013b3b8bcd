//! The closed loop as an SVG picture.

use crate::fault::Fault;
use crate::format::{count, grouped};
use crate::source::Source;
use crate::trace::{STEPS, Trace, running_mean};
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use std::path::Path;

/// Steps that the running mean is taken over.
const WINDOW: usize = 100;
const SIZE: (u32, u32) = (1200, 640);

const INK: RGBColor = RGBColor(45, 50, 60);
const GRID: RGBColor = RGBColor(228, 231, 236);
const SURPRISE: RGBColor = RGBColor(100, 125, 170);
const MEAN: RGBColor = RGBColor(20, 70, 160);
const MU: RGBColor = RGBColor(225, 130, 30);
const TAU: RGBColor = RGBColor(190, 30, 60);

/// Makes the folder that the picture goes to.
pub(crate) fn make_folder_of(path: &Path) -> Result<(), Fault> {
    let unwritable = |cause| Fault::Unwritable {
        path: path.to_path_buf(),
        cause,
    };
    if path.is_dir() || path.file_name().is_none() {
        return Err(unwritable(std::io::ErrorKind::IsADirectory.into()));
    }
    match path.parent() {
        Some(folder) => std::fs::create_dir_all(folder).map_err(unwritable),
        None => Ok(()),
    }
}

/// Draws in memory, writes beside the place, and moves there: nobody sees half a picture.
pub(crate) fn write(path: &Path, trace: &Trace, source: &Source) -> Result<(), Fault> {
    let mut svg = String::new();
    draw(&mut svg, trace, source).map_err(|cause| Fault::Drawing(cause.to_string()))?;
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    std::fs::write(&unfinished, svg)
        .and_then(|()| std::fs::rename(&unfinished, path))
        .map_err(|cause| {
            // If it was never made there is nothing to remove.
            let _ = std::fs::remove_file(&unfinished);
            Fault::Unwritable {
                path: path.to_path_buf(),
                cause,
            }
        })
}

fn draw(
    svg: &mut String,
    trace: &Trace,
    source: &Source,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let top = top(trace, source.vocabulary());
    let title = format!(
        "Mirostat {:?} in a closed loop: {} steps over {} of {} logits, eta {:?}",
        trace.version,
        grouped(STEPS),
        count(source.len(), "row"),
        grouped(source.vocabulary()),
        trace.eta,
    );
    let mut chart = ChartBuilder::on(&area)
        .margin(18)
        .margin_right(30)
        .caption(title, ("sans-serif", 24).into_font().color(&INK))
        .x_label_area_size(52)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..STEPS as f64, 0.0..top)?;
    chart
        .configure_mesh()
        .x_labels(11)
        .y_labels(10)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK.mix(0.5))
        .label_style(("sans-serif", 17).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 19).into_font().color(&INK))
        .x_desc("step")
        .y_desc("surprise and mu, bits")
        .x_label_formatter(&|x| grouped(*x as usize))
        .y_label_formatter(&|y| format!("{}", (y * 1e3).round() / 1e3))
        .draw()?;

    let outside = |bits: &[f64]| bits.iter().any(|bits| !(0.0..=top).contains(bits));
    let line = |bits: &[f64]| -> Vec<(f64, f64)> {
        let steps = (1..).map(f64::from);
        steps.zip(bits.iter().map(|y| y.clamp(0.0, top))).collect()
    };
    chart
        .draw_series(
            line(&trace.surprise_bits)
                .into_iter()
                .map(|at| Circle::new(at, 2, SURPRISE.mix(0.45).filled())),
        )?
        .label("surprise of each step")
        .legend(|(x, y)| Circle::new((x + 14, y), 3, SURPRISE.mix(0.7).filled()));
    chart
        .draw_series(LineSeries::new(line(&trace.mu_bits), MU.stroke_width(1)))?
        .label(if outside(&trace.mu_bits) {
            "mu (where it leaves the picture, at the edge)"
        } else {
            "mu, which each step was drawn with"
        })
        .legend(|(x, y)| PathElement::new([(x, y), (x + 28, y)], MU.stroke_width(2)));
    let mean = running_mean(&trace.surprise_bits, WINDOW);
    chart
        .draw_series(LineSeries::new(line(&mean), MEAN.stroke_width(3)))?
        .label(format!("mean of the last {WINDOW} surprises"))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 28, y)], MEAN.stroke_width(3)));
    let ends = [0.0, STEPS as f64].map(|step| (step, trace.tau.min(top)));
    chart
        .draw_series(DashedLineSeries::new(ends, 10, 6, TAU.stroke_width(2)))?
        .label(format!("tau, the target: {:?} bits", trace.tau))
        .legend(|(x, y)| DashedPathElement::new([(x, y), (x + 28, y)], 8, 4, TAU.stroke_width(2)));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .margin(12)
        .legend_area_size(36)
        .label_font(("sans-serif", 17).into_font().color(&INK))
        .background_style(WHITE.mix(0.9))
        .border_style(GRID)
        .draw()?;
    area.present()?;
    Ok(())
}

/// The highest whole number of bits that is drawn: above every surprise, and above mu unless the target is out of reach and mu runs away.
fn top(trace: &Trace, vocabulary: usize) -> f64 {
    let most = |bits: &[f64]| bits.iter().copied().fold(0.0, f64::max);
    let of_surprise = most(&trace.surprise_bits).max((2.0 * trace.tau).min(100.0));
    let of_mu = most(&trace.mu_bits).min((vocabulary as f64).log2() + 2.0);
    // The upper quarter is the legend's.
    (1.3 * of_surprise.max(of_mu)).ceil().max(1.0)
}
