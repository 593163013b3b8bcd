//! What a whole step takes: both versions by vocabulary, element type and numerics, llm_like rows from a 14 MiB pool, a new one each
//! call, mu held at 10 bits; and on one prepared row, by version, draw order and element type.
//!
//! ```text
//! cargo bench --bench steps -- v2/128256
//! cargo bench --bench steps -- prepared
//! ```

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mirostat::reference::{self, Distribution, Rule};
use mirostat::{
    Config, DrawOrder, Numerics, PreparedRow, Row, Sampler, Scratch, Step, Version, bf16, f16,
};
use mirostat_rows::{Pool, Shape};
use std::hint::black_box;

mod short;

const VOCABULARIES: [usize; 5] = [32_000, 50_257, 128_256, 151_936, 262_144];
const L3: usize = 14 << 20;
const MU_BITS: f64 = 10.0;

/// The same rows in every element type.
struct Rows {
    f32s: Pool,
    f16s: Vec<f16>,
    bf16s: Vec<bf16>,
}

impl Rows {
    fn new(vocabulary: usize) -> Self {
        let f32s = Pool::new(vocabulary, L3, Shape::LlmLike, 42);
        let (f16s, bf16s) = (f32s.to_f16(), f32s.to_bf16());
        Self { f32s, f16s, bf16s }
    }

    fn row(&self, element: &str, i: usize) -> Row<'_> {
        let i = i % self.f32s.rows();
        let len = self.f32s.vocabulary();
        let range = i * len..(i + 1) * len;
        match element {
            "f32" => self.f32s.row(i).into(),
            "f16" => self.f16s[range].into(),
            _ => self.bf16s[range].into(),
        }
    }
}

fn all(criterion: &mut Criterion) {
    for vocabulary in VOCABULARIES {
        let rows = Rows::new(vocabulary);
        for (version, name) in [(Version::V1, "v1"), (Version::V2, "v2")] {
            let mut group = criterion.benchmark_group(format!("{name}/{vocabulary}"));
            group.throughput(Throughput::Elements(vocabulary as u64));
            for numerics in [Numerics::Fused, Numerics::Portable] {
                let config = Config::builder(5.0).initial_mu(MU_BITS).numerics(numerics);
                let config = config.build().expect("a sound configuration");
                // A machine without fused multiply-adds has one of the two.
                let Ok(mut sampler) = Sampler::new(config, version) else {
                    continue;
                };
                let mut scratch = Scratch::for_vocabulary(vocabulary);
                for element in ["f32", "f16", "bf16"] {
                    check(&mut sampler, rows.row(element, 0), &mut scratch);
                    let id = BenchmarkId::new(element, format!("{numerics:?}").to_lowercase());
                    let mut i = 0;
                    group.bench_function(id, |bencher| {
                        bencher.iter(|| {
                            i += 11;
                            sampler.reset();
                            let row = black_box(rows.row(element, i));
                            // Hosts' uniforms vary: so do these, over a golden ratio.
                            let uniform = (i as f64 * 0.618_033_988_749_894_9).fract();
                            sampler.sample_in(row, uniform, &mut scratch)
                        });
                    });
                }
            }
        }
    }
}

/// A draw from a row that has been prepared: some 130 tokens are kept.
fn prepared(criterion: &mut Criterion) {
    let rows = Rows::new(128_256);
    let exact = rows.row("f32", 0).to_f64();
    for (element, row) in [("f32", rows.row("f32", 0)), ("f64", Row::from(&exact))] {
        let made = PreparedRow::from_logits(row).expect("a sound row");
        let mut group = criterion.benchmark_group(format!("prepared/{element}"));
        for (version, name) in [(Version::V1, "v1"), (Version::V2, "v2")] {
            for order in [DrawOrder::Rank, DrawOrder::Id] {
                let config = Config::builder(5.0).initial_mu(MU_BITS).draw_order(order);
                let config = config.build().expect("a sound configuration");
                let mut sampler = Sampler::new(config, version).expect("an engine");
                let raw = sampler.clone().sample(row, 0.42);
                assert_eq!(sampler.clone().sample_prepared(&made, 0.42), raw);
                let id = BenchmarkId::new(name, format!("{order:?}").to_lowercase());
                let mut i = 0_u32;
                group.bench_function(id, |bencher| {
                    bencher.iter(|| {
                        i += 1;
                        sampler.reset();
                        let uniform = (f64::from(i) * 0.618_033_988_749_894_9).fract();
                        sampler.sample_prepared(black_box(&made), uniform)
                    });
                });
            }
        }
    }
}

/// Panics unless the step of a row is the reference's.
fn check(sampler: &mut Sampler, row: Row<'_>, scratch: &mut Scratch) {
    let distribution = Distribution::from_logits(&row.to_f64(), 1.0).expect("a sound row");
    let rule = Rule {
        version: sampler.version(),
        ..Rule::default()
    };
    let expected = reference::choose(&distribution, &rule, MU_BITS, 0.42).expect("a sound step");
    sampler.reset();
    let step: Step = sampler.sample_in(row, 0.42, scratch).expect("a sound row");
    assert_eq!((step.token, step.kept), (expected.token, expected.kept));
    assert!((step.surprise_bits - expected.surprise_bits).abs() <= 1e-6);
}

criterion_group! {
    name = benches;
    config = short::short();
    targets = all, prepared
}
criterion_main!(benches);
