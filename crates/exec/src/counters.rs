//! The folder to which targets linked with libgcov write their counters.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A folder that is nearly always empty, and shows it without being listed: clearing it sets its
/// modification time to the epoch, and creating an entry updates that time.
pub(crate) struct CountersFolder {
    path: PathBuf,
    folder: File,
}

impl CountersFolder {
    pub(crate) fn create(path: PathBuf) -> io::Result<Self> {
        fs::create_dir(&path)?;
        let folder = File::open(&path)?;
        folder.set_modified(SystemTime::UNIX_EPOCH)?;
        Ok(CountersFolder { path, folder })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_empty(&self) -> io::Result<bool> {
        Ok(self.folder.metadata()?.modified()? == SystemTime::UNIX_EPOCH)
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        if self.is_empty()? {
            return Ok(());
        }
        for entry in fs::read_dir(&self.path)? {
            fs::remove_dir_all(entry?.path())?;
        }
        self.folder.set_modified(SystemTime::UNIX_EPOCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_seen_until_the_folder_is_cleared() {
        let parent = tempfile::tempdir().unwrap();
        let folder = CountersFolder::create(parent.path().join("counters")).unwrap();
        for _ in 0..3 {
            assert!(folder.is_empty().unwrap());
            fs::create_dir_all(folder.path().join("home/me")).unwrap();
            assert!(!folder.is_empty().unwrap());
            fs::write(folder.path().join("home/me/main.gcda"), "").unwrap();
            folder.clear().unwrap();
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}
