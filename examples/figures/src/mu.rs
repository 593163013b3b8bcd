//! Mu, the edge that feedback moves.

use crate::draw::{self, Axes, INK, Key, Picture, Stroke, V1, V2, line};
use crate::settings::TAU;
use crate::traces::{Traces, along};
use crate::{Fault, Figure};

const TARGET: Stroke = Stroke::dashed(INK, 3);

/// Mu before each step of each run, and the target.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn mu(traces: &Traces) -> Result<Figure, Fault> {
    let title = "Mu, step by step: it goes where the row makes it go";
    let strokes = [V1, V2].map(|colour| Stroke::solid(colour, 3));
    let picture = Picture {
        size: (1200, 560),
        title,
        note: &traces.note(),
        keys: &[
            Key::Line("mu of V1".to_owned(), strokes[0]),
            Key::Line("mu of V2".to_owned(), strokes[1]),
            Key::Line("tau, the target".to_owned(), TARGET),
        ],
    };
    let top = (1.05 * traces.greatest(|step| step.mu_before)).ceil();
    let bottom = -traces.greatest(|step| -step.mu_before).ceil();
    let svg = picture.svg(|area| {
        for (cell, scenario) in area.split_evenly((1, 2)).iter().zip(&traces.scenarios) {
            let end = scenario.runs[0].len() as f64;
            let mut chart = Axes {
                heading: &scenario.name,
                x_name: "step",
                y_name: "mu, bits",
                x: 0.0..end,
                y: bottom..top,
                ticks: (6, 9),
                y_label: draw::number,
                right: 64,
            }
            .draw(cell)?;
            for (steps, stroke) in scenario.runs.iter().zip(strokes) {
                line(&mut chart, along(steps, |step| step.mu_before), stroke)?;
            }
            line(&mut chart, [(0.0, TAU), (end, TAU)], TARGET)?;
        }
        Ok(())
    })?;
    Ok(Figure {
        name: "mu",
        title: title.to_owned(),
        caption: format!(
            "Mu that each step was drawn with. It begins at 2 tau; a surprise above tau lowers it by eta times the excess, one below \
             raises it. On the row that stays it finds a level and wanders about it; on the one that grows more peaked it rises, since \
             ever more of the tail must be let in for the same mean. Version 1 turns mu into a number of tokens by a fitted Zipf law, \
             version 2 cuts at mu itself: so their levels differ. {}.",
            traces.note()
        ),
        svg,
    })
}
