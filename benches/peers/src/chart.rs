//! The picture: bars for everyone at every task, on a log scale.

use crate::contestant::Role;
use crate::record::{Measured, Record, Verdict};
use crate::table::{MAIN, cells_of, columns, ours};
use crate::task::Task;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const WIDTH: u32 = 1100;
const BAR: i32 = 13;
const GAP: i32 = 16;
const LEFT: i32 = 240;
const RIGHT: i32 = 90;
const TOP: i32 = 56;
const BOTTOM: i32 = 40;
const OURS: RGBColor = RGBColor(196, 58, 32);
const PEER: RGBColor = RGBColor(70, 105, 150);
const BASELINE: RGBColor = RGBColor(130, 150, 130);
const WRONG: RGBColor = RGBColor(205, 205, 205);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(222, 222, 222);

/// One task: its bars from ours on.
struct Group<'a> {
    task: Task,
    bars: Vec<&'a Measured>,
}

/// Draws the front page's cell.
///
/// # Errors
/// When nothing was measured there, or the file cannot be written.
pub(crate) fn draw(record: &Record, path: &Path) -> Result<()> {
    let cells = cells_of(record, MAIN);
    let groups = groups(&cells);
    let times = || {
        groups
            .iter()
            .flat_map(|g| &g.bars)
            .filter_map(|m| m.median_us)
    };
    let (least, most) = times().fold((f64::MAX, 0.0_f64), |(a, b), t| (a.min(t), b.max(t)));
    if most == 0.0 {
        return Err("the record has no row of the chart".into());
    }
    let (first, last) = (
        libm::floor(libm::log10(least)) as i32,
        libm::ceil(libm::log10(most)) as i32,
    );
    let bars: i32 = groups.iter().map(|g| g.bars.len() as i32).sum();
    let height = TOP + bars * BAR + groups.len() as i32 * GAP + BOTTOM;
    let root = SVGBackend::new(path, (WIDTH, height as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    let per_decade = f64::from(WIDTH as i32 - LEFT - RIGHT) / f64::from(last - first);
    let x = |us: f64| LEFT + ((libm::log10(us) - f64::from(first)) * per_decade) as i32;
    let font = |size: u32| ("sans-serif", size).into_font().color(&INK);
    let to_right = |size| font(size).pos(Pos::new(HPos::Right, VPos::Center));
    let centred = |size| font(size).pos(Pos::new(HPos::Center, VPos::Center));
    let to_left = |size| font(size).pos(Pos::new(HPos::Left, VPos::Center));

    let date = record
        .measured
        .as_ref()
        .map_or("", |m| &m.circumstances.date);
    let machine = record
        .measured
        .as_ref()
        .map_or("", |m| &m.circumstances.machine);
    let title = "From a row of 128,256 logits to a token: µs, log scale, one core";
    root.draw(&Text::new(title, (12, 18), to_left(16)))?;
    let below = format!("{machine}, {}", &date[..date.len().min(10)]);
    root.draw(&Text::new(below, (12, 38), to_left(11)))?;
    let mut at = WIDTH as i32 - 420;
    for (name, colour) in [
        ("mirostat", OURS),
        ("library", PEER),
        ("array code", BASELINE),
        ("wrong answer", WRONG),
    ] {
        root.draw(&Rectangle::new([(at, 32), (at + 10, 42)], colour.filled()))?;
        root.draw(&Text::new(name, (at + 15, 38), to_left(11)))?;
        at += 30 + 7 * name.len() as i32;
    }
    for decade in first..=last {
        let us = libm::pow(10.0, f64::from(decade));
        let line = vec![(x(us), TOP), (x(us), height - BOTTOM)];
        root.draw(&PathElement::new(line, GRID))?;
        root.draw(&Text::new(
            label(us),
            (x(us), height - BOTTOM + 14),
            centred(11),
        ))?;
    }
    let mut y = TOP + GAP / 2;
    for group in &groups {
        let middle = y + group.bars.len() as i32 * BAR / 2;
        root.draw(&Text::new(group.task.title(), (12, middle), to_left(12)))?;
        for bar in &group.bars {
            let colour = match (bar.verdict, bar.role) {
                (Verdict::Wrong, _) => WRONG,
                (_, Role::Ours) => OURS,
                (_, Role::Baseline) => BASELINE,
                _ => PEER,
            };
            root.draw(&Text::new(
                bar.peer.clone(),
                (LEFT - 6, y + BAR / 2),
                to_right(10),
            ))?;
            if let Some(us) = bar.median_us {
                let corners = [(LEFT, y + 1), (x(us).max(LEFT + 1), y + BAR - 1)];
                root.draw(&Rectangle::new(corners, colour.filled()))?;
                let time = if us < 100.0 {
                    format!("{us:.1}")
                } else {
                    format!("{us:.0}")
                };
                root.draw(&Text::new(time, (x(us) + 5, y + BAR / 2), to_left(10)))?;
            }
            y += BAR;
        }
        y += GAP;
    }
    root.present()?;
    drop(root);
    println!("drew {}", path.display());
    Ok(())
}

fn groups<'a>(cells: &[&'a Measured]) -> Vec<Group<'a>> {
    let names = columns(cells);
    let of = |task: Task| {
        ours(cells, task)?;
        let mut bars: Vec<&Measured> = cells
            .iter()
            .copied()
            .filter(|m| m.task == task && m.role == Role::Ours)
            .collect();
        for name in &names {
            bars.extend(
                cells
                    .iter()
                    .copied()
                    .filter(|m| m.task == task && m.peer == *name),
            );
        }
        bars[1..].sort_by(|a, b| {
            let of = |m: &Measured| m.median_us.unwrap_or(f64::MAX);
            of(a).total_cmp(&of(b))
        });
        Some(Group { task, bars })
    };
    Task::ALL.into_iter().filter_map(of).collect()
}

fn label(us: f64) -> String {
    if us < 1e3 {
        format!("{us:.0} µs")
    } else {
        format!("{:.0} ms", us / 1e3)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_bar_is_drawn_and_a_record_without_the_cell_is_refused() {
        let path = std::env::temp_dir().join(format!("mirostat-chart-{}.svg", std::process::id()));
        super::draw(&crate::table::tests::record(), &path).expect("a writable folder");
        let svg = std::fs::read_to_string(&path).expect("written");
        for name in ["mirostat", "llama.cpp", "numpy", "rten-generate", "1234"] {
            assert!(svg.contains(name), "{name}");
        }
        std::fs::remove_file(&path).expect("there");
        assert!(super::draw(&crate::record::Record::default(), &path).is_err());
    }
}
