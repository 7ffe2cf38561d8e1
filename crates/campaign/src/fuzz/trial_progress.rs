//! The progress file of a campaign that belongs to a study: the study reads it, and a campaign that
//! is resumed counts its time from it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use metacov_exec::processor_time;
use metacov_formats::{Error, Fault, Location};
use metacov_store::replace_file;
use serde::{Deserialize, Serialize};

use super::history::CampaignStats;

/// How far the campaign of a trial is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialProgress {
    /// Pairs of the rounds that are complete.
    pub pairs: u64,
    /// Distinct bugs found.
    pub bugs: u64,
    /// Wall clock time of all processes that ran a part of the campaign, in seconds.
    pub seconds: f64,
    /// Their processor time, in seconds.
    pub processor_seconds: f64,
    /// Whether the budget is spent.
    pub is_over: bool,
}

impl TrialProgress {
    /// Reads a progress file. A file that does not exist means that the campaign has not begun.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = || path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| Fault::malformed(Location::Whole, error.to_string()).of(name())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(TrialProgress::default())
            }
            Err(error) => Err(Fault::Io(error).of(name())),
        }
    }
}

/// Writes the progress file of a campaign.
pub(crate) struct ProgressFile {
    path: PathBuf,
    /// The progress of earlier processes.
    before: TrialProgress,
    start: Instant,
}

impl ProgressFile {
    #[expect(clippy::disallowed_methods, reason = "a campaign may be given a time")]
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let before = TrialProgress::read(path)?;
        Ok(ProgressFile { path: path.to_owned(), before, start: Instant::now() })
    }

    /// How much of a wall clock budget earlier processes have left.
    pub(crate) fn time_left(&self, budget: Duration) -> Duration {
        left(budget, self.before.seconds)
    }

    /// How much of a budget of processor time earlier processes have left.
    pub(crate) fn processor_time_left(&self, budget: Duration) -> Duration {
        left(budget, self.before.processor_seconds)
    }

    pub(crate) fn write(&self, stats: CampaignStats, is_over: bool) -> Result<(), Error> {
        let unwritten = |error: io::Error| Fault::Io(error).of(self.path.display().to_string());
        let spent = processor_time().map_err(unwritten)?;
        let progress = TrialProgress {
            pairs: stats.pairs,
            bugs: stats.bugs,
            seconds: self.before.seconds + self.start.elapsed().as_secs_f64(),
            processor_seconds: self.before.processor_seconds + spent.as_secs_f64(),
            is_over,
        };
        let text = serde_json::to_string(&progress).map_err(|error| unwritten(error.into()))?;
        replace_file(&self.path, |out| out.write_all(text.as_bytes())).map_err(unwritten)
    }
}

fn left(budget: Duration, spent: f64) -> Duration {
    budget.saturating_sub(Duration::try_from_secs_f64(spent).unwrap_or_default())
}
