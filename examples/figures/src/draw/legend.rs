//! The legend: one line of marks, each with its name.

use super::marks::{Dots, Stroke};
use super::palette::INK;
use super::picture::{Area, UNITS, font};
use crate::Fault;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const PIXELS: f64 = 15.0;
const SAMPLE: i32 = 56;
const GAP: i32 = 56;

/// One entry of a legend.
#[derive(Clone, Debug)]
pub enum Key {
    /// A line.
    Line(String, Stroke),
    /// Points, or points on a line of their colour.
    Dots(String, Dots),
    /// A filled part of the chart.
    Area(String, RGBColor),
}

impl Key {
    fn name(&self) -> &str {
        match self {
            Self::Line(name, _) | Self::Dots(name, _) | Self::Area(name, _) => name,
        }
    }

    /// About how wide it is: an SVG has no font until somebody shows it.
    fn width(&self) -> i32 {
        let text = self.name().chars().count() as f64 * PIXELS * f64::from(UNITS) * 0.56;
        SAMPLE + 16 + text as i32 + GAP
    }
}

pub(super) fn draw(area: &Area<'_>, keys: &[Key], (mut x, y): (i32, i32)) -> Result<(), Fault> {
    for key in keys {
        let ends = [(x, y), (x + SAMPLE, y)];
        match key {
            Key::Line(_, stroke) => match stroke.dash {
                Some((dash, gap)) => {
                    area.draw(&DashedPathElement::new(ends, dash, gap, stroke.style()))?;
                }
                None => area.draw(&PathElement::new(ends, stroke.style()))?,
            },
            Key::Dots(_, dots) => {
                if let Some(stroke) = dots.stroke() {
                    area.draw(&PathElement::new(ends, stroke.style()))?;
                }
                // A speck by itself would be overlooked.
                let offsets: &[(i32, i32)] = if dots.is_speck() {
                    &[(8, 6), (20, -5), (30, 4), (42, -7), (50, 2)]
                } else {
                    &[(SAMPLE / 2, 0)]
                };
                for (dx, dy) in offsets {
                    dots.draw_at(area, (x + dx, y + dy))?;
                }
            }
            Key::Area(_, colour) => {
                let corners = [(x, y - 14), (x + SAMPLE, y + 14)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                area.draw(&Rectangle::new(corners, INK.mix(0.25)))?;
            }
        }
        let style = font(PIXELS)
            .color(&INK)
            .pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new(key.name(), (x + SAMPLE + 16, y), style))?;
        x += key.width();
    }
    Ok(())
}
