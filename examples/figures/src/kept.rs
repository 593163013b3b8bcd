//! How many tokens each step was drawn from.

use crate::draw::{self, Axes, Key, Picture, Stroke, V1, V2, line};
use crate::settings::VOCABULARY;
use crate::traces::{Traces, along};
use crate::{Fault, Figure};

/// The kept tokens of each step of each run, on an axis of powers of two.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn kept(traces: &Traces) -> Result<Figure, Fault> {
    let title = "Kept tokens, step by step: as many as the target needs";
    // Version 2 goes along version 1, and leaves its rim to be seen.
    let strokes = [Stroke::solid(V1, 9).opacity(0.5), Stroke::solid(V2, 3)];
    let picture = Picture {
        size: (1200, 560),
        title,
        note: &traces.note(),
        keys: &[
            Key::Line("kept by V1".to_owned(), strokes[0]),
            Key::Line("kept by V2".to_owned(), strokes[1]),
        ],
    };
    // By libm, whose bits are the same on every machine.
    let top = libm::log2(VOCABULARY as f64);
    let svg = picture.svg(|area| {
        for (cell, scenario) in area.split_evenly((1, 2)).iter().zip(&traces.scenarios) {
            let mut chart = Axes {
                heading: &scenario.name,
                x_name: "step",
                y_name: "kept, tokens",
                x: 0.0..scenario.runs[0].len() as f64,
                y: 0.0..top,
                ticks: (6, 9),
                y_label: |log2| draw::number(log2.exp2()),
                right: 64,
            }
            .draw(cell)?;
            for (steps, stroke) in scenario.runs.iter().zip(strokes) {
                line(
                    &mut chart,
                    along(steps, |step| libm::log2(step.kept as f64)),
                    stroke,
                )?;
            }
        }
        Ok(())
    })?;
    Ok(Figure {
        name: "kept",
        title: title.to_owned(),
        caption: format!(
            "How many of the {VOCABULARY} tokens each step was drawn from; the axis doubles from line to line. No fixed number would do \
             on the row that drifts. {}.",
            traces.note()
        ),
        svg,
    })
}
