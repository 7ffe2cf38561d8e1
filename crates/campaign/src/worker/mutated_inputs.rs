//! Runs a test with mutants on a target whose inputs have a process each, such as a solver.
//!
//! Each input runs once, and where it first reaches a place with mutants, each of them gets a process, which finishes
//! the input. What it prints is kept. When all inputs have run, this process judges them, for each mutant with the
//! outputs that it changes.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use metacov_core::{Input, Pair};
use metacov_exec::{
    InputProcesses, MutantExit, MutantLimits, MutantOutput, MutantPlan, MutantRuntime, MutatedRun,
};
use metacov_mutants::MutantVerdict;

use super::mutants::{EACH, MutantTask, MutatedTest, judge};

/// How an input ended, and what it printed.
type Ran = (MutantExit, MutantOutput);

/// Runs a test with each mutant that it reaches, or with one.
pub(super) fn mutate_inputs(
    processes: &mut dyn InputProcesses,
    runtime: &MutantRuntime,
    task: &MutantTask,
) -> io::Result<MutatedTest> {
    let mut test = MutatedInputs { processes, runtime, task };
    let nothing = vec![0; task.wanted.len()];
    let (mut plain, mut limits, mut time) = (Vec::new(), Vec::new(), Duration::ZERO);
    for input in task.inputs() {
        let ran = test.run(input, &nothing, None, MutantLimits::NONE)?;
        limits.push(MutantLimits::of(ran.steps, ran.time, ran.output.bytes));
        plain.push((ran.exit, ran.output));
        time += ran.time;
    }
    let plain_micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let verdict = test.verdict(&plain);
    if verdict != MutantVerdict::Survived {
        let unusable = Some(verdict.name().to_owned());
        return Ok(MutatedTest { unusable, ..MutatedTest::default() });
    }
    let only = (task.only != EACH).then(|| u32::from_le_bytes(task.only));
    // By mutant: the inputs that it changes, by position.
    let mut changed = BTreeMap::<u32, Vec<(usize, Ran)>>::new();
    let mut mutant_micros = 0;
    for (at, (input, limits)) in task.inputs().zip(limits).enumerate() {
        let ran = test.run(input, &task.wanted, only, limits)?;
        if let Some(only) = only {
            changed.entry(only).or_default().push((at, (ran.exit, ran.output)));
        }
        for (end, output) in ran.ends {
            if end.exit == MutantExit::NotStarted {
                return Err(io::Error::other("no process for a mutant"));
            }
            mutant_micros += u64::from(end.microseconds);
            changed.entry(end.mutant).or_default().push((at, (end.exit, output)));
        }
    }
    // Many mutants have the same outputs.
    let mut known = BTreeMap::<Vec<(usize, Ran)>, MutantVerdict>::new();
    let mut verdicts = Vec::with_capacity(changed.len());
    for (mutant, changes) in changed {
        let verdict = known.get(&changes).copied().unwrap_or_else(|| {
            let mut all = plain.clone();
            for (at, ran) in &changes {
                all[*at] = ran.clone();
            }
            test.verdict(&all)
        });
        known.insert(changes, verdict);
        verdicts.push((mutant, verdict));
    }
    Ok(MutatedTest { unusable: None, verdicts, plain_micros, mutant_micros })
}

struct MutatedInputs<'t> {
    processes: &'t mut dyn InputProcesses,
    runtime: &'t MutantRuntime,
    task: &'t MutantTask,
}

impl MutatedInputs<'_> {
    fn run(
        &mut self,
        input: &Input,
        wanted: &[u8],
        only: Option<u32>,
        limits: MutantLimits,
    ) -> io::Result<MutatedRun> {
        let Self { processes, runtime, task } = self;
        processes.prepare(input)?;
        let plan = MutantPlan { first: &task.first, wanted, only, limits };
        runtime.run_input(&plan, || processes.run_here())
    }

    /// Judges the inputs of both sides.
    fn verdict(&self, all: &[Ran]) -> MutantVerdict {
        if all.iter().any(|(exit, _)| *exit == MutantExit::Timeout) {
            return MutantVerdict::Timeout;
        }
        let outcomes = self.task.inputs().zip(all).map(|(input, (exit, output))| match exit {
            MutantExit::Code(code) => self.processes.outcome(input, *code, &output.content),
            _ => None,
        });
        let Some(mut a) = outcomes.collect::<Option<Vec<_>>>() else {
            return MutantVerdict::Crash;
        };
        let b = a.split_off(self.task.sides.a.len());
        judge(self.task.judge, &Pair { a, b })
    }
}
