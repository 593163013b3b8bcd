//! The surprise of every step, and its mean along the run.

use crate::draw::{
    self, Axes, Dots, INK, Key, OUT_OF_REACH, Picture, Shape, Stroke, V1, V2, dots, line,
};
use crate::settings::TAU;
use crate::traces::{ScenarioTraces, Traces, along, out_of_reach_key};
use crate::{Fault, Figure};
use mirostat::trace::{rolling_surprise, summarize};

/// Steps that the running mean is taken over.
const WINDOW: usize = 100;

/// The surprise of each step of each run, its running mean, the target, and what is in reach.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn surprise(traces: &Traces) -> Result<Figure, Fault> {
    let title = "Surprise, step by step: its mean is held at the target";
    let top = (1.05 * traces.greatest(|step| step.surprise_bits)).ceil();
    let picture = Picture {
        size: (1200, 920),
        title,
        note: &traces.note(),
        keys: &[
            Key::Dots("step of V1".to_owned(), specks(0)),
            Key::Line(format!("mean of its last {WINDOW}"), mean_stroke(0)),
            Key::Dots("step of V2".to_owned(), specks(1)),
            Key::Line(format!("mean of its last {WINDOW}"), mean_stroke(1)),
            Key::Line("tau".to_owned(), TARGET),
            out_of_reach_key(),
        ],
    };
    let svg = picture.svg(|area| {
        let cells = area.split_evenly((2, 2));
        for (cell, i) in cells.iter().zip(0..) {
            panel(cell, &traces.scenarios[i % 2], i / 2, top)?;
        }
        Ok(())
    })?;
    Ok(Figure {
        name: "surprise",
        title: title.to_owned(),
        caption: format!(
            "Surprise −log2 p of each token drawn, by version 1 (above) and version 2 (below), on a row that stays and on one that \
             grows more peaked at every step; the thick line is the mean of the last {WINDOW} steps, the broken one the target. The \
             grey parts are below the surprise of the likeliest token and above the row's entropy: single steps get there, but no mean \
             can be held there. {}.",
            traces.note()
        ),
        svg,
    })
}

const TARGET: Stroke = Stroke::dashed(INK, 3);

fn colour(version: usize) -> plotters::style::RGBColor {
    [V1, V2][version]
}

fn specks(version: usize) -> Dots {
    Dots::new(colour(version), Shape::Speck).opacity(0.45)
}

fn mean_stroke(version: usize) -> Stroke {
    Stroke::solid(colour(version), 6)
}

fn panel(
    area: &draw::Area<'_>,
    scenario: &ScenarioTraces,
    version: usize,
    top: f64,
) -> Result<(), Fault> {
    let steps = &scenario.runs[version];
    let mean = summarize(steps, TAU)?.mean_surprise;
    let end = steps.len() as f64;
    let mut chart = Axes {
        heading: &format!("V{}, {}: mean {mean:.3} bits", version + 1, scenario.name),
        x_name: "step",
        y_name: "surprise, bits",
        x: 0.0..end,
        y: 0.0..top,
        ticks: (6, 8),
        y_label: draw::number,
        right: 64,
    }
    .draw(area)?;
    let edge = |of: fn(&crate::reach::Reach) -> f64| -> Vec<(f64, f64)> {
        scenario
            .reach
            .iter()
            .map(|(x, reach)| (*x, of(reach)))
            .collect()
    };
    let flat = |y| -> Vec<(f64, f64)> { scenario.reach.iter().map(|&(x, _)| (x, y)).collect() };
    draw::area(
        &mut chart,
        &flat(0.0),
        &edge(|r| r.floor_bits),
        OUT_OF_REACH,
    )?;
    draw::area(
        &mut chart,
        &edge(|r| r.entropy_bits),
        &flat(top),
        OUT_OF_REACH,
    )?;
    let surprises: Vec<_> = along(steps, |step| step.surprise_bits).collect();
    dots(&mut chart, area, &surprises, &specks(version))?;
    let mean = rolling_surprise(steps, WINDOW)?;
    line(
        &mut chart,
        (1..).map(f64::from).zip(mean),
        mean_stroke(version),
    )?;
    line(&mut chart, [(0.0, TAU), (end, TAU)], TARGET)
}
