//! Most of what is generated works on the real SQLite.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use metacov_relations::{ALL, Outcome, Rng};

use crate::sqlite;

const DATABASES: u64 = 200;
const TESTS_EACH: usize = 20;
const WANTED_PERCENT: usize = 90;

#[test]
fn most_statements_and_queries_work() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for seed in 0..DATABASES {
        let mut rng = Rng::new(seed);
        let built = sqlite::build(&mut rng);
        let mut count = |kind: &'static str, sql: &str, error: Option<&String>| {
            let entry = counts.entry(kind).or_default();
            entry.0 += usize::from(error.is_none());
            entry.1 += 1;
            if let Some(error) = error {
                let error = error.split(" in ").next().unwrap_or_default();
                let reason: String =
                    error.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
                let entry =
                    reasons.entry(format!("{kind}: {reason}")).or_insert((0, sql.to_owned()));
                entry.0 += 1;
            }
        };
        for (kind, sql, error) in &built.log {
            count(kind.text(), sql, error.as_ref());
        }
        for relation in ALL {
            for _ in 0..=TESTS_EACH / ALL.len() {
                let test = relation.derive(built.database.schema(), &mut rng);
                let outcomes = built.sqlite.outcomes(&test);
                for (side, outcome) in [(&test.sides.a, &outcomes.a), (&test.sides.b, &outcomes.b)]
                {
                    match outcome {
                        Outcome::Rows(_) => count(relation.name(), &side.statements[0], None),
                        Outcome::Error { message, .. } => {
                            count(relation.name(), &side.statements[0], Some(message));
                        }
                    }
                }
            }
        }
    }
    let mut table = String::new();
    for (kind, (worked, all)) in &counts {
        writeln!(table, "{kind:32} {worked:6} of {all:6} {:4} %", worked * 100 / all)
            .expect("a string");
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (reason, (count, sql)) in reasons.iter().take(40) {
        writeln!(
            table,
            "{count:5} {reason}\n        {}",
            sql.chars().take(300).collect::<String>()
        )
        .expect("a string");
    }
    let worked: usize = counts.values().map(|count| count.0).sum();
    let all: usize = counts.values().map(|count| count.1).sum();
    writeln!(table, "{:32} {worked:6} of {all:6} {:4} %", "all", worked * 100 / all)
        .expect("a string");
    let unread = reasons.iter().find(|(reason, _)| reason.contains("syntax error"));
    assert_eq!(unread, None, "all that is printed can be read");
    // Shown with `--nocapture`, and when it is too little.
    println!("{table}");
    assert!(worked * 100 >= all * WANTED_PERCENT, "{table}");
}
