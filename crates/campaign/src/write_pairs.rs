//! Writes generated tests to files instead of running them.

use std::fmt;
use std::io;

use metacov_core::{Input, Missing, counted};
use metacov_run::RunError;

use crate::plan::TestPlan;
use crate::worker::host::{Heard, WorkerOptions, WorkerProcess, unexpected_reply};
use crate::worker::protocol::{Answer, Request, Script, TestBatch};

/// A state that could not be made, so that there are no tests on it.
#[derive(Debug)]
pub struct LostState {
    /// Its number.
    pub subject: u64,
    /// How many tests are left out.
    pub tests: u64,
    /// What happened.
    pub missing: Missing,
}

impl fmt::Display for LostState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LostState { subject, tests, missing } = self;
        let tests = counted(*tests, "pair", "pairs");
        let Missing { failure, exit, .. } = missing;
        write!(
            f,
            "database {subject} cannot be made: {} ({exit}); {tests} left out",
            failure.name()
        )
    }
}

/// Writes the tests of a plan, state by state: `each` gets the relation and the number of a test,
/// and the script of each side, which begins with the setup. Returns the states that could not be
/// made.
pub fn write_pairs(
    plan: &TestPlan,
    options: &WorkerOptions<'_>,
    mut each: impl FnMut(&'static str, u64, [(&'static str, String); 2]) -> io::Result<()>,
) -> Result<Vec<LostState>, RunError> {
    let language = options.language();
    let (mut worker, mut lost) = (None, Vec::new());
    for subject in 0..plan.subjects {
        let mut running = match worker.take() {
            Some(running) => running,
            None => WorkerProcess::start(options)?,
        };
        let tests: Vec<_> = plan.tests(subject).collect();
        let batch =
            TestBatch { seed: plan.seed, subject, tests: tests.clone(), is_cautious: false };
        running.ask(&Request::Write(batch));
        let (missing, is_gone) = match running.hear(options)? {
            Heard::Answer(Answer::Written(Script { setup, tests: scripts })) => {
                for ((relation, number), sides) in tests.into_iter().zip(&scripts) {
                    let script = |side: &[Input]| {
                        let mut text = language.script(&setup);
                        text.extend(side.iter().map(|input| language.script(&input.statements)));
                        text
                    };
                    let scripts = [("a", script(&sides.a)), ("b", script(&sides.b))];
                    each(options.relation(relation)?, number, scripts)?;
                }
                worker = Some(running);
                continue;
            }
            Heard::Answer(Answer::Lost(missing)) => (missing, false),
            Heard::Answer(_) => return Err(unexpected_reply()),
            Heard::Gone(missing) => (missing, true),
        };
        lost.push(LostState { subject, tests: tests.len() as u64, missing });
        worker = (!is_gone).then_some(running);
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use metacov_core::Exit;

    use super::*;
    use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget};

    /// A state with a 3 ends the process that makes it, one with a 4 the worker.
    fn unmakeable(scene: &Scene<'_>) -> Reply {
        match scene.statement {
            "make 3" => Reply::with(scene, Effect::Crash(6)),
            "make 4" => Reply::with(scene, Effect::Exit(1)),
            _ => Reply::usual(scene),
        }
    }

    #[test]
    fn a_state_that_cannot_be_made_costs_only_its_tests() {
        static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: unmakeable };
        static SOUND: ScriptedTarget =
            ScriptedTarget { method: &Scripted, script: |scene| Reply::usual(scene) };
        let plan = TestPlan { seed: 5, relations: vec![1, 0], pairs: 40, subjects: 10 };
        let (config, interrupted) = (ScriptedTarget::config(false), AtomicBool::new(false));
        let written = |target: &'static ScriptedTarget| {
            let mut tests = Vec::new();
            let lost = write_pairs(
                &plan,
                &target.options(&config, 1, &interrupted),
                |relation, number, scripts| {
                    tests.push((relation, number, scripts));
                    Ok(())
                },
            );
            (tests, lost.unwrap())
        };
        let (mut all, lost) = written(&SOUND);
        assert_eq!((all.len(), lost.len()), (80, 0));
        let (rest, lost) = written(&TARGET);
        let is_made = |script: &str| !["make 3", "make 4"].iter().any(|step| script.contains(step));
        all.retain(|(_, _, [(_, a), _])| is_made(a));
        assert!(rest == all && !rest.is_empty(), "the other tests are the same");
        let pairs: u64 = lost.iter().map(|state| state.tests).sum();
        assert_eq!(pairs, 80 - rest.len() as u64);
        assert!(lost.iter().any(|state| state.missing.exit == Exit::Signalled(6)), "{lost:?}");
        assert!(lost.iter().any(|state| state.missing.exit == Exit::Failure(1)), "{lost:?}");
    }
}
