//! Replaces files as a whole.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Lets `write` fill a file under a temporary name and renames it, so that a crash, a full disk or an error leaves the
/// old file. Pipes and devices are written to directly.
pub fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // A symbolic link stays one: its target is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let known = std::fs::metadata(&target).ok();
    if known.as_ref().is_some_and(|known| !known.is_file() && !known.is_dir()) {
        let mut out = BufWriter::new(File::create(path)?);
        write(&mut out)?;
        return out.flush();
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let permissions = known.map_or(Permissions::from_mode(0o666), |known| known.permissions());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".metacov-").permissions(permissions);
    let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
