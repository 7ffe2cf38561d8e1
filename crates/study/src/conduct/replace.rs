//! Replaces files of a study as a whole.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use metacov_formats::Fault;

use super::ConductError;

/// Writes a file under a temporary name and renames it, so that a crash or a full disk leaves the old file.
pub(super) fn write_file(path: &Path, text: &str) -> Result<(), ConductError> {
    let unwritten = |error| ConductError::Output(Fault::Io(error).of(path.display().to_string()));
    replace(path, text).map_err(unwritten)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // A symbolic link stays one: its target is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let known = std::fs::metadata(&target).ok();
    if known.as_ref().is_some_and(|of| !of.is_file() && !of.is_dir()) {
        // Pipes and devices cannot be replaced.
        return std::fs::write(path, text);
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let permissions = known.map_or(Permissions::from_mode(0o666), |known| known.permissions());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".metacov-").permissions(permissions);
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}
