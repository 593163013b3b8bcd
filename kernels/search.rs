//! The search for the candidate at which a running measure in an order, their weight or their number, passes a target.
//!
//! Let S(p) be the measure of the candidates at place p or before it. The candidate whose turn it is when the running sum passes the
//! target is the one with S(before it) <= target < S(with it). S is a sum by one fixed tree of terms that only vanish as places
//! move to the front, so it falls monotonically even in f32, and a bracket around the target can be narrowed until what is inside
//! can be listed.

use crate::block::BLOCK;
use crate::bracket::Bracket;
use crate::candidates::{Candidates, FEW};
use crate::choose::{List, last_keyed, pass_keyed};
use crate::choose_in_blocks::Kept;
use crate::enclose::{Enclosed, enclose};
use crate::likely::likely;
use crate::masses::masses;
use crate::one_place::{in_one_place, sole_logit};
use crate::order::{Order, Until};
use crate::part_by_mass::exact_sum;
use crate::select::{By, Parts, Weighed};
use crate::stays::{Stays, holds};
use crate::weigh::{weigh, weight_of};
use crate::{Element, Engine};

/// The candidate at which the running weight passes the target.
#[derive(Clone, Copy)]
pub(crate) struct Passed {
    pub(crate) id: u32,
    pub(crate) logit: f32,
    pub(crate) weighed: Option<Weighed>,
}

/// A search for the candidate at which the running weight in an order passes a target.
pub(crate) struct Search<'a, E, S, O> {
    engine: Engine,
    kept: Kept<'a, E, S>,
    order: O,
    by: By,
    parts: Parts,
    target: f64,
    total: f64,
    /// S(low) > target unless rounding made the target the weight of all, S(high) <= target.
    bracket: Bracket,
    /// S(high).
    above: f64,
}

impl<'a, E: Element, S: Stays, O: Order> Search<'a, E, S, O> {
    pub(crate) fn new(
        engine: Engine,
        kept: Kept<'a, E, S>,
        order: O,
        (by, (target, total)): (By, (f64, f64)),
        parts: Parts,
    ) -> Self {
        Self {
            engine,
            kept,
            order,
            by,
            parts,
            // A target below 0 would be passed where nothing is.
            target: target.max(0.0),
            total,
            bracket: order.all(),
            above: 0.0,
        }
    }

    pub(crate) fn run(mut self, room: &mut Candidates) -> Passed {
        let share = (self.by, self.target / self.total);
        let places = likely(self.engine, self.kept, self.order, share, room);
        let mut guess = [places[1], places[2]];
        for _ in 0..2 {
            let low = guess[0].clamp(self.bracket.low, self.bracket.high - 1);
            let high = guess[1].clamp(low + 1, self.bracket.high);
            if let Some(passed) = self.look(low, high, room) {
                return passed;
            }
            if self.bracket.low >= high {
                guess = [places[2], places[3]];
            } else if self.bracket.high <= low {
                guess = [places[0], places[1]];
            } else {
                break;
            }
        }
        // The guesses may leave the latest place of all, not looked at yet: where rounding made the target the weight of all, it can be
        // empty.
        let Bracket { low, high } = self.bracket;
        if self.bracket.is_one_value()
            && low == self.order.all().low
            && let Some(passed) = self.look(low, high, room)
        {
            return passed;
        }
        // As many as were not listed are equal as a rule, and then stand at a place that the sample told: it is parted from the next.
        let (late, low) = (places[0], guess[0]);
        let mut pivots = [late, late + 1, low, low + 1];
        while !self.bracket.is_one_value() {
            self.narrow(pivots);
            let Bracket { low, high } = self.bracket;
            if let Some(passed) = self.look(low, high, room) {
                return passed;
            }
            pivots = self.bracket.fifths();
        }
        let places = [1, 0].map(|next| self.until(self.bracket.low + next));
        let (id, logit) = in_one_place(
            self.engine,
            self.kept,
            places,
            (self.by, self.target - self.above),
        );
        Passed {
            id,
            logit,
            weighed: None,
        }
    }

    /// What stays up to a place.
    fn until(&self, place: u32) -> Until<S, O> {
        Until::place(self.kept.stays, self.order, place)
    }

    fn narrow(&mut self, pivots: [u32; 4]) {
        let inside = self.bracket.inside(pivots);
        let until = inside.map(|p| self.until(p));
        let found = masses(self.engine, self.kept, until);
        for (p, (mass, count)) in inside.into_iter().zip(found) {
            let measure = self.measure(mass, count);
            if measure > self.target && p > self.bracket.low {
                self.bracket.low = p;
            }
            if measure <= self.target && p < self.bracket.high {
                (self.bracket.high, self.above) = (p, measure);
            }
        }
    }

    fn measure(&self, mass: f64, count: usize) -> f64 {
        match self.by {
            By::Mass => mass,
            By::Count => count as f64,
        }
    }

    /// Looks between two places in the bracket: the candidate if it stands there, else the bracket is narrower.
    fn look(&mut self, low: u32, high: u32, room: &mut Candidates) -> Option<Passed> {
        let places = (self.until(high), self.until(low));
        let seen = enclose(
            self.engine,
            self.kept,
            places,
            self.parts == Parts::Wanted,
            room,
        );
        let before = self.measure(seen.before, seen.count);
        if before > self.target {
            if high < self.bracket.high {
                self.bracket.low = high;
            } else {
                self.settle_before(high, before);
            }
            return None;
        }
        (self.bracket.high, self.above) = (high, before);
        let target = self.target - before;
        if seen.between > FEW {
            if let Some(logit) = sole_logit(places.1.ends(), places.0.ends()) {
                let weight = weight_of(self.engine, self.kept.frame, logit);
                let here = seen.between as f64 * self.by.of(weight);
                if target < here {
                    self.bracket.low = low;
                } else if low > self.bracket.low {
                    (self.bracket.high, self.above) = (low, before + here);
                }
            }
            return None;
        }
        let or_last = low == self.bracket.low;
        match self.among_listed((target, seen.between), or_last, room) {
            Ok(at) => {
                let wanted = self.parts == Parts::Wanted;
                return Some(Passed {
                    id: room.ids[at],
                    logit: room.values[at],
                    weighed: wanted.then(|| self.weigh_up_to(at, seen, room)),
                });
            }
            Err(_) if or_last => self.settle_before(high, before),
            Err(listed) => (self.bracket.high, self.above) = (low, before + listed),
        }
        None
    }

    /// Where rounding made the target the weight of all: the last of what has weight is due, and it stands at `place` or before.
    fn settle_before(&mut self, place: u32, mass: f64) {
        let high = self.order.all().high;
        // Where nothing has weight, there is no last.
        let low = place.min(high - 1);
        (self.target, self.bracket, self.above) =
            (mass.next_down().max(0.0), Bracket { low, high }, 0.0);
    }

    /// Of `n` listed candidates the position of the one at which their running measure passes `target`, or of the last that has weight
    /// if that is to be; the measure of all where there is none.
    fn among_listed(
        &self,
        (target, n): (f64, usize),
        or_last: bool,
        room: &mut Candidates,
    ) -> Result<usize, f64> {
        if n == 0 {
            return Err(0.0);
        }
        room.key_by(n, |id, x| self.order.key(id, x));
        let position = |key: u64, ids: &[u32]| ids.iter().position(|&id| id == key as u32);
        if self.by == By::Count {
            let nth = target as usize;
            if nth >= n {
                return Err(n as f64);
            }
            let (_, &mut key, _) = room.keys[..n].select_nth_unstable(nth);
            return position(key, &room.ids[..n]).ok_or(n as f64);
        }
        let frame = self.kept.frame;
        let top = room.greatest(n);
        // The list is weighed relative to its greatest logit, which must have weight in the row.
        if weight_of(self.engine, frame, top) == 0.0 {
            return Err(0.0);
        }
        let list = List {
            n,
            ordered: 0,
            top,
            scale: frame.scale,
        };
        let unit = libm::exp2(frame.exponent(top));
        let mut key = pass_keyed(self.engine, list, target / unit, room);
        if or_last {
            key = key.or_else(|| last_keyed(room, 0..n));
        }
        let at = key.and_then(|key| position(key, &room.ids[..n]));
        at.ok_or_else(|| exact_sum(&room.weights[..n]) * unit)
    }

    /// What stays up to the listed candidate at a position, where the parts are those of what stands before the list.
    fn weigh_up_to(&self, at: usize, seen: Enclosed, room: &mut Candidates) -> Weighed {
        let (n, place) = (seen.between, self.order.place(room.values[at]));
        let end = n.next_multiple_of(16);
        let (values, weights) = (&mut room.values[..end], &mut room.weights[..end]);
        values[n..].fill(f32::NEG_INFINITY);
        weigh(self.engine, self.kept.frame, values, weights);
        // The list is in id order: of equals those up to the position stay.
        let mut kept = seen.count;
        for (ends, range) in [
            (self.until(place).ends(), 0..at + 1),
            (self.until(place + 1).ends(), at + 1..n),
        ] {
            let of_range = values[range.clone()].iter().zip(&mut weights[range]);
            for (&x, weight) in of_range {
                let stays = holds(ends, x);
                *weight = if stays { *weight } else { 0.0 };
                kept += usize::from(stays);
            }
        }
        let of_block = |id: u32| id as usize / BLOCK;
        let mut weights = weights.iter();
        for ids in room.ids[..n].chunk_by(|&a, &b| of_block(a) == of_block(b)) {
            let sum: f64 = (weights.by_ref().take(ids.len()))
                .map(|&w| f64::from(w))
                .sum();
            let part = &mut room.parts[of_block(ids[0])];
            *part = (f64::from(*part) + sum) as f32;
        }
        let parts = &room.parts[..crate::blocks(self.kept.row.len())];
        let total = parts.iter().map(|&part| f64::from(part)).sum();
        Weighed { kept, total }
    }
}
