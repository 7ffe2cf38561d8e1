//! Libraries with mutants.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use metacov_exec::BuildOptions;
use metacov_mutants::{INSTRUMENTATION, SourceLanguage, compile};

use crate::builder::Source;
use crate::cache;
use crate::project::{compile_missing, object};

/// A library to compile with mutants.
pub(crate) struct MutatedLibrary<'l> {
    /// Its name.
    pub(crate) name: &'l str,
    pub(crate) version: &'l str,
    /// The language that it is linked as.
    pub(crate) language: SourceLanguage,
    /// Options and libraries for the linker.
    pub(crate) links: &'l [&'l str],
}

/// What to compile.
pub(crate) struct MutatedSource {
    /// The source files, in the folder of the library.
    pub(crate) files: Vec<String>,
    /// Compiler options. Folders of headers are in the folder of the library.
    pub(crate) options: Vec<String>,
}

/// The folder of objects that are being compiled.
const COMPILING: &str = "compiling";

impl MutatedLibrary<'_> {
    /// Compiles the library, unless that was done before, or goes on where an earlier call was interrupted, and returns
    /// its path. `fetch` puts the source into a folder. The name of the folder depends on `key`, which
    /// is all that decides what is compiled.
    pub(crate) fn build(
        &self,
        options: &BuildOptions<'_>,
        key: impl Hash,
        fetch: impl FnOnce(&Path) -> io::Result<MutatedSource>,
    ) -> io::Result<PathBuf> {
        let mut hasher = DefaultHasher::new();
        (key, self.links, INSTRUMENTATION).hash(&mut hasher);
        let Self { name, version, .. } = self;
        let folder = format!("{name}-{version}-mutants-{:016x}", hasher.finish());
        let folder = options.cache.join(folder);
        let library = format!("lib{name}-mutants.so");
        cache::install_resumable(&folder, |folder| {
            let source = fetch(folder)?;
            fs::create_dir_all(folder.join(COMPILING))?;
            let objects: Vec<String> = source.files.iter().map(|file| object(file)).collect();
            compile_missing(&objects, options.progress, folder, |at| {
                compile_file(&source.files[at], &objects[at], &source.options, folder)
            })?;
            let mut words = vec![OsString::from("-shared")];
            words.extend(objects.iter().map(|object| folder.join(object).into()));
            words.extend(["-o".into(), folder.join(&library).into()]);
            words.extend(self.links.iter().map(OsString::from));
            run(self.language, &words, &library)?;
            fs::remove_dir_all(folder.join(COMPILING))?;
            objects.iter().try_for_each(|object| fs::remove_file(folder.join(object)))
        })?;
        Ok(folder.join(library))
    }
}

/// Compiles a file. Its object appears complete.
fn compile_file(file: &str, object: &str, options: &[String], folder: &Path) -> io::Result<()> {
    let mut words: Vec<OsString> = ["-O1", "-fPIC", "-w", "-c"].map(Into::into).into();
    words.extend(options.iter().map(|option| match option.strip_prefix("-I") {
        Some(headers) => joined("-I", &folder.join(headers)),
        None => option.into(),
    }));
    // The folder is renamed when it is complete.
    let mut prefix = joined("-ffile-prefix-map=", folder);
    prefix.push("=");
    let compiled = folder.join(COMPILING).join(object);
    words.extend([prefix, folder.join(file).into(), "-o".into(), compiled.clone().into()]);
    let is_c = Path::new(file).extension().is_some_and(|extension| extension == "c");
    let language = if is_c { SourceLanguage::C } else { SourceLanguage::Cpp };
    run(language, &words, file)?;
    fs::rename(compiled, folder.join(object))
}

fn run(language: SourceLanguage, words: &[OsString], what: &str) -> io::Result<()> {
    match compile(language, words)? {
        (0, _) => Ok(()),
        (code, _) => Err(io::Error::other(format!("{what}: clang-19 failed (exit code {code})"))),
    }
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut word = OsString::from(option);
    word.push(path);
    word
}

/// Compiles a library of one source file in C, which is in a folder.
pub(crate) fn build(
    source: &Source<'_>,
    version: &str,
    sources: &Path,
    options: &BuildOptions<'_>,
) -> io::Result<PathBuf> {
    let file = format!("{}.c", source.name);
    let text = fs::read(sources.join(&file))?;
    let (language, links) = (SourceLanguage::C, &["-lm"][..]);
    let library = MutatedLibrary { name: source.name, version, language, links };
    library.build(options, (&text, source.options), |folder| {
        // Mutants are found in the source, at the path that the compiler reports.
        for entry in fs::read_dir(sources)? {
            let path = entry?.path();
            let is_text = path.extension().is_some_and(|ending| ending == "c" || ending == "h");
            if let (true, Some(name)) = (is_text, path.file_name()) {
                fs::copy(&path, folder.join(name))?;
            }
        }
        let options = source.options.iter().map(ToString::to_string).collect();
        Ok(MutatedSource { files: vec![file], options })
    })
}
