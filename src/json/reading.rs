//! From text to a request: JSON first, then what stands before the request, then its fields.

use super::operation::Operation;
use super::{Code, Error, PROTOCOL, Result};
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What the ancestor's texts call a line of which the operation is not known.
const NO_OPERATION: &str = "invalid request";

/// What stands before the request.
#[derive(serde::Deserialize)]
pub(super) struct Head {
    #[serde(default)]
    pub(super) id: Option<Id>,
    #[serde(default)]
    protocol: Option<Value>,
    #[serde(default)]
    op: Option<Value>,
}

/// What a host knows its request by.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
pub(super) enum Id {
    Number(i64),
    Text(String),
}

/// The fields of a line that are not its request's.
const OF_A_LINE: &[&str] = &["protocol", "op", "id"];
/// The fields of a text that are not its request's.
const OF_A_TEXT: &[&str] = &["protocol"];

impl Head {
    pub(super) fn read(line: &str) -> Result<Self> {
        read_object(line, &[], NO_OPERATION)
    }

    /// The operation of a line.
    pub(super) fn operation(&self) -> Result<&str> {
        match (&self.protocol, &self.op) {
            (None, _) => Err(misread("missing field `protocol`".into(), NO_OPERATION)),
            (Some(protocol), _) if !is_ours(protocol) => Err(unsupported(protocol)),
            (_, Some(Value::String(op))) => Ok(op),
            (_, Some(_)) => Err(misread(
                "the field `op` must be a text".into(),
                NO_OPERATION,
            )),
            (_, None) => Err(misread("missing field `op`".into(), NO_OPERATION)),
        }
    }
}

/// The request of a line, whose head has been read.
pub(super) fn request_of_line<O: Operation>(line: &str) -> Result<O> {
    read_object(line, OF_A_LINE, O::MISREAD)
}

/// The request of a text.
pub(super) fn request<O: Operation>(text: &str) -> Result<O> {
    #[derive(serde::Deserialize)]
    struct Numbered {
        #[serde(default)]
        protocol: Option<Value>,
    }
    let Numbered { protocol } = read_object(text, &[], O::MISREAD)?;
    match protocol {
        Some(protocol) if !is_ours(&protocol) => Err(unsupported(&protocol)),
        _ => read_object(text, OF_A_TEXT, O::MISREAD),
    }
}

/// A line whose operation is not one of the seven.
pub(super) fn unknown_operation(op: &str) -> Error {
    misread(format!("there is no operation {op:?}"), NO_OPERATION)
}

fn is_ours(protocol: &Value) -> bool {
    protocol.as_f64() == Some(f64::from(PROTOCOL))
}

fn unsupported(protocol: &Value) -> Error {
    let message = format!("the protocol is {protocol}, but must be {PROTOCOL}");
    Error::new(Code::UnsupportedProtocol, message.clone(), message)
}

fn misread(message: String, text: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::InvalidRequest, message, text)
}

fn read_object<'de, T: Deserialize<'de>>(
    text: &'de str,
    skipped: &'static [&'static str],
    text_where_misread: &'static str,
) -> Result<T> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = Object {
        skipped,
        fields: PhantomData,
    };
    let read = object
        .deserialize(&mut deserializer)
        .and_then(|object| deserializer.end().map(|()| object));
    // A text that breaks off after a bad field is no JSON, rather than no request.
    read.map_err(|error| match serde_json::from_str::<IgnoredAny>(text) {
        Err(error) => not_json(error.to_string()),
        Ok(_) => misread(error.to_string(), text_where_misread),
    })
}

pub(super) fn not_json(message: String) -> Error {
    Error::new(Code::InvalidJson, message, "invalid JSON")
}

/// An object without some of its fields; by itself serde would read a struct from a list as well.
struct Object<T> {
    skipped: &'static [&'static str],
    fields: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Object<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> core::result::Result<T, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> core::result::Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(Rest {
            fields,
            skipped: self.skipped,
        }))
    }
}

/// The fields of an object that are not skipped.
struct Rest<A> {
    fields: A,
    skipped: &'static [&'static str],
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Rest<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> core::result::Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.fields.next_key::<String>()? {
            if !self.skipped.contains(&key.as_str()) {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            self.fields.next_value::<IgnoredAny>()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> core::result::Result<V::Value, A::Error> {
        self.fields.next_value_seed(seed)
    }
}

/// A list of objects.
pub(super) fn objects<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> core::result::Result<Vec<T>, D::Error> {
    struct One<T>(T);
    impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
        fn deserialize<D: Deserializer<'de>>(
            deserializer: D,
        ) -> core::result::Result<Self, D::Error> {
            let object = Object {
                skipped: &[],
                fields: PhantomData,
            };
            object.deserialize(deserializer).map(One)
        }
    }
    let list = Vec::<One<T>>::deserialize(deserializer)?;
    Ok(list.into_iter().map(|One(object)| object).collect())
}
