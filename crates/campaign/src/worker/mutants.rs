//! Runs a test with each mutant that it reaches, in a worker.
//!
//! The state is built without a mutant. The test then runs once, and where it first reaches a place with mutants, each
//! of them gets a process, which is set on there, finishes both sides, and judges them. So a mutant is on exactly
//! where it would be if it were on from the start of the test, and everything before is run once.

use std::io;
use std::path::PathBuf;

use metacov_core::{Input, Invalid, Judge, Outcome, Pair, Verdict};
use metacov_exec::{MutantExit, MutantLimits, MutantPlan, MutantRuntime, Session};
use metacov_mutants::MutantVerdict;
use serde::{Deserialize, Serialize};

use super::bench::TestBench;
use super::mutated_inputs::mutate_inputs;

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
    /// The mutant that is on from the start of the test, or [`EACH`]: a process for each wanted one, where it is first
    /// reached. In bytes, so that all requests have the same size: memory is then the same in each worker.
    pub(crate) only: [u8; 4],
}

impl MutantTask {
    /// The inputs of both sides.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.sides.a.iter().chain(&self.sides.b)
    }
}

/// A process for each wanted mutant.
pub(crate) const EACH: [u8; 4] = [0xff; 4];

/// What became of the mutants of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MutatedTest {
    /// Why the test cannot be run with mutants: its verdict without any.
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

impl TestBench<'_> {
    /// Builds a state, and runs a test on it with each mutant that it reaches, or with one.
    pub(crate) fn mutate(&mut self, task: &MutantTask) -> io::Result<MutatedTest> {
        let runtime = MutantRuntime::of_library(&task.library)?;
        let session = &mut *self.session;
        session.begin()?;
        if let Some(processes) = session.input_processes() {
            return mutate_inputs(processes, &runtime, task);
        }
        for statement in &task.setup {
            session.run(&Input::of(statement.clone()))?;
        }
        let nothing = vec![0; task.wanted.len()];
        let (first, limits) = (&task.first, MutantLimits::NONE);
        let plan = MutantPlan { first, wanted: &nothing, only: None, limits };
        // In another process than the one with mutants: both must start alike.
        let baseline = runtime.split(&plan, || JUDGED + judged(session, task) as u8)?;
        if baseline.exit != MutantExit::Code(JUDGED) {
            let name = verdict(baseline.exit).name();
            return Ok(MutatedTest { unusable: Some(name.to_owned()), ..MutatedTest::default() });
        }
        let only = (task.only != EACH).then(|| u32::from_le_bytes(task.only));
        let limits = MutantLimits::of(baseline.steps, baseline.cpu, 0);
        let plan = MutantPlan { first, wanted: &task.wanted, only, limits };
        let split = runtime.split(&plan, || JUDGED + judged(session, task) as u8)?;
        let ended = split.ends.iter().map(|end| (end.mutant, end.exit));
        let ended: Vec<_> = ended.chain(only.map(|only| (only, split.exit))).collect();
        if ended.iter().any(|(_, exit)| *exit == MutantExit::NotStarted) {
            return Err(io::Error::other("no process for a mutant"));
        }
        let verdicts = ended.into_iter().map(|(mutant, exit)| (mutant, verdict(exit)));
        Ok(MutatedTest {
            unusable: None,
            verdicts: verdicts.collect(),
            plain_micros: u64::try_from(baseline.cpu.as_micros()).unwrap_or(u64::MAX),
            mutant_micros: split.ends.iter().map(|end| u64::from(end.microseconds)).sum(),
        })
    }
}

/// Runs both sides and judges them.
fn judged(session: &mut dyn Session, task: &MutantTask) -> MutantVerdict {
    let mut side = |inputs: &[Input]| {
        inputs.iter().map(|input| session.run(input)).collect::<io::Result<Vec<_>>>()
    };
    let outcomes = side(&task.sides.a).and_then(|a| Ok(Pair { a, b: side(&task.sides.b)? }));
    let Ok(outcomes) = outcomes else { return MutantVerdict::Error };
    judge(task.judge, &outcomes)
}

/// Judges both sides.
pub(super) fn judge(judge: Judge, outcomes: &Pair<Vec<Outcome>>) -> MutantVerdict {
    match judge.judge(outcomes) {
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
        MutantExit::Signal(_) | MutantExit::EndedParent | MutantExit::NotStarted => {
            MutantVerdict::Crash
        }
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
