//! A text as a picture: the surprise of every step above, the kept tokens below.

use crate::format::tokens;
use crate::{Fault, Report};
use plotters::coord::Shift;
use plotters::prelude::*;

/// Steps that the running mean is taken over.
const WINDOW: usize = 40;
const SIZE: (u32, u32) = (1100, 760);
const UPPER: u32 = 460;

const INK: RGBColor = RGBColor(45, 50, 60);
const GRID: RGBColor = RGBColor(228, 231, 236);
const SURPRISE: RGBColor = RGBColor(100, 125, 170);
const MEAN: RGBColor = RGBColor(20, 70, 160);
const TAU: RGBColor = RGBColor(190, 30, 60);
const KEPT: RGBColor = RGBColor(30, 130, 100);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// The SVG of a report.
pub(crate) fn draw(report: &Report) -> Result<String, Fault> {
    let mut svg = String::new();
    picture(&mut svg, report).map_err(|cause| Fault::Drawing(cause.to_string()))?;
    Ok(svg)
}

fn picture(svg: &mut String, report: &Report) -> Drawn {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (upper, lower) = area.split_vertically(UPPER);
    surprise(&upper, report)?;
    kept(&lower, report)?;
    area.present()?;
    Ok(())
}

fn surprise(area: &Area<'_>, report: &Report) -> Drawn {
    let surprises: Vec<f64> = report.steps.iter().map(|step| step.surprise_bits).collect();
    let most = surprises.iter().copied().fold(1.0, f64::max);
    // The upper part is the legend's.
    let top = (1.3 * most.max(report.sampler.target_bits().unwrap_or(0.0).min(32.0))).ceil();
    let title = format!(
        "{}: {}, {}",
        report.integration.program,
        report.sampler.in_words(),
        tokens(report.tokens.len())
    );
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(30)
        .caption(title, ("sans-serif", 22).into_font().color(&INK))
        .x_label_area_size(30)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..last(report), 0.0..top)?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK.mix(0.5))
        .label_style(("sans-serif", 16).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 18).into_font().color(&INK))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_desc("surprise, bits")
        .draw()?;
    chart
        .draw_series(
            places()
                .zip(&surprises)
                .map(|(x, &y)| Circle::new((x, y), 2, SURPRISE.mix(0.6).filled())),
        )?
        .label("surprise of each step")
        .legend(|(x, y)| Circle::new((x + 14, y), 3, SURPRISE.filled()));
    let mean = running_mean(&surprises, WINDOW);
    chart
        .draw_series(LineSeries::new(places().zip(mean), MEAN.stroke_width(3)))?
        .label(format!("mean of the last {WINDOW}"))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 28, y)], MEAN.stroke_width(3)));
    if let Some(tau) = report.sampler.target_bits() {
        let ends = [0.0, last(report)].map(|step| (step, tau.min(top)));
        chart
            .draw_series(DashedLineSeries::new(ends, 10, 6, TAU.stroke_width(2)))?
            .label(format!("tau, the target: {tau:?} bits"))
            .legend(|(x, y)| PathElement::new([(x, y), (x + 28, y)], TAU.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .legend_area_size(36)
        .label_font(("sans-serif", 16).into_font().color(&INK))
        .background_style(WHITE.mix(0.9))
        .border_style(GRID)
        .draw()?;
    Ok(())
}

fn kept(area: &Area<'_>, report: &Report) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(30)
        .x_label_area_size(48)
        .y_label_area_size(72)
        .build_cartesian_2d(
            0.0..last(report),
            (1.0..report.vocabulary.max(10) as f64).log_scale(),
        )?;
    chart
        .configure_mesh()
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK.mix(0.5))
        .label_style(("sans-serif", 16).into_font().color(&INK))
        .axis_desc_style(("sans-serif", 18).into_font().color(&INK))
        .x_label_formatter(&|x| format!("{x:.0}"))
        .y_label_formatter(&|y| format!("{y:.0}"))
        .x_desc("step")
        .y_desc("tokens kept")
        .draw()?;
    let line = places().zip(report.steps.iter().map(|step| step.kept.max(1) as f64));
    chart.draw_series(LineSeries::new(line, KEPT.stroke_width(1)))?;
    Ok(())
}

fn places() -> impl Iterator<Item = f64> {
    (1..).map(f64::from)
}

fn last(report: &Report) -> f64 {
    report.steps.len().max(1) as f64
}

/// At every place, the mean of the last `window` numbers, or of as many as there are.
fn running_mean(numbers: &[f64], window: usize) -> Vec<f64> {
    (1..=numbers.len())
        .map(|end| {
            let last = &numbers[end.saturating_sub(window)..end];
            last.iter().sum::<f64>() / last.len() as f64
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::running_mean;

    #[test]
    fn the_running_mean_forgets() {
        assert_eq!(running_mean(&[2.0, 4.0, 6.0, 8.0], 2), [2.0, 3.0, 5.0, 7.0]);
    }
}
