//! The options of the program under test and its limits.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use metacov_core::Setup;
use metacov_exec::{Limits, Mode};
use metacov_formats::Fault;
use metacov_run::RunError;

use super::choice::{Choices, choice};

#[derive(clap::Args)]
#[command(next_help_heading = "Running")]
pub struct TargetArgs {
    /// Program or shared library under test, with arguments; `@@` is the input file.
    ///
    /// Without `@@`, a program reads the input from standard input. It is built with `metacov cc`, or with
    /// `gcc --coverage` (gcc 11 and 12 are tested).
    #[arg(last = true, value_name = "COMMAND", help_heading = None)]
    pub command: Vec<OsString>,
    /// File to put before each input, such as a database schema.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    setup: Option<PathBuf>,
    /// How to run inputs.
    ///
    /// The default is inline for a shared library, and exec for a program.
    #[arg(long, value_name = "MODE", value_parser = choice(MODES))]
    pub mode: Option<Mode>,
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
    pub valid_exit: Vec<i32>,
}

/// How inputs are run.
const MODES: Choices<Mode> = &[
    ("exec", "Start a process for each input: any program", Mode::Exec),
    (
        "fork",
        "Fork a started process for each input: a program built with `metacov cc`, or a library",
        Mode::Fork,
    ),
    (
        "inline",
        "Call `LLVMFuzzerTestOneInput` of a shared library (`.so`) for each input",
        Mode::Inline,
    ),
];

/// A number of bytes, or no limit.
#[derive(Clone, Copy)]
pub struct Memory(pub Option<u64>);

impl TargetArgs {
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

    /// Reads what precedes each input.
    pub fn setup(&self) -> Result<Option<Arc<Setup>>, RunError> {
        let Some(path) = &self.setup else { return Ok(None) };
        let content =
            fs::read(path).map_err(|error| Fault::Io(error).of(path.display().to_string()))?;
        Ok(Some(Arc::new(Setup::new(content))))
    }
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
