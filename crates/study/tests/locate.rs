//! Ranks a few artificial covers, and explores an artificial engine.

use std::collections::BTreeSet;
use std::time::Duration;

use metacov_campaign::{CaseBatch, CaseResult, PairResult};
use metacov_core::{
    Case, Cover, Effort, Element, Functions, Input, Judge, Language, Missing, Outcome, Pair,
    Reduction, ReductionStopped, Site, SiteTable, StillFails, Symbol, Value, Variant,
};
use metacov_study::corpus::{Change, FixLines};
use metacov_study::locate::{
    Formula, Found, Frequency, SuspiciousLine, Symptom, Unfit, explore, found, rank, shares,
};
use metacov_study::overlap::FileFix;

/// Lines 1 to 20 of one file: `first` up to 10, then `second`.
fn table() -> SiteTable {
    let mut table = SiteTable::new();
    let (file, instance) = (table.file("a.c"), Symbol::NONE);
    for line in 1..=20 {
        table.site(Site { file, line, element: Element::Line, instance });
    }
    for (name, line, end) in [("first", 1, 10), ("second", 11, 20)] {
        let element = Element::Function(table.symbol(name));
        let id = table.site(Site { file, line, element, instance });
        table.set_end(id, end);
    }
    table
}

fn cover(table: &SiteTable, lines: &[u32]) -> Cover {
    let mut cover = Cover::of(table);
    for (id, site) in table.all_sites() {
        if site.element == Element::Line && lines.contains(&site.line) {
            cover.insert(id);
        }
    }
    cover
}

fn frequency(table: &SiteTable, executions: &[&[u32]]) -> Frequency {
    let mut frequency = Frequency::default();
    for lines in executions {
        frequency.add(&cover(table, lines));
    }
    frequency
}

fn symptom(table: &SiteTable) -> Symptom {
    Symptom {
        executed: cover(table, &[1, 2, 3, 11, 12]),
        difference: cover(table, &[3, 12]),
        violating: frequency(table, &[&[1, 2, 3, 11, 12], &[1, 3, 11, 12]]),
        near_misses: frequency(table, &[&[1, 2, 12], &[1, 2, 11, 12]]),
        invalid: 0,
        how: String::new(),
    }
}

#[test]
fn lines_that_violations_need_and_others_rarely_run_are_suspicious() {
    let table = table();
    let functions = Functions::of(&table);
    let passing = frequency(&table, &[&[1, 11], &[1, 11, 12], &[1, 2, 11], &[1, 11]]);
    let ranking = rank(&table, &functions, &[symptom(&table)], &passing, Formula::Suspicion);
    let lines: Vec<(u32, f64)> = ranking.lines.iter().map(|line| (line.line, line.rank)).collect();
    // 3: always needed, never run by others. 12: needed, run by a quarter of the others. 2: not
    // always needed. 11 and 1: run by all, but not every near miss runs 11.
    assert_eq!(lines, [(3, 1.0), (12, 2.0), (2, 3.0), (11, 4.0), (1, 5.0)]);
    let names: Vec<(&str, u32)> =
        ranking.functions.iter().map(|suspect| (suspect.function.as_str(), suspect.line)).collect();
    assert_eq!(names, [("first", 3), ("second", 12)]);
    let third = &ranking.lines[0];
    assert!((third.suspicion - 1.02).abs() < 1e-9 && third.is_mc, "{third:?}");
    assert_eq!((third.passing, third.near_misses), (Some(0.0), Some(0.0)));
}

#[test]
fn equals_share_their_mean_rank() {
    let table = table();
    let functions = Functions::of(&table);
    let symptom = Symptom {
        executed: cover(&table, &[4, 5, 6, 14]),
        difference: cover(&table, &[14]),
        violating: frequency(&table, &[&[4, 5, 6, 14]]),
        near_misses: Frequency::default(),
        invalid: 0,
        how: String::new(),
    };
    let none = Frequency::default();
    let ranking = rank(&table, &functions, &[symptom], &none, Formula::Suspicion);
    let ranks: Vec<(u32, f64)> = ranking.lines.iter().map(|line| (line.line, line.rank)).collect();
    assert_eq!(ranks, [(14, 1.0), (4, 3.0), (5, 3.0), (6, 3.0)]);
    assert_eq!(ranking.lines[0].passing, None, "no share of nothing");
}

#[test]
fn of_two_functions_the_one_with_more_suspicious_lines_comes_first() {
    let table = table();
    let functions = Functions::of(&table);
    let executed = [4, 12, 13, 14];
    let symptom = Symptom {
        executed: cover(&table, &executed),
        difference: cover(&table, &[]),
        violating: frequency(&table, &[&executed]),
        near_misses: Frequency::default(),
        invalid: 0,
        how: String::new(),
    };
    // No line is more suspicious than another.
    let passing = frequency(&table, &[&[], &executed]);
    let names = |formula| {
        let symptoms = std::slice::from_ref(&symptom);
        let ranking = rank(&table, &functions, symptoms, &passing, formula);
        let name = |suspect: &SuspiciousLine| (suspect.function.clone(), suspect.rank);
        ranking.functions.iter().map(name).collect::<Vec<_>>()
    };
    let [first, second] = ["first", "second"].map(ToOwned::to_owned);
    assert_eq!(names(Formula::Suspicion), [(second.clone(), 1.0), (first.clone(), 2.0)]);
    assert_eq!(names(Formula::Ochiai), [(first, 1.5), (second, 1.5)]);
}

#[test]
fn ochiai_is_the_usual_formula() {
    let table = table();
    let functions = Functions::of(&table);
    let passing = frequency(&table, &[&[1, 11], &[1, 11, 12]]);
    let ranking = rank(&table, &functions, &[symptom(&table)], &passing, Formula::Ochiai);
    let of = |line: u32| ranking.lines.iter().find(|other| other.line == line).unwrap().suspicion;
    // Both violating variants run 3, and no other pair does.
    assert!((of(3) - 1.0).abs() < 1e-9);
    // Both run 12, and three others: 2 / sqrt(2 * 5).
    assert!((of(12) - 2.0 / 10f64.sqrt()).abs() < 1e-9);
}

#[test]
fn fixes_are_found_by_their_first_line_and_function() {
    let table = table();
    let functions = Functions::of(&table);
    let passing = frequency(&table, &[&[1, 11], &[1, 11, 12]]);
    let ranking = rank(&table, &functions, &[symptom(&table)], &passing, Formula::Suspicion);
    let at = |lines: [u32; 2]| {
        let lines = vec![FixLines { kind: Change::Modified, lines }];
        found(&ranking, &table, &functions, &[FileFix { path: "a.c".to_owned(), lines }])
    };
    assert_eq!(at([12, 13]), Found { function: Some(2.0), line: Some(2.0) });
    assert_eq!(at([19, 20]), Found { function: Some(2.0), line: None }, "it did not run");
    let all = [at([3, 3]), at([12, 12]), Found::default()];
    let shares = shares(&all);
    assert_eq!((shares.bugs, shares.functions, shares.lines), (3, [1, 2, 2, 2], [2, 2, 2]));
}

/// A language whose variants have another digit in all places of their sides, or a statement less
/// in the setup.
struct Digits;

impl Language for Digits {
    fn variants(&self, case: &Case, _: usize) -> Vec<Variant> {
        let other = |digit: char| {
            let side = |side: Vec<Input>| {
                let input = |input: Input| {
                    let texts = input.statements.iter();
                    Input { statements: texts.map(|text| format!("{text} -- {digit}")).collect() }
                };
                side.into_iter().map(input).collect()
            };
            let edited = |inputs: Vec<Input>| -> Vec<Input> {
                let input = |input: Input| {
                    let texts =
                        input.statements.iter().map(|text| text.replace('1', &digit.to_string()));
                    Input { statements: texts.collect() }
                };
                inputs.into_iter().map(input).collect()
            };
            let (setup, origins) = (case.setup.clone(), (0..case.setup.len()).map(Some).collect());
            let same: Vec<Option<usize>> = Vec::clone(&origins);
            [
                Variant { setup: setup.clone(), origins, sides: case.sides.clone().map(side) },
                Variant { setup, origins: same, sides: case.sides.clone().map(edited) },
            ]
        };
        let mut variants: Vec<Variant> = "23456789abcdefghij".chars().flat_map(other).collect();
        for at in 0..case.setup.len() {
            let (mut setup, mut origins) =
                (case.setup.clone(), (0..case.setup.len()).map(Some).collect::<Vec<_>>());
            setup.remove(at);
            origins.remove(at);
            variants.push(Variant { setup, origins, sides: case.sides.clone() });
        }
        variants
    }

    fn extension(&self) -> &'static str {
        unreachable!("only variants are asked for")
    }

    fn script(&self, _: &[String]) -> String {
        unreachable!("only variants are asked for")
    }

    fn statements(&self, _: &str) -> Vec<String> {
        unreachable!("only variants are asked for")
    }

    fn words(&self, _: &str) -> Vec<String> {
        unreachable!("only variants are asked for")
    }

    fn reproducer(&self, _: &Case, _: &[String]) -> String {
        unreachable!("only variants are asked for")
    }

    fn reduce(
        &self,
        _: &Case,
        _: Effort,
        _: usize,
        _: &mut StillFails<'_>,
    ) -> Result<Reduction, ReductionStopped> {
        unreachable!("only variants are asked for")
    }

    fn features(&self, _: &Case, _: &BTreeSet<String>, _: bool) -> BTreeSet<String> {
        unreachable!("only variants are asked for")
    }

    fn normal_form(&self, _: &Case) -> Vec<String> {
        unreachable!("only variants are asked for")
    }

    fn digest_probe(&self, _: &Outcome) -> Option<u64> {
        unreachable!("only variants are asked for")
    }
}

/// An engine that miscounts if the index exists and the literal is 1.
fn engine(table: &SiteTable, experiments: &[CaseBatch]) -> Vec<Result<CaseResult, Missing>> {
    let run = |experiment: &CaseBatch| {
        let has_table = experiment.setup.iter().any(|statement| statement.contains("TABLE"));
        let has_index = experiment.setup.iter().any(|statement| statement.contains("INDEX i"));
        let pair = |sides: &Pair<Vec<Input>>| {
            let inputs = sides.a.iter().chain(&sides.b);
            let text: String = inputs.flat_map(|input| input.statements.clone()).collect();
            let is_wrong = has_index && text.contains("= 1");
            let rows = |count: i64| Outcome::Rows(vec![vec![Value::Integer(count)]]);
            let error = || Outcome::Error { code: 1, message: String::new() };
            let a = if has_table { rows(i64::from(is_wrong)) } else { error() };
            let lines: &[u32] = if is_wrong { &[1, 12] } else { &[1] };
            let sides = Pair { a: cover(table, lines), b: cover(table, &[1]) };
            Ok(PairResult {
                outcomes: Pair { a: vec![a], b: vec![rows(0)] },
                sides: Some(sides),
                times: Pair { a: Duration::ZERO, b: Duration::ZERO },
            })
        };
        let worked =
            experiment.setup.iter().map(|statement| statement.starts_with("CREATE")).collect();
        let pairs = experiment.tests.iter().map(pair).collect();
        Ok(CaseResult { worked, setup: Some(cover(table, &[3])), pairs })
    };
    experiments.iter().map(run).collect()
}

#[test]
fn variants_are_sorted_by_their_verdict() {
    let own = table();
    let mut common = SiteTable::new();
    let numbers = common.absorb(&own).unwrap();
    let explored = |setup: &[&str], a: &str| {
        let case = Case {
            relation: "norec".to_owned(),
            setup: setup.iter().map(|statement| (*statement).to_owned()).collect(),
            sides: Pair {
                a: vec![Input::of(a.to_owned())],
                b: vec![Input::of(a.replace("COUNT", "SUM"))],
            },
            parts: Vec::new(),
            judge: Judge::Number,
        };
        explore(&case, &Digits, 1000, &numbers, |batches| Ok(engine(&own, batches))).unwrap()
    };
    let setup = ["CREATE TABLE t(c)", "CREATE INDEX i ON t(c)"];
    let symptom = explored(&setup, "SELECT COUNT(*) FROM t WHERE c = 1").unwrap();
    assert_eq!(symptom.executed, cover(&common, &[1, 3, 12]));
    assert_eq!(symptom.difference, cover(&common, &[12]), "the setup is a part of both sides");
    assert!(symptom.violating.executions() > 10, "{}", symptom.violating.executions());
    assert!(symptom.near_misses.executions() > 10, "{}", symptom.near_misses.executions());
    assert!(symptom.invalid > 0, "without its table the pair does not run");
    let line = |number| cover(&common, &[number]).iter().next().unwrap();
    assert_eq!(symptom.violating.share(line(12)), Some(1.0));
    assert_eq!(symptom.near_misses.share(line(12)), Some(0.0));
    let holds = explored(&setup, "SELECT COUNT(*) FROM t WHERE c = 2");
    assert!(matches!(holds, Err(Unfit::Holds)));
    let invalid = explored(&[], "SELECT COUNT(*) FROM t");
    assert!(matches!(invalid, Err(Unfit::Invalid(_))));
}
