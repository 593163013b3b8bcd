//! Rows in the narrower element types: finite logits stay finite, masks stay masks.

use half::{bf16, f16};

/// The row in f16, each logit to the nearest; finite logits beyond ±65504 become ±65504, −∞ stays −∞.
pub fn f16_row(row: &[f32]) -> Vec<f16> {
    row.iter().map(|&x| to_f16(x)).collect()
}

/// The row in bf16, each logit to the nearest; finite logits beyond its range become its greatest, −∞ stays −∞.
pub fn bf16_row(row: &[f32]) -> Vec<bf16> {
    row.iter().map(|&x| to_bf16(x)).collect()
}

fn to_f16(x: f32) -> f16 {
    if x.is_finite() {
        f16::from_f32(x.clamp(f16::MIN.to_f32_const(), f16::MAX.to_f32_const()))
    } else {
        f16::from_f32(x)
    }
}

fn to_bf16(x: f32) -> bf16 {
    if x.is_finite() {
        bf16::from_f32(x.clamp(bf16::MIN.to_f32_const(), bf16::MAX.to_f32_const()))
    } else {
        bf16::from_f32(x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finite_stays_finite_and_masks_stay_masks() {
        let row = [
            f32::MAX,
            -f32::MAX,
            65_520.0,
            -1e9,
            1.25,
            -0.0,
            f32::NEG_INFINITY,
        ];
        let narrow: Vec<f32> = f16_row(&row).iter().map(|x| x.to_f32()).collect();
        assert_eq!(
            narrow[..5],
            [65_504.0, -65_504.0, 65_504.0, -65_504.0, 1.25]
        );
        assert_eq!(narrow[5].to_bits(), (-0.0_f32).to_bits());
        assert_eq!(narrow[6], f32::NEG_INFINITY);
        let brain = bf16_row(&row);
        assert_eq!((brain[0], brain[1]), (bf16::MAX, bf16::MIN));
        assert_eq!(brain[6], bf16::NEG_INFINITY);
    }
}
