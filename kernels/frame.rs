//! The units of the weights of a row: w = 2^((x − shift)·c − N).

/// The units in which the weights of a row are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// c = log2(e) / temperature: bits per unit of logit.
    pub scale: f64,
    /// What is taken from each logit before it is scaled: 0, or the greatest logit of an extreme row.
    pub shift: f32,
    /// N: the weight of a logit x is 2^((x − shift)·scale − N).
    pub reference: i32,
}

impl Frame {
    /// The frame in which the weight of `top` lies in [½, 2], without a shift.
    #[must_use]
    pub fn around(top: f32, scale: f64) -> Self {
        Self {
            scale,
            shift: 0.0,
            reference: (2.0 * libm::round(f64::from(top) * scale * 0.5)) as i32,
        }
    }

    /// The frame in which the weight of `top` is exactly 1.
    #[must_use]
    pub const fn below(top: f32, scale: f64) -> Self {
        Self {
            scale,
            shift: top,
            reference: 0,
        }
    }

    /// The logit whose weight is about 1, which lies within a few bits of the greatest as a rule.
    pub(crate) fn origin(&self) -> f32 {
        (f64::from(self.reference) / self.scale) as f32 + self.shift
    }

    /// log2 of the weight of `x`, exact but for the rounding of f64.
    #[must_use]
    pub fn exponent(&self, x: f32) -> f64 {
        (f64::from(x) - f64::from(self.shift)) * self.scale - f64::from(self.reference)
    }

    /// The logit whose weight is 2^`exponent`.
    #[must_use]
    pub fn logit(&self, exponent: f64) -> f64 {
        (exponent + f64::from(self.reference)) / self.scale + f64::from(self.shift)
    }
}
