//! The mean of the last surprises, while they come in.

use super::exact_sum::ExactSum;
use super::is_surprise;
use crate::{Error, Result, Step};

/// The last surprises, at most `capacity` of them, and their mean.
///
/// mean = Σ s / count over what is in the window, in **bits**. The sum is exact and a surprise that leaves is taken out exactly, so
/// nothing drifts however long the stream, and one huge surprise is forgotten when it has left.
///
/// # Cost
///
/// `new` allocates one f64 for each place and nothing does after; a push costs some nanoseconds, whatever the capacity.
///
/// # Examples
///
/// ```
/// use mirostat::trace::SurpriseWindow;
/// let mut window = SurpriseWindow::new(2)?;
/// window.push(1.0)?;
/// window.push(3.0)?;
/// assert_eq!(window.mean()?, 2.0);
/// window.push(5.0)?; // 1.0 leaves
/// assert_eq!((window.mean()?, window.count()), (4.0, 2));
/// assert!(window.push(-1.0).is_err());
/// # Ok::<(), mirostat::Error>(())
/// ```
#[derive(Debug)]
pub struct SurpriseWindow {
    /// A ring once it is full: then the oldest is at `oldest`.
    slots: Vec<f64>,
    oldest: usize,
    capacity: usize,
    sum: ExactSum,
}

impl SurpriseWindow {
    /// An empty window of `capacity` places.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if `capacity` is 0 or more than there is memory for.
    pub fn new(capacity: usize) -> Result<Self> {
        let refusal = |expected| Error::InvalidParameter {
            name: "capacity",
            value: capacity as f64,
            expected,
        };
        if capacity == 0 {
            return Err(refusal("at least one"));
        }
        let mut slots = Vec::new();
        slots
            .try_reserve_exact(capacity)
            .map_err(|_| refusal("within the memory of this machine"))?;
        Ok(Self {
            slots,
            oldest: 0,
            capacity,
            sum: ExactSum::ZERO,
        })
    }

    /// Adds a surprise of `bits` bits; in a full window the oldest leaves.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] unless `bits` is finite and not negative; the window is then as it was.
    pub fn push(&mut self, bits: f64) -> Result<()> {
        if !is_surprise(bits) {
            return Err(Error::InvalidParameter {
                name: "surprise",
                value: bits,
                expected: "finite and non-negative",
            });
        }
        if self.slots.len() < self.capacity {
            self.slots.push(bits);
        } else {
            let left = core::mem::replace(&mut self.slots[self.oldest], bits);
            self.sum.subtract(left);
            self.oldest = (self.oldest + 1) % self.capacity;
        }
        self.sum.add(bits);
        Ok(())
    }

    /// Adds the surprise of a step.
    ///
    /// # Errors
    ///
    /// As [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// use mirostat::{Config, Sampler, Version, trace::SurpriseWindow};
    /// let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
    /// let mut window = SurpriseWindow::new(16)?;
    /// window.push_step(&sampler.sample(&[0.0_f64; 4], 0.3)?)?;
    /// assert_eq!(window.mean()?, 2.0);
    /// # Ok::<(), mirostat::Error>(())
    /// ```
    pub fn push_step(&mut self, step: &Step) -> Result<()> {
        self.push(step.surprise_bits)
    }

    /// Surprises in the window, at most its capacity.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.slots.len()
    }

    /// Places of the window.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// The mean of the surprises in the window, in bits, within one unit in the last place.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidParameter`] if the window is empty.
    pub fn mean(&self) -> Result<f64> {
        if self.slots.is_empty() {
            return Err(Error::InvalidParameter {
                name: "count",
                value: 0.0,
                expected: "at least one observation",
            });
        }
        Ok(self.sum.mean(self.slots.len() as u64))
    }

    /// Empties the window and keeps its places.
    pub fn clear(&mut self) {
        self.slots.clear();
        self.oldest = 0;
        self.sum = ExactSum::ZERO;
    }
}

/// A window of the same capacity with the same surprises.
impl Clone for SurpriseWindow {
    fn clone(&self) -> Self {
        let mut slots = Vec::with_capacity(self.capacity);
        slots.extend_from_slice(&self.slots);
        Self {
            slots,
            oldest: self.oldest,
            capacity: self.capacity,
            sum: self.sum.clone(),
        }
    }
}
