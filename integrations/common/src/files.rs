//! Files that are there whole or not at all.

use crate::Fault;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Fault {
    let path = path.to_path_buf();
    move |cause| Fault::Unwritable { path, cause }
}

/// Makes the folders of files that will be written, and refuses places where none can be, or two the same: to be asked before the
/// work.
///
/// # Errors
///
/// [`Fault::Unwritable`].
pub fn check_places<P: AsRef<Path>>(places: impl IntoIterator<Item = P>) -> Result<(), Fault> {
    // Files made there and dropped tell whether they can be, whatever the file system says of permissions.
    let made: Result<Vec<_>, _> = places
        .into_iter()
        .map(|place| Unfinished::write(place.as_ref(), ""))
        .collect();
    made.map(drop)
}

/// Where the file itself will be: what a link points to. A folder, a device or a pipe is no place, since the file would replace it.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() => path.canonicalize(),
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => Err(io::Error::other("it is there, and no file")),
        Err(_) if path.file_name().is_none() => Err(io::ErrorKind::IsADirectory.into()),
        Err(_) => Ok(path.to_path_buf()),
    }
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
    pub fn write(path: &Path, content: &str) -> Result<Self, Fault> {
        Self::beside(path, content).map_err(unwritable(path))
    }

    fn beside(path: &Path, content: &str) -> io::Result<Self> {
        let place = place_of(path)?;
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|cause| match cause.kind() {
                io::ErrorKind::AlreadyExists => io::ErrorKind::NotADirectory.into(),
                _ => cause,
            })?;
        }
        let mut beside = place.as_os_str().to_owned();
        beside.push(format!(".{}.unfinished", std::process::id()));
        let beside = PathBuf::from(beside);
        let mut file = File::create_new(&beside).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => io::Error::other("two files are to be there"),
            _ => cause,
        })?;
        let unfinished = Self { place, beside };
        file.write_all(content.as_bytes())?;
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
                matches!(check_places([&place]), Err(Fault::Unwritable { .. })),
                "{place:?}"
            );
        }
        let same = [folder.join("report.json"), folder.join("./report.json")];
        assert!(matches!(check_places(&same), Err(Fault::Unwritable { .. })));
        check_places([folder.join("report.json"), folder.join("plot.svg")]).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_there_and_no_file_is_not_replaced() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;

        let folder = folder("special");
        fs::create_dir_all(&folder).unwrap();
        let [socket, file, link] = ["socket", "file", "link"].map(|name| folder.join(name));
        let _kept = UnixListener::bind(&socket).unwrap();
        let fault = check_places([&socket]).unwrap_err();
        assert!(fault.to_string().ends_with("it is there, and no file"));

        fs::write(&file, "old").unwrap();
        symlink(&file, &link).unwrap();
        Unfinished::write(&link, "new").unwrap().finish().unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(folder).unwrap();
    }
}
