//! The relations hold on the real SQLite. A violation is a defect of the generator or of SQLite,
//! and is examined in either case.

use std::collections::BTreeMap;

use metacov_core::{Rng, Verdict};
use metacov_methods::sql::sqlite::RELATIONS;

use crate::sqlite;

const TESTS_PER_DATABASE: u64 = 100;

/// Runs about `count` tests on databases from `seed` on. Returns the violations, each with
/// everything that reproduces it, and prints the other results.
fn violations(seed: u64, count: u64) -> Vec<String> {
    let mut violations = Vec::new();
    let mut verdicts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in seed..seed + count.div_ceil(TESTS_PER_DATABASE) {
        let mut rng = Rng::new(seed);
        let built = sqlite::build(&mut rng);
        for (_, relation) in (0..TESTS_PER_DATABASE).zip(RELATIONS.iter().cycle()) {
            let test = relation.derive(built.database.schema(), &mut rng);
            let verdict = test.judge.judge(&built.sqlite.outcomes(&test));
            let name = match &verdict {
                Verdict::Holds => "holds".to_owned(),
                Verdict::Invalid(reason) => reason.to_string(),
                Verdict::Lost { .. } => "lost".to_owned(),
                Verdict::Violated(how) => {
                    let setup: Vec<String> = built
                        .log
                        .iter()
                        .filter(|(_, _, error)| error.is_none())
                        .map(|(_, sql, _)| format!("{sql};"))
                        .collect();
                    let sides =
                        [&test.sides.a, &test.sides.b].map(|side| side[0].statements.join(";\n"));
                    violations.push(format!(
                        "-- seed {seed}, {} {:?}: {how}\n{}\n-- a\n{};\n-- b\n{};\n",
                        relation.info.name,
                        test.judge,
                        setup.join("\n"),
                        sides[0],
                        sides[1]
                    ));
                    "violated".to_owned()
                }
            };
            *verdicts.entry(format!("{}: {name}", relation.info.name)).or_default() += 1;
        }
    }
    for (name, count) in verdicts {
        println!("{count:8} {name}");
    }
    violations
}

#[test]
fn no_relation_is_violated() {
    let violations = violations(0, 20_000);
    assert!(
        violations.is_empty(),
        "{} violations\n{}",
        violations.len(),
        violations[..violations.len().min(3)].join("\n")
    );
}

/// The long form: `METACOV_CHECKS=1000000 METACOV_SEED=7 cargo test --release --test on_sqlite -- --ignored --nocapture`
#[test]
#[ignore = "runs for as long as METACOV_CHECKS says"]
fn no_relation_is_violated_for_long() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    };
    let violations =
        violations(number("METACOV_SEED", 1_000_000), number("METACOV_CHECKS", 100_000));
    assert!(violations.is_empty(), "{} violations\n{}", violations.len(), violations.join("\n"));
}
