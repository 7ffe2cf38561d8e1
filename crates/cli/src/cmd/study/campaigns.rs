//! `metacov study run` of campaigns: trials, each a campaign in a separate process.

use std::env::args_os;
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed;

use metacov_core::command_line;
use metacov_report::Screen;
use metacov_run::RunError;
use metacov_study::conduct::{PlannedTrial, Selection, TrialFolder, TrialsRun, plan_trials};
use metacov_study::{CampaignPlan, Trial};

use crate::cmd::{target, workers};
use crate::console::Console;
use crate::exit_code::{ExitCode, Outcome};
use crate::signals::{Interrupts, interrupts};

/// Returns all trials of a study, checked. Missing engines are built.
pub fn planned(
    plan: &CampaignPlan,
    file: &Path,
    console: &Console,
) -> Result<Vec<PlannedTrial>, RunError> {
    let check = |trial: &Trial| {
        let invalid = |error: &dyn std::fmt::Display| {
            RunError::Invalid(format!("{}: {error}", file.display()))
        };
        let config = trial.campaign(Path::new("")).map_err(|error| invalid(&error))?;
        config.check(&target::list()).map_err(|error| invalid(&error))
    };
    let build = |engine: &str| {
        target::engine_on_demand(engine, console)?;
        target::list().build_id(engine, None)
    };
    plan_trials(plan, check, build)
}

/// Runs the selected trials that have no result yet.
pub fn run(
    planned: &[PlannedTrial],
    folder: &Path,
    observe: bool,
    jobs: Option<NonZero<usize>>,
    selection: &Selection,
    console: &Console,
) -> Outcome {
    let Interrupts { interrupted, signal } = interrupts()?;
    let (folder, workers) = (TrialFolder(folder), workers(jobs));
    let program = || {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("trial");
        Ok(command)
    };
    let (program, command, interrupted) = (&program, &*command_line(args_os()), &*interrupted);
    let trials = TrialsRun { folder, observe, workers, selection, program, command, interrupted };
    let failed = trials.run(planned, &|event| console.message(event.message()))?;
    if let Some((id, what)) = failed.first_key_value() {
        let count = failed.len();
        let others = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        return Err(RunError::Failed(format!("trial {id} failed{others}: {what}")));
    }
    if interrupted.load(Relaxed) {
        console.warning("interrupted: run the same command to continue");
        return Ok(ExitCode::of_signal(&signal));
    }
    Ok(ExitCode::Success)
}
