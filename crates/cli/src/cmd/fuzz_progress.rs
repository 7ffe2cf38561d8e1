//! How far a campaign is that belongs to a study: a small file that the study reads, and that a campaign that
//! goes on counts its time from.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use metacov_campaign::CampaignStats;
use metacov_exec::processor_time;
use metacov_formats::{Error, Fault, Location};
use serde::{Deserialize, Serialize};

use crate::output::{Output, write_whole};

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Pairs of rounds that are over.
    pub pairs: u64,
    /// Bugs.
    pub bugs: u64,
    /// How long all processes took that went on with it.
    pub seconds: f64,
    pub processor_seconds: f64,
    /// Whether its budget is spent.
    pub is_over: bool,
}

impl Progress {
    /// What a file says; nothing has been done if there is none.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = || path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| Fault::malformed(Location::Whole, error.to_string()).of(name())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Progress::default()),
            Err(error) => Err(Fault::Io(error).of(name())),
        }
    }

    /// How much of a budget is left.
    pub fn left(of: Duration, spent: f64) -> Duration {
        of.saturating_sub(Duration::try_from_secs_f64(spent).unwrap_or_default())
    }
}

/// Keeps the file.
pub struct TrialProgress {
    path: PathBuf,
    before: Progress,
    start: Instant,
}

impl TrialProgress {
    #[expect(clippy::disallowed_methods, reason = "a campaign may be given a time")]
    pub fn new(path: &Path) -> Result<Self, Error> {
        let before = Progress::read(path)?;
        Ok(TrialProgress { path: path.to_owned(), before, start: Instant::now() })
    }

    /// What was there.
    pub fn before(&self) -> Progress {
        self.before
    }

    /// Writes down how far it is.
    pub fn keep(&self, stand: CampaignStats, is_over: bool) -> Result<(), Error> {
        let spent = processor_time()
            .map_err(|error| Fault::Io(error).of(self.path.display().to_string()))?;
        let progress = Progress {
            pairs: stand.pairs,
            bugs: stand.bugs,
            seconds: self.before.seconds + self.start.elapsed().as_secs_f64(),
            processor_seconds: self.before.processor_seconds + spent.as_secs_f64(),
            is_over,
        };
        let text = serde_json::to_string(&progress).unwrap_or_default();
        write_whole(&Output::File(self.path.clone()), |out| out.write_all(text.as_bytes()))
    }
}
