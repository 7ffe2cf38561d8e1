//! Pairs of the user with mutants of their program.

use std::collections::BTreeMap;
use std::time::Duration;

use metacov_core::{Exit, JudgeChoice, OutputJudge, SideOutput, Verdict};
use metacov_exec::{
    ExecError, Invocation, JudgeCommand, MutantEnd, MutantExit, MutantLimits, MutantOutput,
    MutantPlan, MutatedProgram, MutatedRun, Program,
};
use metacov_formats::GroupSpec;
use metacov_mutants::{MutantTable, MutantVerdict};
use metacov_run::RunError;
use metacov_store::{StoredMutants, StoredPair};

use super::MutantPairs;

/// A pair of the user.
#[derive(Clone, Debug)]
pub struct ProgramCase {
    relation: String,
    name: String,
    /// The executions of each side.
    sides: Vec<Vec<Invocation>>,
    judge: OutputJudge,
}

impl ProgramCase {
    /// Returns a pair with the judge that a run file has stored for it; none if it was not judged, or does not hold.
    pub fn of(spec: &GroupSpec<Vec<Invocation>>, stored: &StoredPair) -> Option<Self> {
        let judge = stored.judge.as_deref()?.parse().ok()?;
        let (JudgeChoice::By(judge), Some(Verdict::Holds)) = (judge, &stored.verdict) else {
            return None;
        };
        let (relation, name) = (stored.relation.clone(), stored.name.clone());
        Some(ProgramCase { relation, name, sides: spec.sides.sides().to_vec(), judge })
    }
}

/// Pairs of the user, and their program with mutants.
pub struct ProgramMutants<'s> {
    /// The pairs.
    pub cases: &'s [ProgramCase],
    /// The program.
    pub program: &'s Program,
    /// Its mutants.
    pub table: &'s MutantTable,
    /// For each mutant, whether it is run: 0 or 1.
    pub wanted: &'s [u8],
}

/// What a worker keeps from one pair to the next.
pub struct ProgramWorker {
    program: MutatedProgram,
    /// For judges that are commands.
    commands: Option<JudgeCommand>,
}

impl ProgramWorker {
    fn new() -> Result<Self, RunError> {
        let program = MutatedProgram::new().map_err(ExecError::from)?;
        Ok(ProgramWorker { program, commands: None })
    }
}

/// An execution: how it ended, and what it wrote.
type Ran = (MutantExit, MutantOutput);

/// The executions of a pair, by side.
type Sides = Vec<Vec<Ran>>;

impl MutantPairs for ProgramMutants<'_> {
    type Worker = ProgramWorker;

    fn count(&self) -> usize {
        self.cases.len()
    }

    fn name(&self, pair: usize) -> (&str, &str) {
        let ProgramCase { relation, name, .. } = &self.cases[pair];
        (relation, name)
    }

    fn run(
        &self,
        pair: usize,
        worker: &mut Option<ProgramWorker>,
    ) -> Result<StoredMutants, RunError> {
        let worker = match worker {
            Some(worker) => worker,
            none => none.insert(ProgramWorker::new()?),
        };
        let case = &self.cases[pair];
        let plain = self.plain(case, worker)?;
        let verdict = self.verdict(&plain.sides, case, worker)?;
        if verdict != MutantVerdict::Survived {
            let unusable = Some(verdict.name().to_owned());
            return Ok(StoredMutants { unusable, ..StoredMutants::default() });
        }
        // By mutant: the executions that it changes, by side and position.
        let mut changed = BTreeMap::<u32, Vec<(usize, usize, Ran)>>::new();
        let mut mutant_micros = 0;
        for (side, at, invocation) in executions(case) {
            let limits = plain.limits[side][at];
            let ran = self.execute(invocation, self.wanted, None, limits, worker)?;
            for (MutantEnd { mutant, exit, microseconds }, output) in ran.ends {
                if exit == MutantExit::NotStarted {
                    return Err(RunError::Failed("no process for a mutant".to_owned()));
                }
                mutant_micros += u64::from(microseconds);
                changed.entry(mutant).or_default().push((side, at, (exit, output)));
            }
        }
        // Many mutants have the same outputs.
        let mut known = BTreeMap::<Vec<(usize, usize, Ran)>, MutantVerdict>::new();
        let mut verdicts = Vec::with_capacity(changed.len());
        for (mutant, changes) in changed {
            let verdict = if let Some(verdict) = known.get(&changes) {
                *verdict
            } else {
                let mut sides = plain.sides.clone();
                for (side, at, ran) in &changes {
                    sides[*side][*at] = ran.clone();
                }
                let verdict = self.verdict(&sides, case, worker)?;
                known.insert(changes, verdict);
                verdict
            };
            verdicts.push((mutant, verdict));
        }
        let plain_micros = u64::try_from(plain.time.as_micros()).unwrap_or(u64::MAX);
        Ok(StoredMutants { unusable: None, verdicts, plain_micros, mutant_micros })
    }

    fn run_new_process(&self, pair: usize, mutant: u32) -> Result<MutantVerdict, RunError> {
        let case = &self.cases[pair];
        let mut worker = ProgramWorker::new()?;
        let mut sides = self.plain(case, &mut worker)?;
        for (side, at, invocation) in executions(case) {
            let limits = sides.limits[side][at];
            let ran = self.execute(invocation, self.wanted, Some(mutant), limits, &mut worker)?;
            sides.sides[side][at] = (ran.exit, ran.output);
        }
        self.verdict(&sides.sides, case, &mut worker)
    }
}

/// A pair without mutants.
struct Plain {
    sides: Sides,
    /// The limits of mutants in each execution.
    limits: Vec<Vec<MutantLimits>>,
    /// The time of all executions.
    time: Duration,
}

/// The executions of a pair, with their sides and positions.
fn executions(case: &ProgramCase) -> impl Iterator<Item = (usize, usize, &Invocation)> {
    let sides = case.sides.iter().enumerate();
    sides.flat_map(|(side, all)| all.iter().enumerate().map(move |(at, one)| (side, at, one)))
}

impl ProgramMutants<'_> {
    fn plain(&self, case: &ProgramCase, worker: &mut ProgramWorker) -> Result<Plain, RunError> {
        let nothing = vec![0; self.wanted.len()];
        let mut plain = Plain {
            sides: vec![Vec::new(); case.sides.len()],
            limits: vec![Vec::new(); case.sides.len()],
            time: Duration::ZERO,
        };
        for (side, _, invocation) in executions(case) {
            let ran = self.execute(invocation, &nothing, None, MutantLimits::NONE, worker)?;
            let limits = MutantLimits::of(ran.steps, ran.time, ran.output.bytes);
            plain.limits[side].push(limits);
            plain.sides[side].push((ran.exit, ran.output));
            plain.time += ran.time;
        }
        Ok(plain)
    }

    fn execute(
        &self,
        invocation: &Invocation,
        wanted: &[u8],
        only: Option<u32>,
        limits: MutantLimits,
        worker: &mut ProgramWorker,
    ) -> Result<MutatedRun, RunError> {
        let plan = MutantPlan { first: &self.table.first, wanted, only, limits };
        Ok(worker.program.run(self.program, invocation, &plan)?)
    }

    fn verdict(
        &self,
        sides: &Sides,
        case: &ProgramCase,
        worker: &mut ProgramWorker,
    ) -> Result<MutantVerdict, RunError> {
        let exits = || sides.iter().flatten().map(|(exit, _)| *exit);
        if exits().any(|exit| exit == MutantExit::Timeout) {
            return Ok(MutantVerdict::Timeout);
        }
        if exits().any(|exit| !matches!(exit, MutantExit::Code(_))) {
            return Ok(MutantVerdict::Crash);
        }
        let is_invalid = |side: &&Vec<Ran>| {
            let mut codes = side.iter();
            codes.any(|(exit, _)| matches!(exit, MutantExit::Code(code) if !self.program.is_valid((*code).into())))
        };
        let invalid = sides.iter().filter(is_invalid).count();
        if invalid > 0 {
            let is_all = invalid == sides.len();
            return Ok(if is_all { MutantVerdict::Invalid } else { MutantVerdict::Error });
        }
        let outputs: Vec<SideOutput> = sides.iter().map(|side| output(side)).collect();
        let verdict = match (case.judge.judge(&outputs), &case.judge, &outputs[..]) {
            (Some(verdict), ..) => verdict,
            (None, OutputJudge::Command(command), [a, b]) => {
                let commands = match &mut worker.commands {
                    Some(commands) => commands,
                    none => none.insert(JudgeCommand::new().map_err(ExecError::from)?),
                };
                let Program { limits, interrupted, .. } = self.program;
                commands.judge(command, [a, b], limits, interrupted)?
            }
            (None, ..) => return Ok(MutantVerdict::Invalid),
        };
        Ok(match verdict {
            Verdict::Holds => MutantVerdict::Survived,
            Verdict::Violated(_) => MutantVerdict::Killed,
            Verdict::Invalid(_) => MutantVerdict::Invalid,
            Verdict::Lost { .. } => MutantVerdict::Crash,
        })
    }
}

/// The output of a side, as it is judged.
fn output(side: &[Ran]) -> SideOutput {
    let mut whole = SideOutput::default();
    for (exit, output) in side {
        whole.exits.push(match exit {
            MutantExit::Code(0) => Exit::Success,
            MutantExit::Code(code) => Exit::Failure((*code).into()),
            MutantExit::Signal(signal) => Exit::Signalled(*signal),
            _ => Exit::Timeout,
        });
        // Nothing is appended after a part that was cut.
        if !whole.is_cut() {
            whole.content.extend_from_slice(&output.content);
        }
        whole.bytes += output.bytes;
    }
    whole
}
