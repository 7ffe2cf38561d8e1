//! The compilers behind `metacov cc` and `metacov c++`, and the cache of what they build.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::{env, fs};

use metacov_runtime::Compiler;

/// Which language is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
}

impl Language {
    /// The language whose compiler a word of the command line stands for.
    pub fn of(word: &OsStr) -> Option<Self> {
        match word.to_str() {
            Some("cc") => Some(Language::C),
            Some("c++") => Some(Language::Cpp),
            _ => None,
        }
    }

    /// The language whose compiler a program is called as, by the name of a link to it. Builds look for `gcc` and `g++` in
    /// such names.
    pub fn of_program(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?;
        [Language::C, Language::Cpp].into_iter().find(|language| name == language.wrapper())
    }

    /// The name of a link to metacov that stands for the compiler of this language.
    pub fn wrapper(self) -> &'static str {
        match self {
            Language::C => "metacov-gcc",
            Language::Cpp => "metacov-g++",
        }
    }

    /// The compiler of this language.
    pub fn compiler(self) -> Compiler {
        let (variable, default) = match self {
            Language::C => ("METACOV_CC", "gcc"),
            Language::Cpp => ("METACOV_CXX", "g++"),
        };
        let given = env::var_os(variable).map(|text| Compiler::of(&text));
        given.filter(|given| !given.words().is_empty()).unwrap_or(Compiler::of(default.as_ref()))
    }
}

/// Whether this process was started by ccache, which would cache what it writes.
pub fn is_called_by_ccache() -> bool {
    let parent = fs::read_link(format!("/proc/{}/exe", parent_id()));
    parent.is_ok_and(|path| path.file_name().is_some_and(|name| name == "ccache"))
}

/// Whether a compiler with these arguments links, with a linker that takes scripts.
pub fn links(arguments: &[OsString]) -> bool {
    let is = |word: &OsString, any: &[&str]| any.iter().any(|one| word == one);
    let has_input = arguments.iter().any(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let stops_early = ["-c", "-S", "-E", "-M", "-MM", "-r", "-fsyntax-only"];
    let other_linkers = ["-fuse-ld=gold", "-fuse-ld=mold"];
    has_input && !arguments.iter().any(|word| is(word, &stops_early) || is(word, &other_linkers))
}

/// The folder of the compiled runtime, of the targets inside the binary and of those that were built.
pub fn cache() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| Path::new(value).is_absolute());
    let cache = set("METACOV_CACHE").map(PathBuf::from);
    let of_user = || set("XDG_CACHE_HOME").map(|folder| Path::new(&folder).join("metacov"));
    let at_home = || set("HOME").map(|home| Path::new(&home).join(".cache/metacov"));
    cache.or_else(of_user).or_else(at_home).unwrap_or_else(|| env::temp_dir().join("metacov"))
}
