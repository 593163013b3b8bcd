//! Names at the right end of lines, moved apart where they would lie upon each other.

use super::axes::Chart;
use super::picture::{Area, font};
use crate::Fault;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

const PIXELS: f64 = 14.0;
/// From one name to the next, in half pixels.
const STEP: i32 = 34;

/// A name beside the chart.
#[derive(Clone, Debug)]
pub struct SideLabel {
    /// Where it would like to stand, on the y axis.
    pub y: f64,
    /// What it says.
    pub text: String,
    /// The colour of what it names.
    pub colour: RGBColor,
}

/// Draws names to the right of a chart, in the order of their places. `root` is the area that the chart was made on.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn side_labels(
    chart: &Chart<'_, '_>,
    root: &Area<'_>,
    labels: &[SideLabel],
) -> Result<(), Fault> {
    let (left, top) = root.get_base_pixel();
    let (xs, ys) = (chart.x_range(), chart.y_range());
    let at = |y: f64| chart.backend_coord(&(xs.end, y.clamp(ys.start, ys.end)));
    let mut labels: Vec<_> = labels
        .iter()
        .map(|label| (at(label.y).1 - top, label))
        .collect();
    labels.sort_by_key(|&(y, _)| y);
    let mut places: Vec<i32> = labels.iter().map(|&(y, _)| y).collect();
    spread(&mut places, STEP, at(ys.start).1 - top);
    for (place, (_, label)) in places.into_iter().zip(labels) {
        let style = font(PIXELS)
            .color(&label.colour)
            .pos(Pos::new(HPos::Left, VPos::Center));
        let x = at(ys.start).0 - left + 20;
        root.draw(&Text::new(label.text.clone(), (x, place), style))?;
    }
    Ok(())
}

/// Moves places in rising order at least `step` apart, no lower on the sheet than `bottom` while there is room above.
fn spread(places: &mut [i32], step: i32, bottom: i32) {
    for i in 1..places.len() {
        places[i] = places[i].max(places[i - 1] + step);
    }
    let mut limit = bottom;
    for place in places.iter_mut().rev() {
        *place = (*place).min(limit);
        limit = *place - step;
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn names_do_not_lie_upon_each_other() {
        let mut places = [10, 10, 12, 95, 99];
        spread(&mut places, 10, 100);
        assert_eq!(places, [10, 20, 30, 90, 100]);
    }
}
