//! Built targets on disk, one folder each.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::Artifact;
use metacov_runtime::publish_folder;
use rustix::fs::{FlockOperation, flock};

use crate::builder::Source;

pub(crate) use metacov_runtime::install_folder as install;

/// The file that names the folder in which a target was compiled, as its notes name it.
const COMPILED_IN: &str = "folder";

/// Lets `fill` fill a folder, and publishes it when it is complete, unless a folder of that name
/// exists. What an interrupted call has left is in the folder again.
pub(crate) fn install_resumable(
    folder: &Path,
    fill: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let unfinished = unfinished(folder);
    fs::create_dir_all(&unfinished)?;
    // Another process that builds the same version is waited for.
    let lock = File::create(unfinished.join("lock"))?;
    flock(&lock, FlockOperation::LockExclusive)?;
    if folder.is_dir() {
        return Ok(());
    }
    fill(&unfinished)?;
    publish_folder(&unfinished, folder)
}

/// The folder that is filled.
pub(crate) fn unfinished(folder: &Path) -> PathBuf {
    let mut name = OsString::from(folder);
    name.push("-unfinished");
    name.into()
}

/// Records where a target is compiled: in this folder, before it is renamed.
pub(crate) fn write_compiled_in(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(COMPILED_IN), &*folder.to_string_lossy())
}

/// Finds a target that was built before.
pub(crate) fn find(folder: PathBuf, source: &Source<'_>) -> io::Result<Option<Artifact>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let compiled_in = compiled_in(&folder)?;
    Ok(Some(artifact(folder, compiled_in, source)))
}

/// Returns where the target in a folder was compiled.
pub(crate) fn compiled_in(folder: &Path) -> io::Result<String> {
    let file = folder.join(COMPILED_IN);
    fs::read_to_string(&file).map_err(|error| {
        let what = format!("{}: {error} (remove the folder)", file.display());
        io::Error::new(error.kind(), what)
    })
}

/// Finds a program or a library that was fetched before, in its folder.
pub(crate) fn find_program(folder: PathBuf, program: &str) -> io::Result<Option<Artifact>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let plain = file(&folder, program)?;
    Ok(Some(Artifact { folder, compiled_in: String::new(), counting: None, plain }))
}

/// Returns the path of a file that a complete folder has.
pub(crate) fn file(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let path = folder.join(name);
    if path.is_file() {
        return Ok(path);
    }
    let what = format!("{}: no {name} (remove the folder)", folder.display());
    Err(io::Error::new(io::ErrorKind::InvalidData, what))
}

/// Describes the libraries in a folder.
pub(crate) fn artifact(folder: PathBuf, compiled_in: String, source: &Source<'_>) -> Artifact {
    let [counting, plain] = [source.library, source.plain_library].map(|name| folder.join(name));
    Artifact { folder, compiled_in, counting: Some(counting), plain }
}
