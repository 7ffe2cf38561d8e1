//! The options of the program under test and its limits.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::ValueEnum;
use metacov_core::Setup;
use metacov_exec::{Limits, Mode, Program};
use metacov_formats::Fault;
use metacov_store::Settings;

use crate::args::run_file::command;
use crate::exit_code::bail_usage;

#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct TargetArgs {
    /// Program or shared library under test, with arguments; `@@` is the input file.
    ///
    /// Without `@@`, a program reads the input from standard input. It is built with `metacov cc`, or with
    /// `gcc --coverage` (gcc 11 and 12 are tested).
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    command: Vec<OsString>,
    /// File to put before each input, such as a database schema.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    setup: Option<PathBuf>,
    /// How to run inputs.
    ///
    /// The default is inline for a shared library, and exec for a program.
    #[arg(long, value_enum, value_name = "MODE")]
    mode: Option<Modes>,
    /// Time limit of an execution.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    timeout: Duration,
    /// Processor time limit of an execution, in whole seconds [default: none].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, hide_short_help = true)]
    cpu_timeout: Option<Duration>,
    /// Memory limit of an execution, such as 512M or 4G, or `none`.
    #[arg(long, value_name = "BYTES", default_value = "4G", value_parser = bytes)]
    #[arg(hide_short_help = true)]
    memory: Memory,
    /// Exit codes of valid executions; a pair with any other code counts as invalid [default: all].
    #[arg(long, value_name = "CODES", value_delimiter = ',', hide_short_help = true)]
    valid_exit: Vec<i32>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Modes {
    /// Start a process for each input: any program.
    Exec,
    /// Fork a started process for each input: a program built with `metacov cc`, or a library.
    Fork,
    /// Call `LLVMFuzzerTestOneInput` of a shared library (`.so`) for each input.
    Inline,
}

/// A number of bytes, or no limit.
#[derive(Clone, Copy)]
pub struct Memory(pub Option<u64>);

impl TargetArgs {
    /// Whether there is a command.
    pub fn has_command(&self) -> bool {
        !self.command.is_empty()
    }

    /// Returns an option that was given but has no meaning for an engine.
    pub fn only_for_commands(&self) -> Option<&'static str> {
        let given = [
            (self.mode.is_some(), "--mode"),
            (self.setup.is_some(), "--setup"),
            (self.cpu_timeout.is_some(), "--cpu-timeout"),
            (!self.valid_exit.is_empty(), "--valid-exit"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// Returns the limits of an execution.
    pub fn limits(&self) -> Limits {
        Limits {
            wall: self.timeout,
            grace: Duration::from_millis(500),
            cpu: self.cpu_timeout,
            memory_bytes: self.memory.0,
        }
    }

    /// Validates the options. From now on, an interrupt ends the executions.
    pub fn target(self) -> anyhow::Result<Program> {
        let (interrupted, limits) = (interrupted()?, self.limits());
        let setup = self.setup.map(|path| {
            let name = path.display().to_string();
            std::fs::read(path).map_err(|error| Fault::Io(error).of(name))
        });
        let mut target = Program::new(self.command, limits, interrupted);
        target.mode = match self.mode {
            Some(Modes::Exec) => Mode::Exec,
            Some(Modes::Fork) => Mode::Fork,
            Some(Modes::Inline) => Mode::Inline,
            None => target.mode,
        };
        target.setup = setup.transpose()?.map(|content| Arc::new(Setup::new(content)));
        target.valid_codes = self.valid_exit;
        check(&target)?;
        Ok(target)
    }
}

/// Refuses a target that cannot be run, before anything is run.
fn check(target: &Program) -> anyhow::Result<()> {
    let name = target.name();
    match target.mode {
        Mode::Exec if target.is_library() => bail_usage!(
            "{name}: --mode exec needs a program, and this is a shared library: use --mode inline \
             or --mode fork, which call its LLVMFuzzerTestOneInput"
        ),
        Mode::Inline if !target.is_library() => bail_usage!(
            "{name}: --mode inline needs a shared library (.so): use --mode exec or --mode fork \
             for a program"
        ),
        _ => {}
    }
    if target.is_missing() {
        let what = if target.has_path() {
            "no such program (is it built, and is this its path from the current folder?)"
                .to_owned()
        } else {
            format!("no such program in PATH (one in the current folder is ./{name})")
        };
        return Err(Fault::Io(io::Error::new(io::ErrorKind::NotFound, what)).of(name).into());
    }
    if !target.is_library() && !target.is_executable() {
        let what = "not a program that may be executed (is it the right file? chmod +x)";
        return Err(Fault::Io(io::Error::new(io::ErrorKind::PermissionDenied, what))
            .of(name)
            .into());
    }
    Ok(())
}

/// Returns a flag that an interrupt sets from now on.
pub fn interrupted() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, interrupted.clone())?;
    }
    Ok(interrupted)
}

/// Returns the settings that a run must share with one that it resumes.
pub fn settings(target: &Program) -> Settings {
    let Limits { wall, cpu, memory_bytes, .. } = target.limits;
    let optional = |number: Option<String>| number.unwrap_or_else(|| "none".to_owned());
    let setup = target.setup.as_ref().map(|setup| format!("{:016x}", setup.hash()));
    let codes: Vec<String> = target.valid_codes.iter().map(ToString::to_string).collect();
    let settings = [
        ("the command", command(&target.command)),
        ("--mode", format!("{:?}", target.mode).to_lowercase()),
        ("--setup", optional(setup)),
        ("--timeout", wall.as_secs_f64().to_string()),
        ("--cpu-timeout", optional(cpu.map(|cpu| cpu.as_secs_f64().to_string()))),
        ("--memory", optional(memory_bytes.map(|bytes| bytes.to_string()))),
        ("--valid-exit", codes.join(",")),
    ];
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 =
        text.trim_end_matches('s').parse().map_err(|_| "expected a number of seconds")?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("expected more than 0 seconds".to_owned()) } else { Ok(duration) }
}

pub fn bytes(text: &str) -> Result<Memory, String> {
    if text == "none" {
        return Ok(Memory(None));
    }
    let number = text.strip_suffix(['B', 'b']).unwrap_or(text);
    let units = [('K', 10), ('M', 20), ('G', 30)];
    let (digits, shift) = units
        .into_iter()
        .find_map(|(unit, shift)| {
            Some((number.strip_suffix([unit, unit.to_ascii_lowercase()])?, shift))
        })
        .unwrap_or((number, 0));
    let number: u64 = digits.parse().map_err(|_| "expected a size such as 512M or 4G")?;
    let bytes = number.checked_mul(1 << shift).filter(|bytes| *bytes > 0);
    Ok(Memory(Some(bytes.ok_or("expected a size such as 512M or 4G")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let read = |text: &str| bytes(text).ok().map(|memory| memory.0);
        for (text, size) in [("512MB", 512 << 20), ("512M", 512 << 20), ("4g", 4 << 30), ("7", 7)] {
            assert_eq!(read(text), Some(Some(size)), "{text}");
        }
        assert_eq!(read("1kb"), Some(Some(1 << 10)));
        assert_eq!(read("none"), Some(None));
        for text in ["", "B", "M", "0", "-1", "1X", "99999999999G"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
