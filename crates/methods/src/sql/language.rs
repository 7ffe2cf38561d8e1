//! The language of an engine's shell: SQL, and perhaps commands that begin with a dot.

use std::collections::BTreeSet;

use metacov_core::{
    Case, Effort, Language, Outcome, Reduction, ReductionStopped, StillFails, Variant,
};

use super::features::{Vocabulary, features};
use super::normal_form::normal_form;
use super::reduce::{reduce, reduce_queries};
use super::settings::Settings;
use super::variants::{Edits, variants};

/// The language of a shell.
pub(crate) struct Shell {
    /// How to run a script, and commands that come first.
    pub(crate) heading: &'static str,
    /// The beginning and the end of a command that prints the name of a side.
    pub(crate) label: [&'static str; 2],
    /// Statements that restore the default settings.
    pub(crate) resets: &'static [&'static str],
    pub(crate) settings: Settings,
    pub(crate) vocabulary: Vocabulary,
    pub(crate) edits: Edits,
    /// A hash of a query plan.
    pub(crate) plan_digest: fn(&Outcome) -> Option<u64>,
}

impl Language for Shell {
    fn extension(&self) -> &'static str {
        "sql"
    }

    fn script(&self, statements: &[String]) -> String {
        statements.iter().flat_map(|statement| [statement, end(statement)]).collect()
    }

    fn statements(&self, script: &str) -> Vec<String> {
        self.settings.brackets.statements(script)
    }

    fn words(&self, statement: &str) -> Vec<String> {
        let tokens = self.settings.brackets.tokens(statement);
        tokens.into_iter().map(|token| token.text).collect()
    }

    fn is_setting(&self, statement: &str) -> bool {
        (self.settings.is_setting)(statement)
    }

    fn reproducer(&self, case: &Case, heading: &[String]) -> String {
        let heading = heading.iter().flat_map(|line| ["-- ", line, "\n"]);
        let mut text: String = heading.collect();
        text.push_str(self.heading);
        text.push_str(&self.script(&case.setup));
        let [begin, finish] = self.label;
        for (name, side) in [("a", &case.sides.a), ("b", &case.sides.b)] {
            text.extend(["\n", begin, name, finish, "\n"]);
            for input in side {
                text.push_str(&self.script(&input.statements));
                if input.statements.iter().any(|statement| self.is_setting(statement)) {
                    text.extend(self.resets.iter().flat_map(|reset| [*reset, end(reset)]));
                }
            }
        }
        text
    }

    fn reduce(
        &self,
        case: &Case,
        effort: Effort,
        candidates_max: usize,
        fails: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped> {
        match effort {
            Effort::Sides => reduce_queries(case, self.settings, candidates_max, fails),
            Effort::Whole => reduce(case, self.settings, candidates_max, fails),
        }
    }

    fn variants(&self, case: &Case, count_max: usize) -> Vec<Variant> {
        variants(case, &self.edits, self.settings, count_max)
    }

    fn features(
        &self,
        case: &Case,
        differing: &BTreeSet<String>,
        is_crash: bool,
    ) -> BTreeSet<String> {
        features(&self.vocabulary, self.settings, case, differing, is_crash)
    }

    fn normal_form(&self, case: &Case) -> Vec<String> {
        normal_form(case, self.settings.brackets)
    }

    fn digest_probe(&self, outcome: &Outcome) -> Option<u64> {
        (self.plan_digest)(outcome)
    }
}

/// What ends a statement: a command of the shell ends at the end of its line.
fn end(statement: &str) -> &'static str {
    if statement.starts_with('.') { "\n" } else { ";\n" }
}
