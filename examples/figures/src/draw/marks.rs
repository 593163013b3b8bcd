//! Lines, points and filled parts of a chart; what lies outside of the axes is drawn at their edge.

use super::axes::Chart;
use super::picture::Area;
use crate::Fault;
use plotters::coord::Shift;
use plotters::prelude::*;

/// How a line is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Stroke {
    colour: RGBColor,
    opacity: f64,
    width: u32,
    pub(super) dash: Option<(i32, i32)>,
}

impl Stroke {
    /// A whole line, its width in half pixels.
    #[must_use]
    pub const fn solid(colour: RGBColor, width: u32) -> Self {
        Self {
            colour,
            opacity: 1.0,
            width,
            dash: None,
        }
    }

    /// A line of dashes, its width in half pixels.
    #[must_use]
    pub const fn dashed(colour: RGBColor, width: u32) -> Self {
        Self {
            dash: Some((16, 10)),
            ..Self::solid(colour, width)
        }
    }

    /// The same, to be seen through.
    #[must_use]
    pub const fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    pub(super) fn style(self) -> ShapeStyle {
        self.colour.mix(self.opacity).stroke_width(self.width)
    }
}

/// The shape of a point, so that colour is never all that tells samplers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A disc.
    Disc,
    /// A disc that another point can lie on and be seen.
    LargeDisc,
    /// A disc of 3 units, for as many points as there are steps.
    Speck,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// Two strokes, as in ×.
    Cross,
    /// A circle that is not filled.
    Ring,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Dots {
    colour: RGBColor,
    opacity: f64,
    shape: Shape,
    line: Option<u32>,
}

impl Dots {
    /// Points by themselves.
    #[must_use]
    pub const fn new(colour: RGBColor, shape: Shape) -> Self {
        Self {
            colour,
            opacity: 1.0,
            shape,
            line: None,
        }
    }

    /// The same on a line, its width in half pixels.
    #[must_use]
    pub const fn on_line(self, width: u32) -> Self {
        Self {
            line: Some(width),
            ..self
        }
    }

    /// The same, to be seen through.
    #[must_use]
    pub const fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }

    /// Their colour.
    #[must_use]
    pub const fn colour(&self) -> RGBColor {
        self.colour
    }

    pub(super) const fn is_speck(&self) -> bool {
        matches!(self.shape, Shape::Speck)
    }

    pub(super) fn stroke(&self) -> Option<Stroke> {
        self.line.map(|width| Stroke::solid(self.colour, width))
    }

    pub(super) fn draw_at(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        at: (i32, i32),
    ) -> Result<(), Fault> {
        let colour = self.colour.mix(self.opacity);
        let (x, y) = at;
        let corners = |r: i32| [(x, y - r), (x + r, y), (x, y + r), (x - r, y)];
        match self.shape {
            Shape::Disc => area.draw(&Circle::new(at, 8, colour.filled())),
            Shape::LargeDisc => area.draw(&Circle::new(at, 13, colour.filled())),
            Shape::Speck => area.draw(&Circle::new(at, 3, colour.filled())),
            Shape::Ring => {
                area.draw(&Circle::new(at, 8, WHITE.filled()))?;
                area.draw(&Circle::new(at, 8, colour.stroke_width(4)))
            }
            Shape::Square => area.draw(&Rectangle::new(
                [(x - 7, y - 7), (x + 7, y + 7)],
                colour.filled(),
            )),
            Shape::Triangle => area.draw(&TriangleMarker::new(at, 10, colour.filled())),
            Shape::Diamond => area.draw(&Polygon::new(corners(10), colour.filled())),
            Shape::Cross => area.draw(&Cross::new(at, 8, colour.stroke_width(4))),
        }?;
        Ok(())
    }
}

/// Draws a line through points.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn line(
    chart: &mut Chart<'_, '_>,
    points: impl IntoIterator<Item = (f64, f64)>,
    stroke: Stroke,
) -> Result<(), Fault> {
    let points: Vec<_> = points.into_iter().map(|at| held(chart, at)).collect();
    match stroke.dash {
        Some((dash, gap)) => {
            chart.draw_series(DashedLineSeries::new(points, dash, gap, stroke.style()))?;
        }
        None => {
            chart.draw_series(LineSeries::new(points, stroke.style()))?;
        }
    }
    Ok(())
}

/// Draws points, and the line that they are on if there is one. `root` is the area that the chart was made on.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn dots(
    chart: &mut Chart<'_, '_>,
    root: &Area<'_>,
    points: &[(f64, f64)],
    dots: &Dots,
) -> Result<(), Fault> {
    if let Some(stroke) = dots.stroke() {
        line(chart, points.iter().copied(), stroke)?;
    }
    let (left, top) = root.get_base_pixel();
    for &at in points {
        let (x, y) = chart.backend_coord(&held(chart, at));
        dots.draw_at(root, (x - left, y - top))?;
    }
    Ok(())
}

/// Fills what lies between two lines of equal length.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn area(
    chart: &mut Chart<'_, '_>,
    lower: &[(f64, f64)],
    upper: &[(f64, f64)],
    colour: RGBColor,
) -> Result<(), Fault> {
    let outline = lower.iter().chain(upper.iter().rev());
    let outline: Vec<_> = outline.map(|&at| held(chart, at)).collect();
    chart.draw_series([Polygon::new(outline, colour.filled())])?;
    Ok(())
}

fn held(chart: &Chart<'_, '_>, (x, y): (f64, f64)) -> (f64, f64) {
    let (xs, ys) = (chart.x_range(), chart.y_range());
    (x.clamp(xs.start, xs.end), y.clamp(ys.start, ys.end))
}
