//! What the programme runs on: rows of logits, with their prompts and the texts of their tokens where there are any.

use crate::fault::Fault;
use crate::format;
use crate::npy::Array;
use mirostat::Rows;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct Source {
    array: Array,
    /// The JSON objects of the rows; none where no texts were given.
    about: Vec<Value>,
    description: String,
}

impl Source {
    /// The user's rows, or those that come with the crate.
    pub(crate) fn open(rows: Option<&Path>, texts: Option<&Path>) -> Result<Self, Fault> {
        let (array_path, texts_path) = match rows {
            Some(rows) => (rows.to_path_buf(), texts.map(Path::to_path_buf)),
            None => (
                bundled("smollm2-rows.f16.npy"),
                Some(bundled("smollm2-rows.json")),
            ),
        };
        let array = Array::read(&array_path)?;
        let mut description = format!(
            "{} of {} logits, {}, from {}",
            format::count(array.len(), "row"),
            format::grouped(array.vocabulary()),
            array.element(),
            array_path.file_name().unwrap_or_default().display(),
        );
        let mut about = Vec::new();
        if let Some(path) = texts_path {
            let mut json = read_json(&path)?;
            let Value::Array(rows) = json["rows"].take() else {
                let what = "no list \"rows\" of objects with \"prompt\" and \"texts\"";
                return Err(Fault::Texts { path, what });
            };
            if rows.len() != array.len() {
                return Err(Fault::TextCount {
                    path,
                    expected: array.len(),
                    found: rows.len(),
                });
            }
            about = rows;
            if let Value::String(model) = &json["model"] {
                description += &format!(" ({model})");
            }
        }
        Ok(Self {
            array,
            about,
            description,
        })
    }

    /// How many rows there are, at least one.
    pub(crate) const fn len(&self) -> usize {
        self.array.len()
    }

    pub(crate) const fn vocabulary(&self) -> usize {
        self.array.vocabulary()
    }

    pub(crate) fn rows(&self) -> mirostat::Result<Rows<'_>> {
        self.array.rows()
    }

    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    /// What the model had read when it gave row `row`.
    pub(crate) fn prompt(&self, row: usize) -> Option<&str> {
        self.about.get(row)?["prompt"].as_str()
    }

    /// The text of a token of row `row`, which may not be known.
    pub(crate) fn text(&self, row: usize, token: u32) -> Option<&str> {
        self.about.get(row)?["texts"][token.to_string()].as_str()
    }
}

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join("data")
        .join(name)
}

fn read_json(path: &Path) -> Result<Value, Fault> {
    let bytes = std::fs::read(path).map_err(|cause| Fault::Unreadable {
        path: path.to_path_buf(),
        cause,
    })?;
    let json: Value = serde_json::from_slice(&bytes).map_err(|cause| Fault::NotJson {
        path: path.to_path_buf(),
        cause,
    })?;
    if json.is_object() {
        return Ok(json);
    }
    Err(Fault::Texts {
        path: path.to_path_buf(),
        what: "not a JSON object",
    })
}
