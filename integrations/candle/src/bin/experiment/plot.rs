//! Three pictures over the same rules: mean surprise, kept tokens, repetition; a dot for every text.

use crate::figures::Figures;
use crate::plan::name;
use crate::work::Text as Written;
use mirostat_textgen::{Fault, Kind, SamplerOptions};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const SIZE: (u32, u32) = (1240, 1010);
const HEIGHTS: [i32; 2] = [440, 670];

const INK: RGBColor = RGBColor(45, 50, 60);
const GRID: RGBColor = RGBColor(228, 231, 236);
const TARGET: RGBColor = RGBColor(190, 30, 60);

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

pub(crate) fn draw(rules: &[SamplerOptions], texts: &[Written]) -> Result<String, Fault> {
    let mut svg = String::new();
    picture(&mut svg, rules, texts).map_err(|cause| Fault::Drawing(cause.to_string()))?;
    Ok(svg)
}

fn picture(svg: &mut String, rules: &[SamplerOptions], texts: &[Written]) -> Drawn {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let (top, rest) = area.split_vertically(HEIGHTS[0]);
    let (middle, bottom) = rest.split_vertically(HEIGHTS[1] - HEIGHTS[0]);

    let most = greatest(texts, |figures| figures.surprise_bits);
    let surprise = Panel {
        area: &top,
        title: Some("One dot a text, a bar for the rule's mean, a red line for its target"),
        label: "mean surprise, bits",
        names: false,
        value: |figures| figures.surprise_bits,
        targets: true,
    };
    surprise.draw(rules, texts, 0.0..most.max(6.5) + 0.5, |y| {
        format!("{y:.0}")
    })?;
    let most = greatest(texts, |figures| figures.median_kept as f64);
    let kept = Panel {
        area: &middle,
        title: None,
        label: "kept, median",
        names: false,
        value: |figures| figures.median_kept.max(1) as f64,
        targets: false,
    };
    kept.draw(rules, texts, (0.8..2.0 * most.max(10.0)).log_scale(), |y| {
        format!("{y:.0}")
    })?;
    let most = greatest(texts, |figures| figures.repetition);
    let repetition = Panel {
        area: &bottom,
        title: None,
        label: "repeated 4-grams",
        names: true,
        value: |figures| figures.repetition,
        targets: false,
    };
    repetition.draw(rules, texts, 0.0..1.1 * most.max(0.05), |y| {
        format!("{:.0} %", 100.0 * y)
    })?;
    area.present()?;
    Ok(())
}

fn greatest(texts: &[Written], value: fn(&Figures) -> f64) -> f64 {
    texts
        .iter()
        .map(|text| value(&text.figures))
        .fold(0.0, f64::max)
}

struct Panel<'a, 'b> {
    area: &'a Area<'b>,
    title: Option<&'static str>,
    label: &'static str,
    /// Whether the rules' names stand below.
    names: bool,
    value: fn(&Figures) -> f64,
    /// Whether targets are marked.
    targets: bool,
}

impl Panel<'_, '_> {
    fn draw<Y>(
        &self,
        rules: &[SamplerOptions],
        texts: &[Written],
        axis: Y,
        number: fn(&f64) -> String,
    ) -> Drawn
    where
        Y: plotters::coord::ranged1d::AsRangedCoord<Value = f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let mut builder = ChartBuilder::on(self.area);
        builder
            .margin(14)
            .margin_right(24)
            .x_label_area_size(if self.names { 110 } else { 8 })
            .y_label_area_size(84);
        if let Some(title) = self.title {
            builder.caption(title, ("sans-serif", 22).into_font().color(&INK));
        }
        let mut chart = builder.build_cartesian_2d(-0.6..rules.len() as f64 - 0.4, axis)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .axis_style(INK.mix(0.5))
            .label_style(("sans-serif", 16).into_font().color(&INK))
            .axis_desc_style(("sans-serif", 18).into_font().color(&INK))
            .y_desc(self.label)
            .y_label_formatter(&number)
            .draw()?;
        for (place, rule) in rules.iter().enumerate() {
            let x = place as f64;
            let of_rule = texts.iter().filter(|text| text.rule == place);
            let values: Vec<f64> = of_rule.map(|text| (self.value)(&text.figures)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let colour = colour(rule.kind);
            if let Some(tau) = rule.target_bits().filter(|_| self.targets) {
                let line = [(x - 0.45, tau), (x + 0.45, tau)];
                chart.draw_series([PathElement::new(line, TARGET.stroke_width(2))])?;
            }
            let bar = [(x - 0.3, mean), (x + 0.3, mean)];
            chart.draw_series([PathElement::new(bar, colour.stroke_width(4))])?;
            // Apart, so that equal ones can be told.
            let apart = (0..).map(|i| x + 0.1 * (f64::from(i) - 2.0));
            chart.draw_series(
                apart
                    .zip(&values)
                    .map(|(x, &y)| Circle::new((x, y), 4, colour.mix(0.55).filled())),
            )?;
            if self.names {
                let (left, below) = chart.plotting_area().get_pixel_range();
                let width = f64::from(left.end - left.start);
                let at = f64::from(left.start) + width * (x + 0.6) / (rules.len() as f64 + 0.2);
                let style = TextStyle::from(("sans-serif", 16).into_font())
                    .transform(FontTransform::Rotate270)
                    .color(&INK)
                    .pos(Pos::new(HPos::Right, VPos::Center));
                let relative = self.area.get_pixel_range();
                let place = (
                    at as i32 - relative.0.start,
                    below.end - relative.1.start + 10,
                );
                self.area.draw(&Text::new(name(rule), place, style))?;
            }
        }
        Ok(())
    }
}

fn colour(kind: Kind) -> RGBColor {
    match kind {
        Kind::V1 => RGBColor(20, 70, 160),
        Kind::V2 => RGBColor(30, 130, 100),
        Kind::TopP => RGBColor(225, 130, 30),
        Kind::TopK => RGBColor(130, 80, 160),
        _ => RGBColor(110, 115, 125),
    }
}
