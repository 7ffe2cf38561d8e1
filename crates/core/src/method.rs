//! Methods: how tests in one input language are generated, and how stored cases are edited.
//!
//! A [`Method`] is implemented in another crate and passed as `&dyn Method`, so that the code that
//! runs, stores or reports tests knows no language. Tests are generated in the process that runs
//! them, by a [`Subject`]; failing ones are examined later in another process, on stored text, by
//! the [`Language`].

use std::collections::{BTreeMap, BTreeSet};

use crate::{Case, Input, Outcome, Pair, ReductionStopped, Rng, Test};

/// What an opened target reports about itself, by name: its version, its compile-time options.
pub type Facts = BTreeMap<String, String>;

/// A relation, as users see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationInfo {
    /// Its name on command lines and in results.
    pub name: &'static str,
    /// The property that must hold, in a sentence.
    pub about: &'static str,
}

/// Generates tests in one input language.
pub trait Method: Sync {
    /// Its relations. Append only: the position of a relation is mixed into the seeds of its tests.
    fn relations(&self) -> &'static [RelationInfo];

    /// Kinds of changes of a state, by name. Append only: campaigns store rewards by position.
    fn mutators(&self) -> &'static [&'static str];

    /// Creates a state and the tests on it, for a target with these facts.
    fn subject(&self, facts: &Facts) -> Box<dyn Subject>;

    /// The language of its inputs.
    fn language(&self) -> &'static dyn Language;
}

/// A state under construction, and the tests on it. It has no source of randomness: every call is
/// given the stream to draw from.
pub trait Subject {
    /// Returns the next statement that builds or changes the state; none if the state is complete.
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep>;

    /// Receives the outcome of the last statement.
    fn accept(&mut self, outcome: &Outcome);

    /// Derives a test of the relation at this position.
    fn derive(&self, relation: usize, rng: &mut Rng) -> Test;

    /// Plans a change by the mutator at this position: [`next_setup`](Self::next_setup) returns its
    /// statements.
    fn mutate(&mut self, mutator: usize);
}

/// A statement that builds or changes a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupStep {
    /// The kind of the statement, for counting.
    pub kind: &'static str,
    /// Its text.
    pub statement: String,
}

/// Says for each case whether it still fails.
pub type StillFails<'f> = dyn FnMut(&[Case]) -> Result<Vec<bool>, ReductionStopped> + 'f;

/// Operations on a stored case that do not run it.
pub trait Language: Sync {
    /// Returns the extension of its files, without a dot; also the name of its blocks in Markdown.
    fn extension(&self) -> &'static str;

    /// Returns what a comment begins with, which ends with its line.
    fn comment(&self) -> &'static str {
        "--"
    }

    /// Joins statements to a script: one on each line, unless the language has other ends.
    fn script(&self, statements: &[String]) -> String {
        statements.iter().flat_map(|statement| [statement.as_str(), "\n"]).collect()
    }

    /// Splits a script into statements.
    fn statements(&self, script: &str) -> Vec<String>;

    /// Splits a statement into words.
    fn words(&self, statement: &str) -> Vec<String>;

    /// Whether a statement only changes how the others run.
    fn is_setting(&self, _statement: &str) -> bool {
        false
    }

    /// Returns a script that reproduces a case for a person who has the target; the lines of
    /// `heading` come first, as comments.
    fn reproducer(&self, case: &Case, heading: &[String]) -> String;

    /// Reduces a case while it fails, trying `candidates_max` candidates at most.
    fn reduce(
        &self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped>;

    /// Returns distinct cases that are one small edit away: `count_max` at most, evenly from all
    /// parts.
    fn variants(&self, case: &Case, count_max: usize) -> Vec<Variant>;

    /// Returns the words that a reduced case needs to fail. `differing` are the functions that only
    /// one of its sides runs; `is_crash` says that it fails by ending the target, whatever the
    /// relation.
    fn features(
        &self,
        case: &Case,
        differing: &BTreeSet<String>,
        is_crash: bool,
    ) -> BTreeSet<String>;

    /// Returns the statements of a case without arbitrary details such as names: equal cases have
    /// equal normal forms.
    fn normal_form(&self, case: &Case) -> Vec<String>;

    /// Returns a hash that identifies the outcome of a test's probe; none if it says nothing.
    fn digest_probe(&self, _outcome: &Outcome) -> Option<u64> {
        None
    }
}

/// How much of a case to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only its sides. This is cheap: one state serves many candidates.
    Sides,
    /// All of it.
    Whole,
}

/// The result of a reduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The smaller case.
    pub case: Case,
    /// How many candidates were tried.
    pub candidates: usize,
}

/// A case that is one small edit away from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The statements that build the state.
    pub setup: Vec<String>,
    /// The position of each statement in the setup of the original, if it was there.
    pub origins: Vec<Option<usize>>,
    /// The inputs of each side.
    pub sides: Pair<Vec<Input>>,
}
