//! The sheet: a white ground, a title with a note under it, a legend, and room for charts.

use super::legend::{self, Key};
use super::palette::{INK, MUTED};
use crate::Fault;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::FontStyle;

/// A part of a picture.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// plotters places everything at whole units: with two of them to a pixel, lines are smooth.
pub(super) const UNITS: u32 = 2;
const MARGIN: i32 = 40;
const HEAD: i32 = 210;

/// Text of a height in pixels.
pub(super) fn font(pixels: f64) -> FontDesc<'static> {
    // What plotters-svg writes into the file is the size over 1.24.
    ("sans-serif", pixels * f64::from(UNITS) * 1.24).into_font()
}

/// A picture before its charts.
#[derive(Debug)]
pub struct Picture<'a> {
    /// Width and height, in pixels.
    pub size: (u32, u32),
    /// What it shows.
    pub title: &'a str,
    /// What it was made with.
    pub note: &'a str,
    /// The legend, from left to right.
    pub keys: &'a [Key],
}

impl Picture<'_> {
    /// The text of an SVG file, its charts drawn by `charts` on the room that is left.
    ///
    /// # Errors
    ///
    /// [`Fault::Drawing`], and whatever `charts` returns.
    pub fn svg(
        &self,
        charts: impl FnOnce(&Area<'_>) -> Result<(), Fault>,
    ) -> Result<String, Fault> {
        let (width, height) = self.size;
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (width * UNITS, height * UNITS))
                .into_drawing_area();
            area.fill(&WHITE)?;
            let (head, body) = area.split_vertically(HEAD);
            let title = font(22.0).style(FontStyle::Bold).color(&INK);
            head.draw(&Text::new(self.title, (MARGIN, 30), title))?;
            head.draw(&Text::new(
                self.note,
                (MARGIN, 90),
                font(15.0).color(&MUTED),
            ))?;
            legend::draw(&head, self.keys, (MARGIN, 166))?;
            charts(&body)?;
            area.present()?;
        }
        let units = format!("width=\"{}\" height=\"{}\"", width * UNITS, height * UNITS);
        Ok(svg.replacen(&units, &format!("width=\"{width}\" height=\"{height}\""), 1))
    }
}
