//! Takes in what a campaign tells: into the run file, the folder of findings, and before the user's eyes.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use metacov_campaign::{
    CampaignObserver, CampaignStats, Done, Finding, FindingSummary, History, Record,
};
use metacov_core::Method;
use metacov_exec::processor_time;
use metacov_formats::{Error, Fault};
use metacov_run::{GroupDone, Observer};
use metacov_store::{RunWriter, StoredRound};

use super::fuzz_progress::TrialProgress;
use super::fuzz_status::{Status, View};

/// How often processor time is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Cases of one bug that have a folder: the smallest ones. All are counted.
const CASES_MAX: usize = 5;

/// When a campaign ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    pub duration: Option<Duration>,
    pub processor_time: Option<Duration>,
    pub findings: Option<u64>,
}

/// Takes in what a campaign tells.
pub struct Desk<'d> {
    pub recorder: RunWriter,
    pub trial: String,
    pub folder: PathBuf,
    /// What findings are written in.
    pub method: &'static dyn Method,
    pub ends: Ends,
    pub keeper: Option<TrialProgress>,
    pub interrupted: &'d AtomicBool,
    pub start: Instant,
    pub state: Mutex<State>,
    pub status: Status<'d>,
}

/// What a desk knows.
pub struct State {
    pub history: History,
    /// Pairs that were tested by this process, also those of rounds that are not over.
    tested: u64,
    /// When a round last brought something new.
    last_news: Instant,
    /// When it was last found out whether the processor time is spent, and whether it was.
    last_look: Option<(Instant, bool)>,
}

impl State {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long ago something was is told, and part of no result"
    )]
    pub fn new(history: History) -> Self {
        State { history, tested: 0, last_news: Instant::now(), last_look: None }
    }
}

impl Desk<'_> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so much processor time is spent, as far as was found out a moment ago: looking takes time itself.
    #[expect(clippy::disallowed_methods, reason = "when to look is a matter of the clock")]
    fn has_spent(&self, end: Duration) -> bool {
        let mut state = self.state();
        match state.last_look {
            Some((last, is_spent)) if last.elapsed() < LOOK => is_spent,
            _ => {
                let is_spent = processor_time().is_ok_and(|spent| spent >= end);
                state.last_look = Some((Instant::now(), is_spent));
                is_spent
            }
        }
    }

    /// Keeps the folders of the smallest cases of each bug.
    fn tidy(&self, history: &History, finding: &Finding) -> io::Result<()> {
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

    fn show(&self, state: &State) {
        self.status.show(&View {
            history: &state.history,
            tested: state.tested,
            elapsed: self.start.elapsed(),
            since_news: state.last_news.elapsed(),
        });
    }
}

impl CampaignObserver for Desk<'_> {
    fn tested(&self, pairs: u64) {
        let mut state = self.state();
        state.tested += pairs;
        self.show(&state);
    }

    fn found(&self, finding: &Finding) -> io::Result<()> {
        finding.write(&self.folder, self.method).map(drop)
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "how long ago something was is told, and part of no result"
    )]
    fn close(&self, done: &Done) -> Result<(), Error> {
        let Record { summary, findings, lesson } = Record::of(done);
        let (trial, number) = (self.trial.clone(), done.number);
        self.recorder.close_round(StoredRound { trial, number, summary, findings, lesson })?;
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
            self.status.found(finding);
        }
        for finding in &done.findings {
            let name = self.folder.display().to_string();
            self.tidy(&state.history, finding).map_err(|error| Fault::Io(error).of(name))?;
        }
        self.show(&state);
        self.keeper.as_ref().map_or(Ok(()), |keeper| keeper.keep(now, false))
    }

    fn is_over(&self) -> bool {
        let Ends { duration, processor_time, findings } = self.ends;
        self.interrupted.load(Relaxed)
            || duration.is_some_and(|end| self.start.elapsed() >= end)
            || findings.is_some_and(|end| self.state().history.stand().bugs >= end)
            || processor_time.is_some_and(|end| self.has_spent(end))
    }
}

impl Observer for Desk<'_> {
    fn is_done(&self, place: u64, relation: &str, pair: &str) -> Result<bool, Error> {
        self.recorder.is_done(place, relation, pair)
    }

    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        self.recorder.on_group(done)
    }
}
