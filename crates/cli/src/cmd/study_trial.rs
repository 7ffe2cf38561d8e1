//! One trial of a study: a `metacov fuzz` of its own, and what came of it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::sleep;
use std::time::Duration;

use anyhow::bail;
use metacov_campaign::{History, RoundCounts};
use metacov_core::{Criterion, total};
use metacov_formats::Fault;
use metacov_store::Run;
use metacov_study::{FormVersion, Observed, Time, Trial, TrialOutcome};
use rustix::process::{Pid, Signal, kill_process};

use super::fuzz_progress::Progress;
use super::fuzz_report;
use super::study_trials::Trials;
use crate::exit_code::{ExitCode, Unwritten};

/// How often it is looked whether a trial has ended.
const LOOK: Duration = Duration::from_millis(50);

/// A trial to run.
pub struct TrialRun<'r> {
    pub folder: Trials<'r>,
    pub trial: &'r Trial,
    pub id: &'r str,
    pub build: &'r str,
    /// Whether what its pairs run is looked at afterwards, if it has not been.
    pub observe: bool,
    pub interrupted: &'r AtomicBool,
}

/// A campaign that has ended.
struct Ended {
    history: History,
    /// By group of findings: the pairs that it took.
    groups: BTreeMap<String, u64>,
    run: Run,
}

impl TrialRun<'_> {
    /// Goes on with the trial until it is over; none if it was interrupted.
    pub fn run(&self) -> anyhow::Result<Option<TrialOutcome>> {
        let (file, progress) = (self.folder.run(self.id), self.folder.progress(self.id));
        if !self.campaign(&self.trial.budget.words(), &file, &progress)? {
            return Ok(None);
        }
        let ended = ended(&file)?;
        let outcome = self.outcome(&ended, Progress::read(&progress)?);
        if outcome.pairs == 0 || !self.observe {
            return Ok(Some(outcome));
        }
        // All in the same way, also those whose guidance has seen a part of it.
        let Some(again) = self.again(outcome.pairs)? else { return Ok(None) };
        Ok(Some(TrialOutcome { observed: Some(observed(again)?), ..outcome }))
    }

    fn outcome(&self, ended: &Ended, spent: Progress) -> TrialOutcome {
        let counts = || ended.history.summary.relations.values();
        let sum = |of: fn(&RoundCounts) -> u64| counts().map(of).sum();
        TrialOutcome {
            version: FormVersion,
            id: self.id.to_owned(),
            trial: self.trial.clone(),
            build: self.build.to_owned(),
            pairs: ended.history.stand().pairs,
            checks: sum(|counts| counts.held + counts.violated),
            violations: sum(|counts| counts.violated),
            groups: ended.groups.clone(),
            observed: None,
            time: Time { wall: spent.seconds, processor: spent.processor_seconds },
        }
    }

    /// The same pairs once more, to look at what they run; none if it was interrupted.
    fn again(&self, pairs: u64) -> anyhow::Result<Option<Ended>> {
        let (file, progress) = self.folder.observed(self.id);
        let words = ["--observe", "--no-findings", "--pairs", &pairs.to_string()];
        if !self.campaign(&words.map(str::to_owned), &file, &progress)? {
            return Ok(None);
        }
        let again = ended(&file)?;
        if again.history.stand().pairs != pairs {
            bail!("{}: these are not the pairs of the trial", file.display());
        }
        Ok(Some(again))
    }

    /// Whether a campaign is over now; not if it was interrupted.
    fn campaign(&self, words: &[String], file: &Path, progress: &Path) -> anyhow::Result<bool> {
        if Progress::read(progress)?.is_over {
            return Ok(true);
        }
        if self.interrupted.load(Relaxed) {
            return Ok(false);
        }
        let log_path = self.folder.log(self.id);
        let unwritten =
            |error: std::io::Error| Unwritten(Fault::Io(error).of(log_path.display().to_string()));
        let log =
            OpenOptions::new().create(true).append(true).open(&log_path).map_err(unwritten)?;
        let begin = log.metadata().map_err(unwritten)?.len();
        let child = self.command(words, file, progress, log)?.spawn()?;
        let status = self.wait(child)?;
        let codes = [ExitCode::Success, ExitCode::Violated].map(|code| code as i32);
        match status.code() {
            Some(code) if codes.contains(&code) => Ok(true),
            Some(code) if code == ExitCode::Interrupted as i32 => Ok(false),
            _ if self.interrupted.load(Relaxed) => Ok(false),
            _ => bail!("{}", output_tail(&log_path, begin, status)),
        }
    }

    /// A campaign is run as `metacov fuzz` does it, with the words that a user would type. It is a process of its own,
    /// so that its processor time is its own.
    fn command(
        &self,
        words: &[String],
        file: &Path,
        progress: &Path,
        log: File,
    ) -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("fuzz").args(self.trial.words()).args(words).arg("--resume");
        command.arg("--output").arg(file).arg("--progress").arg(progress);
        // An interrupt from the keyboard is for the study, which hands it on.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Ok(command)
    }

    fn wait(&self, mut child: Child) -> std::io::Result<ExitStatus> {
        let mut is_told = false;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if self.interrupted.load(Relaxed) && !is_told {
                is_told = true;
                // It may have ended meanwhile.
                let _ = kill_process(Pid::from_child(&child), Signal::TERM);
            }
            sleep(LOOK);
        }
    }
}

/// What a campaign said before it failed.
fn output_tail(log: &PathBuf, begin: u64, status: ExitStatus) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let begin = usize::try_from(begin).unwrap_or_default();
    let text = String::from_utf8_lossy(text.get(begin..).unwrap_or_default()).into_owned();
    match text.lines().rev().find_map(|line| line.strip_prefix("error: ")) {
        Some(words) => words.to_owned(),
        None => format!("it ended with {status}; {} has more", log.display()),
    }
}

fn ended(file: &Path) -> anyhow::Result<Ended> {
    let run = Run::open(file)?;
    let (mut history, mut groups) = (History::default(), BTreeMap::new());
    for round in run.rounds()? {
        let (number, record) = fuzz_report::record(round);
        history.add(&record).map_err(|what| fuzz_report::damaged(number, &what, &run.name))?;
        if history.findings.len() > groups.len() {
            let pairs = history.stand().pairs;
            for group in history.findings.keys() {
                groups.entry(group.clone()).or_insert(pairs);
            }
        }
    }
    Ok(Ended { history, groups, run })
}

fn observed(ended: Ended) -> anyhow::Result<Observed> {
    let stand = ended.history.stand();
    let (suite, _) = ended.run.suite()?;
    Ok(Observed {
        differing: stand.differing,
        executed: stand.executed,
        lines: total(&suite.table, &suite.total())[Criterion::Line].selected,
        plans: stand.plans,
    })
}
