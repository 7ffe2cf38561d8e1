//! The compilers that `metacov cc` and `metacov c++` call, and the cache of what they build.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::{env, fs};

use metacov_runtime::{Compiler, EXACT_LINES};

/// The language to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++.
    Cpp,
}

impl Language {
    /// Returns the language of a subcommand, `cc` or `c++`.
    pub fn of(word: &OsStr) -> Option<Self> {
        match word.to_str() {
            Some("cc") => Some(Language::C),
            Some("c++") => Some(Language::Cpp),
            _ => None,
        }
    }

    /// Returns the language of the compiler that a program is called as, by the name of a link to
    /// it. Build systems look for `gcc` and `g++` in such names.
    pub fn of_program(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?;
        [Language::C, Language::Cpp].into_iter().find(|language| name == language.wrapper())
    }

    /// Returns the name of a link to metacov that acts as the compiler of this language.
    pub fn wrapper(self) -> &'static str {
        match self {
            Language::C => "metacov-gcc",
            Language::Cpp => "metacov-g++",
        }
    }

    /// Returns the compiler of this language.
    pub fn compiler(self) -> Compiler {
        let (variable, default) = match self {
            Language::C => ("METACOV_CC", "gcc"),
            Language::Cpp => ("METACOV_CXX", "g++"),
        };
        let given = env::var_os(variable).map(|text| Compiler::of(&text));
        given.filter(|given| !given.words().is_empty()).unwrap_or(Compiler::of(default.as_ref()))
    }
}

/// Whether this process was started by ccache, which would cache its output.
pub fn is_called_by_ccache() -> bool {
    let parent = fs::read_link(format!("/proc/{}/exe", parent_id()));
    parent.is_ok_and(|path| path.file_name().is_some_and(|name| name == "ccache"))
}

/// Splits off `--mutants` in front of a compiler's arguments, if it is there.
pub fn split_mutants(arguments: &[OsString]) -> Option<&[OsString]> {
    let (first, rest) = arguments.split_first()?;
    (first == "--mutants").then_some(rest)
}

/// Which lines the counters of optimised code report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Nearly those of -O0: gcc places its counters before it optimises.
    Exact,
    /// Those that remain in optimised code, as with plain gcc.
    Optimised,
}

impl Lines {
    /// Splits off `--lines` in front of a compiler's arguments.
    pub fn split(arguments: &[OsString]) -> Result<(Self, &[OsString]), String> {
        let [option, value, rest @ ..] = arguments else { return Ok((Lines::Exact, arguments)) };
        if option != "--lines" {
            return Ok((Lines::Exact, arguments));
        }
        match value.to_str() {
            Some("exact") => Ok((Lines::Exact, rest)),
            Some("optimised") => Ok((Lines::Optimised, rest)),
            _ => Err(format!("--lines is `exact` or `optimised`, not `{}`", value.display())),
        }
    }
}

/// Whether a compiler with these arguments optimises. As for gcc, the last level counts.
pub fn optimises(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().rev().filter_map(|word| word.to_str());
    let level = words.find_map(|word| word.strip_prefix("-O"));
    level.is_some_and(|level| level != "0")
}

/// Whether a line of gcc's output only says that [`EXACT_LINES`] is in effect. Configure scripts
/// take any output for a warning.
pub fn is_note_of_switches(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let pass = EXACT_LINES.iter().filter_map(|switch| switch.strip_prefix("-fdisable-"));
    line.contains("[0, 4294967295]") && pass.into_iter().any(|pass| line.contains(pass))
}

/// Whether a compiler with these arguments links, with a linker that accepts scripts.
pub fn links(arguments: &[OsString]) -> bool {
    let is = |word: &OsString, any: &[&str]| any.iter().any(|one| word == one);
    let has_input = arguments.iter().any(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let stops_early = ["-c", "-S", "-E", "-M", "-MM", "-r", "-fsyntax-only"];
    let other_linkers = ["-fuse-ld=gold", "-fuse-ld=mold"];
    has_input && !arguments.iter().any(|word| is(word, &stops_early) || is(word, &other_linkers))
}

/// Returns the folder of the compiled runtime and of all unpacked and built targets.
pub fn cache() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| Path::new(value).is_absolute());
    let cache = set("METACOV_CACHE").map(PathBuf::from);
    let of_user = || set("XDG_CACHE_HOME").map(|folder| Path::new(&folder).join("metacov"));
    let at_home = || set("HOME").map(|home| Path::new(&home).join(".cache/metacov"));
    cache.or_else(of_user).or_else(at_home).unwrap_or_else(|| env::temp_dir().join("metacov"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_optimisation_level_counts() {
        let of = |words: &str| optimises(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert!(of("-O2 -c a.c") && of("-O0 a.c -O") && of("-Os") && of("-Ofast"));
        assert!(!of("-c a.c -o O2") && !of("-O2 -O0") && !of("-o -O0"));
    }

    #[test]
    fn only_notes_about_the_switches_are_dropped() {
        let note =
            "cc1: note: disable pass tree-einline for functions in the range of [0, 4294967295]";
        assert!(is_note_of_switches(note.as_bytes()));
        assert!(!is_note_of_switches(b"a.c:1:2: note: tree-einline is a pass"));
        assert!(!is_note_of_switches(b"a.c:1:2: warning: [0, 4294967295] is a range"));
    }
}
