//! What came of a trial, as its file keeps it.

use std::collections::BTreeMap;

use metacov_core::BuildMismatch;
use metacov_formats::{Error, Fault};
use serde::{Deserialize, Serialize};

use super::Trial;
use crate::Time;
use crate::kept::{self, FormVersion};

/// What came of a trial. The pairs themselves are in its run file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialOutcome {
    /// The form of the file.
    pub version: FormVersion,
    /// What tells it from all others.
    pub id: String,
    /// The trial.
    pub trial: Trial,
    /// Which build of the engine.
    pub build: String,
    /// Pairs that were tested.
    pub pairs: u64,
    /// Pairs whose sides were compared.
    pub checks: u64,
    /// Pairs that violated their relation.
    pub violations: u64,
    /// By bug: how many pairs were tested when the round was over that found it first.
    pub bugs: BTreeMap<String, u64>,
    /// What its pairs ran, if that was looked at.
    pub observed: Option<Observed>,
    /// How long it took, without looking at what its pairs ran unless it was guided by that.
    pub time: Time,
}

/// What the pairs of a trial ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Edges of the flow graphs that are in the difference of a pair.
    pub differing: u64,
    /// Edges that ran.
    pub executed: u64,
    /// Lines in the difference of a pair, of those that were kept for what they brought.
    pub lines: u64,
    /// Query plans.
    pub plans: u64,
}

impl TrialOutcome {
    /// As text.
    pub fn to_json(&self) -> String {
        kept::to_json(self)
    }

    /// From text.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        kept::parse(text)
    }

    /// The same, but for the time that it took.
    fn agrees(&self, other: &Self) -> bool {
        let timeless = |of: &Self| Self { time: Time::default(), ..of.clone() };
        timeless(self) == timeless(other)
    }

    /// Which of two of the same trial stands: the order of their texts decides, whatever came first.
    fn rank(&self) -> String {
        self.to_json()
    }
}

/// Unites trials of several folders, by their names; how many of them were there more than once, and of
/// how many of those the folders say different things. Different builds of an engine are refused.
pub fn unite_trials(
    parts: &[(String, Vec<TrialOutcome>)],
) -> Result<(Vec<TrialOutcome>, usize, usize), Error> {
    let mut builds: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    let mut trials: BTreeMap<&str, Vec<&TrialOutcome>> = BTreeMap::new();
    for (name, outcomes) in parts {
        for outcome in outcomes {
            let engine = outcome.trial.engine.as_str();
            let (known, earlier) = *builds.entry(engine).or_insert((&outcome.build, name));
            if known != outcome.build {
                let build = &outcome.build;
                let place = format!("{engine} (build {known} there, {build} here)");
                let mismatch = BuildMismatch { place };
                return Err(Fault::OtherBuild { earlier: earlier.to_owned(), mismatch }.of(name));
            }
            trials.entry(&outcome.id).or_default().push(outcome);
        }
    }
    let repeated = trials.values().filter(|same| same.len() > 1).count();
    let disputed = trials.values().filter(|same| same.iter().any(|of| !of.agrees(same[0]))).count();
    let best = |same: Vec<&TrialOutcome>| same.into_iter().min_by_key(|of| of.rank()).cloned();
    Ok((trials.into_values().filter_map(best).collect(), repeated, disputed))
}
