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
use metacov_formats::Fault;
use metacov_runtime::{EXACT_LINES, Runtime};
use metacov_targets::cc::{
    Language, Lines, cache, is_called_by_ccache, is_note_of_switches, links, optimises,
};

use crate::args::run_file::command;
use crate::console::{Console, print};
use crate::exit_code::{ExitCode, Unwritten, UsageError, bail_usage};

const EXAMPLES: &str = "\
Examples:
  A build that takes its compiler from the environment:
    CC=\"metacov cc\" CXX=\"metacov c++\" ./configure && make
    make CC=\"metacov cc\"
    CC=\"metacov cc\" CXX=\"metacov c++\" cmake -B build && cmake --build build
  A build that looks for gcc or g++ in the compiler's name, and has other options for others:
    metacov cc --install ~/bin && CC=~/bin/metacov-gcc CXX=~/bin/metacov-g++ ./configure && make
  The lines that plain gcc has for optimised code, of which one in seven is missing:
    make CC=\"metacov cc --lines optimised\" CFLAGS=-O2
  The flags alone, for a build that wants its own compiler:
    gcc $(metacov cc --print-flags) -o prog prog.c

All arguments go to gcc, with these in front: --coverage, and where to find the runtime. At -O1 and above, gcc is also
kept from optimising before it places its counters (-fdisable-tree-early_optimizations -fdisable-tree-einline): the
program has nearly the lines of -O0 and the speed of its level. Such a program counts in memory that `metacov measure` shares with it. Run without metacov, it leaves nothing behind.
Threads: with -pthread gcc counts atomically; without it, counts of several threads get lost.
ccache: METACOV_CC=\"ccache gcc\" keeps objects and their notes (.gcno). With CC=\"ccache metacov cc\" nothing
is taken from the cache: ccache does not know of the notes, and programs whose notes are missing cannot be measured.

Environment:
  METACOV_CC, METACOV_CXX   the compilers, with arguments that come first [default: gcc, g++]
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
    /// Link `metacov-gcc` and `metacov-g++`, which are `metacov cc` and `metacov c++`, into a folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["print_flags", "arguments"])]
    install: Option<PathBuf>,
    /// What gcc gets.
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// The arguments, if all of them are gcc's. They are taken as they stand, before anybody looks for
/// options of ours among them: `-q` and `--version` are gcc's too. What remains is `--help`,
/// `--print-flags` and `--install` on their own.
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

/// Makes a link, in place of an earlier one but of nothing else.
fn link(program: &Path, path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    if path.is_symlink() {
        fs::remove_file(path)?;
    }
    symlink(program, path)
}

/// Becomes the compiler, or prints what it would be.
pub fn compile(
    language: Language,
    arguments: &[OsString],
    only_flags: bool,
) -> anyhow::Result<ExitCode> {
    if is_called_by_ccache() {
        // As gcc's preprocessor fails, ccache has the compiler run without it, and the notes are there.
        bail_usage!(
            "ccache does not keep the notes (.gcno) that `metacov cc` has gcc write: use \
             METACOV_CC=\"ccache gcc\" METACOV_CXX=\"ccache g++\" instead of ccache in front of it"
        );
    }
    let (lines, arguments) = Lines::split(arguments).map_err(UsageError)?;
    let compiler = language.compiler();
    // The runtime is C, whatever it is linked with.
    let runtime = Runtime::install(&Language::C.compiler(), &cache())
        .map_err(|error| anyhow!("cannot set up the runtime: {error}"))?;
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
            // Its stderr is a pipe, so it has to be asked for colours.
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

/// Runs the compiler, without what it says of the switches that it gets besides the user's.
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
