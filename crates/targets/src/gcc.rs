//! Runs gcc with coverage that metacov reads from memory.

use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

use metacov_runtime::{EXACT_LINES, Runtime};

use crate::cc::{Language, Lines, is_note_of_switches, links, optimises};

/// A call of gcc.
pub struct Gcc {
    command: Command,
    /// Whether its messages about additional options are dropped.
    drops_notes: bool,
}

impl Gcc {
    /// Adds to the arguments of the user what counts in metacov's memory. If gcc has no switches for exact lines of
    /// optimised code, `on_missing` is called, and it compiles at -O0.
    pub fn new(
        language: Language,
        lines: Lines,
        arguments: &[OsString],
        runtime: &Runtime,
        on_missing: impl FnOnce(),
    ) -> io::Result<Self> {
        let compiler = language.compiler();
        let mut flags = runtime.compile_flags();
        flags.extend(links(arguments).then(|| runtime.link_flag()));
        let mut command = compiler.command();
        let is_exact = lines == Lines::Exact && optimises(arguments);
        let drops_notes = is_exact && runtime.knows_exact_lines(&compiler, on_missing)?;
        if drops_notes {
            // Its stderr is a pipe, so colours have to be requested.
            command.args(io::stderr().is_terminal().then_some("-fdiagnostics-color=always"));
        }
        command.args(flags).args(arguments);
        match (is_exact, drops_notes) {
            (true, true) => command.args(EXACT_LINES),
            (true, false) => command.arg("-O0"),
            (false, _) => &mut command,
        };
        Ok(Gcc { command, drops_notes })
    }

    /// Returns the name of the program.
    pub fn name(&self) -> String {
        self.command.get_program().display().to_string()
    }

    /// Executes gcc in place of this process, or runs it and returns its exit code.
    pub fn run(mut self) -> io::Result<i32> {
        if !self.drops_notes {
            return Err(self.command.exec());
        }
        let mut child = self.command.stderr(Stdio::piped()).spawn()?;
        if let Some(output) = child.stderr.take() {
            for line in io::BufReader::new(output).split(b'\n') {
                let mut line = line?;
                if !is_note_of_switches(&line) {
                    line.push(b'\n');
                    io::stderr().write_all(&line)?;
                }
            }
        }
        let status = child.wait()?;
        Ok(status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1))
    }
}

/// Links this program under the name of its compiler for a language. Replaces an earlier link, but nothing else.
pub fn install(language: Language, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(language.wrapper());
    if path.is_symlink() {
        fs::remove_file(&path)?;
    }
    symlink(env::current_exe()?, path)
}
