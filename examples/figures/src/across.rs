//! Many samplers on many rows: what mean surprise each gives on each.

use crate::contender::Contender;
use crate::draw::{
    self, Axes, INK, Key, OUT_OF_REACH, Picture, SideLabel, Stroke, dots, line, side_labels,
};
use crate::reach::Reach;
use crate::settings::{Settings, TAU};
use crate::{Fault, traces};
use mirostat::experiments::Baseline;
use mirostat::{Result, Row};
use rayon::prelude::*;

const TARGET: Stroke = Stroke::dashed(INK, 3);

/// What each sampler gave on each row, from the row of the least entropy to that of the most.
#[derive(Clone, Debug, PartialEq)]
pub struct AcrossRows {
    pub(crate) samplers: Vec<Contender>,
    pub(crate) rows: Vec<RowMeans>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowMeans {
    pub(crate) reach: Reach,
    /// In the order of the samplers, in bits.
    pub(crate) means: Vec<f64>,
}

impl AcrossRows {
    /// The names of the samplers.
    #[must_use]
    pub fn samplers(&self) -> Vec<String> {
        self.samplers.iter().map(|sampler| sampler.name()).collect()
    }

    /// The mean surprises on each row, in the order of the samplers, in bits.
    pub fn means(&self) -> impl Iterator<Item = &[f64]> {
        self.rows.iter().map(|row| row.means.as_slice())
    }

    /// Runs every sampler on every row, given also in f64; `done` is called after each run, from whatever thread it was on.
    pub(crate) fn measure(
        fixed: &[Baseline],
        rows: &[(Row<'_>, Vec<f64>)],
        settings: Settings,
        done: &(dyn Fn() + Sync),
    ) -> Result<Self> {
        let samplers = Contender::all(fixed);
        let runs: Vec<_> = rows
            .iter()
            .flat_map(|(row, exact)| samplers.iter().map(move |&sampler| (sampler, *row, exact)))
            .collect();
        let means: Vec<Result<f64>> = runs
            .into_par_iter()
            .with_max_len(1)
            .map(|(sampler, row, exact)| {
                let mean = sampler.mean_surprise_bits(row, exact, settings);
                done();
                mean
            })
            .collect();
        let means = means.into_iter().collect::<Result<Vec<f64>>>()?;
        let measured = rows.iter().zip(means.chunks(samplers.len()));
        let mut rows = measured
            .map(|((_, exact), means)| {
                Ok(RowMeans {
                    reach: Reach::of(exact)?,
                    means: means.to_vec(),
                })
            })
            .collect::<Result<Vec<_>>>()?;
        rows.sort_by(|a, b| a.reach.entropy_bits.total_cmp(&b.reach.entropy_bits));
        Ok(Self { samplers, rows })
    }

    /// Mean surprise against the entropy of the row.
    pub(crate) fn svg(
        &self,
        title: &str,
        note: &str,
        x_name: &str,
    ) -> std::result::Result<String, Fault> {
        let picture = Picture {
            size: (1200, 680),
            title,
            note,
            keys: &[
                Key::Line("tau, the target".to_owned(), TARGET),
                traces::out_of_reach_key(),
            ],
        };
        let entropies: Vec<f64> = self.rows.iter().map(|row| row.reach.entropy_bits).collect();
        let (least, most) = (entropies[0], entropies[entropies.len() - 1]);
        let room = 0.03 * (most - least);
        let ends = (least - room, most + room);
        let all = self.rows.iter().flat_map(|row| &row.means);
        let top = (1.02 * all.copied().fold(TAU, f64::max)).ceil();
        picture.svg(|area| {
            let mut chart = Axes {
                heading: "",
                x_name,
                y_name: "mean surprise, bits",
                x: ends.0..ends.1,
                y: 0.0..top,
                ticks: (10, 9),
                y_label: draw::number,
                right: 330,
            }
            .draw(area)?;
            let mut floor: Vec<_> = (self.rows.iter())
                .map(|row| (row.reach.entropy_bits, row.reach.floor_bits))
                .collect();
            floor.insert(0, (ends.0, floor[0].1));
            floor.push((ends.1, floor[floor.len() - 1].1));
            let ground: Vec<_> = floor.iter().map(|&(x, _)| (x, 0.0)).collect();
            draw::area(&mut chart, &ground, &floor, OUT_OF_REACH)?;
            // Where the mean would be above the entropy. The corner is told apart, since the line ends at the edge of the chart.
            let corner = ends.1.min(top).max(ends.0);
            let entropy = [(ends.0, ends.0), (corner, corner)];
            let sky = [(ends.0, top), (corner, top)];
            draw::area(&mut chart, &entropy, &sky, OUT_OF_REACH)?;
            line(&mut chart, [(ends.0, TAU), (ends.1, TAU)], TARGET)?;

            let mut labels = Vec::new();
            // The steered ones, which come first, are drawn last: they are what is looked at.
            let (steered, fixed) = (0..2, 2..self.samplers.len());
            for i in fixed.chain(steered) {
                let sampler = self.samplers[i];
                let style = sampler.dots();
                let points: Vec<_> = (self.rows.iter())
                    .map(|row| (row.reach.entropy_bits, row.means[i]))
                    .collect();
                dots(&mut chart, area, &points, &style)?;
                labels.push(SideLabel {
                    y: points[points.len() - 1].1,
                    text: sampler.name(),
                    colour: style.colour(),
                });
            }
            side_labels(&chart, area, &labels)
        })
    }
}
