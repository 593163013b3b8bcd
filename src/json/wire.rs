//! How numbers and rows stand in the text.

use serde::de::{Deserializer, Error as _, SeqAccess, Unexpected, Visitor};
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;

/// From here on serde_json writes whole numbers with an exponent, and so without `.0`.
const EXPONENT_FROM: f64 = 1e16;

/// A finite number, written as a whole one where it is.
pub(super) struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let x = self.0;
        if !x.is_finite() {
            return Err(S::Error::custom(format_args!(
                "JSON has no word for the number {x}"
            )));
        }
        if x.fract() == 0.0 && x.abs() < EXPONENT_FROM {
            return serializer.serialize_i64(x as i64);
        }
        serializer.serialize_f64(x)
    }
}

pub(super) fn number<S: Serializer>(x: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number(*x).serialize(serializer)
}

pub(super) fn optional_number<S: Serializer>(
    x: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    x.map(Number).serialize(serializer)
}

pub(super) fn numbers<S: Serializer>(xs: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(xs.iter().copied().map(Number))
}

/// A row of logits: `null` is −∞.
pub(super) mod row {
    use super::*;

    pub(in crate::json) fn serialize<S: Serializer>(
        row: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        Borrowed(row).serialize(serializer)
    }

    pub(in crate::json) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        Ok(Owned::deserialize(deserializer)?.0)
    }
}

/// Rows of logits.
pub(super) mod rows {
    use super::*;

    pub(in crate::json) fn serialize<S: Serializer>(
        rows: &[Vec<f64>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rows.iter().map(|row| Borrowed(row)))
    }

    pub(in crate::json) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Vec<f64>>, D::Error> {
        let rows = Vec::<Owned>::deserialize(deserializer)?;
        Ok(rows.into_iter().map(|row| row.0).collect())
    }
}

struct Borrowed<'a>(&'a [f64]);

impl Serialize for Borrowed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = |&x: &f64| (x != f64::NEG_INFINITY).then_some(Number(x));
        serializer.collect_seq(self.0.iter().map(entry))
    }
}

struct Owned(Vec<f64>);

impl<'de> Deserialize<'de> for Owned {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Owned;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a row of numbers and nulls")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Owned, A::Error> {
                let mut row = Vec::new();
                while let Some(entry) = entries.next_element::<Option<f64>>()? {
                    row.push(entry.unwrap_or(f64::NEG_INFINITY));
                }
                Ok(Owned(row))
            }
        }
        deserializer.deserialize_seq(Entries)
    }
}

/// A whole number, whether or not it is written with a point.
struct Whole(i64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Count;
        impl Visitor<'_> for Count {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E: serde::de::Error>(self, x: i64) -> Result<Whole, E> {
                Ok(Whole(x))
            }

            fn visit_u64<E: serde::de::Error>(self, x: u64) -> Result<Whole, E> {
                i64::try_from(x)
                    .map(Whole)
                    .map_err(|_| E::invalid_value(Unexpected::Unsigned(x), &self))
            }

            fn visit_f64<E: serde::de::Error>(self, x: f64) -> Result<Whole, E> {
                if x.fract() == 0.0 && x.abs() < EXPONENT_FROM {
                    return Ok(Whole(x as i64));
                }
                Err(E::invalid_value(Unexpected::Float(x), &self))
            }
        }
        deserializer.deserialize_any(Count)
    }
}

pub(super) fn whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let Whole(x) = Whole::deserialize(deserializer)?;
    T::try_from(x).map_err(|_| D::Error::invalid_value(Unexpected::Signed(x), &"a count"))
}

pub(super) fn optional_whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let Some(Whole(x)) = Option::deserialize(deserializer)? else {
        return Ok(None);
    };
    let refused = |_| D::Error::invalid_value(Unexpected::Signed(x), &"a count");
    T::try_from(x).map(Some).map_err(refused)
}
