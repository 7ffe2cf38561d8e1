//! The result of a suite, as stored in a study's folder.

use metacov_core::Criterion;
use metacov_formats::{Fault, Location};
use serde::{Deserialize, Serialize};

use crate::files::{FileVersion, ResultFile};
use crate::{Measurement, SuiteMutants, SuiteNumbers, plan};

/// The result of a suite. Covers are not stored: those of ten suites of ten thousand pairs would
/// fill a disk, and any suite can be measured again from its seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteResult {
    version: FileVersion,
    /// The target.
    pub target: String,
    /// A fingerprint of all its code.
    pub build: String,
    /// The planned number of pairs of each relation; zero if the pairs are given.
    pub size: u64,
    /// Its number among suites of its kind, from one.
    pub number: u64,
    /// Its seed.
    pub seed: u64,
    /// How long it took.
    pub seconds: f64,
    /// How much processor time it took, workers included.
    pub processor_seconds: f64,
    /// The numbers.
    pub measurements: Vec<Numbers>,
    /// What became of mutants, if the suite was run with them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutants: Option<SuiteMutants>,
}

/// A [`Measurement`] as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    relation: String,
    criterion: String,
    pairs: u64,
    failed: u64,
    sites: u64,
    executed: u64,
    /// `validated` in files of version 1.
    #[serde(alias = "validated")]
    mc_sites: u64,
}

/// How long something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Wall-clock time, in seconds.
    pub wall: f64,
    /// Processor time of all processors together, in seconds.
    pub processor: f64,
}

impl std::ops::Add for Time {
    type Output = Time;

    fn add(self, other: Time) -> Time {
        Time { wall: self.wall + other.wall, processor: self.processor + other.processor }
    }
}

impl std::iter::Sum for Time {
    fn sum<I: Iterator<Item = Time>>(times: I) -> Time {
        times.fold(Time::default(), std::ops::Add::add)
    }
}

impl ResultFile for SuiteResult {
    fn check(&self) -> Result<(), Fault> {
        self.record().map(drop)
    }
}

impl SuiteResult {
    /// Creates the result of a suite.
    pub fn new(suite: &plan::SuiteSpec, record: &SuiteNumbers, time: Time) -> Self {
        let numbers = |of: &Measurement| Numbers {
            relation: of.relation.clone(),
            criterion: of.criterion.to_string(),
            pairs: of.pairs,
            failed: of.failed,
            sites: of.sites,
            executed: of.executed,
            mc_sites: of.mc_sites,
        };
        SuiteResult {
            version: FileVersion,
            target: suite.target.clone(),
            build: record.build.clone(),
            size: suite.size,
            number: suite.number,
            seed: suite.seed,
            seconds: time.wall,
            processor_seconds: time.processor,
            measurements: record.measurements.iter().map(numbers).collect(),
            mutants: None,
        }
    }

    /// Identifies it in its study.
    pub fn key(&self) -> (&str, u64, u64) {
        (&self.target, self.size, self.number)
    }

    /// The name of its suite, as in [`plan::SuiteSpec::name`].
    pub fn suite_name(&self) -> String {
        plan::suite_name(&self.target, self.size, self.number)
    }

    /// The numbers of the suite, without its time.
    pub fn numbers(&self) -> &[Numbers] {
        &self.measurements
    }

    /// How many pairs could not be measured.
    pub fn failed(&self) -> u64 {
        self.measurements.iter().map(|of| of.failed).sum()
    }

    /// The numbers of the suite.
    pub fn record(&self) -> Result<SuiteNumbers, Fault> {
        let measurement = |of: &Numbers| {
            let criterion: Criterion = of
                .criterion
                .parse()
                .map_err(|what: String| Fault::malformed(Location::Whole, what))?;
            if of.mc_sites > of.executed || of.executed > of.sites {
                let what = format!(
                    "{} of {}: more MC sites than executed sites, or more executed than all",
                    criterion, of.relation
                );
                return Err(Fault::malformed(Location::Whole, what));
            }
            Ok(Measurement {
                relation: of.relation.clone(),
                criterion,
                pairs: of.pairs,
                failed: of.failed,
                sites: of.sites,
                executed: of.executed,
                mc_sites: of.mc_sites,
            })
        };
        let measurements = self.measurements.iter().map(measurement).collect::<Result<_, _>>()?;
        Ok(SuiteNumbers {
            name: format!("{}-{}-{:03}", self.target, self.size, self.number),
            build: self.build.clone(),
            measurements,
        })
    }
}
