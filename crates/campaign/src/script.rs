//! Tests that are written down.

use std::io;

use metacov_relations::{ALL, Side};

use crate::message::{Answer, Request, Script, TestBatch};
use crate::plan::Plan;
use crate::worker::{Heard, Worker, WorkerOptions};

/// Writes the tests of a plan down, database by database: `each` gets the setup, and the relation,
/// number and sides of each test.
pub fn write(
    plan: &Plan,
    conditions: &WorkerOptions<'_>,
    mut each: impl FnMut(&[String], (&'static str, u64), &[Vec<String>; 2]) -> io::Result<()>,
) -> io::Result<()> {
    let mut worker = Worker::start(conditions)?;
    for database in 0..plan.databases {
        let tests: Vec<_> = plan.tests(database).collect();
        let job = TestBatch { seed: plan.seed, database, tests: tests.clone(), is_cautious: false };
        worker.ask(&Request::Write(job));
        let Script { setup, tests: scripts } = match worker.hear(conditions)? {
            Heard::Answer(Answer::Written(script)) => script,
            Heard::Answer(Answer::Failed(what)) => return Err(io::Error::other(what)),
            Heard::Answer(_) => return Err(io::Error::other("a worker that makes no sense")),
            Heard::Gone(missing) => return Err(io::Error::other(missing.output_tail)),
        };
        for ((relation, number), sides) in tests.into_iter().zip(&scripts) {
            each(&setup, (ALL[relation].name(), number), sides)?;
        }
    }
    Ok(())
}

/// Statements as SQLite's shell takes them.
pub fn script(statements: &[String]) -> String {
    let mut text = String::new();
    for statement in statements {
        text.push_str(statement);
        // What is for the shell ends with its line.
        text.push_str(if statement.starts_with('.') { "\n" } else { ";\n" });
    }
    text
}

/// The statements of a side, in the words of SQLite's shell.
pub(crate) fn written(side: &Side) -> Vec<String> {
    let switches = side.optimizations_off.map(|off| format!(".testctrl optimizations {off:#x}"));
    switches.into_iter().chain(side.statements.iter().cloned()).collect()
}
