//! 64 sessions stepped at once, timed beside a plain read of the same rows.

use crate::fault::Fault;
use crate::format::{count, grouped};
use crate::options::Options;
use indicatif::{ProgressBar, ProgressStyle};
use mirostat::{
    BatchScratch, Config, Job, Parallelism, Sampler, Step, UniformSource, Uniforms, step_batch,
};
use mirostat_kernels::{Engine, read_max};
use mirostat_rows::{Pool, Shape};
use std::hint::black_box;
use std::io::Write;
use std::time::{Duration, Instant};

const SESSIONS: usize = 64;
const VOCABULARIES: [usize; 2] = [128_256, 262_144];

/// Rounds before the clock counts: buffers grow, memory is touched, threads wake.
const WARM_UP: usize = 3;

/// Threads that a batch is shared between.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Times both vocabularies and prints a line for each.
pub(crate) fn print(out: &mut impl Write, config: Config, options: &Options) -> Result<(), Fault> {
    let names: Vec<String> = options
        .versions()
        .iter()
        .map(|v| format!("{v:?}"))
        .collect();
    writeln!(
        out,
        "{SESSIONS} sessions at once, {}, each with its own mu and random numbers, on synthetic float32 rows",
        names.join(" and ")
    )?;
    writeln!(
        out,
        "{:>8}  {:>6}  {:>6}  {:>9}  {:>14}  {:>6}  {:>16}  {:>8}  {:>9}",
        "logits",
        "pool",
        "rounds",
        "read",
        "step, 1 thread",
        "ratio",
        format!("step, {}", count(threads(), "thread")),
        "speed-up",
        "rows/s"
    )?;
    for vocabulary in VOCABULARIES {
        let times = measure(vocabulary, config, options)?;
        let [read, serial, shared] = [&times.read, &times.serial, &times.shared].map(|t| median(t));
        let per_row = |seconds: f64| format!("{:.1} µs", seconds * 1e6 / SESSIONS as f64);
        writeln!(
            out,
            "{:>8}  {:>3} MB  {:>6}  {:>9}  {:>14}  {:>6.2}  {:>16}  {:>8.2}  {:>9}",
            grouped(vocabulary),
            (SESSIONS * vocabulary * size_of::<f32>() + 500_000) / 1_000_000,
            grouped(times.read.len()),
            per_row(read),
            per_row(serial),
            median(&ratios(&times.serial, &times.read)),
            per_row(shared),
            median(&ratios(&times.serial, &times.shared)),
            grouped((SESSIONS as f64 / shared) as usize),
        )?;
    }
    writeln!(
        out,
        "read: one thread only looks for the row's greatest logit, and leaves to the hardware what to fetch."
    )?;
    writeln!(
        out,
        "step: NaN check, softmax, cut, draw and feedback; ratio: a step against the read, both on one thread."
    )?;
    writeln!(
        out,
        "Times are per row, medians over the rounds; rows/s with {}.\n",
        count(threads(), "thread")
    )?;
    Ok(())
}

/// Seconds that each round took for all sessions.
#[derive(Default)]
struct Times {
    read: Vec<f64>,
    serial: Vec<f64>,
    shared: Vec<f64>,
}

/// Rounds of a read, a batch on one thread and a batch on all, in turn, so that a slow moment of the machine meets all three.
fn measure(vocabulary: usize, config: Config, options: &Options) -> Result<Times, Fault> {
    let budget = options.time_per_vocabulary();
    let bar = progress_bar(budget, vocabulary);
    let pool = Pool::new(
        vocabulary,
        SESSIONS * vocabulary * size_of::<f32>(),
        Shape::LlmLike,
        options.seed,
    );
    let mut sessions = Sessions::new(config, options)?;
    let engine = Engine::detect();
    let mut times = Times::default();
    let mut start = Instant::now();
    for round in 0.. {
        let read = Instant::now();
        for i in 0..SESSIONS {
            black_box(read_max(engine, pool.row(round + i)));
        }
        let read = read.elapsed();
        let serial = sessions.step(&pool, round, Parallelism::Serial)?;
        let shared = sessions.step(&pool, round, Parallelism::Auto)?;
        if round < WARM_UP {
            start = Instant::now();
            continue;
        }
        times.read.push(read.as_secs_f64());
        times.serial.push(serial.as_secs_f64());
        times.shared.push(shared.as_secs_f64());
        let elapsed = start.elapsed();
        bar.set_position(elapsed.min(budget).as_millis() as u64);
        if elapsed >= budget {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(times)
}

/// A bar on the terminal; none where standard error is not one.
fn progress_bar(budget: Duration, vocabulary: usize) -> ProgressBar {
    let bar = ProgressBar::new(budget.as_millis() as u64);
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:40}] {percent:>3} %") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(format!("{SESSIONS} × {} logits", grouped(vocabulary)));
    bar.tick();
    bar
}

/// Sessions of the versions asked for, in turn, with all that a batch of them needs.
struct Sessions {
    samplers: Vec<Sampler>,
    uniforms: Vec<Uniforms>,
    scratch: BatchScratch,
    steps: Vec<mirostat::Result<Step>>,
}

impl Sessions {
    fn new(config: Config, options: &Options) -> mirostat::Result<Self> {
        let versions = options.versions().iter().cycle().take(SESSIONS);
        Ok(Self {
            samplers: versions
                .map(|&version| Sampler::new(config, version))
                .collect::<mirostat::Result<_>>()?,
            uniforms: (0..SESSIONS as u64)
                .map(|session| Uniforms::new(options.seed, session))
                .collect(),
            scratch: BatchScratch::new(),
            steps: Vec::new(),
        })
    }

    /// Steps every session once, session i on row i + round; the time that the batch took.
    fn step(
        &mut self,
        pool: &Pool,
        round: usize,
        parallelism: Parallelism,
    ) -> mirostat::Result<Duration> {
        let mut jobs = Vec::with_capacity(SESSIONS);
        let sessions = self.samplers.iter_mut().zip(&mut self.uniforms);
        for (i, (sampler, uniforms)) in sessions.enumerate() {
            jobs.push(Job {
                sampler,
                row: pool.row(round + i).into(),
                uniform: uniforms.peek()?,
            });
            uniforms.advance();
        }
        let start = Instant::now();
        step_batch(&mut jobs, parallelism, &mut self.scratch, &mut self.steps);
        let elapsed = start.elapsed();
        self.steps
            .iter()
            .try_for_each(|step| step.map(|_| ()))
            .map(|()| elapsed)
    }
}

fn ratios(over: &[f64], under: &[f64]) -> Vec<f64> {
    over.iter().zip(under).map(|(a, b)| a / b).collect()
}

fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
