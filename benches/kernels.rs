//! What the parts of a step take: every kernel on every engine, rows of 128,256 logits from a 14 MiB pool, a new one each call.
//!
//! The answers come from `tests/kernels.rs`; here every engine must give the first engine's of the same numerics before it is timed.
//!
//! ```text
//! cargo bench --bench kernels -- stats
//! ```

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use mirostat_kernels::{
    Candidates, Cut, Engine, Found, Kept, List, Mass, Maxima, Summary, blocks, choose_in_blocks,
    choose_listed, entropy_bits, gather, group_max, kth, mass_select, read_max, stats, top_m,
};
use mirostat_rows::{Pool, Shape};
use std::hint::black_box;

mod short;

const VOCABULARY: usize = 128_256;
const L3: usize = 14 << 20;
/// How many of the best are listed.
const BEST: usize = 128;
/// What stays where thousands do.
const MANY: usize = 20_000;
const SCALE: f64 = core::f64::consts::LOG2_E;
const UNIFORM: f64 = 0.42;

/// A row that has been read, with what later kernels need of it.
struct ReadRow<'a> {
    row: &'a [f32],
    maxima: Vec<Maxima>,
    sums: Vec<f32>,
    summary: Summary,
    /// Keeps [`BEST`] logits.
    few: Cut,
    /// Keeps [`MANY`].
    many: Cut,
    /// The weight and number of what `many` keeps.
    mass: Mass,
}

impl<'a> ReadRow<'a> {
    fn new(engine: Engine, row: &'a [f32], room: &mut Candidates) -> Self {
        let mut maxima = vec![Maxima::NONE; blocks(row.len())];
        let mut sums = vec![0.0; blocks(row.len())];
        let summary = stats(engine, row, SCALE, &mut maxima, &mut sums).expect("a sound row");
        let finite = (summary.max, row.len() - summary.masked);
        let few = kth(engine, row, finite, BEST, room);
        let many = kth(engine, row, finite, MANY, room);
        let mut read = Self {
            row,
            maxima,
            sums,
            summary,
            few,
            many,
            mass: Mass {
                top: summary.max,
                total: 0.0,
            },
        };
        let chosen = choose_in_blocks(engine, read.kept(), UNIFORM, room);
        read.mass.total = chosen.total;
        read
    }

    fn kept(&self) -> Kept<'_, f32, Cut> {
        Kept {
            row: self.row,
            frame: self.summary.frame,
            stays: self.many,
            maxima: &self.maxima,
            sums: &self.sums,
        }
    }

    /// Lists what `few` keeps; the list is in id order.
    fn list(&self, engine: Engine, room: &mut Candidates) -> List {
        let found = gather(engine, self.row, &self.maxima, self.few, room);
        assert_eq!(found, Found::Few(BEST), "the cut of the k-th keeps k");
        List {
            n: BEST,
            ordered: BEST,
            top: self.summary.max,
            scale: SCALE,
        }
    }
}

/// Everything that the kernels answer, to compare engines by.
fn answers(
    read: &ReadRow<'_>,
    engine: Engine,
    room: &mut Candidates,
) -> impl PartialEq + std::fmt::Debug + use<> {
    let list = read.list(engine, room);
    let kept = read.kept();
    (
        (read.summary, read.few, read.many, read.mass),
        read_max(engine, read.row),
        entropy_bits(engine, read.row, &read.summary),
        choose_listed(engine, list, UNIFORM, room),
        choose_in_blocks(engine, kept, UNIFORM, room),
        mass_select(engine, kept, read.mass, UNIFORM, room),
    )
}

/// Goes round the rows: each call gets another.
struct Round<'a, T> {
    rows: &'a [T],
    next: usize,
}

impl<'a, T> Round<'a, T> {
    fn of(rows: &'a [T]) -> Self {
        Self { rows, next: 0 }
    }

    fn next(&mut self) -> &'a T {
        // Odd numbers of rows would do too: 11 shares no factor with the 28 of the pool.
        self.next = (self.next + 11) % self.rows.len();
        &self.rows[self.next]
    }
}

fn all(criterion: &mut Criterion) {
    let mut room = Candidates::new();
    room.reserve(blocks(VOCABULARY));
    for shape in [Shape::LlmLike, Shape::NearlyFlat] {
        let pool = Pool::new(VOCABULARY, L3, shape, 42);
        let engines = Engine::available();
        for &engine in &engines {
            let rows: Vec<ReadRow<'_>> = (0..pool.rows())
                .map(|i| ReadRow::new(engine, pool.row(i), &mut room))
                .collect();
            check(engine, &engines, &pool, &rows[0], &mut room);
            let name = format!("{:?} {:?}", engine.level(), engine.numerics()).to_lowercase();
            whole_row(criterion, shape, &name, engine, &rows);
            selection(criterion, shape, &name, engine, &rows, &mut room);
            choice(criterion, shape, &name, engine, &rows, &mut room);
        }
    }
}

fn check(engine: Engine, all: &[Engine], pool: &Pool, first: &ReadRow<'_>, room: &mut Candidates) {
    let judge = all.iter().find(|e| e.numerics() == engine.numerics());
    let judge = *judge.expect("it is among them itself");
    let expected = answers(&ReadRow::new(judge, pool.row(0), room), judge, room);
    assert_eq!(
        answers(first, engine, room),
        expected,
        "{engine:?} as {judge:?}"
    );
}

/// Kernels that read all of a row.
fn whole_row(
    criterion: &mut Criterion,
    shape: Shape,
    name: &str,
    engine: Engine,
    rows: &[ReadRow<'_>],
) {
    let mut maxima = vec![Maxima::NONE; blocks(VOCABULARY)];
    let mut sums = vec![0.0; blocks(VOCABULARY)];
    let id = |kernel| BenchmarkId::new(format!("{kernel}/{}", shape.name()), name);
    let mut round = Round::of(rows);
    criterion.bench_function_over(id("read_max"), || read_max(engine, round.next().row));
    criterion.bench_function_over(id("group_max"), || {
        group_max(engine, round.next().row, &mut maxima)
    });
    criterion.bench_function_over(id("stats"), || {
        stats(engine, round.next().row, SCALE, &mut maxima, &mut sums)
    });
    criterion.bench_function_over(id("entropy"), || {
        let read = round.next();
        entropy_bits(engine, read.row, &read.summary)
    });
}

/// Kernels that find what stays, after a row has been read.
fn selection(
    criterion: &mut Criterion,
    shape: Shape,
    name: &str,
    engine: Engine,
    rows: &[ReadRow<'_>],
    room: &mut Candidates,
) {
    let id = |kernel| BenchmarkId::new(format!("{kernel}/{}", shape.name()), name);
    let mut round = Round::of(rows);
    criterion.bench_function_over(id("gather"), || {
        let read = round.next();
        gather(engine, read.row, &read.maxima, read.few, room)
    });
    criterion.bench_function_over(id("top_m"), || {
        let read = round.next();
        top_m(engine, read.row, read.summary.max, &read.maxima, BEST, room)
    });
    criterion.bench_function_over(id("kth"), || {
        let read = round.next();
        let finite = (read.summary.max, read.row.len() - read.summary.masked);
        kth(engine, read.row, finite, MANY, room)
    });
}

/// Kernels that choose one of what stays.
fn choice(
    criterion: &mut Criterion,
    shape: Shape,
    name: &str,
    engine: Engine,
    rows: &[ReadRow<'_>],
    room: &mut Candidates,
) {
    let id = |kernel| BenchmarkId::new(format!("{kernel}/{}", shape.name()), name);
    let mut round = Round::of(rows);
    // The list is of one row: making it anew would be the gather's time.
    let in_order = rows[0].list(engine, room);
    criterion.bench_function_over(id("choose_listed"), || {
        choose_listed(engine, black_box(in_order), UNIFORM, room)
    });
    criterion.bench_function_over(id("choose_in_blocks"), || {
        choose_in_blocks(engine, round.next().kept(), UNIFORM, room)
    });
    criterion.bench_function_over(id("mass_select"), || {
        let read = round.next();
        mass_select(engine, read.kept(), read.mass, UNIFORM, room)
    });
}

/// One line for each kernel above.
trait BenchOver {
    fn bench_function_over<T>(&mut self, id: BenchmarkId, run: impl FnMut() -> T);
}

impl BenchOver for Criterion {
    fn bench_function_over<T>(&mut self, id: BenchmarkId, mut run: impl FnMut() -> T) {
        self.bench_with_input(id, &(), |bencher, ()| bencher.iter(|| black_box(run())));
    }
}

criterion_group! {
    name = benches;
    config = short::short();
    targets = all
}
criterion_main!(benches);
