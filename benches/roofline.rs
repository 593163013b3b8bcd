//! How near a step comes to just reading its row: kernels interleaved row by row, each a ratio to the greatest logit of the same rows.
//!
//! ratio = median over rounds of t(kernel) / t(read_max), a round being one pass over the kernels, each on a row of its own.
//!
//! ```text
//! taskset -c 1 cargo bench --bench roofline              # everything, some minutes
//! taskset -c 1 cargo bench --bench roofline -- --quick   # the goals, under 40 s
//! cargo bench --bench roofline -- --test                 # the answers only
//! ```
//!
//! One thread; mu is held by `Sampler::reset` inside the clock (two stores). Answers are checked against `mirostat::reference` before
//! the clock. Writes `target/roofline.json`.

#[path = "roofline/case.rs"]
mod case;
#[path = "roofline/check.rs"]
mod check;
#[path = "roofline/kernels.rs"]
mod kernels;
#[path = "roofline/machine.rs"]
mod machine;
#[path = "roofline/measure.rs"]
mod measure;
#[path = "roofline/report.rs"]
mod report;
#[path = "roofline/rows.rs"]
mod rows;

use case::{Case, ElementType, Filling, PoolSize};
use measure::Clock;
use mirostat_kernels::{Engine, Level, Numerics};
use mirostat_rows::Shape;
use report::Report;
use rows::{Source, with_rows};

/// The vocabulary that the goals are stated for.
const MAIN: usize = 128_256;
const VOCABULARIES: [usize; 5] = [32_000, 50_257, MAIN, 151_936, 262_144];
/// Beyond the vocabularies: whether time stays linear.
const LINEAR: [usize; 2] = [524_288, 1_048_576];

fn main() {
    // `cargo bench` passes --bench, `cargo test --benches` does not.
    let has = |flag| std::env::args().any(|arg| arg == flag);
    if has("--test") || !(has("--bench") || has("--quick")) {
        return answers();
    }
    let mut report = Report::new(machine::Machine::detect());
    let source = Source::new();
    let all = !has("--quick");
    if all {
        full(&source, &mut report);
    } else {
        quick(&source, &mut report);
    }
    report.finish(all);
}

/// Every kernel once on small rows of every kind, on every engine.
fn answers() {
    let source = Source::new();
    let engines = Engine::available();
    for filling in Filling::ALL {
        for element in ElementType::ALL {
            let case = Case {
                vocabulary: 5_000,
                filling,
                element,
                pool: PoolSize::Few,
            };
            with_rows!(source, case, rows => {
                check::answers(&case, rows, &engines);
                Clock::ONCE.time(&mut kernels::list(&case, rows, &engines), rows.count());
            });
        }
    }
    println!(
        "roofline: the answers are right on {} engines",
        engines.len()
    );
}

fn main_case(pool: PoolSize) -> Case {
    Case {
        vocabulary: MAIN,
        filling: Filling::Shape(Shape::LlmLike),
        element: ElementType::F32,
        pool,
    }
}

fn quick(source: &Source, report: &mut Report) {
    let nearly_flat = Case {
        filling: Filling::Shape(Shape::NearlyFlat),
        ..main_case(PoolSize::L3)
    };
    goal_cell(source, &main_case(PoolSize::L3), report, false);
    cell(source, &nearly_flat, report);
    goal_cell(source, &main_case(PoolSize::Dram), report, false);
}

fn full(source: &Source, report: &mut Report) {
    for pool in PoolSize::TIMED {
        for vocabulary in VOCABULARIES {
            let case = Case {
                vocabulary,
                ..main_case(pool)
            };
            if vocabulary == MAIN {
                goal_cell(source, &case, report, true);
            } else {
                cell(source, &case, report);
            }
        }
        for filling in Filling::ALL {
            if filling != main_case(pool).filling {
                let vocabulary = filling.vocabulary(MAIN);
                cell(
                    source,
                    &Case {
                        vocabulary,
                        filling,
                        ..main_case(pool)
                    },
                    report,
                );
            }
        }
        for element in [ElementType::Bf16, ElementType::F16] {
            cell(
                source,
                &Case {
                    element,
                    ..main_case(pool)
                },
                report,
            );
        }
    }
    for vocabulary in LINEAR {
        cell(
            source,
            &Case {
                vocabulary,
                ..main_case(PoolSize::Dram)
            },
            report,
        );
    }
}

/// One case on the best engine, once.
fn cell(source: &Source, case: &Case, report: &mut Report) {
    let best = [Engine::detect()];
    with_rows!(source, *case, rows => {
        check::answers(case, rows, &best);
        let times = Clock::LONG.time(&mut kernels::list(case, rows, &best), rows.count());
        report.add(case, &times, best[0]);
    });
}

/// The case of the goals: the quietest of three goes; with `levels`, then every other level too.
fn goal_cell(source: &Source, case: &Case, report: &mut Report, levels: bool) {
    let best = [Engine::detect()];
    let others = other_engines(best[0]);
    with_rows!(source, *case, rows => {
        check::answers(case, rows, &best);
        let mut list = kernels::list(case, rows, &best);
        let times = Clock::LONG.quietest_of_three(&mut list, rows.count());
        report.add(case, &times, best[0]);
        if levels && !others.is_empty() {
            check::answers(case, rows, &others);
            let times = Clock::LONG.time(&mut kernels::list(case, rows, &others), rows.count());
            report.add_without_read(case, &times, best[0]);
        }
    });
}

/// The other levels with their own best numerics, and the best level with the other numerics.
fn other_engines(best: Engine) -> Vec<Engine> {
    let of_level = |level: Level| {
        Engine::new(level, Numerics::Fused).or_else(|| Engine::new(level, Numerics::Portable))
    };
    Level::ALL
        .into_iter()
        .filter_map(of_level)
        .chain(Engine::new(best.level(), Numerics::Portable))
        .filter(|engine| *engine != best)
        .collect()
}
