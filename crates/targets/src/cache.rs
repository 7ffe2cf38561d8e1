//! Built targets on disk, one folder each.

use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::Artifact;

use crate::builder::Source;

pub(crate) use metacov_runtime::install_folder as install;

/// The file that names the folder in which a target was compiled, as its notes name it.
const COMPILED_IN: &str = "folder";

/// Records where a target is compiled: in this folder, before it is renamed.
pub(crate) fn write_compiled_in(folder: &Path) -> io::Result<()> {
    std::fs::write(folder.join(COMPILED_IN), &*folder.to_string_lossy())
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
    std::fs::read_to_string(&file).map_err(|error| {
        let what = format!("{}: {error} (remove the folder)", file.display());
        io::Error::new(error.kind(), what)
    })
}

/// Finds a program that was fetched before, in its folder.
pub(crate) fn find_program(folder: PathBuf, program: &str) -> io::Result<Option<Artifact>> {
    let plain = folder.join(program);
    if !folder.is_dir() {
        return Ok(None);
    }
    if !plain.is_file() {
        let what = format!("{}: no {program} (remove the folder)", folder.display());
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(Some(Artifact { folder, compiled_in: String::new(), counting: None, plain }))
}

/// Describes the libraries in a folder.
pub(crate) fn artifact(folder: PathBuf, compiled_in: String, source: &Source<'_>) -> Artifact {
    let [counting, plain] = [source.library, source.plain_library].map(|name| folder.join(name));
    Artifact { folder, compiled_in, counting: Some(counting), plain }
}
