//! Built targets on disk: a folder each, which appears whole or not at all.

use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::Artifact;

use crate::builder::Source;

/// The file that names the folder a target was compiled in, as its notes have it.
const COMPILED_IN: &str = "folder";

/// Fills a new folder and gives it its name, unless a folder of that name is there.
pub(crate) fn install(
    folder: PathBuf,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<PathBuf> {
    if folder.is_dir() {
        return Ok(folder);
    }
    let cache = folder.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(cache)?;
    let unfinished = tempfile::Builder::new().prefix("unfinished-").tempdir_in(cache)?;
    fill(unfinished.path())?;
    match std::fs::rename(unfinished.path(), &folder) {
        Ok(()) => drop(unfinished.keep()),
        // Another process was faster.
        Err(_) if folder.is_dir() => {}
        Err(error) => return Err(error),
    }
    Ok(folder)
}

/// Notes where a target is compiled: in this folder, before it gets its name.
pub(crate) fn write_compiled_in(folder: &Path) -> io::Result<()> {
    std::fs::write(folder.join(COMPILED_IN), &*folder.to_string_lossy())
}

/// A target that was compiled here, if it is there.
pub(crate) fn find(folder: PathBuf, source: &Source<'_>) -> io::Result<Option<Artifact>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let compiled_in = std::fs::read_to_string(folder.join(COMPILED_IN))?;
    Ok(Some(artifact(folder, compiled_in, source)))
}

/// The libraries in a folder.
pub(crate) fn artifact(folder: PathBuf, compiled_in: String, source: &Source<'_>) -> Artifact {
    let [counting, plain] = [source.library, source.plain_library].map(|name| folder.join(name));
    Artifact { folder, compiled_in, counting, plain }
}
