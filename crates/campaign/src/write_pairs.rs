//! Writes generated tests to files instead of running them.

use std::io;

use metacov_core::Input;
use metacov_run::RunError;

use crate::plan::TestPlan;
use crate::worker::host::{Heard, WorkerOptions, WorkerProcess, unexpected_reply};
use crate::worker::protocol::{Answer, Request, Script, TestBatch};

/// Writes the tests of a plan, state by state: `each` gets the relation and the number of a test,
/// and the script of each side, which begins with the setup.
pub fn write_pairs(
    plan: &TestPlan,
    options: &WorkerOptions<'_>,
    mut each: impl FnMut(&'static str, u64, [(&'static str, String); 2]) -> io::Result<()>,
) -> Result<(), RunError> {
    let language = options.language();
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
            let script = |side: &[Input]| {
                let mut text = language.script(&setup);
                text.extend(side.iter().map(|input| language.script(&input.statements)));
                text
            };
            let scripts = [("a", script(&sides.a)), ("b", script(&sides.b))];
            each(options.relation(relation)?, number, scripts)?;
        }
    }
    Ok(())
}
