//! The stored result of a trial.

use std::collections::BTreeMap;

use metacov_campaign::families;
use metacov_core::BuildMismatch;
use metacov_formats::{Error, Fault};
use serde::{Deserialize, Serialize};

use super::Trial;
use crate::Time;
use crate::files::{FileVersion, ResultFile};

/// The result of a trial. The pairs themselves are in its run file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialOutcome {
    /// The version of the file.
    pub version: FileVersion,
    /// Identifies the trial.
    pub id: String,
    /// The trial.
    pub trial: Trial,
    /// The build of the engine.
    pub build: String,
    /// Pairs that were tested.
    pub pairs: u64,
    /// Pairs whose sides were compared.
    pub checks: u64,
    /// Pairs that violated their relation.
    pub violations: u64,
    /// By group of findings: how many pairs were tested at the end of the round that first found
    /// it.
    pub groups: BTreeMap<String, u64>,
    /// What its pairs ran, if it was observed.
    pub observed: Option<Observed>,
    /// How long it took, without observing what its pairs ran unless it was guided by that.
    pub time: Time,
}

/// What the pairs of a trial ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Edges of the flow graphs that are in the difference of at least one pair.
    pub differing: u64,
    /// Edges that ran.
    pub executed: u64,
    /// Lines in the difference of at least one of the stored pairs.
    pub lines: u64,
    /// Distinct query plans.
    pub plans: u64,
}

impl ResultFile for TrialOutcome {}

impl TrialOutcome {
    /// Returns how many pairs it took to find each bug, which is a family of groups.
    pub fn bugs(&self) -> BTreeMap<&str, u64> {
        let families = families(self.groups.keys().map(String::as_str));
        let first =
            |family: &[&str]| family.iter().filter_map(|group| self.groups.get(*group)).min();
        let bugs = families.into_iter();
        bugs.map(|(bug, family)| (bug, first(&family).copied().unwrap_or_default())).collect()
    }

    /// Whether they are equal, except for the time.
    fn agrees(&self, other: &Self) -> bool {
        let timeless = |of: &Self| Self { time: Time::default(), ..of.clone() };
        timeless(self) == timeless(other)
    }

    /// The order of two results of the same trial: that of their texts, so that it does not matter
    /// which came first.
    fn rank(&self) -> String {
        self.to_json()
    }
}

/// Unites trials of several folders, by their ids. Returns also how many of them occurred more than
/// once, and how many of those differ between the folders. Different builds of an engine are
/// refused.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Budget;

    fn outcome(seed: u64, build: &str, seconds: u64) -> TrialOutcome {
        let trial = Trial {
            engine: "sqlite".to_owned(),
            relations: "all".to_owned(),
            guidance: "mix".to_owned(),
            seed,
            budget: Budget::Pairs(100),
            database_pairs: None,
            patience: None,
        };
        TrialOutcome {
            version: FileVersion,
            id: trial.id(build),
            trial,
            build: build.to_owned(),
            pairs: 100,
            checks: 90,
            violations: seed,
            groups: BTreeMap::from([(format!("bug{seed}"), 50)]),
            observed: None,
            time: Time { wall: 0.0, processor: f64::from(u32::try_from(seconds).unwrap()) },
        }
    }

    proptest! {
        /// A trial that was lost and repeated has another time, and counts once.
        #[test]
        fn trials_are_united_in_any_order_and_with_repetition(
            parts in prop::collection::vec(prop::collection::vec((0..5u64, 0..3u64), 0..5), 1..5),
            shuffle in any::<prop::sample::Index>(),
        ) {
            let part = |(at, of): (usize, &Vec<(u64, u64)>)| {
                let of = of.iter().map(|(seed, seconds)| outcome(*seed, "b", *seconds));
                (at.to_string(), of.collect::<Vec<_>>())
            };
            let parts: Vec<_> = parts.iter().enumerate().map(part).collect();
            let (united, _, disputed) = unite_trials(&parts).unwrap();
            prop_assert_eq!(disputed, 0);
            let ids: Vec<&str> = united.iter().map(|of| of.id.as_str()).collect();
            prop_assert!(ids.is_sorted_by(|left, right| left < right));
            let mut others = parts.clone();
            others.rotate_left(shuffle.index(parts.len()));
            others.reverse();
            others.push(("again".to_owned(), united.clone()));
            others.extend(parts);
            prop_assert_eq!(unite_trials(&others).unwrap().0, united);
        }
    }

    #[test]
    fn other_builds_are_refused_with_both_named() {
        let parts = [("a", "one"), ("b", "two")];
        let parts = parts.map(|(name, build)| (name.to_owned(), vec![outcome(1, build, 1)]));
        let said = unite_trials(&parts).unwrap_err().to_string();
        assert!(said.contains("build one there, two here"), "{said}");
    }
}
