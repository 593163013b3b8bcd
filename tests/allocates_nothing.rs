//! After warm-up nothing allocates, on any thread that takes part, and a scratch stays within its bound.
//!
//! Every allocation and reallocation is counted on an account: a test opens one for its own thread, and for the threads of a pool as
//! they start. So tests that run side by side do not count each other's.
#![expect(unsafe_code, reason = "a counting allocator")]

use mirostat::{
    BatchScratch, Config, DrawOrder, Error, Job, Matrix, Parallelism, ParkMiller, Result, Row,
    Sampler, Scratch, Step, SurpriseBasis, Tape, Uniforms, Version, bf16, f16, sample_batch,
    sample_batch_atomic, step_batch, step_batch_atomic,
};
use mirostat_rows::{Normals, Rng, Shape, bf16_row, f16_row, fill};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// What threads have asked the allocator for.
#[derive(Default)]
struct Account {
    calls: AtomicUsize,
    /// Bytes held: wraps where memory of another account is given back.
    bytes: AtomicUsize,
}

impl Account {
    fn calls(&self) -> usize {
        self.calls.load(SeqCst)
    }

    fn bytes(&self) -> usize {
        self.bytes.load(SeqCst)
    }
}

thread_local! {
    static ACCOUNT: Cell<Option<&'static Account>> = const { Cell::new(None) };
}

fn book(calls: usize, taken: usize, given: usize) {
    if let Ok(Some(account)) = ACCOUNT.try_with(Cell::get) {
        account.calls.fetch_add(calls, SeqCst);
        account.bytes.fetch_add(taken.wrapping_sub(given), SeqCst);
    }
}

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came; counting touches no memory of it and does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        book(1, layout.size(), 0);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        book(1, layout.size(), 0);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        book(1, size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        book(0, 0, layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Opens an account for the calling thread.
fn open() -> &'static Account {
    let account: &'static Account = Box::leak(Box::default());
    ACCOUNT.set(Some(account));
    account
}

/// What `work` allocates on the account, after two calls to warm up.
fn allocations(account: &Account, mut work: impl FnMut()) -> usize {
    work();
    work();
    let before = account.calls();
    for _ in 0..3 {
        work();
    }
    account.calls() - before
}

const BOTH: [Version; 2] = [Version::V1, Version::V2];
const ORDERS: [DrawOrder; 2] = [DrawOrder::Id, DrawOrder::Rank];

/// The rows of one kind, and the mu that they are read at, which stays.
struct Rows {
    f32: Vec<f32>,
    f16: Vec<f16>,
    bf16: Vec<bf16>,
    mu: f64,
}

impl Rows {
    fn new(shape: Shape, len: usize, mu: f64) -> Self {
        let mut row = vec![0.0; len];
        fill(&mut row, shape, &mut Rng(31), &Normals::with_len(32, 4096));
        Self {
            f16: f16_row(&row),
            bf16: bf16_row(&row),
            f32: row,
            mu,
        }
    }

    fn each(&self) -> [Row<'_>; 3] {
        [(&self.f32).into(), (&self.f16).into(), (&self.bf16).into()]
    }
}

/// Few kept, some hundreds, thousands, and all of a row; and rows so extreme that they are read anew.
fn kinds() -> [Rows; 6] {
    let mut far = Rows::new(Shape::Iid, 20_000, 9.0);
    for logit in &mut far.f32 {
        *logit *= 1e9;
    }
    [
        Rows::new(Shape::LlmLike, 20_000, 3.0),
        Rows::new(Shape::LlmLike, 20_000, 11.0),
        Rows::new(Shape::Iid, 20_000, 15.0),
        Rows::new(Shape::Flat, 20_000, 60.0),
        Rows::new(Shape::NearlyFlat, 20_000, 14.29),
        far,
    ]
}

fn session(version: Version, order: DrawOrder, mu: f64) -> Sampler {
    // eta so small that mu stays, and with it the path that the step takes.
    let builder = Config::builder(3.0)
        .eta(1e-9)
        .initial_mu(mu)
        .draw_order(order);
    Sampler::new(
        builder.surprise_basis(SurpriseBasis::Kept).build().unwrap(),
        version,
    )
    .unwrap()
}

fn for_each_session(mut work: impl FnMut(&mut Sampler, Row<'_>)) {
    for rows in &kinds() {
        for version in BOTH {
            for order in ORDERS {
                for row in rows.each() {
                    work(&mut session(version, order, rows.mu), row);
                }
            }
        }
    }
}

#[test]
fn the_counter_counts() {
    let account = open();
    assert!(allocations(account, || drop(std::hint::black_box(vec![1_u8; 100]))) >= 3);
    assert_eq!(allocations(account, || ()), 0);
    // The slow, exact door says that it allocates.
    let mut sampler = session(Version::V2, DrawOrder::Id, 6.0);
    let exact = [0.0_f64; 50];
    assert!(allocations(account, || assert!(sampler.sample(&exact, 0.5).is_ok())) > 0);
}

#[test]
fn single_steps_allocate_nothing() {
    let account = open();
    let mut scratch = Scratch::new();
    for_each_session(|sampler, row| {
        let (mut uniforms, mut generator) = (Uniforms::new(1, 2), ParkMiller::new(3).unwrap());
        let found = allocations(account, || {
            for uniform in [0.0, 0.3, 0.999_999] {
                let _ = sampler.sample(row, uniform).unwrap();
                let _ = sampler.sample_in(row, uniform, &mut scratch).unwrap();
            }
            let _ = sampler.sample_with(row, &mut uniforms).unwrap();
            let _ = sampler.sample_with(row, &mut generator).unwrap();
            let _ = sampler.sample_with(row, &mut Tape::new(&[0.7])).unwrap();
        });
        assert_eq!(found, 0, "{:?} {:?}", sampler.version(), sampler.config());
    });
}

#[test]
fn the_halves_of_a_step_allocate_nothing() {
    let account = open();
    let mut scratch = Scratch::new();
    for_each_session(|sampler, row| {
        let found = allocations(account, || {
            let mut read = sampler.read(row, &mut scratch).unwrap();
            let rejected = read.propose(0.1).unwrap();
            let accepted = read.propose(0.9).unwrap();
            let named = read.propose_token(rejected.token()).unwrap();
            assert_eq!(named.token(), rejected.token());
            let _ = sampler.accept(accepted).unwrap();
            let read = sampler.read(row, &mut scratch).unwrap();
            let _ = read.observe(named.token()).unwrap();
            let read = sampler.read(row, &mut scratch).unwrap();
            let _ = read.observe_any(named.token()).unwrap();
        });
        assert_eq!(found, 0, "{:?} {:?}", sampler.version(), sampler.config());
    });
}

#[test]
fn summaries_allocate_nothing() {
    let account = open();
    for rows in &kinds() {
        for row in rows.each() {
            let found = allocations(account, || {
                assert!(mirostat::log_z_nats(row).is_ok());
                assert!(mirostat::row_entropy_bits(row).is_ok());
                assert!(mirostat::greatest(row).is_ok());
            });
            assert_eq!(found, 0);
        }
    }
}

#[test]
fn errors_allocate_nothing() {
    let account = open();
    let mut scratch = Scratch::new();
    let mut poisoned = vec![0.0_f32; 20_000];
    poisoned[19_999] = f32::NAN;
    let masked = vec![f16::NEG_INFINITY; 20_000];
    let sound = [1.0_f32, 0.0];
    for version in BOTH {
        let mut sampler = session(version, DrawOrder::Rank, 6.0);
        let found = allocations(account, || {
            assert!(sampler.sample(&poisoned, 0.5).is_err());
            assert!(sampler.sample_in(&masked, 0.5, &mut scratch).is_err());
            assert_eq!(sampler.sample(&[0.0_f32; 0], 0.5), Err(Error::EmptyRow));
            assert!(sampler.sample(&sound, 1.0).is_err());
            assert!(sampler.sample_with(&sound, &mut Tape::new(&[])).is_err());
            assert!(sampler.sample_weights(&[f64::NAN], 0.5).is_err());
            assert!(sampler.sample(&[f64::NAN; 3], 0.5).is_err());
            let read = sampler.read(&sound, &mut scratch).unwrap();
            assert!(read.observe(2).is_err());
        });
        assert_eq!(found, 0);
        assert_eq!(sampler.steps(), 0);
    }
}

/// Sixty-four sessions over all kinds of rows, the last row but one bad.
fn batches(account: &Account, parallelism: Parallelism) -> usize {
    let kinds = kinds();
    let mut poisoned = kinds[0].f32.clone();
    poisoned[777] = f32::NAN;
    let mut samplers: Vec<Sampler> = (0..64)
        .map(|i| session(BOTH[i % 2], ORDERS[i / 2 % 2], kinds[i / 4 % 6].mu))
        .collect();
    let rows: Vec<Row<'_>> = (0..64).map(|i| kinds[i / 4 % 6].each()[i / 24]).collect();
    let with_bad: Vec<Row<'_>> = rows
        .iter()
        .enumerate()
        .map(|(i, &row)| if i == 62 { (&poisoned).into() } else { row })
        .collect();
    let uniforms: Vec<f64> = (0..64).map(|i| f64::from(i) / 64.0).collect();
    let matrix = Matrix::new(&kinds[0].f32, 64, 256, 300).unwrap();
    let mut scratch = BatchScratch::new();
    let mut out: Vec<Result<Step>> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut found = 0;

    found += allocations(account, || {
        for (rows, bad) in [(&rows, 0), (&with_bad, 1)] {
            sample_batch(
                &mut samplers,
                rows,
                &uniforms,
                parallelism,
                &mut scratch,
                &mut out,
            )
            .unwrap();
            assert_eq!(out.iter().filter(|step| step.is_err()).count(), bad);
            let done = sample_batch_atomic(
                &mut samplers,
                rows,
                &uniforms,
                parallelism,
                &mut scratch,
                &mut steps,
            );
            assert_eq!(done.is_err(), bad == 1);
        }
        sample_batch(
            &mut samplers,
            matrix,
            &uniforms,
            parallelism,
            &mut scratch,
            &mut out,
        )
        .unwrap();
    });
    for (rows, bad) in [(&rows, 0), (&with_bad, 1)] {
        let mut jobs: Vec<Job<'_>> = samplers
            .iter_mut()
            .zip(rows)
            .zip(&uniforms)
            .map(|((sampler, &row), &uniform)| Job {
                sampler,
                row,
                uniform,
            })
            .collect();
        found += allocations(account, || {
            step_batch(&mut jobs, parallelism, &mut scratch, &mut out);
            let done = step_batch_atomic(&mut jobs, parallelism, &mut scratch, &mut steps);
            assert_eq!(done.is_err(), bad == 1);
        });
    }
    found
}

#[test]
fn serial_batches_allocate_nothing() {
    let account = open();
    assert_eq!(batches(account, Parallelism::Serial), 0);
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_batches_within_a_pool_allocate_nothing_on_any_thread() {
    let account: &'static Account = Box::leak(Box::default());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .start_handler(|_| ACCOUNT.set(Some(account)))
        .build()
        .unwrap();
    pool.install(|| {
        assert_eq!(batches(account, Parallelism::Auto), 0);
        // Both threads of the pool are counted.
        let before = account.calls();
        let counted = rayon::broadcast(|_| std::hint::black_box(vec![0_u8; 9]).len());
        assert_eq!(counted, [9, 9]);
        assert!(account.calls() >= before + 2);
    });
}

#[test]
fn a_scratch_made_for_a_vocabulary_does_not_grow() {
    let account = open();
    for len in [17, 5000, 20_000] {
        let row = vec![0.5_f32; len];
        let mut scratch = Scratch::for_vocabulary(len);
        for version in BOTH {
            let mut sampler = session(version, DrawOrder::Rank, 60.0);
            let before = account.calls();
            let _ = sampler.sample_in(&row, 0.5, &mut scratch).unwrap();
            assert_eq!(account.calls(), before, "{len} {version:?}");
        }
    }
}

#[test]
fn a_scratch_stays_within_a_fifth_of_the_row_and_128_kib() {
    let account = open();
    for len in [17, 32_000, 262_144, 1_048_576] {
        let bound = len as f64 * 4.0 * 0.2 + 131_072.0;
        let falling: Vec<f32> = (0..len).map(|i| (i % 1009) as f32 / 99.0).collect();
        let flat = vec![0.0_f32; len];
        let before = account.bytes();
        let mut scratch = Scratch::new();
        for row in [&falling, &flat] {
            for mu in [1.0, 9.0, 60.0] {
                for version in BOTH {
                    for order in ORDERS {
                        let mut sampler = session(version, order, mu);
                        let _ = sampler.sample_in(row, 0.7, &mut scratch).unwrap();
                    }
                }
            }
        }
        // By the allocator's books, and by its own.
        let held = account.bytes() - before;
        assert!(held as f64 <= bound, "{len}: {held}");
        assert_eq!(scratch.bytes(), held, "{len}");
        assert!(Scratch::for_vocabulary(len).bytes() as f64 <= bound);
    }
}
