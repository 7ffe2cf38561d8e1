//! One trial of a study: a campaign in a separate process, and its result.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

use metacov_campaign::{CampaignConfig, CampaignLimits, History, RoundCounts, TrialProgress};
use metacov_core::{Criterion, total};
use metacov_formats::{Error, Fault};
use metacov_run::RunError;
use metacov_store::Run;
use rustix::process::{Pid, Signal, kill_process};

use super::{PlannedTrial, TrialFolder};
use crate::{FileVersion, Observed, Time, TrialOutcome};

/// How often it is checked whether the process of a trial has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The exit code of a campaign that was interrupted and can be resumed.
const INTERRUPTED: i32 = 130;

/// Creates the command that runs a campaign: it passes what [`read_trial`] reads from standard
/// input to `run_campaign`, and exits with 0, or with 130 after an interrupt. Each campaign has a
/// process, so that its processor time can be measured.
pub type TrialProgram<'p> = dyn Fn() -> io::Result<Command> + Sync + 'p;

/// A trial to run.
pub(super) struct TrialRun<'r> {
    pub folder: TrialFolder<'r>,
    pub planned: &'r PlannedTrial,
    /// Whether the campaign is repeated to observe what its pairs run.
    pub observe: bool,
    pub program: &'r TrialProgram<'r>,
    pub command: &'r str,
    pub interrupted: &'r AtomicBool,
}

/// A campaign that is complete.
struct FinishedCampaign {
    history: History,
    /// By group of findings: the number of pairs after the round that found it first.
    groups: BTreeMap<String, u64>,
    run: Run,
}

impl TrialRun<'_> {
    /// Runs or resumes the trial until it is complete; none if it was interrupted.
    pub fn run(&self) -> Result<Option<TrialOutcome>, RunError> {
        let PlannedTrial { id, trial, .. } = self.planned;
        let (file, progress) = (self.folder.run(id), self.folder.progress(id));
        let campaign = trial.campaign(&file).map_err(RunError::Invalid)?;
        if !self.is_over(campaign, &progress)? {
            return Ok(None);
        }
        let outcome = self.outcome(&finished(&file)?, TrialProgress::read(&progress)?);
        if outcome.pairs == 0 || !self.observe {
            return Ok(Some(outcome));
        }
        // All trials are observed in the same way, including those whose guidance has traced a part
        // of the pairs.
        let Some(repeated) = self.repeat(outcome.pairs)? else { return Ok(None) };
        Ok(Some(TrialOutcome { observed: Some(observed(repeated)?), ..outcome }))
    }

    fn outcome(&self, campaign: &FinishedCampaign, spent: TrialProgress) -> TrialOutcome {
        let counts = || campaign.history.summary.relations.values();
        let sum = |of: fn(&RoundCounts) -> u64| counts().map(of).sum();
        let PlannedTrial { id, trial, build, .. } = self.planned.clone();
        TrialOutcome {
            version: FileVersion,
            id,
            trial,
            build,
            pairs: campaign.history.stand().pairs,
            checks: sum(|counts| counts.held + counts.violated),
            violations: sum(|counts| counts.violated),
            groups: campaign.groups.clone(),
            observed: None,
            time: Time { wall: spent.seconds, processor: spent.processor_seconds },
        }
    }

    /// Repeats the pairs of the trial to observe what they run; none if it was interrupted.
    fn repeat(&self, pairs: u64) -> Result<Option<FinishedCampaign>, RunError> {
        let (file, progress) = self.folder.observed(&self.planned.id);
        let mut campaign = self.planned.trial.campaign(&file).map_err(RunError::Invalid)?;
        (campaign.observes, campaign.examines) = (true, false);
        (campaign.limits, campaign.pairs) = (CampaignLimits::default(), Some(pairs));
        if !self.is_over(campaign, &progress)? {
            return Ok(None);
        }
        let repeated = finished(&file)?;
        if repeated.history.stand().pairs != pairs {
            let what = format!("{}: these are not the pairs of the trial", file.display());
            return Err(RunError::Invalid(what));
        }
        Ok(Some(repeated))
    }

    /// Runs or resumes a campaign. Returns whether it is complete; it is not if it was interrupted.
    fn is_over(&self, mut campaign: CampaignConfig, progress: &Path) -> Result<bool, RunError> {
        if TrialProgress::read(progress)?.is_over {
            return Ok(true);
        }
        if self.interrupted.load(Relaxed) {
            return Ok(false);
        }
        let log_path = self.folder.log(&self.planned.id);
        let unwritten =
            |error| RunError::Output(Fault::Io(error).of(log_path.display().to_string()));
        let log =
            OpenOptions::new().create(true).append(true).open(&log_path).map_err(unwritten)?;
        let begin = log.metadata().map_err(unwritten)?.len();
        campaign.progress = Some(progress.to_owned());
        self.command.clone_into(&mut campaign.command);
        let mut command = (self.program)()?;
        // An interrupt from the keyboard is for the study, which passes it on.
        command.process_group(0);
        command.stdin(input(&campaign)?).stdout(Stdio::null()).stderr(log);
        let status = self.wait(command.spawn()?)?;
        match status.code() {
            Some(0) => Ok(true),
            Some(INTERRUPTED) => Ok(false),
            _ if self.interrupted.load(Relaxed) => Ok(false),
            _ => Err(RunError::Failed(failure_message(&log_path, begin, status))),
        }
    }

    fn wait(&self, mut child: Child) -> io::Result<ExitStatus> {
        let mut is_signalled = false;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if self.interrupted.load(Relaxed) && !is_signalled {
                is_signalled = true;
                // An error means that it has just ended.
                let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            }
            sleep(POLL_INTERVAL);
        }
    }
}

/// A file with the configuration of a campaign. Unlike a pipe, it can be written before the process
/// exists.
fn input(campaign: &CampaignConfig) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    serde_json::to_writer(&mut file, campaign)?;
    file.rewind()?;
    Ok(file)
}

/// Reads the configuration of a campaign that a study has started as a process.
pub fn read_trial(input: impl Read) -> io::Result<CampaignConfig> {
    Ok(serde_json::from_reader(input)?)
}

/// The last error in the log since `begin`.
fn failure_message(log: &Path, begin: u64, status: ExitStatus) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let begin = usize::try_from(begin).unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(begin..).unwrap_or_default()).into_owned();
    match text.lines().rev().find_map(|line| line.strip_prefix("error: ")) {
        Some(message) => message.to_owned(),
        None => format!("it ended with {status}; {} has more", log.display()),
    }
}

fn finished(file: &Path) -> Result<FinishedCampaign, Error> {
    let run = Run::open(file)?;
    let (mut history, mut groups) = (History::default(), BTreeMap::new());
    for round in run.rounds()? {
        history.add_stored(round, &run.name)?;
        if history.findings.len() > groups.len() {
            let pairs = history.stand().pairs;
            for group in history.findings.keys() {
                groups.entry(group.clone()).or_insert(pairs);
            }
        }
    }
    Ok(FinishedCampaign { history, groups, run })
}

fn observed(campaign: FinishedCampaign) -> Result<Observed, Error> {
    let stats = campaign.history.stand();
    let (suite, _) = campaign.run.suite()?;
    Ok(Observed {
        differing: stats.differing,
        executed: stats.executed,
        lines: total(&suite.table, &suite.total())[Criterion::Line].result,
        plans: stats.plans,
    })
}
