//! Many sessions of Mirostat V2, a step each: our batch against a loop over what a user would run instead, on one thread and on two.

use crate::clock::quartiles;
use crate::peer::ours;
use crate::python::Python;
use crate::record::{Batch, rounded};
use crate::rows::{Cell, Kind, Rows, Source};
use mirostat::{BatchScratch, Matrix, Parallelism, Sampler, Version, sample_batch};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::Path;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const CELL: Cell = Cell {
    kind: Kind::LlmLike,
    vocabulary: 128_256,
};
const SESSIONS: [usize; 3] = [1, 8, 64];
const THREADS: [usize; 2] = [1, 2];
/// Two batches of 64 rows in turn, 63 MiB: beyond every cache.
const ROWS: usize = 128;

/// Someone with so many sessions; `step` takes the number of the batch.
struct Stepped<'a> {
    name: &'static str,
    threads: usize,
    step: Box<dyn FnMut(usize) -> Result<()> + 'a>,
    times_us: Vec<f64>,
}

/// Everyone at every size, `calls` batches each, interleaved.
pub(crate) fn run(
    source: &Source,
    python: Option<&mut Python>,
    folder: &Path,
    calls: usize,
) -> Result<Vec<Batch>> {
    let rows = source.so_many_rows(CELL, ROWS)?;
    let pools = THREADS.map(|n| {
        let pool = ThreadPoolBuilder::new().num_threads(n).build();
        pool.expect("two threads")
    });
    let mut all = Vec::new();
    let mut add = |peer: &str, sessions, threads, times: &[f64]| {
        let [lower, median, upper] = quartiles(times).map(rounded);
        all.push(Batch {
            peer: peer.to_owned(),
            vocabulary: CELL.vocabulary,
            sessions,
            threads,
            median_us: median,
            quartiles_us: [lower, upper],
            calls: times.len(),
        });
    };
    for sessions in SESSIONS {
        let mut everyone = Vec::new();
        for (pool, threads) in pools.iter().zip(THREADS) {
            everyone.push(Stepped {
                name: ours::NAME,
                threads,
                step: batch_of_ours(&rows, sessions, pool, threads),
                times_us: Vec::new(),
            });
            everyone.extend(loops(&rows, sessions, pool, threads));
        }
        // The first round warms up.
        for call in 0..=calls {
            for one in &mut everyone {
                let start = Instant::now();
                (one.step)(call)?;
                if call > 0 {
                    one.times_us.push(start.elapsed().as_secs_f64() * 1e6);
                }
            }
        }
        for one in everyone {
            add(one.name, sessions, one.threads, &one.times_us);
        }
    }
    if let Some(python) = python {
        let path = folder.join("batch.npy");
        rows.write(&path)?;
        python.load(&path, CELL.mu_bits())?;
        std::fs::remove_file(path)?;
        for sessions in SESSIONS {
            for threads in THREADS {
                let times = python.batch(sessions, threads, calls)?;
                add("numpy", sessions, threads, &times);
            }
        }
    }
    Ok(all)
}

/// The number of the first row of a batch.
fn first_row(call: usize, sessions: usize) -> usize {
    call % (ROWS / sessions) * sessions
}

fn batch_of_ours<'a>(
    rows: &'a Rows,
    count: usize,
    pool: &'a ThreadPool,
    threads: usize,
) -> Box<dyn FnMut(usize) -> Result<()> + 'a> {
    let session = || ours::session(Version::V2, CELL);
    let mut sessions: Vec<Sampler> = (0..count).map(|_| session()).collect();
    let uniforms: Vec<f64> = (0..count)
        .map(|i| (i as f64 * 0.618_033_988_749_894_9).fract())
        .collect();
    let parallelism = match threads {
        1 => Parallelism::Serial,
        _ => Parallelism::Auto,
    };
    let (mut scratch, mut out) = (BatchScratch::new(), Vec::new());
    Box::new(move |call| {
        let first = first_row(call, count) * CELL.vocabulary;
        let matrix = Matrix::new(
            &rows.logits()[first..],
            count,
            CELL.vocabulary,
            CELL.vocabulary,
        )?;
        pool.install(|| {
            sessions.iter_mut().for_each(Sampler::reset);
            let (sessions, out) = (&mut sessions, &mut out);
            sample_batch(sessions, matrix, &uniforms, parallelism, &mut scratch, out)
        })?;
        for step in &out {
            step.as_ref().map_err(Clone::clone)?;
        }
        Ok(())
    })
}

/// A loop over the sessions of each Rust peer with a right Mirostat V2, spread over the pool.
#[cfg_attr(
    not(any(feature = "llama-cpp", feature = "token-sampling")),
    expect(unused_variables, unused_mut, reason = "no peer is compiled in")
)]
fn loops<'a>(
    rows: &'a Rows,
    count: usize,
    pool: &'a ThreadPool,
    threads: usize,
) -> Vec<Stepped<'a>> {
    let mut loops = Vec::new();
    #[cfg(feature = "token-sampling")]
    {
        use crate::peer::token_sampling::{NAME, Session};
        let sessions = (0..count).map(|_| Session::mirostat_v2(CELL)).collect();
        let step = spread(rows, sessions, pool, Session::step);
        loops.push(Stepped {
            name: NAME,
            threads,
            step,
            times_us: Vec::new(),
        });
    }
    #[cfg(feature = "llama-cpp")]
    {
        use crate::peer::llama_cpp::{LlamaCpp, NAME};
        let session = |_| LlamaCpp::new(crate::task::Task::MirostatV2, CELL).expect("it has one");
        let sessions = (0..count).map(session).collect();
        let step = spread(rows, sessions, pool, LlamaCpp::step);
        loops.push(Stepped {
            name: NAME,
            threads,
            step,
            times_us: Vec::new(),
        });
    }
    loops
}

#[cfg(any(feature = "llama-cpp", feature = "token-sampling"))]
fn spread<'a, S: Send + 'a>(
    rows: &'a Rows,
    mut sessions: Vec<S>,
    pool: &'a ThreadPool,
    step: fn(&mut S, &[f32]) -> std::result::Result<u32, String>,
) -> Box<dyn FnMut(usize) -> Result<()> + 'a> {
    use rayon::prelude::*;
    Box::new(move |call| {
        let first = first_row(call, sessions.len());
        pool.install(|| {
            let sessions = sessions.par_iter_mut().enumerate();
            sessions.try_for_each(|(i, session)| step(session, rows.row(first + i)).map(drop))
        })?;
        Ok(())
    })
}
