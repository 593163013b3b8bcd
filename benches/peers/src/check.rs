//! The answers, before the clock: what a contestant keeps of a row and how it draws, against `mirostat::reference` in f64.
//!
//! f32 sums and other roundings of k are no fault, so a set is right if it is what the rule keeps at a parameter within one part in a
//! thousand of the one that was asked for (mu: 0.005 bit), give or take the token at the edge, any of equal tokens.

use crate::contestant::{Answer, Contestant};
use crate::rows::{Cell, Kind, Source};
use crate::task::{CHAIN_TEMPERATURE, CHAIN_TOP_P, K, MIN_P, TOP_P, TYPICAL, Task};
use mirostat::reference::{Distribution, KRule, Truncation, VocabularySize, v1_kept, v2_kept};

/// Relative error that is let pass in parameters, probabilities and Z.
const TOLERANCE: f64 = 1e-3;
const MU_TOLERANCE_BITS: f64 = 0.005;
/// Draws of the frequency test, and its bound in standard deviations of chi-squared.
pub(crate) const DRAWS: usize = 5_000;
const DEVIATIONS: f64 = 6.0;

/// The truth about one row and task.
pub(crate) struct Truth {
    task: Task,
    distribution: Distribution,
    /// By token: what the rule ranks by, least first.
    score: Vec<f64>,
    /// All scores in order.
    ranked: Vec<f64>,
    /// The fewest and the most tokens that may be kept.
    bounds: (usize, usize),
    /// What the rule keeps, best first.
    kept: Vec<u32>,
}

impl Truth {
    /// # Panics
    /// When the row is none.
    pub(crate) fn of(task: Task, cell: Cell, row: &[f32]) -> Self {
        let exact: Vec<f64> = row.iter().map(|&x| f64::from(x)).collect();
        let distribution = Distribution::from_logits(&exact, 1.0).expect("a sound row");
        let score: Vec<f64> = if task == Task::Typical {
            let entropy = distribution.entropy_bits();
            let tokens = 0..row.len() as u32;
            tokens
                .map(|t| (distribution.surprise_bits(t) - entropy).abs())
                .collect()
        } else {
            exact.iter().map(|x| -x).collect()
        };
        let mut ranked = score.clone();
        ranked.sort_unstable_by(f64::total_cmp);
        let (bounds, kept) = bounds(task, cell, &distribution);
        Self {
            task,
            distribution,
            score,
            ranked,
            bounds,
            kept,
        }
    }

    /// # Errors
    /// What is wrong, in words.
    pub(crate) fn judge(&self, answer: &Answer) -> Result<(), String> {
        if self.task == Task::Softmax {
            return self.judge_softmax(answer);
        }
        let vocabulary = self.score.len();
        let (least, most) = self.bounds;
        let count = answer.kept.as_ref().map(Vec::len).or(answer.count);
        if let Some(count) = count
            && !(least..=most).contains(&count)
        {
            let right = if least == most {
                format!("{least}")
            } else {
                format!("{least} to {most}")
            };
            return Err(format!(
                "keeps {count} of {vocabulary} tokens, {right} are right"
            ));
        }
        let reach = |count: usize| {
            let slack = if self.task == Task::Typical {
                1e-3
            } else {
                0.0
            };
            self.ranked[count - 1] + slack
        };
        if let Some(kept) = &answer.kept {
            let mut seen = vec![false; vocabulary];
            for &token in kept {
                let new = seen
                    .get_mut(token as usize)
                    .is_some_and(|seen| !std::mem::replace(seen, true));
                if !new {
                    return Err(format!("keeps token {token} twice, or it is none"));
                }
                if self.score[token as usize] > reach(kept.len()) {
                    return Err(format!(
                        "keeps token {token}, which better ones rank before"
                    ));
                }
            }
        }
        let token = answer.token.ok_or("drew no token")?;
        match self.score.get(token as usize) {
            Some(&score) if score <= reach(most) => Ok(()),
            _ => Err(format!("drew token {token}, which the rule does not keep")),
        }
    }

    fn judge_softmax(&self, answer: &Answer) -> Result<(), String> {
        if let Some(log_z) = answer.log_z_nats {
            let error = (log_z - self.distribution.log_z_nats()).abs();
            return if error <= TOLERANCE {
                Ok(())
            } else {
                Err(format!("ln Z is off by {error:.1e}"))
            };
        }
        let given = answer.probabilities.as_ref().ok_or("answered nothing")?;
        if given.len() != self.score.len() {
            return Err(format!("gave {} probabilities", given.len()));
        }
        let off = |(&p, &exact): (&f32, &f64)| {
            let error = (f64::from(p) - exact).abs();
            if error <= 1e-30 { 0.0 } else { error / exact }
        };
        let worst = given
            .iter()
            .zip(self.distribution.probabilities())
            .map(off)
            .fold(0.0, f64::max);
        if worst <= TOLERANCE {
            Ok(())
        } else {
            Err(format!(
                "a probability is off by a factor of 1 ± {worst:.1e}"
            ))
        }
    }

    /// The weight of each token of the set that a contestant draws from: its own where it shows it.
    fn weights(&self, answer: &Answer) -> Vec<f64> {
        let temperature = match self.task {
            Task::Chain => CHAIN_TEMPERATURE,
            _ => 1.0,
        };
        let counted;
        let kept = match (&answer.kept, answer.count) {
            (Some(kept), _) => kept,
            (None, Some(count)) if count != self.kept.len() && self.task != Task::Typical => {
                counted = self.distribution.ranking(count);
                &counted
            }
            _ => &self.kept,
        };
        let mut weights = vec![0.0; self.score.len()];
        for &token in kept {
            weights[token as usize] =
                libm::pow(self.distribution.probability(token), 1.0 / temperature);
        }
        weights
    }
}

/// How many tokens may be kept, and which.
fn bounds(task: Task, cell: Cell, row: &Distribution) -> ((usize, usize), Vec<u32>) {
    let kept = |truncation: Truncation| truncation.kept(row).expect("a sound parameter");
    // More mass keeps more tokens.
    let by_mass = |truncation: fn(f64) -> Truncation, mass: f64| {
        let least = kept(truncation(mass - TOLERANCE)).count - 1;
        let most = kept(truncation(mass + TOLERANCE)).count + 1;
        let exact = kept(truncation(mass)).tokens;
        ((least.max(1), most.min(row.len())), exact)
    };
    match task {
        Task::MirostatV2 => {
            let of = |mu| v2_kept(row, mu);
            let mu = cell.mu_bits();
            let least = of(mu - MU_TOLERANCE_BITS).count;
            let most = of(mu + MU_TOLERANCE_BITS).count;
            ((least, most), of(mu).tokens)
        }
        Task::MirostatV1 => {
            let of = |rule| {
                v1_kept(row, cell.mu_bits(), 100, rule, VocabularySize::Row).expect("a sound mu")
            };
            let (down, up) = (of(KRule::Truncate).count, of(KRule::PaperCode).count);
            let least = (down as f64 * (1.0 - TOLERANCE)).floor() as usize;
            let most = (up as f64 * (1.0 + TOLERANCE)).ceil() as usize;
            (
                (least.max(1), most.min(row.len())),
                of(KRule::RoundHalfUp).tokens,
            )
        }
        Task::TopK => ((K, K), kept(Truncation::TopK(K)).tokens),
        Task::TopP => by_mass(Truncation::TopP, TOP_P),
        Task::Typical => by_mass(Truncation::Typical, TYPICAL),
        Task::MinP => {
            let at = |share: f64| kept(Truncation::MinP(share)).count;
            let bounds = (at(MIN_P * (1.0 + TOLERANCE)), at(MIN_P * (1.0 - TOLERANCE)));
            (bounds, kept(Truncation::MinP(MIN_P)).tokens)
        }
        Task::Chain => {
            let best = kept(Truncation::TopK(K)).tokens;
            let of = |p: f64, share: f64| chain(row, &best, p, share);
            let least = of(CHAIN_TOP_P - TOLERANCE, MIN_P * (1.0 + TOLERANCE)) - 1;
            let most = of(CHAIN_TOP_P + TOLERANCE, MIN_P * (1.0 - TOLERANCE)) + 1;
            let exact = of(CHAIN_TOP_P, MIN_P);
            ((least.max(1), most.min(K)), best[..exact].to_vec())
        }
        Task::Draw | Task::Softmax => {
            let kept = kept(Truncation::None);
            ((kept.count, kept.count), kept.tokens)
        }
    }
}

/// How many of the best stay: those that hold `p` of their sum, and of them those of `share` of the first.
fn chain(row: &Distribution, best: &[u32], p: f64, share: f64) -> usize {
    let of = |&token: &u32| row.probability(token);
    let mut left = p * best.iter().map(of).sum::<f64>();
    let nucleus = best.iter().map(of).take_while(|probability| {
        let wanted = left > 0.0;
        left -= probability;
        wanted
    });
    let least = share * of(&best[0]);
    nucleus
        .take_while(|&probability| probability >= least)
        .count()
}

/// Small rows on which everyone draws so often that the frequencies tell.
pub(crate) const SMALL: [Cell; 2] = [
    Cell {
        kind: Kind::LlmLike,
        vocabulary: 1_000,
    },
    Cell {
        kind: Kind::Iid,
        vocabulary: 1_000,
    },
];

/// Whether draws come as often as they should: Pearson's chi-squared, tokens that are expected fewer than five times taken together.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn judge_draws(truth: &Truth, answer: &Answer, drawn: &[u32]) -> Result<(), String> {
    let weights = truth.weights(answer);
    let total: f64 = weights.iter().sum();
    let mut times = vec![0.0; weights.len()];
    for &token in drawn {
        *times
            .get_mut(token as usize)
            .ok_or_else(|| format!("drew token {token} of {}", weights.len()))? += 1.0;
    }
    let (mut rare, mut rare_expected) = (0.0, 0.0);
    let (mut squares, mut cells) = (0.0, 0);
    for (token, (&weight, &times)) in weights.iter().zip(&times).enumerate() {
        if weight == 0.0 && times > 0.0 {
            return Err(format!("drew token {token}, which it does not keep"));
        }
        let expected = weight / total * drawn.len() as f64;
        if expected < 5.0 {
            (rare, rare_expected) = (rare + times, rare_expected + expected);
        } else {
            squares += (times - expected) * (times - expected) / expected;
            cells += 1;
        }
    }
    if rare_expected >= 5.0 {
        squares += (rare - rare_expected) * (rare - rare_expected) / rare_expected;
        cells += 1;
    }
    let freedom = f64::from(cells) - 1.0;
    if freedom < 1.0 {
        return Ok(());
    }
    let deviations = (squares - freedom) / libm::sqrt(2.0 * freedom);
    if deviations <= DEVIATIONS {
        Ok(())
    } else {
        Err(format!(
            "draws with other frequencies: chi-squared is {deviations:.0} standard deviations too great in {} draws",
            drawn.len()
        ))
    }
}

/// The frequency test of a contestant of this process, made for the small cell.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn draw_test(
    contestant: &mut dyn Contestant,
    task: Task,
    cell: Cell,
    source: &Source,
) -> Result<(), String> {
    let rows = source.so_many_rows(cell, 1).map_err(|e| e.to_string())?;
    let truth = Truth::of(task, cell, rows.row(0));
    let answer = contestant.answer(rows.row(0))?;
    let mut drawn = Vec::with_capacity(DRAWS);
    for _ in 0..DRAWS {
        drawn.push(
            contestant
                .answer(rows.row(0))?
                .token
                .ok_or("drew no token")?,
        );
    }
    judge_draws(&truth, &answer, &drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Cell = Cell {
        kind: Kind::LlmLike,
        vocabulary: 1_000,
    };

    fn truth(task: Task) -> (Truth, Vec<f32>) {
        let rows = Source::new(None).so_many_rows(CELL, 1).expect("no file");
        (Truth::of(task, CELL, rows.row(0)), rows.row(0).to_vec())
    }

    fn answer(kept: &[u32]) -> Answer {
        Answer {
            kept: Some(kept.to_vec()),
            token: kept.first().copied(),
            ..Answer::default()
        }
    }

    #[test]
    fn we_answer_every_task_rightly() {
        let source = Source::new(None);
        for task in Task::ALL {
            let (truth, row) = truth(task);
            let mut ours = crate::peer::ours::contestant(task, CELL);
            let given = ours.answer(&row).expect("a sound row");
            assert_eq!(truth.judge(&given), Ok(()), "{task:?}");
            if task != Task::Softmax {
                let drawn = draw_test(ours.as_mut(), task, CELL, &source);
                assert_eq!(drawn, Ok(()), "{task:?}");
            }
        }
    }

    #[test]
    fn the_rule_itself_is_right_and_half_of_it_is_wrong() {
        for task in Task::ALL.into_iter().filter(|&task| task != Task::Softmax) {
            let (truth, _) = truth(task);
            assert_eq!(truth.judge(&answer(&truth.kept)), Ok(()), "{task:?}");
            let half = &truth.kept[..truth.kept.len() / 2];
            assert!(truth.judge(&answer(half)).is_err(), "{task:?}");
            let mut other = truth.kept.clone();
            *other.last_mut().expect("some") = truth.kept[0];
            assert!(truth.judge(&answer(&other)).is_err(), "{task:?}: one twice");
        }
    }

    #[test]
    fn a_worse_token_in_the_set_is_wrong() {
        let (truth, row) = truth(Task::TopK);
        let worst = (0..row.len() as u32)
            .min_by(|&a, &b| row[a as usize].total_cmp(&row[b as usize]))
            .expect("some");
        let mut kept = truth.kept.clone();
        kept[39] = worst;
        assert!(truth.judge(&answer(&kept)).is_err());
        let stray = Answer {
            token: Some(worst),
            ..Answer::default()
        };
        assert!(truth.judge(&stray).is_err());
    }

    #[test]
    fn a_softmax_that_is_off_is_wrong() {
        let (truth, _) = truth(Task::Softmax);
        let mut given: Vec<f32> = truth
            .distribution
            .probabilities()
            .iter()
            .map(|&p| p as f32)
            .collect();
        let of = |p: &[f32]| Answer {
            probabilities: Some(p.to_vec()),
            ..Answer::default()
        };
        assert_eq!(truth.judge(&of(&given)), Ok(()));
        given[3] *= 1.01;
        assert!(truth.judge(&of(&given)).is_err());
    }

    #[test]
    fn draws_by_other_weights_are_found() {
        let (truth, _) = truth(Task::TopK);
        let given = answer(&truth.kept);
        // Every kept token equally often.
        let even: Vec<u32> = truth.kept.iter().copied().cycle().take(DRAWS).collect();
        assert!(judge_draws(&truth, &given, &even).is_err());
        let strange = vec![999_999];
        assert!(judge_draws(&truth, &given, &strange).is_err());
    }
}
