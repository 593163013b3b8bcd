//! FNV-1a in 64 bits: h ← (h xor byte) · 0x100000001b3, starting from 0xcbf29ce484222325.

/// A running digest of numbers, each taken by its bits, lowest byte first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Digest {
    /// A digest of nothing.
    pub const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    /// Takes bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    /// Takes a word of 64 bits.
    pub fn push_u64(&mut self, word: u64) {
        self.push_bytes(&word.to_le_bytes());
    }

    /// Takes the 64 bits of a number: −0.0 and +0.0 differ.
    pub fn push_f64(&mut self, number: f64) {
        self.push_u64(number.to_bits());
    }

    /// Takes the 32 bits of a number: −0.0 and +0.0 differ.
    pub fn push_f32(&mut self, number: f32) {
        self.push_bytes(&number.to_bits().to_le_bytes());
    }

    /// The digest of all that was taken; more may follow.
    pub const fn finish(&self) -> u64 {
        self.0
    }
}

impl Default for Digest {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_values_of_fnv_1a() {
        let of = |text: &str| {
            let mut digest = Digest::new();
            digest.push_bytes(text.as_bytes());
            digest.finish()
        };
        assert_eq!(of(""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(of("a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(of("foobar"), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn numbers_are_taken_by_their_bits() {
        let (mut a, mut b) = (Digest::new(), Digest::new());
        a.push_f64(1.5);
        b.push_u64(0x3FF8_0000_0000_0000);
        assert_eq!(a, b);
        a.push_f32(0.0);
        b.push_f32(-0.0);
        assert_ne!(a, b);
    }
}
