//! The file of a study: which suites to measure.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_campaign::{SuiteConfig, SuiteOptions};
use metacov_formats::{Fault, Location};
use metacov_run::RunError;
use serde::Deserialize;

/// A study as its file describes it: targets, relations, suites, sizes, seeds.
/// `docs/evaluating-your-method.md` explains each line of one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudyPlan {
    /// Its title.
    pub title: String,
    /// Engines for which pairs are generated.
    #[serde(default)]
    pub targets: Vec<String>,
    /// Engines of the quick form, if the others take long to build. No other version is built for
    /// known bugs then.
    #[serde(default)]
    pub quick_targets: Vec<String>,
    /// The relations, by name.
    #[serde(default)]
    pub relations: Vec<String>,
    /// How many pairs of each relation a suite has, for each size.
    #[serde(default)]
    pub sizes: Vec<u64>,
    /// How many suites of each size.
    #[serde(default)]
    pub suites: u64,
    /// How many pairs of each relation use the same database.
    #[serde(default = "ten")]
    pub pairs_per_database: u64,
    /// The seed of the first suite; the others follow.
    #[serde(default = "one")]
    pub seed: u64,
    /// The command of the user's program instead, with `@@` for the input.
    #[serde(default)]
    pub command: Vec<String>,
    /// Its suites: folders of pairs, or manifests, relative to the study's file.
    #[serde(default)]
    pub pairs: Vec<PathBuf>,
    /// More options of `metacov measure`.
    #[serde(default)]
    pub options: Vec<String>,
    /// Known bugs, for Q.1.
    #[serde(default)]
    pub bugs: Option<BugsPlan>,
    /// A sample for the paper's pipeline, for Q.3.
    #[serde(default)]
    pub efficiency: Option<EfficiencyPlan>,
    /// Mutants that the suites are also run with.
    #[serde(default)]
    pub mutants: Option<MutantsPlan>,
    /// The program of the paper to compare with.
    #[serde(default)]
    pub beside: Option<String>,
    /// How the study differs from the paper.
    #[serde(default)]
    pub differs: Vec<String>,
}

fn ten() -> u64 {
    10
}

fn one() -> u64 {
    1
}

/// Known bugs whose pairs are run.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BugsPlan {
    /// The corpus, relative to the study's file.
    pub corpus: PathBuf,
    /// The engine that all of them are run on for the correlation: coverage of different versions
    /// cannot be united.
    #[serde(default = "engine_of_bugs")]
    pub engine: String,
    /// The versions that are built for their bugs; all if it is empty.
    #[serde(skip)]
    built: Vec<String>,
}

fn engine_of_bugs() -> String {
    "sqlite@3.29.0".to_owned()
}

impl BugsPlan {
    /// Returns the plan for a corpus, on an engine, or on the one that most known bugs are in.
    fn of(corpus: PathBuf, engine: Option<&String>) -> Self {
        let engine = engine.map_or_else(engine_of_bugs, String::clone);
        BugsPlan { corpus, engine, built: Vec::new() }
    }

    /// Whether a version that is not there is built for its bugs.
    pub fn builds(&self, name: &str) -> bool {
        self.built.is_empty() || self.built.iter().any(|built| built == name)
    }
}

/// A sample of pairs that the paper's pipeline measures too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EfficiencyPlan {
    /// How many pairs, distributed over the relations and rounded up.
    pub pairs: u64,
}

/// Mutants that all suites of a study are run with, for the mutation scores of Q.2, Q.3 and Q.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MutantsPlan {
    /// How many mutants of the target; all if it is absent.
    pub sample: Option<NonZero<usize>>,
}

/// A part of a study that is measured at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A suite.
    Suite(SuiteSpec),
    /// All known bugs.
    Bugs(BugsPlan),
    /// The paper's pipeline on a sample.
    Efficiency(EfficiencyPlan),
}

/// A suite to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteSpec {
    /// The engine, or the program.
    pub target: String,
    /// How many pairs of each relation; zero if the pairs are given.
    pub size: u64,
    /// Its number among suites of its kind, from one.
    pub number: u64,
    /// The seed.
    pub seed: u64,
    /// The pairs, if they are given.
    pub pairs: Option<PathBuf>,
}

impl SuiteSpec {
    /// Returns the name of its file, without the extension.
    pub fn name(&self) -> String {
        suite_name(&self.target, self.size, self.number)
    }
}

pub(crate) fn suite_name(target: &str, size: u64, number: u64) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "@.-_".contains(letter);
    let target = target.replace(|letter: char| !is_plain(letter), "_");
    match size {
        0 => format!("{target}-{number:03}"),
        size => format!("{target}-{size}-{number:03}"),
    }
}

impl StudyPlan {
    /// Reads a study.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let plan: StudyPlan = toml::from_str(text).map_err(|error| malformed(text, &error))?;
        let wrong = |what: &str| Err(Fault::malformed(Location::Whole, what));
        match (plan.targets.is_empty(), plan.command.is_empty()) {
            (true, true) => wrong("missing `targets` or `command`"),
            (false, false) => wrong("both `targets` and `command`: give one of them"),
            (false, _) if plan.sizes.is_empty() || plan.suites == 0 => {
                wrong("missing `suites` (how many) and `sizes` (of how many pairs)")
            }
            (false, _) if plan.sizes.contains(&0) || plan.pairs_per_database == 0 => {
                wrong("`sizes` must be at least 1")
            }
            (_, false) if plan.pairs.is_empty() => wrong("missing `pairs`: a path for each suite"),
            (true, _) if plan.efficiency.is_some() => {
                wrong("`[efficiency]` needs `targets`: its pairs are generated")
            }
            (true, _) if plan.mutants.is_some() => {
                wrong("`[mutants]` needs `targets`: metacov builds them with mutants")
            }
            _ if plan.efficiency.is_some_and(|sample| sample.pairs == 0) => {
                wrong("`pairs` of `[efficiency]` must be at least 1")
            }
            _ => Ok(plan),
        }
    }

    /// Returns what is measured for a suite; paths are relative to the study's folder.
    pub fn config(
        &self,
        suite: &SuiteSpec,
        folder: &Path,
        mut options: SuiteOptions,
    ) -> Result<SuiteConfig, RunError> {
        if let Some(pairs) = &suite.pairs {
            // A program with a path is relative to the study; one without is searched for in
            // `PATH`.
            let at_path = |word: &String| {
                if word.contains('/') { folder.join(word).into() } else { OsString::from(word) }
            };
            let program = self.command.iter().take(1).map(at_path);
            let arguments = self.command.iter().skip(1).map(OsString::from);
            return options.given(program.chain(arguments).collect(), folder.join(pairs), None);
        }
        if !self.relations.is_empty() {
            options.relations.clone_from(&self.relations);
        }
        let databases = suite.size.div_ceil(self.pairs_per_database);
        Ok(options.generated(suite.target.clone(), suite.size, databases, suite.seed))
    }

    /// Returns a study that takes a minute: three suites of the two smallest sizes, and one pair in
    /// the paper's pipeline. It shows that everything works; its numbers are those of very few
    /// suites.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.sizes.sort_unstable();
        self.sizes.truncate(2);
        self.suites = self.suites.min(3);
        self.efficiency = self.efficiency.map(|_| EfficiencyPlan { pairs: 1 });
        if let Some(first) = self.quick_targets.first() {
            if let Some(bugs) = &mut self.bugs {
                bugs.engine.clone_from(first);
                bugs.built.clone_from(&self.quick_targets);
            }
            self.targets.clone_from(&self.quick_targets);
        }
        self
    }

    /// The same study with the known bugs of another corpus.
    #[must_use]
    pub fn with_corpus(mut self, corpus: PathBuf) -> Self {
        self.bugs = Some(match self.bugs {
            Some(bugs) => BugsPlan { corpus, ..bugs },
            None => BugsPlan::of(corpus, self.targets.first()),
        });
        self
    }

    /// Returns all tasks, short ones first.
    pub fn tasks(&self) -> Vec<Task> {
        let bugs = self.bugs.clone().map(Task::Bugs);
        let efficiency = self.efficiency.map(Task::Efficiency);
        bugs.into_iter().chain(efficiency).chain(self.all().into_iter().map(Task::Suite)).collect()
    }

    /// Returns all suites, small ones first.
    pub fn all(&self) -> Vec<SuiteSpec> {
        let mut suites = Vec::new();
        for target in &self.targets {
            for size in &self.sizes {
                suites.extend((1..=self.suites).map(|number| SuiteSpec {
                    target: target.clone(),
                    size: *size,
                    number,
                    seed: self.seed.wrapping_add(number - 1),
                    pairs: None,
                }));
            }
        }
        let program = self.command.first().map(Path::new).and_then(Path::file_name);
        let program = program.unwrap_or_default().to_string_lossy().into_owned();
        let given = (1..).zip(&self.pairs).map(|(number, pairs)| SuiteSpec {
            target: program.clone(),
            size: 0,
            number,
            seed: 0,
            pairs: Some(pairs.clone()),
        });
        suites.extend(given);
        suites.sort_by_key(|suite| suite.size);
        suites
    }
}

/// The error of a study that cannot be parsed, with its position.
pub(crate) fn malformed(text: &str, error: &toml::de::Error) -> Fault {
    let line = |span: std::ops::Range<usize>| {
        Location::Line(text.get(..span.start).unwrap_or_default().split('\n').count() as u64)
    };
    Fault::malformed(error.span().map_or(Location::Whole, line), error.message())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_is_its_suites() {
        let text = "title = 't'\ntargets = ['sqlite']\nsizes = [100, 50]\nsuites = 2\nseed = 7\n";
        let names: Vec<String> = StudyPlan::parse(text)
            .unwrap()
            .all()
            .iter()
            .map(|suite| format!("{} {}", suite.name(), suite.seed))
            .collect();
        let expected =
            ["sqlite-50-001 7", "sqlite-50-002 8", "sqlite-100-001 7", "sqlite-100-002 8"];
        assert_eq!(names, expected);
    }

    #[test]
    fn the_quick_form_may_have_other_targets() {
        let text = "title = 't'\ntargets = ['duckdb@0.5.1']\nquick_targets = ['duckdb@0.1.6']\n\
                    sizes = [50]\nsuites = 9\n[bugs]\ncorpus = 'c'\nengine = 'duckdb@0.5.1'\n";
        let plan = StudyPlan::parse(text).unwrap();
        assert!(plan.bugs.as_ref().unwrap().builds("duckdb@0.5.1"));
        let quick = plan.quick();
        assert_eq!((quick.targets[0].as_str(), quick.suites), ("duckdb@0.1.6", 3));
        let bugs = quick.bugs.unwrap();
        assert_eq!(bugs.engine, "duckdb@0.1.6");
        assert!(bugs.builds("duckdb@0.1.6") && !bugs.builds("duckdb@0.5.1"));
        let plan = StudyPlan::parse("title = 't'\ntargets = ['z3']\nsizes = [9]\nsuites = 1\n");
        let plan = plan.unwrap().with_corpus("bugs.json".into());
        assert_eq!(plan.bugs.unwrap().engine, "z3");
    }

    #[test]
    fn mistakes_are_reported_with_their_line() {
        let message = |text: &str| StudyPlan::parse(text).unwrap_err().to_string();
        assert!(message("title = 't'\nsize = 3\n").starts_with("line 2: unknown field `size`"));
        assert!(message("title = 't'\n").contains("missing `targets` or `command`"));
        assert!(message("title = 't'\ntargets = ['sqlite']\n").contains("missing `suites`"));
    }
}
