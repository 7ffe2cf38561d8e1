//! The results in one folder of a study: all of them, or those that one machine measured.

use std::collections::BTreeMap;

use metacov_core::BuildMismatch;
use metacov_formats::{Error, Fault, Location};

use crate::{Efficiency, KnownBugs, ResultFile, SuiteResult};

/// The results in one folder of a study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyShard {
    /// The folder.
    pub name: String,
    /// The study, as its author wrote it.
    pub study: String,
    /// Its suites.
    pub outcomes: Vec<SuiteResult>,
    /// Known bugs.
    pub bugs: Option<KnownBugs>,
    /// The cost of the gcovr pipeline.
    pub efficiency: Option<Efficiency>,
}

impl StudyShard {
    /// Whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty() && self.bugs.is_none() && self.efficiency.is_none()
    }

    /// The builds that were run: purpose, engine, build.
    fn builds(&self) -> impl Iterator<Item = ((&'static str, &str), &str)> {
        let suites = self.outcomes.iter().map(|of| (("the suites of", &of.target), &of.build));
        let overlaps = self.bugs.iter().flat_map(|bugs| &bugs.overlaps);
        let overlaps = overlaps.map(|of| (("known bugs on", &of.engine), &of.build));
        let correlation = self.bugs.iter().filter_map(|bugs| bugs.correlation.as_ref());
        let correlation = correlation.map(|of| (("known bugs on", &of.engine), &of.build));
        let efficiency =
            self.efficiency.iter().map(|of| (("the pipeline on", &of.target), &of.build));
        suites
            .chain(overlaps)
            .chain(correlation)
            .chain(efficiency)
            .map(|((what, engine), build)| ((what, engine.as_str()), build.as_str()))
    }
}

/// The union of shards.
#[derive(Clone, Debug, PartialEq)]
pub struct United {
    /// The results of all shards, without a name.
    pub part: StudyShard,
    /// How many suites, or known bugs, have different results in different shards.
    pub disputed: usize,
}

/// Unites shards of one study. Different builds are refused.
///
/// A result that is in several shards is kept once. If they differ, the one with fewer failures is
/// kept, and then the order of their texts decides. So the result does not depend on the order and
/// the number of steps in which shards are united, nor on repetition.
pub fn unite(parts: &[StudyShard]) -> Result<United, Error> {
    let refused = |what: String, part: &StudyShard| {
        Err(Fault::malformed(Location::Whole, what).of(&part.name))
    };
    let Some(first) = parts.first() else {
        return Err(Fault::malformed(Location::Whole, "missing folder of a study").of("study"));
    };
    let mut builds: BTreeMap<(&str, &str), (&str, &str)> = BTreeMap::new();
    let mut outcomes: BTreeMap<(&str, u64, u64), Choice<'_, SuiteResult>> = BTreeMap::new();
    let mut bugs: Option<(&StudyShard, Choice<'_, KnownBugs>)> = None;
    let mut efficiency: Option<Choice<'_, Efficiency>> = None;
    for part in parts {
        if part.study != first.study {
            return refused(format!("is not of the same study as {}", first.name), part);
        }
        for (what, build) in part.builds() {
            let (known, earlier) = *builds.entry(what).or_insert((build, &part.name));
            if known != build {
                let place = format!("{} {} (build {known} there, {build} here)", what.0, what.1);
                let fault = Fault::OtherBuild {
                    earlier: earlier.to_owned(),
                    mismatch: BuildMismatch { place },
                };
                return Err(fault.of(&part.name));
            }
        }
        for outcome in &part.outcomes {
            let choice = outcomes.entry(outcome.key()).or_default();
            choice.add(outcome, (outcome.failed(), outcome.to_json()), |left, right| {
                left.seed == right.seed && left.numbers() == right.numbers()
            });
        }
        if let Some(of) = &part.bugs {
            let (earlier, choice) = bugs.get_or_insert_with(|| (part, Choice::default()));
            if choice.best.as_ref().is_some_and(|(_, best)| best.corpus != of.corpus) {
                return refused(
                    format!("has known bugs of another corpus than {}", earlier.name),
                    part,
                );
            }
            choice.add(of, (of.left_out.len() as u64, of.to_json()), |left, right| left == right);
        }
        if let Some(of) = &part.efficiency {
            // More pairs are better.
            let rank = u64::MAX - of.pairs.len() as u64;
            efficiency.get_or_insert_default().add(of, (rank, of.to_json()), |_, _| true);
        }
    }
    let disputed = outcomes.values().filter(|choice| choice.is_disputed).count()
        + bugs.iter().filter(|(_, choice)| choice.is_disputed).count();
    let part = StudyShard {
        name: String::new(),
        study: first.study.clone(),
        outcomes: outcomes.into_values().filter_map(Choice::best).collect(),
        bugs: bugs.and_then(|(_, choice)| choice.best()),
        efficiency: efficiency.and_then(Choice::best),
    };
    Ok(United { part, disputed })
}

/// The best of several; the lowest rank is best.
struct Choice<'p, T> {
    best: Option<((u64, String), &'p T)>,
    is_disputed: bool,
}

impl<T> Default for Choice<'_, T> {
    fn default() -> Self {
        Choice { best: None, is_disputed: false }
    }
}

impl<'p, T: Clone> Choice<'p, T> {
    fn add(&mut self, one: &'p T, rank: (u64, String), agree: impl Fn(&T, &T) -> bool) {
        if let Some((_, best)) = &self.best {
            self.is_disputed |= !agree(best, one);
        }
        if self.best.as_ref().is_none_or(|(best, _)| rank < *best) {
            self.best = Some((rank, one));
        }
    }

    fn best(self) -> Option<T> {
        self.best.map(|(_, best)| best.clone())
    }
}
