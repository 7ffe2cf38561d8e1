//! Records a campaign: rounds in the run file, findings in their folder, progress for a study.
//! Decides when it ends.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use metacov_core::{Method, SiteTable};
use metacov_exec::processor_time;
use metacov_formats::{Error, Fault};
use metacov_run::{GroupDone, Observer, RunError};
use metacov_store::{RunWriter, StoredRound};
use serde::{Deserialize, Serialize};

use super::campaign::CampaignObserver;
use super::done::Done;
use super::history::{CampaignStats, FindingSummary, History, Record};
use super::trial_progress::ProgressFile;
use crate::finding::Finding;

/// How often the processor time is queried.
const PROCESSOR_TIME_INTERVAL: Duration = Duration::from_millis(250);

/// Cases of one bug that keep their folder: the smallest ones. All are counted.
const CASES_MAX: usize = 5;

/// When a campaign ends.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CampaignLimits {
    /// After this time.
    pub duration: Option<Duration>,
    /// After this much processor time, of all processes together.
    pub processor_time: Option<Duration>,
    /// After this many distinct bugs.
    pub findings: Option<u64>,
}

/// The progress of a campaign.
pub struct CampaignStatus<'s> {
    /// The rounds that are complete.
    pub history: &'s History,
    /// Pairs tested by this process, including those of incomplete rounds.
    pub tested: u64,
    /// How long this process has run the campaign.
    pub elapsed: Duration,
    /// How long ago a round found something new.
    pub since_news: Duration,
}

/// Shows a campaign while it runs.
pub trait CampaignDisplay: Sync {
    /// The first round is about to begin.
    fn begin(&self);
    /// Pairs were tested, or a round is complete.
    fn show(&self, status: &CampaignStatus<'_>);
    /// The first finding of its group.
    fn found(&self, finding: &Finding);
    /// The last round has ended.
    fn finish(&self);
}

/// The folder of the findings of a campaign, beside its run file.
pub fn findings_folder(run: &Path) -> PathBuf {
    run.with_extension("findings")
}

/// Records a campaign.
pub(crate) struct CampaignRecorder<'d> {
    pub writer: RunWriter,
    /// The tag of the campaign.
    pub trial: String,
    /// Where findings are written.
    pub folder: PathBuf,
    pub method: &'static dyn Method,
    pub limits: CampaignLimits,
    pub progress: Option<ProgressFile>,
    pub interrupted: &'d AtomicBool,
    pub start: Instant,
    pub state: Mutex<RecorderState>,
    pub display: &'d dyn CampaignDisplay,
}

/// What changes while a campaign runs.
pub(crate) struct RecorderState {
    history: History,
    /// Pairs tested by this process, including those of incomplete rounds.
    tested: u64,
    /// When a round last found something new.
    last_news: Instant,
    /// When the processor time was last queried, and whether it was spent.
    last_query: Option<(Instant, bool)>,
}

impl RecorderState {
    #[expect(clippy::disallowed_methods, reason = "shown to the user, and part of no result")]
    pub(crate) fn new(history: History) -> Self {
        RecorderState { history, tested: 0, last_news: Instant::now(), last_query: None }
    }
}

impl CampaignRecorder<'_> {
    /// Finishes the run file; `table` is none if the campaign failed.
    pub(crate) fn finish(
        self,
        is_complete: bool,
        ended: Result<SiteTable, RunError>,
    ) -> Result<(), RunError> {
        let finished = self.writer.finish(is_complete, ended.as_ref().ok());
        // The error that ended the campaign is the cause of later ones.
        ended?;
        finished?;
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        let reached = state.history.stand();
        let written = self.progress.map_or(Ok(()), |progress| progress.write(reached, is_complete));
        written.map_err(RunError::Output)
    }

    fn state(&self) -> MutexGuard<'_, RecorderState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether this much processor time is spent. The answer may be slightly old, because the query
    /// takes time.
    #[expect(clippy::disallowed_methods, reason = "when to query is a matter of the clock")]
    fn has_spent(&self, limit: Duration) -> bool {
        let mut state = self.state();
        match state.last_query {
            Some((last, is_spent)) if last.elapsed() < PROCESSOR_TIME_INTERVAL => is_spent,
            _ => {
                let is_spent = processor_time().is_ok_and(|spent| spent >= limit);
                state.last_query = Some((Instant::now(), is_spent));
                is_spent
            }
        }
    }

    /// Removes the folders of all but the smallest cases of a bug.
    fn remove_large_cases(&self, history: &History, finding: &Finding) -> io::Result<()> {
        let Some(cases) = history.cases(finding) else { return Ok(()) };
        let mut cases: Vec<&FindingSummary> = cases.iter().collect();
        cases.sort_by_key(|case| (case.bytes, &case.name));
        for case in cases.iter().skip(CASES_MAX) {
            match std::fs::remove_dir_all(self.folder.join(&case.name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn show(&self, state: &RecorderState) {
        self.display.show(&CampaignStatus {
            history: &state.history,
            tested: state.tested,
            elapsed: self.start.elapsed(),
            since_news: state.last_news.elapsed(),
        });
    }
}

impl CampaignObserver for CampaignRecorder<'_> {
    fn tested(&self, pairs: u64) {
        let mut state = self.state();
        state.tested += pairs;
        self.show(&state);
    }

    fn found(&self, finding: &Finding) -> io::Result<()> {
        finding.write(&self.folder, self.method).map(drop)
    }

    #[expect(clippy::disallowed_methods, reason = "shown to the user, and part of no result")]
    fn close(&self, done: &Done) -> Result<(), Error> {
        let Record { summary, findings, lesson } = Record::of(done);
        let (trial, number) = (self.trial.clone(), done.number);
        self.writer.close_round(StoredRound { trial, number, summary, findings, lesson })?;
        let mut state = self.state();
        let before = state.history.stand();
        let mut news: Vec<&Finding> = done.findings.iter().collect();
        news.retain(|finding| !state.history.has_group(finding));
        news.dedup_by_key(|finding| finding.signature.group);
        state.history.close(done);
        let now = state.history.stand();
        if (CampaignStats { pairs: 0, ..now }) != (CampaignStats { pairs: 0, ..before }) {
            state.last_news = Instant::now();
        }
        for finding in news {
            self.display.found(finding);
        }
        for finding in &done.findings {
            let removed = self.remove_large_cases(&state.history, finding);
            removed.map_err(|error| Fault::Io(error).of(self.folder.display().to_string()))?;
        }
        self.show(&state);
        self.progress.as_ref().map_or(Ok(()), |progress| progress.write(now, false))
    }

    fn is_over(&self) -> bool {
        let CampaignLimits { duration, processor_time, findings } = self.limits;
        self.interrupted.load(Relaxed)
            || duration.is_some_and(|end| self.start.elapsed() >= end)
            || findings.is_some_and(|end| self.state().history.stand().bugs >= end)
            || processor_time.is_some_and(|end| self.has_spent(end))
    }
}

impl Observer for CampaignRecorder<'_> {
    fn is_done(&self, place: u64, relation: &str, pair: &str) -> Result<bool, Error> {
        self.writer.is_done(place, relation, pair)
    }

    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        self.writer.on_group(done)
    }
}
