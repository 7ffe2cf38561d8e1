//! `metacov cc` and `metacov c++`: gcc, with coverage that metacov reads from memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metacov_core::command_line;
use metacov_formats::{Fault, io_message};
use metacov_mutants::SourceLanguage;
use metacov_run::RunError;
use metacov_runtime::Runtime;
use metacov_targets::cc::{Language, Lines, is_called_by_ccache, split_mutants};
use metacov_targets::gcc::{self, Gcc};

use super::target::usable_cache;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Outcome, bail_usage};

const EXAMPLES: &str = "\
Examples:
  CC=\"metacov cc\" CXX=\"metacov c++\" ./configure && make
  make CC=\"metacov cc\"
  CC=\"metacov cc\" CXX=\"metacov c++\" cmake -B build && cmake --build build";

const ALL_EXAMPLES: &str = "\
Examples:
  A build that takes its compiler from the environment:
    CC=\"metacov cc\" CXX=\"metacov c++\" ./configure && make
    make CC=\"metacov cc\"
    CC=\"metacov cc\" CXX=\"metacov c++\" cmake -B build && cmake --build build
  A build that looks for gcc or g++ in the name of the compiler:
    metacov cc --install ~/bin && CC=~/bin/metacov-gcc CXX=~/bin/metacov-g++ ./configure && make
  The lines that plain gcc has for optimised code, of which one in seven is missing:
    make CC=\"metacov cc --lines optimised\" CFLAGS=-O2
  The flags alone, for a build that needs its own compiler:
    gcc $(metacov cc --print-flags) -o prog prog.c";

const MORE: &str = "\
All arguments go to gcc, after --coverage and the path of the runtime. The program counts in memory that `metacov measure` shares with it; without metacov it runs as usual and writes no counters.

--lines exact|optimised selects which lines optimised code has; it must be the first argument. exact, the default: at -O1 and above, gcc places its counters before it optimises (-fdisable-tree-early_optimizations -fdisable-tree-einline), and the program has nearly the lines of -O0 at the speed of its level. optimised: the lines of plain gcc.

--mutants compiles with mutants instead of counters, by clang 19; it must be the first argument. METACOV_MUTANT=N in the environment of the program sets mutant N on; without it, the program behaves as usual.

Threads: with -pthread, gcc counts atomically; without it, counts of several threads are lost.

ccache: METACOV_CC=\"ccache gcc\" caches objects and their notes (.gcno). CC=\"ccache metacov cc\" caches nothing: ccache does not know the notes, without which a program cannot be measured.

Environment:
  METACOV_CC, METACOV_CXX   compilers, with arguments that come first [default: gcc, g++]
  METACOV_CACHE             folder for the compiled runtime [default: the user's cache folder]";

/// Compile a C program with gcc, so that metacov can measure it.
///
/// All arguments are gcc's, but for a leading `--lines`. Without any, the whole command is printed: `make CC="$(metacov cc)"`.
#[derive(clap::Args)]
#[command(before_help = EXAMPLES, before_long_help = ALL_EXAMPLES, after_long_help = MORE)]
pub struct Args {
    /// Print the flags for gcc, and compile nothing.
    #[arg(long)]
    print_flags: bool,
    /// Install `metacov cc` and `metacov c++` as `metacov-gcc` and `metacov-g++` in this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["print_flags", "arguments"])]
    install: Option<PathBuf>,
    /// Arguments of gcc.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Returns the arguments if all of them are for gcc. They are not parsed: `-q` and `--version` are
/// options of gcc too. Only `--help`, `--print-flags` and `--install` on their own are metacov's.
pub fn pass_through(words: &[OsString]) -> Option<(Language, &[OsString])> {
    let (language, arguments) = (Language::of(words.first()?)?, &words[1..]);
    let ours = match arguments {
        [word] => ["--help", "-h", "--print-flags"].iter().any(|own| word == own),
        [word, _] => word == "--install",
        _ => false,
    };
    (!ours).then_some((language, arguments))
}

pub fn run(language: Language, args: &Args) -> Outcome {
    match &args.install {
        Some(folder) => install(folder),
        None => compile(language, &args.arguments, args.print_flags),
    }
}

/// Links this program under the names of its compilers, and prints the settings that a build needs.
fn install(folder: &Path) -> Outcome {
    let folder = std::path::absolute(folder)?;
    for (variable, language) in [("CC", Language::C), ("CXX", Language::Cpp)] {
        let path = folder.join(language.wrapper());
        gcc::install(language, &folder)
            .map_err(|error| RunError::Output(Fault::Io(error).of(path.display().to_string())))?;
        print(&format!("{variable}={}\n", command_line([path])))?;
    }
    Ok(ExitCode::Success)
}

/// Compiles with mutants, and ends with the exit code of the compiler.
fn compile_mutants(language: Language, arguments: &[OsString]) -> Outcome {
    let language = match language {
        Language::C => SourceLanguage::C,
        Language::Cpp => SourceLanguage::Cpp,
    };
    let compiled = metacov_mutants::compile(language, arguments);
    let (code, _) = compiled.map_err(|error| RunError::Failed(io_message(&error)))?;
    std::process::exit(code)
}

/// Executes the compiler, or prints its command.
pub fn compile(language: Language, arguments: &[OsString], only_flags: bool) -> Outcome {
    if let Some(arguments) = split_mutants(arguments) {
        return compile_mutants(language, arguments);
    }
    if is_called_by_ccache() {
        // If the preprocessor fails, ccache runs the compiler without it, and the notes are kept.
        bail_usage!(
            "ccache drops the notes (.gcno) that `metacov cc` needs: call metacov without ccache, \
             and set METACOV_CC=\"ccache gcc\" METACOV_CXX=\"ccache g++\""
        );
    }
    let (lines, arguments) = Lines::split(arguments).map_err(RunError::Invalid)?;
    let compiler = language.compiler();
    // The runtime is C, whatever it is linked with.
    let cache = usable_cache()?;
    let runtime = Runtime::install(&Language::C.compiler(), &cache).map_err(|error| {
        let what = io_message(&error);
        RunError::Failed(format!("cannot set up the runtime in {}: {what}", cache.display()))
    })?;
    if only_flags || arguments.is_empty() {
        let mut words = if only_flags { Vec::new() } else { compiler.words().to_vec() };
        words.extend(runtime.compile_flags());
        words.push(runtime.link_flag());
        print(&format!("{}\n", command_line(&words)))?;
        return Ok(ExitCode::Success);
    }
    let on_missing = || {
        let name = compiler.words().first().map(|name| name.display().to_string());
        let what = "has no switches for exact lines of optimised code; it compiles at -O0";
        Console::default().warning(&format!("{} {what}", name.unwrap_or_default()));
    };
    let gcc = Gcc::new(language, lines, arguments, &runtime, on_missing)?;
    let name = gcc.name();
    let code = gcc.run().map_err(|error| RunError::Failed(format!("{name}: {error}")))?;
    std::process::exit(code)
}
