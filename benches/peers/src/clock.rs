//! The clock: rounds over all contestants of a task, a new row for each call, the two processes in turns.

use crate::contestant::Contestant;
use crate::rows::Rows;
use std::time::Instant;

/// How long a task is timed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Turns of each process.
    pub(crate) turns: usize,
    /// Rounds of one turn.
    pub(crate) rounds: usize,
    /// Calls that a slow contestant gets at least, turns together.
    pub(crate) least_calls: usize,
}

impl Clock {
    pub(crate) const LONG: Self = Self {
        turns: 4,
        rounds: 400,
        least_calls: 40,
    };
    pub(crate) const QUICK: Self = Self {
        turns: 2,
        rounds: 150,
        least_calls: 12,
    };
    /// A contestant that is slower than this sits rounds out, so that the fast ones get many calls in bearable time.
    const SLOW_US: f64 = 200.0;

    /// A contestant that takes about so long plays in every so manieth round.
    pub(crate) fn stride(&self, estimate_us: f64) -> usize {
        let most = self.turns * self.rounds / self.least_calls;
        ((estimate_us / Self::SLOW_US).ceil() as usize).clamp(1, most.max(1))
    }

    /// Successive rounds are so many rows apart; every contestant comes by every row.
    pub(crate) fn row_step(rows: usize) -> usize {
        [11, 13, 17, 19]
            .into_iter()
            .find(|&n| gcd(n, rows) == 1)
            .unwrap_or(1)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A contestant at the clock.
pub(crate) struct Player<'a> {
    pub(crate) contestant: &'a mut dyn Contestant,
    pub(crate) stride: usize,
    pub(crate) times_us: Vec<f64>,
}

/// One turn: rounds `first` and on. Round n gives the player at place p the row n · step + p.
///
/// # Errors
/// What a contestant refused with.
pub(crate) fn turn(
    players: &mut [Player<'_>],
    rows: &Rows,
    first: usize,
    rounds: usize,
) -> Result<(), String> {
    let step = Clock::row_step(rows.count());
    for number in first..first + rounds {
        for (place, player) in players.iter_mut().enumerate() {
            if number % player.stride == 0 {
                let row = rows.row(number * step + place);
                let start = Instant::now();
                player.contestant.call(row)?;
                player.times_us.push(start.elapsed().as_secs_f64() * 1e6);
            }
        }
    }
    Ok(())
}

/// The quartiles of some times: lower, median, upper.
pub(crate) fn quartiles(times: &[f64]) -> [f64; 3] {
    let mut times = times.to_vec();
    times.sort_unstable_by(f64::total_cmp);
    [1, 2, 3].map(|q| times[(times.len() - 1) * q / 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_contestants_sit_out_but_get_their_calls() {
        let clock = Clock::LONG;
        assert_eq!(clock.stride(20.0), 1);
        assert_eq!(clock.stride(1_000.0), 5);
        let stride = clock.stride(30_000.0);
        assert!(clock.turns * clock.rounds / stride >= clock.least_calls);
    }

    #[test]
    fn every_row_comes() {
        for rows in [14, 24, 27, 71, 73, 114] {
            let step = Clock::row_step(rows);
            let mut seen: Vec<usize> = (0..rows).map(|n| n * step % rows).collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    fn quartiles_of_five() {
        assert_eq!(quartiles(&[5.0, 1.0, 4.0, 2.0, 3.0]), [2.0, 3.0, 4.0]);
    }
}
