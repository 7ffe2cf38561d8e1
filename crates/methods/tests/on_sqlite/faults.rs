//! The relations detect faults. Each test puts a fault into the second side and requires that many
//! tests are violated: a relation that is never violated would check nothing.

use metacov_core::{Rng, Test, Verdict};
use metacov_methods::sql::sqlite::RELATIONS;

use crate::sqlite;

const DATABASES: u64 = 40;
const TESTS_EACH: usize = 15;

/// How many percent of the tests of a relation are violated, of all that hold without the fault.
fn detected(relation: &str, fault: impl Fn(&str) -> String) -> usize {
    let relation = RELATIONS
        .iter()
        .find(|other| other.info.name == relation)
        .expect("a relation of this name");
    let (mut all, mut violated) = (0, 0);
    for seed in 0..DATABASES {
        let mut rng = Rng::new(seed);
        let built = sqlite::build(&mut rng);
        for _ in 0..TESTS_EACH {
            let test = relation.derive(built.database.schema(), &mut rng);
            if test.judge.judge(&built.sqlite.outcomes(&test)) != Verdict::Holds {
                continue;
            }
            let faulty = faulty(&test, &fault);
            all += 1;
            violated += usize::from(matches!(
                faulty.judge.judge(&built.sqlite.outcomes(&faulty)),
                Verdict::Violated(_)
            ));
        }
    }
    assert!(all > 300, "{all} tests hold");
    violated * 100 / all
}

fn faulty(test: &Test, fault: impl Fn(&str) -> String) -> Test {
    let mut faulty = test.clone();
    let statements = &mut faulty.sides.b[0].statements;
    for statement in statements.iter_mut().filter(|statement| !statement.starts_with('.')) {
        let changed = fault(statement);
        assert_ne!(&changed, statement, "the fault is in the query");
        *statement = changed;
    }
    faulty
}

fn check(relation: &str, least_percent: usize, fault: impl Fn(&str) -> String) {
    let percent = detected(relation, fault);
    assert!(percent >= least_percent, "{relation} notices {percent} %");
}

/// Drops the second part of a partition.
fn without_second_part(sql: &str) -> String {
    sql.replacen(" WHERE (NOT ", " WHERE (0 AND ", 1)
}

#[test]
fn norec_detects_a_negated_predicate() {
    check("norec", 60, |sql| sql.replacen(" IS TRUE) AS count", " IS NOT TRUE) AS count", 1));
}

#[test]
fn norec_detects_null_taken_for_true() {
    check("norec", 10, |sql| sql.replacen(" IS TRUE) AS count", " IS NOT FALSE) AS count", 1));
}

#[test]
fn tlp_where_detects_missing_rows() {
    check("tlp-where", 60, |sql| format!("SELECT * FROM ({sql}) LIMIT 0"));
}

#[test]
fn tlp_where_detects_an_extra_row() {
    let once_more = |sql: &str| format!("SELECT * FROM ({sql}) UNION ALL SELECT * FROM ({sql})");
    check("tlp-where", 60, once_more);
}

#[test]
fn tlp_distinct_detects_a_missing_part() {
    check("tlp-distinct", 20, without_second_part);
}

#[test]
fn tlp_groupby_detects_a_missing_part() {
    check("tlp-groupby", 20, without_second_part);
}

#[test]
fn tlp_having_detects_a_missing_part() {
    check("tlp-having", 20, |sql| sql.replacen(" HAVING (NOT ", " HAVING (0 AND ", 1));
}

#[test]
fn tlp_aggregate_detects_a_missing_part() {
    check("tlp-aggregate", 15, without_second_part);
}

#[test]
fn the_optimizer_relation_detects_a_limit() {
    check("optimizer", 40, |sql| format!("SELECT * FROM ({sql}) LIMIT 1"));
}
