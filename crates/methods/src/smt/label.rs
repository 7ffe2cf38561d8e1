//! The right answer of a formula, and where files state it.

use metacov_core::{Outcome, Value};
use serde::{Deserialize, Serialize};

/// The right answer of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Label {
    /// It can be satisfied.
    Sat,
    /// It cannot.
    Unsat,
}

impl Label {
    /// Returns what a solver should answer.
    pub fn answer(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Unsat => "unsat",
        }
    }

    /// Returns the only answer of a solver, if it has decided a formula.
    pub fn decided(outcome: &Outcome) -> Option<Self> {
        let Outcome::Rows(rows) = outcome else { return None };
        let [row] = &rows[..] else { return None };
        let [Value::Text(answer)] = &row[..] else { return None };
        Self::named(str::from_utf8(answer).ok()?)
    }

    fn named(word: &str) -> Option<Self> {
        [Self::Sat, Self::Unsat].into_iter().find(|label| label.answer() == word)
    }

    /// Finds the label of a script: its `:status`, else a comment `; EXPECT: sat`, else the innermost
    /// folder named `sat` or `unsat`. Names of files do not count: `not_sat.smt2` is unsatisfiable.
    pub(super) fn of(status: Option<&str>, text: &str, name: &str) -> Option<Self> {
        let expected = || {
            let lines = text.lines().filter_map(|line| line.strip_prefix("; EXPECT:"));
            lines.map(str::trim).next().and_then(Self::named)
        };
        let by_folder = || name.rsplit('/').skip(1).find_map(Self::named);
        status.and_then(Self::named).or_else(expected).or_else(by_folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_single_answer_is_a_decision() {
        let row = |answer: &str| vec![Value::Text(answer.into())];
        let decided = |rows: &[&str]| {
            Label::decided(&Outcome::Rows(rows.iter().map(|answer| row(answer)).collect()))
        };
        assert_eq!(decided(&["sat"]), Some(Label::Sat));
        assert_eq!(decided(&["unsat"]), Some(Label::Unsat));
        for other in [&["unknown"][..], &["sat", "unsat"], &[]] {
            assert_eq!(decided(other), None);
        }
        let error = Outcome::Error { code: 1, message: "sat".to_owned() };
        assert_eq!(Label::decided(&error), None);
    }

    #[test]
    fn labels_are_found_in_this_order() {
        let of = Label::of;
        assert_eq!(of(Some("sat"), "; EXPECT: unsat", "unsat/a.smt2"), Some(Label::Sat));
        assert_eq!(of(Some("unknown"), "; EXPECT: unsat", "sat/a.smt2"), Some(Label::Unsat));
        assert_eq!(of(None, "", "QF_LRA/sat/unsatisfied.smt2"), Some(Label::Sat));
        assert_eq!(of(None, "", "unsat/QF_LRA/sat/a.smt2"), Some(Label::Sat));
        assert_eq!(of(None, "", "QF_LRA/prop_not_sat.smt2"), None);
        assert_eq!(of(None, "", "not-sat/sat"), None);
        assert_eq!(of(None, "; EXPECT: valid", "seeds/a.smt2"), None);
    }
}
