//! `metacov study run` of campaigns: trials, each a `metacov fuzz` of its own.

use std::io;
use std::num::NonZero;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::Ordering::Relaxed;

use anyhow::bail;
use clap::Parser;
use metacov_core::thousands;
use metacov_study::conduct::{
    CampaignEnd, CampaignExtent, CampaignProgram, PlannedTrial, Selection, TrialCampaign,
    TrialEvent, TrialFolder, TrialsRun, plan_trials,
};
use metacov_study::{CampaignPlan, Trial};

use crate::cmd::interrupts::{Interrupts, interrupts};
use crate::cmd::{fuzz, target, workers};
use crate::console::Console;
use crate::exit_code::{ExitCode, UsageError};

/// A trial is what `metacov fuzz` does with these words.
#[derive(Parser)]
struct Words {
    #[command(flatten)]
    fuzz: fuzz::Args,
}

/// All trials of a study, checked. Engines that are missing are built.
pub fn planned(
    plan: &CampaignPlan,
    file: &Path,
    console: &Console,
) -> anyhow::Result<Vec<PlannedTrial>> {
    let check = |trial: &Trial| {
        let words = ["fuzz".to_owned()].into_iter().chain(trial.words());
        let words = Words::try_parse_from(words.chain(trial.budget.words()));
        let words = words.map_err(|error| {
            let message = error.to_string();
            let message = message.lines().next().unwrap_or_default();
            UsageError(format!("{}: {}", file.display(), message.trim_start_matches("error: ")))
        })?;
        words
            .fuzz
            .config()
            .check(&target::list())
            .map_err(|error| UsageError(format!("{}: {error}", file.display())).into())
    };
    let build = |engine: &str| {
        target::engine_on_demand(engine, console)?;
        Ok(target::list().build_id(engine, None)?)
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
) -> anyhow::Result<ExitCode> {
    let Interrupts { interrupted, signal } = interrupts()?;
    let (folder, workers) = (TrialFolder(folder), workers(jobs));
    let (program, interrupted) = (&Fuzz, &*interrupted);
    let trials = TrialsRun { folder, observe, workers, selection, program, interrupted };
    let failed = trials.run(planned, &|event| show(event, console))?;
    if let Some((id, what)) = failed.first_key_value() {
        let count = failed.len();
        let others = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
        bail!("trial {id} failed{others}: {what}");
    }
    if interrupted.load(Relaxed) {
        console.warning("interrupted; run it again to go on");
        return Ok(ExitCode::of_signal(&signal));
    }
    Ok(ExitCode::Success)
}

/// `metacov fuzz`, with the words that a user would type. A process for each campaign, so that its processor time can be
/// measured.
struct Fuzz;

impl CampaignProgram for Fuzz {
    fn command(&self, campaign: &TrialCampaign<'_>) -> io::Result<Command> {
        let TrialCampaign { trial, extent, run_file, progress } = campaign;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("fuzz").args(trial.words());
        match extent {
            CampaignExtent::Search(budget) => command.args(budget.words()),
            CampaignExtent::Observe { pairs } => {
                command.args(["--observe", "--no-findings", "--pairs", &pairs.to_string()])
            }
        };
        command.arg("--resume").arg("--output").arg(run_file).arg("--progress").arg(progress);
        Ok(command)
    }

    fn end(&self, status: ExitStatus) -> CampaignEnd {
        let is = |expected: ExitCode| status.code() == Some(expected as i32);
        if is(ExitCode::Success) || is(ExitCode::Violated) {
            CampaignEnd::Over
        } else if is(ExitCode::Interrupted) {
            CampaignEnd::Interrupted
        } else {
            CampaignEnd::Failed
        }
    }
}

fn show(event: TrialEvent<'_>, console: &Console) {
    match event {
        TrialEvent::Known { done, all } => {
            console.note(&format!("{done} of {all} trials are there already"));
        }
        TrialEvent::Done { done, all, outcome } => console.note(&format!(
            "trial {done} of {all}: {} ({}): {} in {} pairs, {:.0} s of processor time",
            outcome.id,
            outcome.trial,
            bugs(outcome.bugs().len() as u64),
            thousands(outcome.pairs),
            outcome.time.processor
        )),
        TrialEvent::Failed { planned, error } => {
            console.failure(&format!("trial {} ({}): {error}", planned.id, planned.trial));
        }
        TrialEvent::Running { done, all, running } => {
            let running = running.iter().map(|(one, progress)| {
                let (found, pairs) = (bugs(progress.bugs), thousands(progress.pairs));
                format!("{} ({}): {found} in {pairs} pairs", one.id, one.trial)
            });
            let running: Vec<String> = running.collect();
            console.note(&format!("{done} of {all} done; {}", running.join("; ")));
        }
    }
}

fn bugs(count: u64) -> String {
    if count == 1 { "1 bug".to_owned() } else { format!("{} bugs", thousands(count)) }
}
