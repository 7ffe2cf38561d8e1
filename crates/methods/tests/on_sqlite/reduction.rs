//! Cases are reduced on the real SQLite, and each step remains a case of its relation.

use std::collections::BTreeMap;

use metacov_core::{Case, Effort, Input, Outcome, Pair, Reduction, Rng, Verdict};
use metacov_methods::SQLITE;
use metacov_methods::sql::sqlite::RELATIONS;

use crate::sqlite::{self, Sqlite};

const DATABASES: u64 = 3;
const CANDIDATES_MAX: usize = 400;

/// The outcomes of a case on a new database.
fn outcomes(case: &Case) -> Pair<Vec<Outcome>> {
    let sqlite = Sqlite::new();
    for statement in &case.setup {
        sqlite.run(statement);
    }
    let outcome = |input: &Input| {
        let mut all = Vec::new();
        for statement in input.statements.iter().filter(|statement| !statement.starts_with('.')) {
            match sqlite.run(statement) {
                Outcome::Rows(rows) => all.extend(rows),
                error @ Outcome::Error { .. } => return error,
            }
        }
        Outcome::Rows(all)
    };
    case.sides.as_ref().map(|side| side.iter().map(outcome).collect())
}

/// Cases of all relations.
fn cases(databases: u64) -> Vec<(&'static str, Case)> {
    let mut cases = Vec::new();
    for seed in 0..databases {
        let mut rng = Rng::new(seed);
        let built = sqlite::build(&mut rng);
        for relation in RELATIONS {
            let test = relation.derive(built.database.schema(), &mut rng);
            let setup = built.log.iter().map(|(_, sql, _)| sql.clone()).collect();
            let name = relation.info.name;
            cases.push((name, Case::of(name, setup, &test)));
        }
    }
    cases
}

/// Reduces a case while its outcomes stay the same. `judged` counts the candidates that are judged,
/// and those whose sides disagree. SQLite has no such bugs, so the latter would not be tests of the
/// relation.
///
/// The optimiser's switches cannot be set from here, so both sides of that relation are the same
/// query, which does not show whether steps preserve the relation.
fn reduced(case: &Case, judged: &mut [usize; 2]) -> Reduction {
    let wanted = outcomes(case);
    let mut fails = |candidates: &[Case]| {
        let fails = candidates.iter().map(|candidate| {
            let given = outcomes(candidate);
            match candidate.judge.judge(&given) {
                Verdict::Holds => judged[0] += 1,
                Verdict::Violated(_) => judged[1] += 1,
                Verdict::Invalid(_) | Verdict::Lost { .. } => {}
            }
            given == wanted
        });
        Ok(fails.collect())
    };
    let language = SQLITE.language();
    let reduction = language.reduce(case, Effort::Whole, CANDIDATES_MAX, &mut fails).unwrap();
    assert_eq!(outcomes(&reduction.case), wanted);
    assert!(reduction.case.size().bytes <= case.size().bytes, "{case:?}");
    assert!(reduction.candidates <= CANDIDATES_MAX);
    reduction
}

#[test]
fn reduced_cases_belong_to_the_same_relation() {
    let mut judged: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut bytes = [0, 0];
    for (relation, case) in cases(DATABASES) {
        let reduction = reduced(&case, judged.entry(relation).or_default());
        bytes[0] += case.size().bytes;
        bytes[1] += reduction.case.size().bytes;
    }
    println!("{bytes:?} bytes; judged, and of these violated: {judged:?}");
    assert!(bytes[1] * 4 < bytes[0], "{bytes:?}");
    for (relation, [holding, violated]) in judged {
        assert!(violated == 0 && holding > 100, "{relation}: {violated}, {holding}");
    }
}

#[test]
fn the_same_case_is_reduced_in_the_same_way() {
    for (_, case) in cases(1) {
        let once = reduced(&case, &mut [0, 0]);
        assert_eq!(reduced(&case, &mut [0, 0]), once);
    }
}
