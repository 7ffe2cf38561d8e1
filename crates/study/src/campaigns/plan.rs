//! The plan of a study of campaigns: its trials.

use std::fmt;
use std::path::Path;

use metacov_campaign::{CampaignConfig, Schedule, parse_duration};
use metacov_core::Fingerprint;
use metacov_formats::{Fault, Location};
use serde::{Deserialize, Serialize};

use crate::plan::malformed;

/// A study of campaigns, as its file describes it. A trial is one campaign: an engine, a set of
/// relations, a guidance, a seed and a budget.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignPlan {
    /// The kind of study: `campaign`.
    kind: String,
    /// Its title.
    pub title: String,
    /// The engines.
    pub engines: Vec<String>,
    /// The guidances.
    pub guidances: Vec<String>,
    /// Sets of relations, each in the syntax of `--relation`.
    #[serde(default = "all")]
    pub relations: Vec<String>,
    /// How many trials of each combination.
    pub repetitions: u64,
    /// The seed of the first trial of each combination; the others follow.
    #[serde(default = "one")]
    pub seed: u64,
    #[serde(default)]
    cpu_time: Option<String>,
    #[serde(default)]
    duration: Option<String>,
    #[serde(default)]
    pairs: Option<u64>,
    /// A new database is created after this many pairs.
    #[serde(default)]
    pub database_pairs: Option<u64>,
    /// The database is changed after this many pairs without anything new.
    #[serde(default)]
    pub patience: Option<u64>,
    /// Whether coverage and query plans of all trials are observed, including those that are not
    /// guided by them.
    #[serde(default = "yes")]
    pub observe: bool,
    /// Whether it is compared with the paper's Q.4.
    #[serde(default)]
    pub beside_paper: bool,
    /// How it differs from the paper.
    #[serde(default)]
    pub differs: Vec<String>,
}

fn all() -> Vec<String> {
    vec!["all".to_owned()]
}

fn one() -> u64 {
    1
}

fn yes() -> bool {
    true
}

/// The budget of a trial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Processor time, in the syntax of `--cpu-time`.
    CpuTime(String),
    /// Time, in the syntax of `--duration`.
    Duration(String),
    /// The number of pairs.
    Pairs(u64),
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::CpuTime(time) => write!(f, "{time} of processor time"),
            Budget::Duration(time) => write!(f, "{time}"),
            Budget::Pairs(pairs) => write!(f, "{pairs} pairs"),
        }
    }
}

/// A trial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// The engine.
    pub engine: String,
    /// The set of relations.
    pub relations: String,
    /// The guidance.
    pub guidance: String,
    /// Its seed.
    pub seed: u64,
    /// Its budget.
    pub budget: Budget,
    /// A new database is created after this many pairs.
    pub database_pairs: Option<u64>,
    /// The database is changed after this many pairs without anything new.
    pub patience: Option<u64>,
}

impl Trial {
    /// Identifies the trial on any machine: a hash of all its parameters and of the engine's build.
    pub fn id(&self, build: &str) -> String {
        let mut fingerprint = Fingerprint::new();
        fingerprint.text(&format!("{} {build}", self.hashed_text()));
        format!("{:08x}", fingerprint.hash() >> 32)
    }

    /// The text that [`Trial::id`] hashes. It names run files and results of existing studies, so
    /// it must not change, even if a field or a type is renamed.
    fn hashed_text(&self) -> String {
        let Trial { engine, relations, guidance, seed, budget, database_pairs, patience } = self;
        let budget = match budget {
            Budget::CpuTime(time) => format!("CpuTime({time:?})"),
            Budget::Duration(time) => format!("Duration({time:?})"),
            Budget::Pairs(pairs) => format!("Pairs({pairs})"),
        };
        let option = |value: &Option<u64>| match value {
            Some(value) => format!("Some({value})"),
            None => "None".to_owned(),
        };
        let (database_pairs, patience) = (option(database_pairs), option(patience));
        format!(
            "Trial {{ engine: {engine:?}, relations: {relations:?}, guidance: {guidance:?}, seed: {seed}, \
             budget: {budget}, database_pairs: {database_pairs}, patience: {patience} }}"
        )
    }

    /// Returns its campaign, whose run file is resumed if it exists. The error says what is wrong
    /// with the budget.
    pub fn campaign(&self, run_file: &Path) -> Result<CampaignConfig, String> {
        let mut config = CampaignConfig::new(&self.engine, run_file);
        config.guidance.clone_from(&self.guidance);
        config.relations = self.relations.split(',').map(ToOwned::to_owned).collect();
        config.seed = self.seed;
        let Schedule { patience, pairs } = config.schedule;
        config.schedule = Schedule {
            patience: self.patience.unwrap_or(patience),
            pairs: self.database_pairs.unwrap_or(pairs),
        };
        match &self.budget {
            Budget::CpuTime(time) => config.limits.processor_time = Some(parse_duration(time)?),
            Budget::Duration(time) => config.limits.duration = Some(parse_duration(time)?),
            Budget::Pairs(pairs) => config.pairs = Some(*pairs),
        }
        config.resume = true;
        Ok(config)
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} seed {}", self.engine, self.relations, self.guidance, self.seed)
    }
}

impl CampaignPlan {
    /// The value of `kind` in the file of such a study.
    pub(crate) const KIND: &str = "campaign";

    /// Reads a study.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let plan: CampaignPlan = toml::from_str(text).map_err(|error| malformed(text, &error))?;
        let wrong = |what: &str| Err(Fault::malformed(Location::Whole, what));
        let budgets = [plan.cpu_time.is_some(), plan.duration.is_some(), plan.pairs.is_some()];
        match budgets.iter().filter(|is_there| **is_there).count() {
            _ if plan.engines.is_empty() => wrong("missing `engines`, such as [\"sqlite\"]"),
            _ if plan.guidances.is_empty() => wrong("missing `guidances`, such as [\"mix\"]"),
            _ if plan.relations.is_empty() => wrong("missing `relations`"),
            _ if plan.repetitions == 0 => wrong("`repetitions` must be at least 1"),
            0 => wrong("missing budget: `cpu_time`, `duration` or `pairs`"),
            1 if plan.pairs == Some(0) => wrong("`pairs` must be at least 1"),
            1 => Ok(plan),
            _ => wrong("several budgets: give one of `cpu_time`, `duration` and `pairs`"),
        }
    }

    /// Returns the budget of each trial.
    pub fn budget(&self) -> Budget {
        match (&self.cpu_time, &self.duration) {
            (Some(time), _) => Budget::CpuTime(time.clone()),
            (_, Some(time)) => Budget::Duration(time.clone()),
            (None, None) => Budget::Pairs(self.pairs.unwrap_or_default()),
        }
    }

    /// Returns all trials. Those with the same seed are adjacent, so that an incomplete study can
    /// be compared.
    pub fn trials(&self) -> Vec<Trial> {
        let mut trials = Vec::new();
        for repetition in 0..self.repetitions {
            for engine in &self.engines {
                for relations in &self.relations {
                    trials.extend(self.guidances.iter().map(|guidance| Trial {
                        engine: engine.clone(),
                        relations: relations.clone(),
                        guidance: guidance.clone(),
                        seed: self.seed.wrapping_add(repetition),
                        budget: self.budget(),
                        database_pairs: self.database_pairs,
                        patience: self.patience,
                    }));
                }
            }
        }
        trials
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "kind = 'campaign'\ntitle = 't'\nengines = ['sqlite']\nguidances = ['mix', 'mcg']\n\
                        repetitions = 2\nseed = 7\n";

    #[test]
    fn trials_of_one_seed_are_adjacent_and_ids_are_unique() {
        let trials = CampaignPlan::parse(&format!("{PLAN}pairs = 100\n")).unwrap().trials();
        let names: Vec<String> = trials.iter().map(ToString::to_string).collect();
        let expected = ["mix seed 7", "mcg seed 7", "mix seed 8", "mcg seed 8"];
        assert_eq!(names, expected.map(|name| format!("sqlite all {name}")));
        let mut ids: Vec<String> = trials.iter().map(|trial| trial.id("1")).collect();
        ids.extend(trials.iter().map(|trial| trial.id("2")));
        let longer = CampaignPlan::parse(&format!("{PLAN}pairs = 101\n")).unwrap().trials();
        ids.extend(longer.iter().map(|trial| trial.id("1")));
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 12);
    }

    /// Unfinished studies and published results identify trials by these ids.
    #[test]
    fn ids_never_change() {
        let trial = |budget, database_pairs, patience| Trial {
            engine: "sqlite@3.29.0".to_owned(),
            relations: "norec,\"tlp\"".to_owned(),
            guidance: "mix".to_owned(),
            seed: 7,
            budget,
            database_pairs,
            patience,
        };
        let (pairs, time) = (Budget::Pairs(100), "1h30m".to_owned());
        let trials = [
            trial(pairs, None, None).id("0123456789abcdef"),
            trial(Budget::CpuTime(time.clone()), Some(50), None).id("b"),
            trial(Budget::Duration(time), Some(50), Some(9)).id("b"),
        ];
        assert_eq!(trials, ["fb2eacb2", "ac40d605", "e067a562"]);
    }

    #[test]
    fn there_is_one_budget() {
        let message =
            |more: &str| CampaignPlan::parse(&format!("{PLAN}{more}")).unwrap_err().to_string();
        assert!(message("").contains("missing budget"));
        assert!(message("pairs = 3\ncpu_time = '1h'\n").contains("several budgets"));
        assert!(message("pair = 3\n").starts_with("line 7: unknown field `pair`"));
    }
}
