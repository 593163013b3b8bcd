//! The files: each is there whole or not at all.

use crate::{Fault, Figure, Settings, page};
use std::io;
use std::path::{Path, PathBuf};

/// Cargo's target folder: that of `CARGO_TARGET_DIR`, else `target` beside the workspace.
#[must_use]
pub fn target_folder() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) if !folder.is_empty() => folder.into(),
        _ => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .unwrap_or(Path::new(""))
            .join("target"),
    }
}

/// Writes figures into a folder, which is made where it is missing, and last the page that shows them; returns the files in that order.
///
/// # Errors
///
/// [`Fault::Unwritable`]; [`Fault::Drawing`] where a PNG cannot be made.
pub fn write(folder: &Path, figures: &[Figure], settings: Settings) -> Result<Vec<PathBuf>, Fault> {
    std::fs::create_dir_all(folder).map_err(|cause| Fault::Unwritable {
        path: folder.to_path_buf(),
        cause,
    })?;
    let mut files = Vec::new();
    let mut put = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        write_whole(&path, bytes)?;
        files.push(path);
        Ok::<_, Fault>(())
    };
    for figure in figures {
        put(format!("{}.svg", figure.name), figure.svg.as_bytes())?;
        #[cfg(feature = "png")]
        put(
            format!("{}.png", figure.name),
            &crate::png::png(&figure.svg)?,
        )?;
    }
    put(
        "index.html".to_owned(),
        page::html(figures, settings).as_bytes(),
    )?;
    Ok(files)
}

/// Writes beside the place and moves there: nobody sees half a file.
///
/// # Errors
///
/// [`Fault::Unwritable`]; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let unwritable = |cause| Fault::Unwritable {
        path: path.to_path_buf(),
        cause,
    };
    if path.is_dir() || path.file_name().is_none() {
        return Err(unwritable(io::ErrorKind::IsADirectory.into()));
    }
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.unfinished", std::process::id()));
    std::fs::write(&unfinished, bytes)
        .and_then(|()| std::fs::rename(&unfinished, path))
        .map_err(|cause| {
            // If it was never made there is nothing to remove.
            let _ = std::fs::remove_file(&unfinished);
            unwritable(cause)
        })
}
