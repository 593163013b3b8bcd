//! The greatest logit and nothing else: the plain read of a row, against which everything is measured.

use crate::block::load_four;
use crate::lanes::{Lanes, four};
use crate::level::Kernel;
use crate::{Element, Engine};

/// The greatest logit of `row`, −∞ where nothing is above it.
///
/// One read, nothing written. NaN is not looked for, and may hide other logits.
pub fn read_max<E: Element>(engine: Engine, row: &[E]) -> f32 {
    engine.run(ReadMax { row })
}

struct ReadMax<'a, E> {
    row: &'a [E],
}

impl<E: Element> Kernel for ReadMax<'_, E> {
    type Output = f32;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> f32 {
        let (chunks, rest) = self.row.as_chunks::<64>();
        let mut most = [l.splat(f32::NEG_INFINITY); 4];
        for chunk in chunks {
            let x = load_four(l, chunk);
            most = four!(j => l.max(x[j], most[j]));
        }
        let mut top = l.top(l.max(l.max(most[0], most[1]), l.max(most[2], most[3])));
        for x in rest {
            if x.value() > top {
                top = x.value();
            }
        }
        top
    }
}
