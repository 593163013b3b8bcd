//! The check: one step of the kernels beside one of the reference.

use crate::allowed::kept_tokens;
use crate::exact::{Exact, draws_by_rank};
use mirostat::reference::feedback;
use mirostat::{
    Config, Error, Level, Limit, Proposal, Row, Sampler, Scratch, Step, SurpriseBasis, Version,
};

const LOG_Z_NATS: f64 = 5e-7;
const PROBABILITY_RELATIVE: f64 = 6e-7;
const SURPRISE_BITS: f64 = 1e-6;
const UNIFORM: f64 = 2e-6;

/// How a step that keeps the contract ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// This machine lacks the level, or the level the arithmetic: nothing was compared.
    Unsupported,
    /// Kernels and reference refuse with this error.
    Refused(Error),
    /// Both step.
    Stepped(Step),
}

/// Steps a fresh session on `level` and holds it to the contract.
///
/// # Errors
///
/// A sentence for the first breach.
pub fn check<'a>(
    row: impl Into<Row<'a>>,
    config: &Config,
    version: Version,
    level: Level,
    uniform: f64,
) -> Result<Outcome, String> {
    match Sampler::on_level(*config, version, level) {
        Ok(sampler) => check_session(&sampler, row, uniform, &mut Scratch::new()),
        Err(Error::Unsupported { .. }) => Ok(Outcome::Unsupported),
        Err(error) => Err(format!("a session is refused: {error}")),
    }
}

/// Steps a copy of a session, wherever it stands, in a scratch that may have been used, and holds it to the contract.
///
/// # Errors
///
/// A sentence for the first breach.
pub fn check_session<'a>(
    sampler: &Sampler,
    row: impl Into<Row<'a>>,
    uniform: f64,
    scratch: &mut Scratch,
) -> Result<Outcome, String> {
    let row = row.into();
    let temperature = sampler.config().temperature();
    let exact = Exact::of(row, temperature);
    let expected = exact
        .as_ref()
        .map_err(|&error| error)
        .and_then(|exact| exact.choose(sampler, uniform));
    let mut reader = sampler.clone();
    let proposed = propose(&mut reader, row, uniform, exact.as_ref().ok(), scratch)?;
    let mut stepper = sampler.clone();
    let stepped = stepper.sample_in(row, uniform, scratch);
    let proposal = match (proposed, &expected) {
        (Err(found), Err(expected)) if found == *expected => {
            check_unmoved(sampler, &stepper)?;
            return match stepped {
                Err(error) if error == found => Ok(Outcome::Refused(found)),
                other => Err(format!(
                    "read and propose refuse with {found:?}, sample: {other:?}"
                )),
            };
        }
        (Ok(proposal), Ok(_)) => proposal,
        (found, expected) => return Err(format!("kernels: {found:?}, reference: {expected:?}")),
    };
    let exact = exact.map_err(|error| error.to_string())?;
    let (sure, unsure) = exact.support(temperature);
    if !(sure..=sure + unsure).contains(&proposal.support()) {
        return Err(format!(
            "support {}, the reference {sure}..={}",
            proposal.support(),
            sure + unsure
        ));
    }
    let kept = kept_tokens(&exact, sampler, proposal.kept())?;
    check_draw(&exact, sampler, &kept, proposal.token(), uniform)?;
    let kept_share: f64 = kept
        .iter()
        .map(|&token| exact.distribution.probability(token))
        .sum();
    check_measure(&exact, sampler, kept_share, &proposal)?;
    check_membership(&exact, sampler, row, &kept, kept_share, scratch)?;
    check_feedback(sampler, &stepper, &proposal, stepped)
}

/// Reads, compares ln Z, and draws.
fn propose(
    reader: &mut Sampler,
    row: Row<'_>,
    uniform: f64,
    exact: Option<&Exact>,
    scratch: &mut Scratch,
) -> Result<Result<Proposal, Error>, String> {
    let mut read = match reader.read(row, scratch) {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    if let Some(exact) = exact {
        let (found, expected) = (read.log_z_nats(), exact.distribution.log_z_nats());
        // What f64 cannot say of a number of this size is no breach.
        let slack = LOG_Z_NATS + 4.0 * f64::EPSILON * expected.abs();
        if !((found - expected).abs() <= slack || found == expected) {
            return Err(format!("ln Z {found}, the reference {expected}"));
        }
    }
    Ok(read.propose(uniform))
}

/// The token must be the one whose interval holds u, give or take what the contract does.
fn check_draw(
    exact: &Exact,
    sampler: &Sampler,
    kept: &[u32],
    token: u32,
    uniform: f64,
) -> Result<(), String> {
    let mut walk = kept.to_vec();
    if !draws_by_rank(sampler) {
        walk.sort_unstable();
    }
    let probability = |&token: &u32| exact.distribution.probability(token);
    let total: f64 = walk.iter().map(probability).sum();
    let Some(place) = walk.iter().position(|&kept| kept == token) else {
        return Err(format!("token {token} was drawn but is not kept"));
    };
    if probability(&token) <= 0.0 {
        return Err(format!("token {token} of probability 0 was drawn"));
    }
    let before = walk[..place].iter().map(probability).sum::<f64>() / total;
    let upto = before + probability(&token) / total;
    if uniform < before - UNIFORM || uniform > upto + UNIFORM {
        return Err(format!(
            "token {token} was drawn with u = {uniform}, but has [{before}, {upto})"
        ));
    }
    Ok(())
}

/// Probability and surprise, in the distribution that the configuration names.
fn check_measure(
    exact: &Exact,
    sampler: &Sampler,
    kept_share: f64,
    proposal: &Proposal,
) -> Result<(), String> {
    let token = proposal.token();
    let (share, share_bits) = match sampler.config().surprise_basis() {
        SurpriseBasis::Original => (1.0, 0.0),
        SurpriseBasis::Kept => (kept_share, kept_share.log2()),
    };
    let probability = exact.distribution.probability(token) / share;
    let surprise = exact.surprises[token as usize] + share_bits;
    let (found, bits) = (proposal.probability(), proposal.surprise_bits());
    // A probability below the normal numbers has no six digits.
    let slack = PROBABILITY_RELATIVE * probability + f64::from_bits(4);
    if !((found - probability).abs() <= slack && (0.0..=1.0).contains(&found)) {
        return Err(format!(
            "token {token}: p = {found}, the reference {probability}"
        ));
    }
    if !((bits - surprise).abs() <= SURPRISE_BITS && bits.is_sign_positive()) {
        return Err(format!(
            "token {token}: {bits} bits, the reference {surprise}"
        ));
    }
    Ok(())
}

/// The best, the last kept and the first not kept, asked for by name.
fn check_membership(
    exact: &Exact,
    sampler: &Sampler,
    row: Row<'_>,
    kept: &[u32],
    kept_share: f64,
    scratch: &mut Scratch,
) -> Result<(), String> {
    let mut reader = sampler.clone();
    let mut read = reader.read(row, scratch).map_err(|e| e.to_string())?;
    let n = kept.len();
    for (place, &token) in exact.ranking.iter().enumerate() {
        if place > 0 && (place + 2 < n || place > n + 1) {
            continue;
        }
        match (read.propose_token(token), place < n) {
            (Ok(proposal), true) => check_measure(exact, sampler, kept_share, &proposal)?,
            (Err(Error::TokenNotKept { token: named }), false) if named == token => {}
            (found, kept) => {
                return Err(format!(
                    "token {token} of rank {place} of {n}, kept: {kept}, but {found:?}"
                ));
            }
        }
    }
    Ok(())
}

/// The step is the proposal, fed back by the reference's formula, exactly.
fn check_feedback(
    before: &Sampler,
    after: &Sampler,
    proposal: &Proposal,
    stepped: Result<Step, Error>,
) -> Result<Outcome, String> {
    let config = before.config();
    let (tau, eta) = (config.tau(), config.eta());
    let error_bits = proposal.surprise_bits() - tau;
    let moved = match config.mu_bounds() {
        Some((lowest, _)) if before.mu() - eta * error_bits < lowest => {
            Ok((lowest, Some(Limit::Lower)))
        }
        Some((_, highest)) if before.mu() - eta * error_bits > highest => {
            Ok((highest, Some(Limit::Upper)))
        }
        _ => feedback(before.mu(), proposal.surprise_bits(), tau, eta).map(|free| (free, None)),
    };
    let expected = moved.map(|(mu_after, limited)| Step {
        token: proposal.token(),
        probability: proposal.probability(),
        surprise_bits: proposal.surprise_bits(),
        kept: proposal.kept(),
        support: proposal.support(),
        mu_before: before.mu(),
        mu_after,
        limited,
    });
    if stepped != expected {
        return Err(format!(
            "sample: {stepped:?}, read, propose and feedback: {expected:?}"
        ));
    }
    match stepped {
        Ok(step) => {
            if after.mu().to_bits() != step.mu_after.to_bits()
                || after.steps() != before.steps() + 1
            {
                return Err(format!("{step:?} left the session at {:?}", after.state()));
            }
            Ok(Outcome::Stepped(step))
        }
        Err(error) => {
            check_unmoved(before, after)?;
            Ok(Outcome::Refused(error))
        }
    }
}

fn check_unmoved(before: &Sampler, after: &Sampler) -> Result<(), String> {
    if before.state() == after.state() {
        Ok(())
    } else {
        Err(format!(
            "an error moved the session from {:?} to {:?}",
            before.state(),
            after.state()
        ))
    }
}
