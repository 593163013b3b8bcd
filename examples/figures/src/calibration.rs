//! The mean surprise that comes of a target.

use crate::contender::Contender;
use crate::draw::{
    self, Axes, Dots, INK, Key, OUT_OF_REACH, Picture, Shape, SideLabel, Stroke, V1, V2, dots,
    line, side_labels,
};
use crate::reach::Reach;
use crate::settings::{Settings, VOCABULARY};
use crate::zipf_rows::TUNED;
use crate::{Fault, Figure, traces};
use mirostat::experiments::{Scenario, SweepPoint, sweep_targets, zipf_logits};

const ETA: f64 = 0.1;
/// Flatter than the row that the fixed samplers were set on, that row, and a more peaked one.
const EXPONENTS: [f64; 3] = [0.9, 1.15, 1.4];
/// Targets from 1 to 6 bits, in quarters.
const QUARTERS: std::ops::RangeInclusive<u8> = 4..=24;
/// Calls of `done` that [`measure_calibration`] makes.
pub(crate) const RUNS: u64 = 21 * EXPONENTS.len() as u64;
/// Where the axes of targets and of means begin and end.
const START: f64 = 0.75;
const END: f64 = 6.25;
const TOP: f64 = 7.0;

const IDEAL: Stroke = Stroke::dashed(INK, 3);

/// A row, and what came of each target on it.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibratedRow {
    /// The exponent of Zipf's law.
    pub exponent: f64,
    /// Both versions, at every target.
    pub points: Vec<SweepPoint>,
    reach: Reach,
    fixed: Vec<(Contender, f64)>,
}

/// Sweeps the targets on three rows of Zipf's law, and runs the fixed samplers there; `done` is called after each target.
///
/// # Errors
///
/// As [`sweep_targets`], and for a seed that is none.
pub fn measure_calibration(
    settings: Settings,
    done: &(dyn Fn() + Sync),
) -> mirostat::Result<Vec<CalibratedRow>> {
    let targets: Vec<f64> = QUARTERS.map(|quarters| f64::from(quarters) / 4.0).collect();
    let uniforms = settings.uniforms()?;
    let measure = |exponent| {
        let row = zipf_logits(VOCABULARY, exponent);
        let fixed = TUNED.map(Contender::Fixed).into_iter().map(|sampler| {
            let mean = sampler.mean_surprise_bits((&row).into(), &row, settings)?;
            Ok((sampler, mean))
        });
        Ok(CalibratedRow {
            exponent,
            points: sweep_targets(
                &targets,
                ETA,
                Scenario::static_zipf(exponent),
                VOCABULARY,
                settings.steps,
                &uniforms,
                Some(&|_| done()),
            )?,
            reach: Reach::of(&row)?,
            fixed: fixed.collect::<mirostat::Result<_>>()?,
        })
    };
    EXPONENTS.into_iter().map(measure).collect()
}

/// Mean surprise against the target: both versions on the diagonal, the fixed samplers level.
///
/// # Errors
///
/// [`Fault::Drawing`].
pub fn calibration(rows: &[CalibratedRow], settings: Settings) -> Result<Figure, Fault> {
    let title = "Calibration: one asks for bits, and gets them as far as the row has them";
    let note = format!(
        "Zipf rows, V = {VOCABULARY} tokens, targets 1 to 6 bits, {}",
        settings.note()
    );
    let picture = Picture {
        size: (1200, 620),
        title,
        note: &note,
        keys: &[
            Key::Dots("Mirostat V1".to_owned(), versions()[0]),
            Key::Dots("Mirostat V2".to_owned(), versions()[1]),
            Key::Line("mean = tau".to_owned(), IDEAL),
            Key::Line("fixed samplers".to_owned(), Stroke::solid(draw::MUTED, 3)),
            traces::out_of_reach_key(),
        ],
    };
    let svg = picture.svg(|area| {
        for (cell, row) in area.split_evenly((1, rows.len())).iter().zip(rows) {
            panel(cell, row)?;
        }
        Ok(())
    })?;
    Ok(Figure {
        name: "calibration",
        title: title.to_owned(),
        svg,
        caption: format!(
            "Mean surprise of a run at each target, on a flat, a middling and a peaked row. Between the surprise of the likeliest token \
             and the entropy both versions give what is asked; beyond, in grey, no cut to the likeliest can. A fixed sampler has no target, so it is a \
             level line: its parameter, set to give about 3 bits on the middle row, means something else on the others. {note}."
        ),
    })
}

/// Version 1 as rings, which version 2, drawn into them, leaves to be seen.
fn versions() -> [Dots; 2] {
    [Dots::new(V1, Shape::Ring), Dots::new(V2, Shape::Cross)]
}

fn panel(area: &draw::Area<'_>, row: &CalibratedRow) -> Result<(), Fault> {
    let Reach {
        floor_bits,
        entropy_bits,
    } = row.reach;
    let mut chart = Axes {
        heading: &format!("exponent {}, entropy {entropy_bits:.1} bits", row.exponent),
        x_name: "tau, bits",
        y_name: "mean surprise, bits",
        x: START..END,
        y: START..TOP,
        ticks: (6, 8),
        y_label: draw::number,
        right: 220,
    }
    .draw(area)?;
    let level = |y| [(START, y), (END, y)];
    draw::area(&mut chart, &level(START), &level(floor_bits), OUT_OF_REACH)?;
    draw::area(&mut chart, &level(entropy_bits), &level(TOP), OUT_OF_REACH)?;
    let mut labels = Vec::new();
    for &(sampler, mean) in &row.fixed {
        let colour = sampler.dots().colour();
        line(&mut chart, level(mean), Stroke::solid(colour, 3))?;
        labels.push(SideLabel {
            y: mean,
            text: sampler.name(),
            colour,
        });
    }
    line(&mut chart, [(START, START), (END, END)], IDEAL)?;
    let means: [fn(&SweepPoint) -> f64; 2] = [
        |point| point.comparison.v1.mean_surprise,
        |point| point.comparison.v2.mean_surprise,
    ];
    for (style, mean) in versions().iter().zip(means) {
        let points: Vec<_> = row
            .points
            .iter()
            .map(|point| (point.target, mean(point)))
            .collect();
        dots(&mut chart, area, &points, style)?;
    }
    side_labels(&chart, area, &labels)
}
