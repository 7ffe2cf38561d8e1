//! Folders that appear complete or not at all.

use std::fs::File;
use std::io;
use std::path::Path;

/// Lets `fill` fill a new folder and then publishes it, unless a folder of that name exists.
pub fn install_folder(folder: &Path, fill: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let parent = folder.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)?;
    let unfinished = tempfile::Builder::new().prefix("unfinished-").tempdir_in(parent)?;
    fill(unfinished.path())?;
    match publish_folder(unfinished.path(), folder) {
        Ok(()) => {
            drop(unfinished.keep());
            Ok(())
        }
        // Another process has installed it meanwhile.
        Err(_) if folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Renames a complete folder. Everything is written to the disk before that, so that a power cut
/// leaves no incomplete folder.
pub fn publish_folder(unfinished: &Path, folder: &Path) -> io::Result<()> {
    sync(unfinished)?;
    std::fs::rename(unfinished, folder)?;
    File::open(folder.parent().unwrap_or(Path::new(".")))?.sync_all()
}

/// Writes a file, or a folder with everything in it, to the disk.
fn sync(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            if !entry.file_type()?.is_symlink() {
                sync(&entry.path())?;
            }
        }
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let cache = tempfile::tempdir().unwrap();
        let folder = cache.path().join("new/folder");
        let failed = install_folder(&folder, |unfinished| {
            std::fs::write(unfinished.join("part"), "part")?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert!(!folder.exists());
        install_folder(&folder, |unfinished| {
            std::fs::create_dir(unfinished.join("below"))?;
            std::fs::write(unfinished.join("below/file"), "whole")
        })
        .unwrap();
        install_folder(&folder, |_| Err(io::Error::other("it is there"))).unwrap();
        assert_eq!(std::fs::read_to_string(folder.join("below/file")).unwrap(), "whole");
        assert_eq!(std::fs::read_dir(cache.path().join("new")).unwrap().count(), 1);
    }
}
