//! What many sessions take: on the calling thread, and on two threads from within rayon's pool and from outside it.
//!
//! Even sessions are version 2, odd ones version 1; every batch steps rows of its own, from a 256 MiB pool.
//!
//! ```text
//! cargo bench --bench batch
//! ```

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use mirostat::{
    BatchScratch, Config, Matrix, Parallelism, Result, Sampler, Scratch, Step, Version,
    sample_batch,
};
use mirostat_rows::{Pool, Shape};

mod short;

const DRAM: usize = 256 << 20;
const MU_BITS: f64 = 10.0;
/// Vocabulary and sessions.
const SIZES: [(usize, usize); 4] = [(2_048, 64), (32_000, 8), (128_256, 8), (128_256, 64)];

/// Sessions that step a batch of rows again and again, each time other rows.
struct Bench<'a> {
    pool: &'a Pool,
    sessions: Vec<Sampler>,
    uniforms: Vec<f64>,
    scratch: BatchScratch,
    out: Vec<Result<Step>>,
    batch: usize,
}

impl<'a> Bench<'a> {
    fn new(pool: &'a Pool, sessions: usize) -> Self {
        let config = Config::builder(5.0).initial_mu(MU_BITS).build();
        let config = config.expect("a sound configuration");
        let session = |i| {
            let version = if i % 2 == 0 { Version::V2 } else { Version::V1 };
            Sampler::new(config, version).expect("any machine")
        };
        Self {
            pool,
            sessions: (0..sessions).map(session).collect(),
            uniforms: (0..sessions)
                .map(|i| (i as f64 * 0.618_033_988_749_894_9).fract())
                .collect(),
            scratch: BatchScratch::new(),
            out: Vec::new(),
            batch: 0,
        }
    }

    /// One batch: every session once, from its first mu.
    fn step(&mut self, parallelism: Parallelism) {
        let (count, vocabulary) = (self.sessions.len(), self.pool.vocabulary());
        self.batch = (self.batch + 1) % (self.pool.rows() / count);
        let logits = &self.pool.logits()[self.batch * count * vocabulary..];
        let rows = Matrix::new(logits, count, vocabulary, vocabulary).expect("a sound matrix");
        self.sessions.iter_mut().for_each(Sampler::reset);
        sample_batch(
            &mut self.sessions,
            rows,
            &self.uniforms,
            parallelism,
            &mut self.scratch,
            &mut self.out,
        )
        .expect("a row and a uniform for each session");
    }

    /// Panics unless the batch took the steps that each session takes alone.
    fn check(&mut self, parallelism: Parallelism) {
        self.step(parallelism);
        let first = self.batch * self.sessions.len();
        let mut scratch = Scratch::new();
        for (i, stepped) in self.out.iter().enumerate() {
            let mut alone = self.sessions[i].clone();
            alone.reset();
            let step = alone.sample_in(self.pool.row(first + i), self.uniforms[i], &mut scratch);
            assert_eq!(stepped, &step, "session {i}");
            assert!(step.is_ok(), "session {i}");
        }
    }
}

fn all(criterion: &mut Criterion) {
    for (vocabulary, sessions) in SIZES {
        let pool = Pool::new(vocabulary, DRAM, Shape::LlmLike, 42);
        let mut group = criterion.benchmark_group(format!("batch/{vocabulary}x{sessions}"));
        group.throughput(Throughput::Elements(sessions as u64));
        let mut bench = Bench::new(&pool, sessions);
        bench.check(Parallelism::Serial);
        group.bench_function(BenchmarkId::from_parameter("serial"), |bencher| {
            bencher.iter(|| bench.step(Parallelism::Serial));
        });
        #[cfg(feature = "rayon")]
        {
            bench.check(Parallelism::Auto);
            group.bench_function(BenchmarkId::from_parameter("pool_outside"), |bencher| {
                bencher.iter(|| bench.step(Parallelism::Auto));
            });
            let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build();
            let threads = threads.expect("two threads");
            threads.install(|| bench.check(Parallelism::Auto));
            group.bench_function(BenchmarkId::from_parameter("two_inside"), |bencher| {
                threads.install(|| bencher.iter(|| bench.step(Parallelism::Auto)));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = short::short();
    targets = all
}
criterion_main!(benches);
