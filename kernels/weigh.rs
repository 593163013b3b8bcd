//! The weights of logits that stand in no row.

use crate::Engine;
use crate::exp::Exp;
use crate::frame::Frame;
use crate::lanes::Lanes;
use crate::level::Kernel;

/// The weights of logits in `frame`; both slices are whole vectors of sixteen.
pub(crate) fn weigh(engine: Engine, frame: Frame, logits: &[f32], weights: &mut [f32]) {
    debug_assert_eq!(logits.len() % 16, 0);
    engine.run(Weigh {
        frame,
        logits,
        weights,
    });
}

/// The weight of one logit in `frame`.
pub(crate) fn weight_of(engine: Engine, frame: Frame, logit: f32) -> f32 {
    let mut weights = [0.0; 16];
    weigh(engine, frame, &[logit; 16], &mut weights);
    weights[0]
}

struct Weigh<'a> {
    frame: Frame,
    logits: &'a [f32],
    weights: &'a mut [f32],
}

impl Kernel for Weigh<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let exp = Exp::new(l, self.frame);
        let (logits, _) = self.logits.as_chunks::<16>();
        let (weights, _) = self.weights.as_chunks_mut::<16>();
        for (x, w) in logits.iter().zip(weights) {
            let (v, _) = exp.four::<true>([l.load(x); 4]);
            l.store(v[0], w);
        }
    }
}
