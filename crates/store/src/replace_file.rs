//! Replaces files as a whole.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Lets `write` fill a file under a temporary name and renames it, so that a crash, a power cut, a
/// full disk or an error leaves the old file. Pipes and devices are written to directly.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if std::fs::metadata(path).is_ok_and(|known| !known.is_file() && !known.is_dir()) {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        return out.flush();
    }
    let replacement = Replacement::of(path)?;
    let mut out = BufWriter::with_capacity(1 << 20, replacement.file.as_file());
    write(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?;
    replacement.commit()
}

/// A file under a temporary name, beside the one that it replaces.
pub(crate) struct Replacement {
    file: NamedTempFile,
    target: PathBuf,
}

impl Replacement {
    /// An empty file, to replace the one at this path.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        // A symbolic link stays one: its target is replaced.
        let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let known = std::fs::metadata(&target).ok();
        let permissions = known.map_or(Permissions::from_mode(0o666), |known| known.permissions());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".metacov-").permissions(permissions);
        let folder = folder(&target);
        std::fs::metadata(folder)?;
        let file = builder
            .tempfile_in(folder)
            // The message of `tempfile` has the name of the temporary file, which means nothing to
            // users.
            .map_err(|error| io::Error::from(error.kind()))?;
        Ok(Replacement { file, target })
    }

    /// Its temporary path.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The file that it replaces.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Renames it, after writing it to the disk.
    pub(crate) fn commit(self) -> io::Result<()> {
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map_err(|error| error.error)?;
        match File::open(folder(&self.target)).and_then(|folder| folder.sync_all()) {
            // Some file systems cannot sync folders.
            Err(error) if error.kind() != io::ErrorKind::InvalidInput => Err(error),
            _ => Ok(()),
        }
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
