use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use metacov_core::{Exit, Failure, Value};

use super::*;
use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget};

/// A target that does what the words of a statement say.
fn obedient(scene: &Scene<'_>) -> Reply {
    let effect = match scene.statement.split_whitespace().last() {
        Some("crash") => Effect::Crash(11),
        Some("exit") => Effect::Exit(3),
        Some("hang") => Effect::Hang,
        Some("fail") => Effect::Error(1),
        _ => return Reply::usual(scene),
    };
    Reply::with(scene, effect)
}

static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: obedient };

fn side(statement: &str) -> Vec<Input> {
    vec![Input::of(statement.to_owned())]
}

fn batch(setup: &[&str], tests: &[[&str; 2]]) -> CaseBatch {
    CaseBatch {
        setup: setup.iter().map(ToString::to_string).collect(),
        tests: tests.iter().map(|[a, b]| Pair { a: side(a), b: side(b) }).collect(),
    }
}

type Results = Vec<Result<CaseResult, Missing>>;

fn run(is_measured: bool, workers: usize, batches: &[CaseBatch]) -> Results {
    let (config, interrupted) = (ScriptedTarget::config(is_measured), AtomicBool::new(false));
    let options = TARGET.options(&config, workers, &interrupted);
    CaseRunner::new(&options).unwrap().run(batches).unwrap()
}

/// For each test: the number that side b returned, or which side was lost, and how.
fn shown(result: &CaseResult) -> Vec<Result<i64, (usize, Failure, Exit)>> {
    let shown = result.pairs.iter().map(|pair| match pair {
        Ok(ran) => match ran.outcomes.b.as_slice() {
            [Outcome::Rows(rows)] => match rows.concat().as_slice() {
                [Value::Integer(number)] => Ok(*number),
                values => panic!("{values:?}"),
            },
            outcomes => panic!("{outcomes:?}"),
        },
        Err((side, missing)) => Err((*side, missing.failure, missing.exit)),
    });
    shown.collect()
}

#[test]
fn tests_that_end_the_target_are_isolated() {
    let tests = [
        ["a 0 1", "b 0 1"],
        ["a 0 2", "b 0 crash"],
        ["a 0 3", "b 0 3"],
        ["a 0 exit", "b 0 4"],
        ["a 0 5", "b 0 hang"],
        ["a 0 crash", "b 0 crash"],
        ["a 0 7", "b 0 7"],
    ];
    for is_measured in [false, true] {
        let results = run(is_measured, 1, &[batch(&["make 1"], &tests)]);
        let result = results[0].as_ref().unwrap();
        assert_eq!(
            shown(result),
            [
                Ok(1),
                Err((1, Failure::Crashed, Exit::Signalled(11))),
                Ok(3),
                Err((0, Failure::Crashed, Exit::Failure(3))),
                Err((1, Failure::TimedOut, Exit::Timeout)),
                Err((0, Failure::Crashed, Exit::Signalled(11))),
                Ok(7),
            ]
        );
        assert_eq!(result.worked, [true]);
    }
}

#[test]
fn a_setup_that_ends_the_target_is_lost_with_all_its_tests() {
    let tests = [["a 0 1", "b 0 1"], ["a 0 2", "b 0 2"], ["a 0 3", "b 0 3"]];
    let batches = [batch(&["make 1", "make crash"], &tests), batch(&["make 1"], &tests)];
    let results = run(true, 1, &batches);
    let missing = results[0].as_ref().unwrap_err();
    assert_eq!((missing.failure, missing.exit), (Failure::Crashed, Exit::Signalled(11)));
    assert_eq!(shown(results[1].as_ref().unwrap()), [Ok(1), Ok(2), Ok(3)]);
}

/// Each attempt takes a process, and the whole timeout if the setup hangs.
#[test]
fn a_setup_that_ends_the_target_is_not_tried_for_each_of_its_tests() {
    static CRASHES: AtomicU64 = AtomicU64::new(0);
    static COUNTING: ScriptedTarget = ScriptedTarget {
        method: &Scripted,
        script: |scene| {
            CRASHES.fetch_add(1, Relaxed);
            Reply::with(scene, Effect::Crash(11))
        },
    };
    let (config, interrupted) = (ScriptedTarget::config(false), AtomicBool::new(false));
    let options = COUNTING.options(&config, 1, &interrupted);
    let batch = batch(&["make 1"], &[["a 0 1", "b 0 1"]; 64]);
    assert!(CaseRunner::new(&options).unwrap().run(&[batch]).unwrap()[0].is_err());
    // All 64, then 32, 16, 8, 4, 2 and 1 of them, and none.
    assert_eq!(CRASHES.load(Relaxed), 8);
}

#[test]
fn results_come_in_the_order_of_the_batches() {
    let number = |number: usize| [format!("a 0 {number}"), format!("b 0 {number}")];
    let numbers: Vec<[String; 2]> = (0..20).map(number).collect();
    let batches: Vec<CaseBatch> =
        numbers.iter().map(|[a, b]| batch(&["make fail"], &[[a, b]])).collect();
    for (at, result) in run(false, 3, &batches).into_iter().enumerate() {
        let result = result.unwrap();
        assert_eq!(shown(&result), [Ok(i64::try_from(at).unwrap())]);
        assert_eq!(result.worked, [false], "a statement that fails is part of the setup");
    }
}

#[test]
fn a_side_is_measured_without_its_setup_and_covers_include_it() {
    let (config, interrupted) = (ScriptedTarget::config(true), AtomicBool::new(false));
    let options = TARGET.options(&config, 1, &interrupted);
    let mut runner = CaseRunner::new(&options).unwrap();
    let results = runner.run(&[batch(&["make 5"], &[["a 0 61", "b 0 61"]])]).unwrap();
    let result = results[0].as_ref().unwrap();
    let lines = |cover: &Cover| -> Vec<u32> {
        let sites = cover.iter().map(|id| runner.table().get(id));
        let lines = sites.filter(|site| site.element == metacov_core::Element::Line);
        lines.map(|site| site.line - 1).collect()
    };
    let pair = result.pairs[0].as_ref().unwrap();
    let sides = pair.sides.as_ref().unwrap();
    assert_eq!((lines(&sides.a), lines(&sides.b)), (vec![6, 21], vec![31]));
    let covers = pair.covers(result.setup.as_ref()).unwrap();
    assert_eq!((lines(&covers.a), lines(&covers.b)), (vec![5, 6, 21], vec![5, 31]));
    let unmeasured = run(false, 1, &[batch(&[], &[["a 0 61", "b 0 61"]])]);
    let pair = unmeasured[0].as_ref().unwrap().pairs[0].as_ref().unwrap();
    assert!(pair.covers(result.setup.as_ref()).is_err());
}
