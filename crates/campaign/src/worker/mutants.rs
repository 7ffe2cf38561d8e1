//! Runs a test with each mutant that it reaches, in a worker.
//!
//! The state is built without a mutant. The test then runs once, and where it first reaches a place with mutants, each
//! of them gets a process, which is set on there, finishes both sides, and judges them. So a mutant is on exactly
//! where it would be if it were on from the start of the test, and everything before is run once.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use metacov_core::{Input, Invalid, Judge, Pair, Verdict};
use metacov_exec::{MutantExit, MutantPlan, MutantRuntime, Session};
use metacov_mutants::MutantVerdict;
use serde::{Deserialize, Serialize};

use super::bench::TestBench;

/// A test to run with mutants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantTask {
    /// The library with mutants, which the worker has loaded.
    pub(crate) library: PathBuf,
    /// The statements that build the state, including those that fail.
    pub(crate) setup: Vec<String>,
    /// The inputs of both sides.
    pub(crate) sides: Pair<Vec<Input>>,
    pub(crate) judge: Judge,
    /// For each place the number of its first mutant, and at the end how many there are.
    pub(crate) first: Vec<u32>,
    /// For each mutant, whether it is run: 0 or 1.
    pub(crate) wanted: Vec<u8>,
    /// Whether each mutant is on from the start of the test, in a process that starts there.
    pub(crate) from_start: bool,
}

/// What became of the mutants of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutatedTest {
    /// Why the test cannot be run with mutants: without any, it does not hold.
    pub(crate) unusable: Option<String>,
    /// All wanted mutants that it reaches, by number, and what became of each.
    pub(crate) verdicts: Vec<(u32, MutantVerdict)>,
    /// The processor time without mutants, in microseconds.
    pub(crate) plain_micros: u64,
    /// The processor time of all processes with mutants, in microseconds.
    pub(crate) mutant_micros: u64,
}

/// The exit codes of processes that have judged their sides: this, and the position of the verdict. A target that
/// ends its process is unlikely to use one of them.
const JUDGED: u8 = 0xa0;

/// Limits of a process with a mutant, as multiples of the processor time of the test.
const CPU_FACTOR: u32 = 20;
const CPU_MIN: Duration = Duration::from_millis(10);
const WALL_FACTOR: u32 = 50;
const MEMORY_BYTES: u64 = 1 << 30;

impl TestBench<'_> {
    /// Builds a state, and runs a test on it with each mutant that it reaches.
    pub(crate) fn mutate(&mut self, task: &MutantTask) -> io::Result<MutatedTest> {
        let runtime = MutantRuntime::of_library(&task.library)?;
        let session = &mut *self.session;
        session.begin()?;
        for statement in &task.setup {
            session.run(&Input::of(statement.clone()))?;
        }
        let nothing = vec![0; task.wanted.len()];
        let mut plan = MutantPlan {
            first: &task.first,
            wanted: &nothing,
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            memory_bytes: MEMORY_BYTES,
        };
        // In another process than the one with mutants: both must start alike.
        let unmutated = match runtime.split(&plan, || JUDGED + judged(session, task) as u8)? {
            Ok(done) if done.code == JUDGED => done,
            Ok(done) => {
                let verdict = verdict(MutantExit::Code(done.code));
                return Ok(MutatedTest::unusable(format!("without a mutant: {}", verdict.name())));
            }
            Err(exit) => return Ok(MutatedTest::unusable(format!("without a mutant: {exit:?}"))),
        };
        let plain_micros = unmutated.microseconds;
        plan.wanted = &task.wanted;
        plan.cpu = CPU_MIN.max(Duration::from_micros(plain_micros) * CPU_FACTOR);
        plan.wall = plan.cpu * WALL_FACTOR;
        let split = match runtime.split(&plan, || JUDGED + judged(session, task) as u8)? {
            Ok(split) => split,
            Err(exit) => return Ok(MutatedTest::unusable(format!("with mutants: {exit:?}"))),
        };
        let mut verdicts = Vec::with_capacity(split.ends.len());
        for end in &split.ends {
            let exit = match end.exit {
                MutantExit::NotStarted => return Err(io::Error::other("no process for a mutant")),
                _ if task.from_start => runtime
                    .with_mutant(&plan, end.mutant, || JUDGED + judged(session, task) as u8)?,
                exit => exit,
            };
            verdicts.push((end.mutant, verdict(exit)));
        }
        let mutant_micros = split.ends.iter().map(|end| u64::from(end.microseconds)).sum();
        Ok(MutatedTest { unusable: None, verdicts, plain_micros, mutant_micros })
    }
}

impl MutatedTest {
    fn unusable(why: String) -> Self {
        MutatedTest { unusable: Some(why), ..MutatedTest::default() }
    }
}

/// Runs both sides and judges them.
fn judged(session: &mut dyn Session, task: &MutantTask) -> MutantVerdict {
    let mut side = |inputs: &[Input]| {
        inputs.iter().map(|input| session.run(input)).collect::<io::Result<Vec<_>>>()
    };
    let outcomes = side(&task.sides.a).and_then(|a| Ok(Pair { a, b: side(&task.sides.b)? }));
    let Ok(outcomes) = outcomes else { return MutantVerdict::Error };
    match task.judge.judge(&outcomes) {
        Verdict::Holds => MutantVerdict::Survived,
        Verdict::Violated(_) => MutantVerdict::Killed,
        Verdict::Invalid(Invalid::FirstFailed(_) | Invalid::SecondFailed(_)) => {
            MutantVerdict::Error
        }
        Verdict::Invalid(_) => MutantVerdict::Invalid,
        Verdict::Lost { .. } => MutantVerdict::Crash,
    }
}

fn verdict(exit: MutantExit) -> MutantVerdict {
    match exit {
        MutantExit::Code(code) => {
            let position = code.checked_sub(JUDGED).map(usize::from);
            let judged = position.and_then(|at| MutantVerdict::ALL.get(at).copied());
            judged.unwrap_or(MutantVerdict::Crash)
        }
        MutantExit::Timeout => MutantVerdict::Timeout,
        MutantExit::Signal(_) | MutantExit::NotStarted => MutantVerdict::Crash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_is_a_verdict_only_if_the_sides_were_judged() {
        for wanted in MutantVerdict::ALL {
            assert_eq!(verdict(MutantExit::Code(JUDGED + wanted as u8)), wanted);
        }
        for code in [0, 1, 6, JUDGED - 1, JUDGED + 6, 255] {
            assert_eq!(verdict(MutantExit::Code(code)), MutantVerdict::Crash, "{code}");
        }
        assert_eq!(verdict(MutantExit::Timeout), MutantVerdict::Timeout);
    }
}
