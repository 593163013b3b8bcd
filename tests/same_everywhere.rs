//! The same bits on every instruction set, thread count, batch size and order, and the bits that are written down.

use mirostat::{
    BatchScratch, Config, DrawOrder, Error, FixedSampler, Job, Level, Numerics, Parallelism, Row,
    Sampler, Scratch, Step, SurpriseBasis, Version, reference::Truncation, step_batch,
};
use mirostat_kernels::{
    self as kernels, Candidates, Cut, Element, Engine, FEW, Found, Frame, Kept, List, Mass, Maxima,
    blocks,
};
use mirostat_rows::{Digest, Rng, bf16_row, f16_row, named};
use std::collections::BTreeMap;
use std::f64::consts::LOG2_E;
use std::fmt::Write;

/// Where the digests are written down; `MIROSTAT_BLESS=1` writes them anew.
const DIGESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digests.txt");

/// Under an emulator only the shorter rows.
fn longest() -> usize {
    if std::env::var_os("MIROSTAT_SMALL").is_some() {
        4200
    } else {
        usize::MAX
    }
}

const UNIFORMS: [f64; 4] = [0.0, 0.3, 0.8, 1.0 - f64::EPSILON / 2.0];

/// The digests of all kernels on one row.
fn of_row<E: Element>(engine: Engine, row: &[E]) -> Vec<(&'static str, u64)> {
    let n = blocks(row.len());
    let (mut maxima, mut sums) = (vec![Maxima::NONE; n], vec![0.0_f32; n]);
    let mut room = Candidates::new();
    room.reserve(n);
    let summary = kernels::stats(engine, row, LOG2_E, &mut maxima, &mut sums).expect("a sound row");
    let finite = row.len() - summary.masked;
    let (top, scale) = (summary.max, LOG2_E);
    let mut digests = Vec::new();

    let mut stats = Digest::new();
    for x in [
        f64::from(top),
        f64::from(summary.frame.reference),
        f64::from(summary.frame.shift),
        summary.total,
    ] {
        stats.push_f64(x);
    }
    for &sum in &sums {
        stats.push_f32(sum);
    }
    stats.push_u64(summary.masked as u64);
    stats.push_u64(summary.faint as u64);
    digests.push(("stats", stats.finish()));

    let mut entropy = Digest::new();
    entropy.push_f64(kernels::entropy_bits(engine, row, &summary));
    let along = kernels::stats_and_entropy(engine, row, LOG2_E, &mut maxima, &mut sums);
    entropy.push_f64(along.expect("a sound row").1);
    digests.push(("entropy", entropy.finish()));

    let (mut top_m, mut choose, mut mass_select) = (Digest::new(), Digest::new(), Digest::new());
    let mut running = Digest::new();
    for k in [1, 40, 700, FEW, FEW + 1, finite.div_ceil(2), finite] {
        let k = k.min(finite);
        let cut = kernels::kth(engine, row, (top, finite), k, &mut room);
        top_m.push_f32(cut.edge);
        top_m.push_u64(u64::from(cut.last_tie));
        let kept = Kept {
            row,
            frame: summary.frame,
            stays: cut,
            maxima: &maxima,
            sums: &sums,
        };
        for uniform in UNIFORMS {
            let chosen = kernels::choose_in_blocks(engine, kept, uniform, &mut room);
            choose.push_u64(u64::from(chosen.id));
            choose.push_f64(chosen.total);
            let mass = Mass {
                top,
                total: chosen.total,
            };
            let ranked = kernels::mass_select(engine, kept, mass, uniform, &mut room);
            mass_select.push_u64(u64::from(ranked));
        }
        if let Found::Few(n) = kernels::gather(engine, row, &maxima, cut, &mut room) {
            for (ordered, uniform) in [(n, 0.4), (0, 0.4), (0, 0.999)] {
                let chosen = kernels::choose_listed(
                    engine,
                    List {
                        n,
                        ordered,
                        top,
                        scale,
                    },
                    uniform,
                    &mut room,
                );
                choose.push_u64(u64::from(chosen.id));
                choose.push_f64(chosen.total);
            }
        }
        if k <= FEW {
            let n = kernels::top_m(engine, row, top, &maxima, k, &mut room);
            room.rank(n, k);
            for i in 0..k {
                top_m.push_u64(u64::from(room.listed(i).0));
            }
            let mut sums = vec![0.0; k + 1];
            let frame = Frame::below(top, scale);
            kernels::running_sums(engine, frame, room.logits(k), &mut sums);
            sums.iter().for_each(|&sum| running.push_f64(sum));
        }
    }
    let (mut mass_cut, mut rank_cut) = (Digest::new(), Digest::new());
    let whole = Kept {
        row,
        frame: summary.frame,
        stays: Cut::at(f32::MIN),
        maxima: &maxima,
        sums: &sums,
    };
    let total = summary.total;
    for share in [0.02, 0.5, 0.9, 0.9999] {
        let found = kernels::mass_cut(engine, whole, Mass { top, total }, share * total, &mut room);
        mass_cut.push_f32(found.at.edge);
        mass_cut.push_u64(u64::from(found.at.last_tie));
        if let Some(weighed) = found.weighed {
            mass_cut.push_u64(weighed.kept as u64);
            let parts = &room.parts()[..kernels::blocks(row.len())];
            parts.iter().for_each(|&part| mass_cut.push_f32(part));
        }
        let k = (share * finite as f64).ceil() as usize;
        let found = kernels::rank_cut(engine, whole, top, (k, finite), &mut room);
        rank_cut.push_f32(found.at.edge);
        rank_cut.push_u64(u64::from(found.at.last_tie));
        rank_cut.push_f64(found.weighed.map_or(0.0, |weighed| weighed.total));
    }
    digests.extend([
        ("top_m", top_m.finish()),
        ("mass_cut", mass_cut.finish()),
        ("rank_cut", rank_cut.finish()),
        ("choose", choose.finish()),
        ("mass_select", mass_select.finish()),
        ("running_sums", running.finish()),
    ]);
    digests
}

/// The digest of eight closed-loop steps on one row.
fn of_steps(sampler: Sampler, row: Row<'_>) -> u64 {
    let mut sampler = sampler;
    let mut scratch = Scratch::new();
    let mut digest = Digest::new();
    for uniform in UNIFORMS.into_iter().cycle().take(8) {
        match sampler.sample_in(row, uniform, &mut scratch) {
            Ok(step) => push_step(&mut digest, &step),
            Err(error) => digest.push_bytes(error.to_string().as_bytes()),
        }
    }
    digest.finish()
}

/// The digest of what every truncation draws from one row, in each order.
fn of_fixed(numerics: Numerics, level: Level, row: Row<'_>) -> u64 {
    let mut scratch = Scratch::new();
    let mut digest = Digest::new();
    for truncation in [
        Truncation::None,
        Truncation::TopK(40),
        Truncation::TopP(0.9),
        Truncation::MinP(0.05),
        Truncation::Epsilon(3e-4),
        Truncation::Typical(0.2),
        Truncation::Typical(0.95),
    ] {
        for order in [DrawOrder::Rule, DrawOrder::Rank, DrawOrder::Id] {
            let sampler = FixedSampler::new(truncation)
                .and_then(|sampler| sampler.with_temperature(0.9))
                .and_then(|sampler| sampler.with_numerics(numerics))
                .and_then(|sampler| sampler.with_draw_order(order).on_level(level))
                .expect("the engine exists");
            for uniform in UNIFORMS {
                match sampler.draw_in(row, uniform, &mut scratch) {
                    Ok(drawn) => {
                        digest.push_u64(u64::from(drawn.token));
                        digest.push_u64(drawn.kept as u64);
                    }
                    Err(error) => digest.push_bytes(error.to_string().as_bytes()),
                }
            }
        }
    }
    digest.finish()
}

fn push_step(digest: &mut Digest, step: &Step) {
    for n in [u64::from(step.token), step.kept as u64, step.support as u64] {
        digest.push_u64(n);
    }
    for x in [
        step.probability,
        step.surprise_bits,
        step.mu_before,
        step.mu_after,
    ] {
        digest.push_f64(x);
    }
}

/// Configurations whose steps are digested: narrow, wide, tempered, and the other options.
fn configs(numerics: Numerics) -> [(&'static str, Config); 4] {
    let with = |builder: mirostat::ConfigBuilder| {
        builder
            .numerics(numerics)
            .build()
            .expect("a sound configuration")
    };
    [
        ("narrow", with(Config::builder(2.0))),
        ("wide", with(Config::builder(4.0).initial_mu(13.0))),
        (
            "tempered",
            with(
                Config::builder(3.0)
                    .temperature(0.6)
                    .surprise_basis(SurpriseBasis::Kept),
            ),
        ),
        (
            "ranked",
            with(
                Config::builder(6.0)
                    .initial_mu(20.0)
                    .draw_order(DrawOrder::Rank),
            ),
        ),
    ]
}

/// The digests of all kernels on one row of one element type.
type OfElement<'a> = (&'a str, Row<'a>, Vec<(&'static str, u64)>);

/// Every digest of one level: by numerics, kernel, row and element type.
fn of_level(level: Level, numerics: (Numerics, kernels::Numerics)) -> BTreeMap<String, u64> {
    let mut digests = BTreeMap::new();
    let Some(engine) = Engine::new(level, numerics.1) else {
        return digests;
    };
    for named in named()
        .into_iter()
        .filter(|named| named.row.len() <= longest())
    {
        let (halves, brains) = (f16_row(&named.row), bf16_row(&named.row));
        let rows: [OfElement<'_>; 3] = [
            ("f32", Row::from(&named.row), of_row(engine, &named.row)),
            ("f16", Row::from(&halves), of_row(engine, &halves)),
            ("bf16", Row::from(&brains), of_row(engine, &brains)),
        ];
        for (element, row, of_kernels) in rows {
            let mut add = |kernel: &str, digest| {
                digests.insert(
                    format!("{:?} {kernel} {} {element}", numerics.1, named.name),
                    digest,
                );
            };
            for (kernel, digest) in of_kernels {
                add(kernel, digest);
            }
            for (name, version) in [("mirostat_v1", Version::V1), ("mirostat_v2", Version::V2)] {
                let mut all = Digest::new();
                for (_, config) in configs(numerics.0) {
                    let sampler =
                        Sampler::on_level(config, version, level).expect("the engine exists");
                    all.push_u64(of_steps(sampler, row));
                }
                add(name, all.finish());
            }
            add("fixed", of_fixed(numerics.0, level, row));
        }
    }
    digests
}

const BOTH: [(Numerics, kernels::Numerics); 2] = [
    (Numerics::Fused, kernels::Numerics::Fused),
    (Numerics::Portable, kernels::Numerics::Portable),
];

#[test]
fn every_level_gives_the_bits_that_are_written_down() {
    let mut text = String::new();
    let written: BTreeMap<String, u64> = std::fs::read_to_string(DIGESTS)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(key, digest)| {
            (
                key.to_owned(),
                u64::from_str_radix(digest, 16).expect("a digest in hexadecimal"),
            )
        })
        .collect();
    let mut levels_that_ran = 0;
    for numerics in BOTH {
        let mut of_first: Option<BTreeMap<String, u64>> = None;
        for level in Level::ALL {
            let digests = of_level(level, numerics);
            if digests.is_empty() {
                continue;
            }
            levels_that_ran += 1;
            if std::env::var_os("MIROSTAT_BLESS").is_none() {
                for (key, digest) in &digests {
                    let expected = written
                        .get(key)
                        .unwrap_or_else(|| panic!("{key} is not written down"));
                    assert_eq!(digest, expected, "{key} on {}", level.name());
                }
            }
            if let Some(first) = &of_first {
                assert_eq!(
                    first,
                    &digests,
                    "{} differs from the first level",
                    level.name()
                );
            } else {
                for (key, digest) in &digests {
                    writeln!(text, "{key} {digest:016x}").expect("a string grows");
                }
                of_first = Some(digests);
            }
        }
    }
    assert!(levels_that_ran > 0);
    if std::env::var_os("MIROSTAT_BLESS").is_some() {
        assert_eq!(longest(), usize::MAX, "bless the whole table");
        std::fs::write(DIGESTS, text).expect("the table can be written");
    }
}

/// Sessions of both versions and several configurations, over rows of all element types.
fn sessions(n: usize) -> Vec<Sampler> {
    (0..n)
        .map(|i| {
            let version = if i % 2 == 0 { Version::V2 } else { Version::V1 };
            let (_, config) = configs(Numerics::Auto)[i / 2 % 4];
            Sampler::new(config, version).expect("a sampler")
        })
        .collect()
}

#[test]
fn threads_batch_sizes_and_order_change_nothing() {
    let rows: Vec<Vec<f32>> = named()
        .into_iter()
        .map(|n| n.row)
        .filter(|r| r.len() <= longest())
        .collect();
    let halves: Vec<_> = rows.iter().map(|row| f16_row(row)).collect();
    let row = |i: usize| {
        let n = i % rows.len();
        if i.is_multiple_of(3) {
            Row::from(&halves[n])
        } else {
            Row::from(&rows[n])
        }
    };
    let count = 2 * rows.len();
    let mut rng = Rng(9);
    let uniforms: Vec<f64> = (0..count).map(|_| rng.uniform()).collect();
    let alone: Vec<Result<Step, Error>> = sessions(count)
        .iter_mut()
        .enumerate()
        .map(|(i, sampler)| sampler.sample(row(i), uniforms[i]))
        .collect();
    let run = |order: &[usize], size: usize, parallelism: Parallelism| {
        let mut samplers = sessions(count);
        let mut slots: Vec<Option<&mut Sampler>> = samplers.iter_mut().map(Some).collect();
        let mut jobs: Vec<Job<'_>> = order
            .iter()
            .map(|&i| Job {
                sampler: slots[i].take().expect("each once"),
                row: row(i),
                uniform: uniforms[i],
            })
            .collect();
        let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
        let mut steps = vec![Err(Error::EmptyRow); count];
        for (jobs, places) in jobs.chunks_mut(size).zip(order.chunks(size)) {
            step_batch(jobs, parallelism, &mut scratch, &mut out);
            for (&place, step) in places.iter().zip(&out) {
                steps[place] = *step;
            }
        }
        steps
    };
    let forward: Vec<usize> = (0..count).collect();
    let mut backward = forward.clone();
    backward.reverse();
    let mut shuffled = forward.clone();
    shuffled.sort_by_cached_key(|_| rng.bits());
    for order in [&forward, &backward, &shuffled] {
        for size in [1, 7, count] {
            assert_eq!(
                run(order, size, Parallelism::Serial),
                alone,
                "serial, {size} at a time"
            );
            for threads in [1, 2, 4] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .expect("a pool");
                let inside = pool.install(|| run(order, size, Parallelism::Auto));
                assert_eq!(inside, alone, "{threads} threads, {size} at a time");
            }
            assert_eq!(
                run(order, size, Parallelism::Auto),
                alone,
                "the global pool, {size} at a time"
            );
        }
    }
}

#[test]
fn both_numerics_are_told_apart() {
    let portable = Config::builder(3.0)
        .numerics(Numerics::Portable)
        .build()
        .expect("sound");
    let sampler = Sampler::new(portable, Version::V1).expect("portable runs everywhere");
    assert_eq!(sampler.numerics(), Numerics::Portable);
    assert_eq!(sampler.state().numerics(), Numerics::Portable);
}
