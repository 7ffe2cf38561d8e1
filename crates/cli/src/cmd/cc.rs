//! `metacov cc` and `metacov c++`: gcc, with coverage that metacov reads from memory.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, IsTerminal, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use anyhow::{anyhow, bail};
use metacov_formats::{Fault, io_message};
use metacov_runtime::{EXACT_LINES, Runtime};
use metacov_targets::cc::{
    Language, Lines, is_called_by_ccache, is_note_of_switches, links, optimises,
};

use super::target::usable_cache;
use crate::args::run_file::command;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, UsageError, bail_usage};

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

pub fn run(language: Language, args: &Args) -> anyhow::Result<ExitCode> {
    match &args.install {
        Some(folder) => install(folder),
        None => compile(language, &args.arguments, args.print_flags),
    }
}

/// Links this program under the names of its compilers, and prints the settings that a build needs.
fn install(folder: &Path) -> anyhow::Result<ExitCode> {
    let (program, folder) = (env::current_exe()?, std::path::absolute(folder)?);
    for (variable, language) in [("CC", Language::C), ("CXX", Language::Cpp)] {
        let path = folder.join(language.wrapper());
        link(&program, &path)
            .map_err(|error| Unwritten(Fault::Io(error).of(path.display().to_string())))?;
        print(&format!("{variable}={}\n", command([&path.into_os_string()])))?;
    }
    Ok(ExitCode::Success)
}

/// Creates a link. Replaces an earlier one, but nothing else.
fn link(program: &Path, path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if path.is_symlink() {
        fs::remove_file(path)?;
    }
    symlink(program, path)
}

/// Executes the compiler, or prints its command.
pub fn compile(
    language: Language,
    arguments: &[OsString],
    only_flags: bool,
) -> anyhow::Result<ExitCode> {
    if is_called_by_ccache() {
        // If the preprocessor fails, ccache runs the compiler without it, and the notes are kept.
        bail_usage!(
            "ccache drops the notes (.gcno) that `metacov cc` needs: call metacov without ccache, \
             and set METACOV_CC=\"ccache gcc\" METACOV_CXX=\"ccache g++\""
        );
    }
    let (lines, arguments) = Lines::split(arguments).map_err(UsageError)?;
    let compiler = language.compiler();
    // The runtime is C, whatever it is linked with.
    let cache = usable_cache()?;
    let runtime = Runtime::install(&Language::C.compiler(), &cache).map_err(|error| {
        anyhow!("cannot set up the runtime in {}: {}", cache.display(), io_message(&error))
    })?;
    let mut flags = runtime.compile_flags();
    if only_flags || arguments.is_empty() {
        flags.push(runtime.link_flag());
        let compiler = if only_flags { &[] } else { compiler.words() };
        print(&format!("{}\n", command(compiler.iter().chain(&flags))))?;
        return Ok(ExitCode::Success);
    }
    if links(arguments) {
        flags.push(runtime.link_flag());
    }
    let mut gcc = compiler.command();
    if lines == Lines::Exact && optimises(arguments) {
        let on_missing = || {
            let name = compiler.words().first().map(|name| name.display());
            let what = "has no switches for exact lines of optimised code; it compiles at -O0";
            Console::default()
                .warning(&format!("{} {what}", name.unwrap_or(OsStr::new("").display())));
        };
        if runtime.knows_exact_lines(&compiler, on_missing)? {
            // Its stderr is a pipe, so colours have to be requested.
            gcc.args(io::stderr().is_terminal().then_some("-fdiagnostics-color=always"));
            return without_notes(gcc.args(flags).args(arguments).args(EXACT_LINES));
        }
        gcc.args(flags).args(arguments).arg("-O0");
    } else {
        gcc.args(flags).args(arguments);
    }
    let error = gcc.exec();
    bail!("{}: {error}", gcc.get_program().display())
}

/// Runs the compiler, and drops its messages about the additional options.
fn without_notes(gcc: &mut Command) -> anyhow::Result<ExitCode> {
    let name = gcc.get_program().to_owned();
    let failed = |error: io::Error| anyhow!("{}: {error}", name.display());
    let mut child = gcc.stderr(Stdio::piped()).spawn().map_err(failed)?;
    if let Some(output) = child.stderr.take() {
        for line in io::BufReader::new(output).split(b'\n') {
            let mut line = line.map_err(failed)?;
            if !is_note_of_switches(&line) {
                line.push(b'\n');
                io::stderr().write_all(&line)?;
            }
        }
    }
    let status = child.wait().map_err(failed)?;
    let code = status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1);
    std::process::exit(code)
}
