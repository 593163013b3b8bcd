//! Running sums of the weights of listed logits: exact, so that any two of them differ by exactly what lies between.
//!
//! S_i = Σ_{j < i} q(w_j), with q the rounding to multiples of 2^−39 that [`choose_listed`](crate::choose_listed) weighs with: what a
//! binary search finds in these sums is what a walk through the list finds.

use crate::Engine;
use crate::block::load_four;
use crate::candidates::FEW;
use crate::choose::quantum;
use crate::exp::{Exp, Frame};
use crate::lanes::Lanes;
use crate::level::Kernel;

/// Logits that are weighed side by side.
const CHUNK: usize = 64;

/// Writes the running sums of the weights of `values` to `sums`: 0 first, the weight of all last.
///
/// # Panics
///
/// If `sums` is not longer by one than `values`, or `values` has more than [`FEW`] logits.
pub fn running_sums(engine: Engine, frame: Frame, values: &[f32], sums: &mut [f64]) {
    assert_eq!(
        sums.len(),
        values.len() + 1,
        "sums of {} logits",
        values.len()
    );
    assert!(values.len() <= FEW, "more than {FEW} logits");
    engine.run(RunningSums {
        frame,
        values,
        sums,
    });
}

struct RunningSums<'a> {
    frame: Frame,
    values: &'a [f32],
    sums: &'a mut [f64],
}

impl Kernel for RunningSums<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let Self {
            frame,
            values,
            sums,
        } = self;
        let exp = Exp::new(l, frame);
        let mut running = 0.0;
        sums[0] = running;
        let mut i = 0;
        for chunk in values.chunks(CHUNK) {
            let mut padded = [f32::NEG_INFINITY; CHUNK];
            padded[..chunk.len()].copy_from_slice(chunk);
            let (v, _) = exp.four::<true>(load_four(l, &padded));
            let mut weights = [0.0_f32; CHUNK];
            let (to, _) = weights.as_chunks_mut::<16>();
            let mut j = 0;
            while j < 4 {
                l.store(v[j], &mut to[j]);
                j += 1;
            }
            for &w in &weights[..chunk.len()] {
                running += quantum(w);
                i += 1;
                sums[i] = running;
            }
        }
    }
}
