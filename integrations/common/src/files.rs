//! Files that are there whole or not at all.

use crate::Fault;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Fault {
    let path = path.to_path_buf();
    move |cause| Fault::Unwritable { path, cause }
}

/// Makes the folder of a file that will be written, and refuses a place where none can be: to be asked before the work.
///
/// # Errors
///
/// [`Fault::Unwritable`].
pub fn check_place(path: &Path) -> Result<(), Fault> {
    if path.is_dir() || path.file_name().is_none() {
        return Err(unwritable(path)(io::ErrorKind::IsADirectory.into()));
    }
    // A file made and left there tells whether one can be, whatever the file system says of permissions.
    drop(Unfinished::write(path, "")?);
    Ok(())
}

/// A file that is written beside its place, and moved there by [`finish`](Self::finish); dropped before, it is gone.
#[derive(Debug)]
pub struct Unfinished {
    place: PathBuf,
    beside: PathBuf,
}

impl Unfinished {
    /// Writes all of it.
    ///
    /// # Errors
    ///
    /// [`Fault::Unwritable`]; nothing is left then.
    pub fn write(place: &Path, content: &str) -> Result<Self, Fault> {
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(unwritable(place))?;
        }
        let mut beside = place.as_os_str().to_owned();
        beside.push(format!(".{}.unfinished", std::process::id()));
        let unfinished = Self {
            place: place.to_path_buf(),
            beside: beside.into(),
        };
        fs::write(&unfinished.beside, content).map_err(unwritable(place))?;
        Ok(unfinished)
    }

    /// Moves it to its place.
    ///
    /// # Errors
    ///
    /// [`Fault::Unwritable`]; nothing is left then.
    pub fn finish(self) -> Result<(), Fault> {
        fs::rename(&self.beside, &self.place).map_err(unwritable(&self.place))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After `finish` it is not there, and if it cannot be removed nobody can help.
        let _ = fs::remove_file(&self.beside);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("mirostat-textgen-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = folder("whole");
        let place = folder.join("deep/report.json");
        let unfinished = Unfinished::write(&place, "{}").unwrap();
        assert!(!place.exists());
        drop(unfinished);
        assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 0);
        Unfinished::write(&place, "{}").unwrap().finish().unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "{}");
        assert_eq!(fs::read_dir(folder.join("deep")).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_place_where_no_file_can_be_is_refused_before_the_work() {
        let folder = folder("place");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        for place in [
            folder.clone(),
            folder.join("file/report.json"),
            PathBuf::from("/"),
        ] {
            assert!(
                matches!(check_place(&place), Err(Fault::Unwritable { .. })),
                "{place:?}"
            );
        }
        check_place(&folder.join("report.json")).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }
}
