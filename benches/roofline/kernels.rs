//! What is timed: the read, on each engine the statistics and both versions' whole steps, and on the best the fixed samplers.

use crate::case::Case;
use crate::rows::{Logit, Rows};
use mirostat::reference::Truncation;
use mirostat::{Config, DrawOrder, FixedSampler, Numerics, Sampler, Scratch, Version};
use mirostat_kernels::{self as kernels, Engine, Maxima, blocks};
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

/// The names in tables and in `roofline.json`.
pub(crate) const READ: &str = "read_max";
pub(crate) const STATS: &str = "stats";
pub(crate) const ENTROPY: &str = "stats_and_entropy";
pub(crate) const V1: &str = "mirostat_v1";
pub(crate) const V2: &str = "mirostat_v2";

/// The fixed samplers, drawing in id order.
pub(crate) const FIXED: [(&str, Truncation); 5] = [
    ("top_k_40", Truncation::TopK(40)),
    ("min_p_0.05", Truncation::MinP(0.05)),
    ("top_p_0.9", Truncation::TopP(0.9)),
    ("typical_0.95", Truncation::Typical(0.95)),
    ("temperature_0.8", Truncation::None),
];

/// A fixed sampler of the list above.
pub(crate) fn fixed(truncation: Truncation) -> FixedSampler {
    let temperature = if truncation == Truncation::None {
        0.8
    } else {
        1.0
    };
    FixedSampler::new(truncation)
        .and_then(|sampler| sampler.with_temperature(temperature))
        .expect("sound parameters")
        .with_draw_order(DrawOrder::Id)
}

/// A kernel on an engine; `run` takes a row's number and a uniform.
pub(crate) struct Timed<'a> {
    pub(crate) kernel: &'static str,
    pub(crate) engine: Engine,
    pub(crate) run: Box<dyn FnMut(usize, f64) + 'a>,
}

/// One set for all kernels, as a thread would have: it stays in the second-level cache.
struct Buffers {
    maxima: Vec<Maxima>,
    sums: Vec<f32>,
    scratch: Scratch,
}

/// A session at its first step, whose mu is what rows of this kind are stepped with.
pub(crate) fn sampler(case: &Case, version: Version, engine: Engine) -> Sampler {
    let numerics = match engine.numerics() {
        kernels::Numerics::Fused => Numerics::Fused,
        kernels::Numerics::Portable => Numerics::Portable,
    };
    let config = Config::builder(5.0)
        .initial_mu(case.filling.mu_bits(case.vocabulary))
        .numerics(numerics)
        .build()
        .expect("a sound configuration");
    Sampler::on_level(config, version, engine.level()).expect("an engine of this machine")
}

/// The read on the best engine first, then every kernel on each of `engines`.
pub(crate) fn list<'a, E: Logit>(
    case: &Case,
    rows: &'a Rows<E>,
    engines: &[Engine],
) -> Vec<Timed<'a>> {
    let blocks = blocks(rows.vocabulary());
    let buffers = Rc::new(RefCell::new(Buffers {
        maxima: vec![Maxima::NONE; blocks],
        sums: vec![0.0; blocks],
        scratch: Scratch::for_vocabulary(rows.vocabulary()),
    }));
    let mut list = vec![read(rows), entropy(rows, buffers.clone())];
    for (kernel, truncation) in FIXED {
        list.push(draw(kernel, rows, fixed(truncation), buffers.clone()));
    }
    for &engine in engines {
        list.push(stats(rows, engine, buffers.clone()));
        for (kernel, version) in [(V1, Version::V1), (V2, Version::V2)] {
            let sampler = sampler(case, version, engine);
            list.push(step(kernel, rows, engine, sampler, buffers.clone()));
        }
    }
    list
}

/// What every ratio is to: the plain read of the row.
fn read<E: Logit>(rows: &Rows<E>) -> Timed<'_> {
    let engine = Engine::detect();
    Timed {
        kernel: READ,
        engine,
        run: Box::new(move |i, _| {
            let row = black_box(rows.row(i));
            black_box(kernels::read_max(engine, row));
        }),
    }
}

fn stats<'a, E: Logit>(
    rows: &'a Rows<E>,
    engine: Engine,
    buffers: Rc<RefCell<Buffers>>,
) -> Timed<'a> {
    Timed {
        kernel: STATS,
        engine,
        run: Box::new(move |i, _| {
            let row = black_box(rows.row(i));
            let Buffers { maxima, sums, .. } = &mut *buffers.borrow_mut();
            let scale = core::f64::consts::LOG2_E;
            let summary = kernels::stats(engine, row, scale, maxima, sums);
            black_box(summary.expect("a sound row"));
        }),
    }
}

/// The statistics with the entropy in the same read.
fn entropy<E: Logit>(rows: &Rows<E>, buffers: Rc<RefCell<Buffers>>) -> Timed<'_> {
    let engine = Engine::detect();
    Timed {
        kernel: ENTROPY,
        engine,
        run: Box::new(move |i, _| {
            let row = black_box(rows.row(i));
            let Buffers { maxima, sums, .. } = &mut *buffers.borrow_mut();
            let scale = core::f64::consts::LOG2_E;
            let found = kernels::stats_and_entropy(engine, row, scale, maxima, sums);
            black_box(found.expect("a sound row"));
        }),
    }
}

/// The whole draw: NaN test, error path, token.
fn draw<'a, E: Logit>(
    kernel: &'static str,
    rows: &'a Rows<E>,
    sampler: FixedSampler,
    buffers: Rc<RefCell<Buffers>>,
) -> Timed<'a> {
    Timed {
        kernel,
        engine: Engine::detect(),
        run: Box::new(move |i, uniform| {
            let row = E::row(black_box(rows.row(i)));
            let drawn = sampler.draw_in(row, uniform, &mut buffers.borrow_mut().scratch);
            let _ = black_box(drawn.expect("a sound row"));
        }),
    }
}

/// The whole step: NaN test, error path, `Step`; the feedback is discarded.
fn step<'a, E: Logit>(
    kernel: &'static str,
    rows: &'a Rows<E>,
    engine: Engine,
    mut sampler: Sampler,
    buffers: Rc<RefCell<Buffers>>,
) -> Timed<'a> {
    Timed {
        kernel,
        engine,
        run: Box::new(move |i, uniform| {
            let row = E::row(black_box(rows.row(i)));
            sampler.reset();
            let step = sampler.sample_in(row, uniform, &mut buffers.borrow_mut().scratch);
            let _ = black_box(step.expect("a sound row"));
        }),
    }
}
