//! Compiles C and C++ with mutants.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::rewrite::{RewriteOptions, rewrite};

/// The source of the runtime.
const RUNTIME: &str = include_str!("mutants.c");

/// What decides which mutants a build has and how they work: a build is of use to metacov if it was made with the same.
pub const INSTRUMENTATION: [&str; 7] = [
    RUNTIME,
    DISABLED_PASSES[1],
    include_str!("operator.rs"),
    include_str!("rewrite.rs"),
    include_str!("source.rs"),
    include_str!("table.rs"),
    include_str!("ir/instruction.rs"),
];

/// The package of the compiler.
const PACKAGE: &str = "clang-19";

/// The language to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLanguage {
    /// C.
    C,
    /// C++.
    Cpp,
}

impl SourceLanguage {
    /// The compiler. Textual IR differs between versions of LLVM, so it is this one.
    fn program(self) -> &'static str {
        match self {
            SourceLanguage::C => "clang-19",
            SourceLanguage::Cpp => "clang++-19",
        }
    }
}

/// Each loop stores the fuel, so each is a candidate for keeping stored values in registers, and the search for them does not
/// end within minutes in a loop with thousands of blocks, such as that of a generated parser (DuckDB 0.1.6).
const DISABLED_PASSES: [&str; 2] = ["-mllvm", "-disable-licm-promotion"];

/// Endings of source files.
const SOURCES: [&str; 6] = ["c", "cc", "cpp", "cxx", "C", "c++"];

/// Runs the compiler with the arguments of the user, and puts mutants into what it compiles. Returns its exit
/// code, and how many mutants there are in the objects that were compiled.
pub fn compile(language: SourceLanguage, arguments: &[OsString]) -> io::Result<(i32, usize)> {
    let folder = tempfile::tempdir()?;
    let job = Job::of(language, arguments);
    if job.sources.is_empty() && !job.links || job.stops_before_object {
        return Ok((status(job.command().args(arguments))?, 0));
    }
    let (mut mutants, mut objects) = (0, Vec::new());
    for (at, source) in job.sources.iter().enumerate() {
        let object =
            if job.links { folder.path().join(format!("{at}.o")) } else { job.object_of(source) };
        let (code, count) = job.compile(source, &object, folder.path())?;
        if code != 0 {
            return Ok((code, mutants));
        }
        mutants += count;
        objects.push(object);
    }
    if !job.links {
        return Ok((0, mutants));
    }
    let runtime = folder.path().join("mutants.c");
    std::fs::write(&runtime, RUNTIME)?;
    let object = folder.path().join("mutants.o");
    let mut command = Command::new(SourceLanguage::C.program());
    command.args(["-O2", "-fPIC", "-c"]).arg(&runtime).arg("-o").arg(&object);
    let code = status(&mut command)?;
    if code != 0 {
        return Ok((code, mutants));
    }
    let mut link = job.command();
    let mut objects = objects.into_iter();
    for word in arguments {
        match is_source(word).then(|| objects.next()).flatten() {
            Some(object) => link.arg(object),
            None => link.arg(word),
        };
    }
    Ok((status(link.arg(object))?, mutants))
}

/// What a command line asks for.
struct Job<'a> {
    language: SourceLanguage,
    arguments: &'a [OsString],
    sources: Vec<&'a OsStr>,
    output: Option<&'a OsStr>,
    links: bool,
    /// It preprocesses, prints something, or writes assembly: nothing to mutate.
    stops_before_object: bool,
}

impl<'a> Job<'a> {
    fn of(language: SourceLanguage, arguments: &'a [OsString]) -> Self {
        let is = |word: &OsString, any: &[&str]| any.iter().any(|one| word == one);
        let has = |any: &[&str]| arguments.iter().any(|word| is(word, any));
        let sources: Vec<&OsStr> =
            arguments.iter().filter(|word| is_source(word)).map(|word| &**word).collect();
        let has_input = arguments.iter().any(|word| !word.as_encoded_bytes().starts_with(b"-"));
        let stops_before_object =
            has(&["-E", "-S", "-M", "-MM", "-fsyntax-only", "--version", "-v"]);
        let links = has_input && !stops_before_object && !has(&["-c", "-r"]);
        let output = arguments.iter().rposition(|word| word.as_encoded_bytes().starts_with(b"-o"));
        let output = output.and_then(|at| match arguments[at].to_str()?.strip_prefix("-o")? {
            "" => arguments.get(at + 1).map(|word| &**word),
            joined => Some(OsStr::new(joined)),
        });
        Job { language, arguments, sources, output, links, stops_before_object }
    }

    /// The prefixes of paths that the user replaces. As for clang, the last one that fits counts.
    fn prefix_maps(&self) -> Vec<(&str, &str)> {
        self.arguments.iter().rev().filter_map(|word| prefix_map(word)).collect()
    }

    fn command(&self) -> Command {
        Command::new(self.language.program())
    }

    /// The object of `-c`.
    fn object_of(&self, source: &OsStr) -> PathBuf {
        let beside = || {
            let name = Path::new(source).file_name().unwrap_or(source);
            Path::new(name).with_extension("o")
        };
        self.output.map_or_else(beside, PathBuf::from)
    }

    /// Compiles one source file.
    fn compile(&self, source: &OsStr, object: &Path, folder: &Path) -> io::Result<(i32, usize)> {
        let module = folder.join("module.ll");
        let mut emit = self.command();
        let mut is_output = false;
        for word in self.arguments {
            let names_output = word.as_encoded_bytes().starts_with(b"-o");
            let is_file = is_output || names_output || is_input(word) && *word != source;
            is_output = word == "-o";
            // The source is read at its real path. The table has the path of the user.
            if !is_file && word != "-c" && prefix_map(word).is_none() {
                emit.arg(word);
            }
        }
        // At -O0, functions would be marked as never to be optimised. Names of dependency files follow
        // the output, which is another one here.
        if !optimises(self.arguments) {
            emit.arg("-O1");
        }
        let writes_dependencies = self.arguments.iter().any(|word| word == "-MD" || word == "-MMD");
        if writes_dependencies && !self.arguments.iter().any(|word| word == "-MF") {
            emit.arg("-MF").arg(object.with_extension("d"));
        }
        if writes_dependencies && !self.arguments.iter().any(|word| word == "-MT" || word == "-MQ")
        {
            emit.arg("-MT").arg(object);
        }
        emit.args(["-g", "-gcolumn-info", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm"]);
        emit.args(["-Wno-unused-command-line-argument", "-o"]).arg(&module);
        let code = status(&mut emit)?;
        if code != 0 {
            return Ok((code, 0));
        }
        // Only lines in a known form are changed, and a form that is not text is none of them.
        let (text, mutants) = match String::from_utf8(std::fs::read(&module)?) {
            Ok(text) => {
                let keeps_debug = self.arguments.iter().any(|word| is_debug(word));
                let prefixes = &self.prefix_maps();
                rewrite(&text, &RewriteOptions { prefixes, keeps_debug })
            }
            Err(bytes) => (String::from_utf8_lossy(bytes.as_bytes()).into_owned(), 0),
        };
        std::fs::write(&module, text)?;
        let mut build = self.command();
        let kept = |word: &&OsString| {
            let word = word.as_encoded_bytes();
            [&b"-f"[..], b"-m", b"-O"].iter().any(|start| word.starts_with(start))
        };
        build.args(self.arguments.iter().filter(kept));
        if !optimises(self.arguments) {
            build.arg("-O1");
        }
        build.args(DISABLED_PASSES);
        build.args(["-w", "-Wno-unused-command-line-argument", "-c"]).arg(&module);
        Ok((status(build.arg("-o").arg(object))?, mutants))
    }
}

fn extension_of(word: &OsStr) -> Option<&str> {
    if word.as_encoded_bytes().starts_with(b"-") {
        return None;
    }
    Path::new(word).extension()?.to_str()
}

fn is_source(word: &OsStr) -> bool {
    extension_of(word).is_some_and(|ending| SOURCES.contains(&ending))
}

fn is_input(word: &OsStr) -> bool {
    is_source(word) || extension_of(word).is_some_and(|ending| ["o", "a", "so"].contains(&ending))
}

/// Whether debug information is asked for.
fn is_debug(word: &OsStr) -> bool {
    word.to_str().is_some_and(|word| word.starts_with("-g") && word != "-g0")
}

/// The old and the new prefix of paths.
fn prefix_map(word: &OsStr) -> Option<(&str, &str)> {
    let options = ["-ffile-prefix-map=", "-fdebug-prefix-map="];
    let text = word.to_str()?;
    options.iter().find_map(|option| text.strip_prefix(option))?.split_once('=')
}

fn optimises(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().rev().filter_map(|word| word.to_str());
    let level = words.find_map(|word| word.strip_prefix("-O"));
    level.is_some_and(|level| level != "0")
}

/// Runs a command and returns its exit code.
fn status(command: &mut Command) -> io::Result<i32> {
    let program = command.get_program().display().to_string();
    let status = command.stdin(Stdio::null()).status().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(
            io::ErrorKind::NotFound,
            format!("{program} is not installed: mutants need the package {PACKAGE} (Debian: apt-get install {PACKAGE})"),
        ),
        _ => error,
    })?;
    Ok(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_a_command_line_is_found() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let object = |text: &str| {
            let words = words(text);
            Job::of(SourceLanguage::C, &words).object_of("src/a.c".as_ref())
        };
        assert_eq!(object("-c src/a.c"), Path::new("a.o"));
        assert_eq!(object("-c src/a.c -o b.o"), Path::new("b.o"));
        assert_eq!(object("-c src/a.c -ob.o"), Path::new("b.o"));
        let links = |text: &str| Job::of(SourceLanguage::C, &words(text)).links;
        assert!(links("a.c -o a") && links("a.o b.o") && links("-shared a.c"));
        assert!(!links("-c a.c") && !links("-E a.c") && !links("--version"));
    }

    #[test]
    fn prefixes_of_paths_are_the_users() {
        let word = OsString::from("-ffile-prefix-map=/build=/src");
        assert_eq!(prefix_map(&word), Some(("/build", "/src")));
        assert_eq!(prefix_map("-fPIC".as_ref()), None);
    }
}
