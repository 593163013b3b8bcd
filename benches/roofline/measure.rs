//! The clock: rounds over a list of kernels, a new row for each call.

use crate::kernels::Timed;
use mirostat_kernels::Engine;
use mirostat_rows::Rng;
use std::time::{Duration, Instant};

/// How long a list is timed.
pub(crate) struct Clock {
    warm_up: usize,
    rounds: usize,
    /// At least so long in every kernel.
    each: Duration,
}

/// The median time of a kernel, and the median of its rounds' ratios to the first kernel of its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) kernel: &'static str,
    pub(crate) engine: Engine,
    pub(crate) median_us: f64,
    pub(crate) ratio: f64,
}

impl Clock {
    /// A cell: 3,000 rows or 150 ms of each kernel, whichever is longer.
    pub(crate) const LONG: Self = Self {
        warm_up: 150,
        rounds: 3_000,
        each: Duration::from_millis(150),
    };
    /// Each kernel once.
    pub(crate) const ONCE: Self = Self {
        warm_up: 0,
        rounds: 1,
        each: Duration::ZERO,
    };

    /// Times every kernel of a list on a pool of `rows` rows.
    pub(crate) fn time(&self, list: &mut [Timed<'_>], rows: usize) -> Vec<Time> {
        // Successive calls are `stride` rows apart, and every kernel comes by every row.
        let coprime = |n: usize| gcd(n, rows) == 1;
        let stride = [11, 13, 17, 19]
            .into_iter()
            .find(|&n| coprime(n))
            .unwrap_or(1);
        let skip = (0..).find(|skip| coprime(list.len() + skip)).unwrap_or(0);
        let mut rng = Rng(5);
        let mut call = 0;
        let mut round = |list: &mut [Timed<'_>], times: &mut [Vec<f64>]| {
            let mut least = Duration::MAX;
            for (timed, times) in list.iter_mut().zip(times) {
                let (row, uniform) = (call * stride % rows, rng.uniform());
                let start = Instant::now();
                (timed.run)(row, uniform);
                let took = start.elapsed();
                times.push(took.as_secs_f64() * 1e6);
                least = least.min(took);
                call += 1;
            }
            call += skip;
            least
        };
        let mut times = vec![Vec::new(); list.len()];
        for _ in 0..self.warm_up {
            round(list, &mut times);
        }
        times.iter_mut().for_each(Vec::clear);
        let mut each = Duration::ZERO;
        while times[0].len() < self.rounds || each < self.each {
            each += round(list, &mut times);
        }
        let ratio = |of: &[f64]| median(of.iter().zip(&times[0]).map(|(t, read)| t / read));
        list.iter()
            .zip(&times)
            .map(|(timed, times)| Time {
                kernel: timed.kernel,
                engine: timed.engine,
                median_us: median(times.iter().copied()),
                ratio: ratio(times),
            })
            .collect()
    }

    /// Three goes, of which the one counts, as a whole, whose medians sum to the least: the quietest.
    pub(crate) fn quietest_of_three(&self, list: &mut [Timed<'_>], rows: usize) -> Vec<Time> {
        let goes = [(); 3].map(|()| self.time(list, rows));
        let sum = |times: &[Time]| times.iter().map(|time| time.median_us).sum::<f64>();
        let [first, others @ ..] = goes;
        others.into_iter().fold(
            first,
            |best, go| {
                if sum(&go) < sum(&best) { go } else { best }
            },
        )
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
