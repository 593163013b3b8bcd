//! What generation asks of a model.

use crate::row::Row;
use crate::{bf16, f16};
use std::rc::Rc;
use std::sync::Arc;

/// A model: the logits of the token that follows a context.
///
/// Every closure `FnMut(&[u32]) -> Result<L, E>` is one, whose rows are owned (`Vec<f32>`, `[f64; 4]`, `Arc<[bf16]>`, a borrowed row of
/// something that outlives the closure …); write its argument out as `|context: &[u32]|`. A type of yours implements it to lend rows
/// of its own memory, with no copy.
///
/// The context is the prompt and the tokens generated so far, always one slice that has grown by one token: a model with a cache
/// feeds the tokens that it has not seen.
///
/// # Examples
///
/// A model in the manner of candle, where a row comes as a vector, and its errors in a type of their own:
///
/// ```
/// # #[derive(Debug)]
/// # struct CandleError;
/// # fn forward(_new: &[u32], _past: usize) -> Result<Vec<f32>, CandleError> { Ok(vec![1.0, 2.0]) }
/// # use mirostat::{Config, Sampler, Uniforms, Version, generation::Generator};
/// let mut seen = 0;
/// let mut model = |context: &[u32]| {
///     let row = forward(&context[seen..], seen)?; // tensor.to_vec1::<f32>()
///     seen = context.len();
///     Ok::<_, CandleError>(row)
/// };
/// # let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let told = Generator::new(5).prompt(&[1, 0]).run(&mut sampler, &mut Uniforms::new(1, 0), &mut model).unwrap();
/// assert_eq!((told.tokens.len(), seen), (5, 6));
/// # Ok::<(), mirostat::Error>(())
/// ```
///
/// One in the manner of llama.cpp, whose row lies in the context's memory:
///
/// ```
/// use mirostat::generation::{Generator, Model};
/// # use mirostat::{Config, Sampler, Uniforms, Version, f16};
/// struct Llama { logits: Vec<f16> }
///
/// impl Model for Llama {
///     type Logits<'a> = &'a [f16];
///     type Error = std::io::Error;
///
///     fn logits(&mut self, context: &[u32]) -> std::io::Result<&[f16]> {
///         // decode the tokens of `context` that are new, then
///         self.logits.fill(f16::from_f32(context.len() as f32));
///         Ok(&self.logits)
///     }
/// }
/// # let mut sampler = Sampler::new(Config::new(2.0)?, Version::V2)?;
/// let mut llama = Llama { logits: vec![f16::ZERO; 8] };
/// let told = Generator::new(5).run(&mut sampler, &mut Uniforms::new(1, 0), &mut llama).unwrap();
/// assert_eq!((told.tokens.len(), told.steps[4].kept), (5, 8));
/// # Ok::<(), mirostat::Error>(())
/// ```
pub trait Model {
    /// A row as the model hands it out: owned, or borrowed from the model.
    type Logits<'a>: Logits
    where
        Self: 'a;

    /// Why the model failed.
    type Error;

    /// The logits of the token that follows `context`.
    ///
    /// # Errors
    ///
    /// The model's own; generation stops and hands them on.
    fn logits(&mut self, context: &[u32]) -> core::result::Result<Self::Logits<'_>, Self::Error>;
}

impl<F, L, E> Model for F
where
    F: FnMut(&[u32]) -> core::result::Result<L, E>,
    L: Logits,
{
    type Logits<'a>
        = L
    where
        Self: 'a;
    type Error = E;

    fn logits(&mut self, context: &[u32]) -> core::result::Result<L, E> {
        self(context)
    }
}

/// Something that holds a row of logits: vectors, arrays, slices, boxes and shared pointers of the four element types, and [`Row`].
///
/// # Examples
///
/// ```
/// use mirostat::generation::Logits;
/// assert_eq!(vec![1.0_f32, 2.0].row().len(), 2);
/// assert_eq!(std::sync::Arc::<[f64]>::from([0.5]).row().len(), 1);
/// ```
pub trait Logits {
    /// The row.
    fn row(&self) -> Row<'_>;
}

macro_rules! logits_of {
    ($($element:ty),*) => {$(
        impl Logits for [$element] {
            fn row(&self) -> Row<'_> {
                Row::from(self)
            }
        }
        impl<const N: usize> Logits for [$element; N] {
            fn row(&self) -> Row<'_> {
                Row::from(self)
            }
        }
        impl Logits for Vec<$element> {
            fn row(&self) -> Row<'_> {
                Row::from(self)
            }
        }
    )*};
}
logits_of!(f32, f16, bf16, f64);

impl Logits for Row<'_> {
    fn row(&self) -> Row<'_> {
        *self
    }
}

macro_rules! logits_through {
    ($($pointer:ty),*) => {$(
        impl<L: Logits + ?Sized> Logits for $pointer {
            fn row(&self) -> Row<'_> {
                (**self).row()
            }
        }
    )*};
}
logits_through!(&L, Box<L>, Rc<L>, Arc<L>);
