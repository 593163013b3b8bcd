//! A chart: two axes with names and units, a grid, and a heading.

use super::numbers::number;
use super::palette::{GRID, INK};
use super::picture::{Area, font};
use crate::Fault;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// A chart to draw on.
pub type Chart<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

const HEADING: u32 = 64;
const X_LABELS: u32 = 96;
const Y_LABELS: u32 = 124;

/// What a chart is measured by.
#[derive(Debug)]
pub struct Axes<'a> {
    /// What the chart shows; nothing where the picture's title says it.
    pub heading: &'a str,
    /// The name of the x axis, with its unit.
    pub x_name: &'a str,
    /// The name of the y axis, with its unit.
    pub y_name: &'a str,
    /// From where to where x goes.
    pub x: Range<f64>,
    /// From where to where y goes.
    pub y: Range<f64>,
    /// About how many numbers stand at each axis.
    pub ticks: (usize, usize),
    /// How a number at the y axis is written.
    pub y_label: fn(f64) -> String,
    /// What is left free on the right, in half pixels.
    pub right: u32,
}

impl Axes<'_> {
    /// Draws axes and grid, and hands out the chart.
    ///
    /// # Errors
    ///
    /// [`Fault::Drawing`].
    pub fn draw<'a, 'b>(&self, area: &'a Area<'b>) -> Result<Chart<'a, 'b>, Fault> {
        let heading = if self.heading.is_empty() { 16 } else { HEADING };
        let middle = Pos::new(HPos::Left, VPos::Center);
        area.draw(&Text::new(
            self.heading,
            (Y_LABELS as i32 + 16, HEADING as i32 / 2),
            font(16.0).color(&INK).pos(middle),
        ))?;
        let mut chart = ChartBuilder::on(area)
            .margin(16)
            .margin_top(heading)
            .margin_right(self.right.max(30))
            .x_label_area_size(X_LABELS)
            .y_label_area_size(Y_LABELS)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart
            .configure_mesh()
            .x_labels(self.ticks.0)
            .y_labels(self.ticks.1)
            .bold_line_style(GRID.stroke_width(2))
            .light_line_style(TRANSPARENT)
            .axis_style(INK.mix(0.55).stroke_width(2))
            .label_style(font(14.0).color(&INK))
            .axis_desc_style(font(15.0).color(&INK))
            .x_desc(self.x_name)
            .y_desc(self.y_name)
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| (self.y_label)(*y))
            .draw()?;
        Ok(chart)
    }
}
