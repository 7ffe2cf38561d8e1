//! Libraries with mutants.

use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use metacov_mutants::{INSTRUMENTATION, SourceLanguage, compile};

use crate::builder::Source;
use crate::cache;

/// Compiles the source file in a folder with mutants, unless that was done before, and returns the library.
pub(crate) fn build(
    source: &Source<'_>,
    version: &str,
    sources: &Path,
    cache_folder: &Path,
) -> io::Result<PathBuf> {
    let file = format!("{}.c", source.name);
    let text = std::fs::read(sources.join(&file))?;
    let mut hasher = DefaultHasher::new();
    (&text, source.options, INSTRUMENTATION).hash(&mut hasher);
    let folder = format!("{}-{version}-mutants-{:016x}", source.name, hasher.finish());
    let folder = cache_folder.join(folder);
    let library = format!("lib{}-mutants.so", source.name);
    cache::install(&folder, |folder| {
        // Mutants are found in the source, at the path that the compiler reports.
        for entry in std::fs::read_dir(sources)? {
            let path = entry?.path();
            let is_text = path.extension().is_some_and(|ending| ending == "c" || ending == "h");
            if let (true, Some(name)) = (is_text, path.file_name()) {
                std::fs::copy(&path, folder.join(name))?;
            }
        }
        let mut words: Vec<OsString> = ["-O1", "-fPIC", "-w", "-shared"].map(Into::into).into();
        words.extend(source.options.iter().map(Into::into));
        words.extend([folder.join(&file).into(), "-o".into(), folder.join(&library).into()]);
        words.push("-lm".into());
        // The folder is renamed when it is complete.
        let mut prefix = OsString::from("-ffile-prefix-map=");
        prefix.push(folder);
        prefix.push("=");
        words.push(prefix);
        let (code, mutants) = compile(SourceLanguage::C, &words)?;
        match (code, mutants) {
            (0, 0) => Err(io::Error::other(format!("{file} has no mutants"))),
            (0, _) => Ok(()),
            (code, _) => Err(io::Error::other(format!("clang-19 failed (exit code {code})"))),
        }
    })?;
    Ok(folder.join(library))
}
