//! `metacov cc` and `metacov c++`: gcc, with coverage that metacov reads from memory.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{anyhow, bail};
use metacov_runtime::Runtime;

use super::run_file::command;
use crate::exit_code::ExitCode;
use crate::talk::print;

const EXAMPLES: &str = "\
Examples:
  A build that takes its compiler from the environment:
    CC=\"metacov cc\" CXX=\"metacov c++\" ./configure && make
    make CC=\"metacov cc\"
    CC=\"metacov cc\" CXX=\"metacov c++\" cmake -B build && cmake --build build
  The flags alone, for a build that wants its own compiler:
    gcc $(metacov cc --print-flags) -o prog prog.c

All arguments go to gcc, with these in front: --coverage, and where to find the runtime. Such a program
counts in memory that `metacov measure` shares with it. Run without metacov, it leaves nothing behind.
Threads: with -pthread gcc counts atomically; without it, counts of several threads get lost.

Environment:
  METACOV_CC, METACOV_CXX   the compilers [default: gcc, g++]
  METACOV_CACHE             where the compiled runtime is kept [default: the user's cache folder]";

/// Compile with gcc so that metacov can measure it; all arguments are gcc's.
///
/// With no argument at all, prints the whole command: `make CC="$(metacov cc)"`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Print the flags and do nothing else.
    #[arg(long)]
    print_flags: bool,
    /// What gcc gets.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Which language is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    Cpp,
}

impl Language {
    /// The language whose compiler this word of the command line stands for.
    pub fn of(word: &OsStr) -> Option<Self> {
        match word.to_str() {
            Some("cc") => Some(Language::C),
            Some("c++") => Some(Language::Cpp),
            _ => None,
        }
    }

    /// The compiler of this language.
    pub fn compiler(self) -> OsString {
        let (variable, default) = match self {
            Language::C => ("METACOV_CC", "gcc"),
            Language::Cpp => ("METACOV_CXX", "g++"),
        };
        env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or_else(|| default.into())
    }
}

/// The arguments, if all of them are gcc's. They are taken as they stand, before anybody looks for
/// options of ours among them: `-q` and `--version` are gcc's too. What remains is `--help` and
/// `--print-flags` on their own.
pub fn pass_through(words: &[OsString]) -> Option<(Language, &[OsString])> {
    let (language, arguments) = (Language::of(words.first()?)?, &words[1..]);
    let ours = match arguments {
        [word] => ["--help", "-h", "--print-flags"].iter().any(|own| word == own),
        _ => false,
    };
    (!ours).then_some((language, arguments))
}

pub fn run(language: Language, args: &Args) -> anyhow::Result<ExitCode> {
    compile(language, &args.arguments, args.print_flags)
}

/// Becomes the compiler, or prints what it would be.
pub fn compile(
    language: Language,
    arguments: &[OsString],
    only_flags: bool,
) -> anyhow::Result<ExitCode> {
    let compiler = language.compiler();
    // The runtime is C, whatever it is linked with.
    let runtime = Runtime::install(&Language::C.compiler(), &cache())
        .map_err(|error| anyhow!("cannot set up the runtime: {error}"))?;
    let mut flags = runtime.compile_flags();
    if only_flags || arguments.is_empty() {
        flags.push(runtime.link_flag());
        let words = (!only_flags).then_some(&compiler).into_iter().chain(&flags);
        print(&format!("{}\n", command(words)))?;
        return Ok(ExitCode::Success);
    }
    if links(arguments) {
        flags.push(runtime.link_flag());
    }
    let error = Command::new(&compiler).args(flags).args(arguments).exec();
    bail!("{}: {error}", compiler.display())
}

/// Whether a compiler that gets this will link, with a linker that takes scripts.
fn links(arguments: &[OsString]) -> bool {
    let is = |word: &OsString, any: &[&str]| any.iter().any(|one| word == one);
    let has_input = arguments.iter().any(|word| !word.as_encoded_bytes().starts_with(b"-"));
    let stops_early = ["-c", "-S", "-E", "-M", "-MM", "-r", "-fsyntax-only"];
    let other_linkers = ["-fuse-ld=gold", "-fuse-ld=mold"];
    has_input && !arguments.iter().any(|word| is(word, &stops_early) || is(word, &other_linkers))
}

/// Where the compiled runtime is kept, and the engines that are inside of the binary.
pub fn cache() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|value| Path::new(value).is_absolute());
    let cache = set("METACOV_CACHE").map(PathBuf::from);
    let of_user = || set("XDG_CACHE_HOME").map(|folder| Path::new(&folder).join("metacov"));
    let at_home = || set("HOME").map(|home| Path::new(&home).join(".cache/metacov"));
    cache.or_else(of_user).or_else(at_home).unwrap_or_else(|| env::temp_dir().join("metacov"))
}
