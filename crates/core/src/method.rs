//! Methods: how tests in one input language are made, and what can be done to a stored case.
//!
//! A [`Method`] is implemented in a crate of its own and handed down as `&dyn Method`, so that nothing that runs, stores or
//! reports tests knows a language. Tests are made in the process that runs them, by a [`Subject`]; failing ones are
//! examined later and elsewhere, on stored text, by the [`Language`].

use std::collections::{BTreeMap, BTreeSet};

use crate::{Case, Input, Outcome, Pair, ReductionStopped, Rng, Test};

/// What an opened target says of itself, by name: its version, its compile-time options.
pub type Facts = BTreeMap<String, String>;

/// A relation, as users see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelationInfo {
    /// Its name on command lines and in results.
    pub name: &'static str,
    /// What must hold, in a sentence.
    pub about: &'static str,
}

/// Makes tests in one input language.
pub trait Method: Sync {
    /// Its relations. Append only: the position of a relation is mixed into the seeds of its tests.
    fn relations(&self) -> &'static [RelationInfo];

    /// Kinds of changes of a state, by name. Append only: campaigns store rewards by position.
    fn mutators(&self) -> &'static [&'static str];

    /// Makes one state and the tests on it, for a target with these facts.
    fn subject(&self, facts: &Facts) -> Box<dyn Subject>;

    /// The language of its inputs.
    fn language(&self) -> &'static dyn Language;
}

/// A state in the making, and the tests on it. It owns no randomness: every call gets the stream to draw from.
pub trait Subject {
    /// The next statement that makes or changes the state; none if the state is complete.
    fn next_setup(&mut self, rng: &mut Rng) -> Option<SetupStep>;

    /// What came of the last statement.
    fn accept(&mut self, outcome: &Outcome);

    /// A test of the relation at this position.
    fn derive(&self, relation: usize, rng: &mut Rng) -> Test;

    /// Plans a change by the mutator at this position: the statements come out of [`next_setup`](Self::next_setup).
    fn mutate(&mut self, mutator: usize);
}

/// A statement that makes or changes a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupStep {
    /// What kind of statement it is, for counting.
    pub kind: &'static str,
    /// Its text.
    pub statement: String,
}

/// Says of each of some cases whether it still fails.
pub type StillFails<'f> = dyn FnMut(&[Case]) -> Result<Vec<bool>, ReductionStopped> + 'f;

/// What can be done to a stored case without running it.
pub trait Language: Sync {
    /// The extension of its files, without a dot; also the name of its blocks in Markdown.
    fn extension(&self) -> &'static str;

    /// Statements as a script.
    fn script(&self, statements: &[String]) -> String;

    /// The statements of a script.
    fn statements(&self, script: &str) -> Vec<String>;

    /// The words of a statement.
    fn words(&self, statement: &str) -> Vec<String>;

    /// Whether a statement only sets how the others run.
    fn is_setting(&self, _statement: &str) -> bool {
        false
    }

    /// A script that shows a case to a person who has the target; the lines of `heading` come first, as comments.
    fn reproducer(&self, case: &Case, heading: &[String]) -> String;

    /// Makes a case smaller while it fails, asking about `candidates_max` candidates at most.
    fn reduce(
        &self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped>;

    /// Cases that are one small edit away, each once: `count_max` at most, from all parts alike.
    fn variants(&self, case: &Case, count_max: usize) -> Vec<Variant>;

    /// What a reduced case needs to fail, in words. `differing` are the functions that only one of its sides runs;
    /// `is_crash` says that it fails by ending the target, whatever the relation.
    fn features(
        &self,
        case: &Case,
        differing: &BTreeSet<String>,
        is_crash: bool,
    ) -> BTreeSet<String>;

    /// The statements of a case without what is left to chance, such as names: equal for cases that are the same.
    fn normal_form(&self, case: &Case) -> Vec<String>;

    /// What tells the outcome of a test's probe from others; none if it says nothing.
    fn digest_probe(&self, outcome: &Outcome) -> Option<u64>;
}

/// How much of a case is reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only its sides. That is cheap: a state is made once for many candidates.
    Sides,
    /// All of it.
    Whole,
}

/// A case that was made smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// What is left.
    pub case: Case,
    /// How many candidates were asked about.
    pub candidates: usize,
}

/// A case that is one small edit away from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    /// What makes the state.
    pub setup: Vec<String>,
    /// Of each statement of the setup: its position in the other's setup, if it was there.
    pub origins: Vec<Option<usize>>,
    /// The inputs of each side.
    pub sides: Pair<Vec<Input>>,
}
