//! Most generated statements of every kind work on the real SQLite.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_core::{Outcome, Rng, SuccessRates};
use metacov_methods::sql::sqlite::{Kind, RELATIONS};

use crate::sqlite;

const DATABASES: u64 = 300;
const TESTS_EACH: usize = 3;
const WANTED_PERCENT: u64 = 90;
/// How many reasons of failures are shown.
const REASONS_MAX: usize = 40;

/// Errors by kind and message (without numbers): how many, and the first statement.
#[derive(Default)]
struct Reasons(BTreeMap<String, (usize, String)>);

impl Reasons {
    fn add(&mut self, kind: &str, sql: &str, error: &str) {
        let error = error.split(" in ").next().unwrap_or_default();
        let reason: String =
            error.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
        let entry = self.0.entry(format!("{kind}: {reason}")).or_insert((0, sql.to_owned()));
        entry.0 += 1;
    }
}

#[test]
fn most_statements_and_queries_of_each_kind_work() {
    let (mut successes, mut reasons) = (SuccessRates::default(), Reasons::default());
    for seed in 0..DATABASES {
        let mut rng = Rng::new(seed);
        let built = sqlite::build(&mut rng);
        for (kind, sql, error) in &built.log {
            successes.statement(kind.text(), error.is_none());
            if let Some(error) = error {
                reasons.add(kind.text(), sql, error);
            }
        }
        for relation in RELATIONS.iter().flat_map(|relation| [relation; TESTS_EACH]) {
            let test = relation.derive(built.database.schema(), &mut rng);
            let outcomes = built.sqlite.outcomes(&test);
            let sides = [('a', &test.sides.a, &outcomes.a), ('b', &test.sides.b, &outcomes.b)];
            for (name, side, outcome) in sides {
                let relation = relation.info.name;
                successes.side(relation, name, outcome.iter().all(Outcome::is_success));
                if let [Outcome::Error { message, .. }] = outcome.as_slice() {
                    reasons.add(relation, &side[0].statements.join("; "), message);
                }
            }
        }
    }
    let table = table(&successes, reasons);
    // Shown with `--nocapture`, and if too few work.
    println!("{table}");
    assert!(!table.contains("syntax error"), "all that is printed can be read\n{table}");
    for kind in Kind::ALL {
        assert!(successes.by_kind.contains_key(kind.text()), "{kind:?} is never generated");
    }
    for (kind, success) in &successes.by_kind {
        assert!(success.percent() >= Some(WANTED_PERCENT), "{kind}\n{table}");
    }
}

fn table(successes: &SuccessRates, reasons: Reasons) -> String {
    let mut table = String::new();
    let all = ("all".to_owned(), successes.total());
    for (kind, success) in successes.by_kind.iter().chain([(&all.0, &all.1)]) {
        let percent = success.percent().unwrap_or_default();
        writeln!(table, "{kind:32} {:6} of {:6} {percent:4} %", success.worked, success.tried)
            .expect("a string");
    }
    let mut reasons: Vec<_> = reasons.0.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, sql)) in reasons.iter().take(REASONS_MAX) {
        let sql: String = sql.chars().take(300).collect();
        writeln!(table, "{count:5} {reason}\n        {sql}").expect("a string");
    }
    table
}
