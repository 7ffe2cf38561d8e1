//! The options of targets that are solvers.

use std::ffi::OsStr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metacov_campaign::{AskedTarget, TargetOptions};
use metacov_core::{Facts, counted};
use metacov_exec::find_program;
use metacov_run::RunError;
use metacov_targets::cc::cache;
use metacov_targets::smt::seeds::SeedIndex;

use crate::cmd::{target, workers};
use crate::console::Console;
use crate::exit_code::bail_usage;
use crate::signals::interrupted;

#[derive(Clone, clap::Args)]
pub struct SolverArgs {
    /// Command of an installed solver, for the target `smt`; `@@` is the script.
    ///
    /// It is split at spaces. Without `@@`, the script is the last argument.
    #[arg(id = "solver_command", long = "command", value_name = "COMMAND")]
    #[arg(conflicts_with = "library", hide_short_help = true)]
    command: Option<String>,
    /// Folder of scripts (*.smt2) that tests of solvers are derived from [default: embedded ones].
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    seeds: Option<PathBuf>,
}

impl SolverArgs {
    /// Returns an option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [(self.command.is_some(), "--command"), (self.seeds.is_some(), "--seeds")];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, name)| name)
    }

    /// Whether a command was given.
    pub fn has_command(&self) -> bool {
        self.command.is_some()
    }

    /// Returns the scripts of the given folder, as a session would. No solver runs, so a command is
    /// refused.
    pub fn seeds(&self, console: &Console) -> Result<Facts, RunError> {
        if self.command.is_some() {
            bail_usage!("--command: no solver is run here");
        }
        let Some(folder) = &self.seeds else { return Ok(Facts::new()) };
        check_seeds("smt", Some(folder), console)?;
        metacov_targets::smt::seeds::read(folder)
            .map_err(|error| RunError::Invalid(format!("--seeds {error}")))
    }

    /// Returns the program of the command, if there is one, and all other options.
    pub fn options(&self) -> Result<(Option<PathBuf>, TargetOptions), RunError> {
        let seeds = self.seeds.as_deref().map(std::path::absolute).transpose()?;
        let (program, options) = command_options(self.command.as_deref())?;
        Ok((program, TargetOptions { seeds, ..options }))
    }
}

/// Returns the program of `--command`, if it is given, and its arguments.
pub fn command_options(
    command: Option<&str>,
) -> Result<(Option<PathBuf>, TargetOptions), RunError> {
    let Some(command) = command else { return Ok((None, TargetOptions::default())) };
    let (program, arguments) = program("--command", command)?;
    Ok((Some(program), TargetOptions { arguments: Some(arguments), seeds: None }))
}

/// Reads the scripts of `--seeds`, and says how many of them are used, if some are not. Refused if there is
/// none, and for a target that has no use for them.
pub fn check_seeds(target: &str, seeds: Option<&Path>, console: &Console) -> Result<(), RunError> {
    let Some(folder) = seeds else { return Ok(()) };
    if !target::list().parse(target)?.0.has_seeds() {
        bail_usage!("--seeds goes with solvers, not with {target}");
    }
    let invalid = |error| RunError::Invalid(format!("--seeds {error}"));
    let index = SeedIndex::of(folder, &cache()).map_err(invalid)?;
    // Without a cache, the scripts are only read again next time.
    drop(index.store());
    let all = counted(index.scripts.len() as u64, "script", "scripts");
    let usable = index.scripts.values().filter(|script| script.content.is_ok()).count();
    let reasons = format!("`metacov seeds index {} -v` says why", folder.display());
    if usable == 0 {
        let what = format!("--seeds {}: {all} (*.smt2), none of use: {reasons}", folder.display());
        return Err(RunError::Invalid(what));
    }
    if usable < index.scripts.len() {
        console.note(&format!("--seeds: {usable} of {all} can be used; {reasons}"));
    }
    Ok(())
}

/// Returns the installed solver of a command that an option has, without coverage.
pub fn asked(option: &str, command: &str, seconds: NonZero<u64>) -> Result<AskedTarget, RunError> {
    let (program, arguments) = program(option, command)?;
    Ok(AskedTarget {
        engine: "smt".to_owned(),
        library: Some(program),
        options: TargetOptions { arguments: Some(arguments), seeds: None },
        timeout: Duration::from_secs(seconds.get()),
        workers: workers(None),
        interrupted: interrupted()?,
    })
}

/// The file of the program of a command, and its arguments.
fn program(option: &str, command: &str) -> Result<(PathBuf, Vec<String>), RunError> {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default();
    let program = find_program(OsStr::new(name)).filter(|program| program.is_file());
    let Some(program) = program else {
        bail_usage!("{option}: there is no program `{name}`");
    };
    Ok((program, words.map(str::to_owned).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_program_and_its_arguments() {
        let args = |command: &str| SolverArgs { command: Some(command.to_owned()), seeds: None };
        let (program, options) = args("sh -c  @@").options().unwrap();
        assert!(program.unwrap().ends_with("sh"));
        assert_eq!(options.arguments.unwrap(), ["-c", "@@"]);
        for missing in ["", "no-such-solver @@", "/no/such/solver"] {
            let error = args(missing).options().unwrap_err().to_string();
            assert!(error.contains("there is no program"), "{error}");
        }
    }
}
