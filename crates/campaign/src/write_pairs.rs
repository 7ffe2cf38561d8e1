//! Writes generated tests to files instead of running them.

use std::io;

use metacov_core::{Input, Pair};
use metacov_run::RunError;

use crate::plan::TestPlan;
use crate::worker::host::{Heard, WorkerOptions, WorkerProcess, unexpected_reply};
use crate::worker::protocol::{Answer, Request, Script, TestBatch};

/// Writes the tests of a plan, state by state: `each` gets the setup, and the relation, number and
/// sides of each test.
pub fn write_pairs(
    plan: &TestPlan,
    options: &WorkerOptions<'_>,
    mut each: impl FnMut(&[String], (&'static str, u64), &Pair<Vec<Input>>) -> io::Result<()>,
) -> Result<(), RunError> {
    let mut worker = WorkerProcess::start(options)?;
    for subject in 0..plan.subjects {
        let tests: Vec<_> = plan.tests(subject).collect();
        let batch =
            TestBatch { seed: plan.seed, subject, tests: tests.clone(), is_cautious: false };
        worker.ask(&Request::Write(batch));
        let Script { setup, tests: scripts } = match worker.hear(options)? {
            Heard::Answer(Answer::Written(script)) => script,
            Heard::Answer(_) => return Err(unexpected_reply()),
            Heard::Gone(missing) => return Err(RunError::Failed(missing.output_tail)),
        };
        for ((relation, number), sides) in tests.into_iter().zip(&scripts) {
            each(&setup, (options.relation(relation)?, number), sides)?;
        }
    }
    Ok(())
}
