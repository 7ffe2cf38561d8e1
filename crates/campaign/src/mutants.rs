//! Runs pairs with mutants: which of them does each pair kill?

use std::path::Path;
use std::sync::Mutex;

use metacov_core::Case;
use metacov_mutants::{MutantTable, MutantVerdict};
use metacov_run::{PoolState, RunError, run_jobs};

use crate::worker::host::{Heard, WorkerOptions, WorkerProcess, unexpected_reply};
use crate::worker::mutants::MutantTask;
use crate::worker::protocol::{Answer, Request};

/// A pair to run with mutants.
#[derive(Clone, Debug)]
pub struct MutantCase {
    /// Its name, unique within its relation.
    pub name: String,
    /// The pair.
    pub case: Case,
}

/// A library with mutants, and which of them are run.
pub struct MutantSuite<'s> {
    /// The library, which the workers load.
    pub library: &'s Path,
    /// Its mutants.
    pub table: &'s MutantTable,
    /// For each mutant, whether it is run.
    pub wanted: &'s [bool],
    /// Whether each mutant is on from the start of a pair, and not from where it is first reached. The verdicts are
    /// the same, and take longer.
    pub from_start: bool,
}

/// What became of the mutants of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairMutants {
    /// Why the pair was not run with mutants, if it was not.
    pub unusable: Option<String>,
    /// All wanted mutants that it reaches, by number.
    pub verdicts: Vec<(u32, MutantVerdict)>,
    /// The processor time of the pair without mutants, in microseconds.
    pub plain_micros: u64,
    /// The processor time of all processes with mutants, in microseconds.
    pub mutant_micros: u64,
}

/// Runs pairs with mutants. Calls `each` for each pair, in any order, when it is complete. An interrupt ends it early.
pub fn run_mutants(
    cases: &[MutantCase],
    suite: &MutantSuite<'_>,
    options: &WorkerOptions<'_>,
    each: &(dyn Fn(&MutantCase, PairMutants) -> Result<(), RunError> + Sync),
) -> Result<(), RunError> {
    let next = Mutex::new(0..cases.len());
    let next = |_: &PoolState| {
        let at = next.lock().ok().and_then(|mut next| next.next())?;
        Some((at as u64, at))
    };
    let wanted: Vec<u8> = suite.wanted.iter().map(|wanted| u8::from(*wanted)).collect();
    let workers = options.workers.get().min(cases.len());
    run_jobs(workers, next, |jobs| {
        let mut worker = None;
        jobs.run(|_, at| {
            let MutantCase { case, .. } = &cases[at];
            let task = MutantTask {
                library: suite.library.to_owned(),
                setup: case.setup.clone(),
                sides: case.sides.clone(),
                judge: case.judge,
                first: suite.table.first.clone(),
                wanted: wanted.clone(),
                from_start: suite.from_start,
            };
            each(&cases[at], ask(task, &mut worker, options)?)
        });
    })?;
    Ok(())
}

fn ask(
    task: MutantTask,
    worker: &mut Option<WorkerProcess>,
    options: &WorkerOptions<'_>,
) -> Result<PairMutants, RunError> {
    let mut running = match worker.take() {
        Some(running) => running,
        None => WorkerProcess::start(options)?,
    };
    running.ask(&Request::Mutate(Box::new(task)));
    let lost = |why: String| PairMutants {
        unusable: Some(why),
        verdicts: Vec::new(),
        plain_micros: 0,
        mutant_micros: 0,
    };
    match running.hear(options)? {
        Heard::Gone(missing) => Ok(lost(format!("the worker {}", missing.failure.name()))),
        Heard::Answer(answer) => {
            *worker = Some(running);
            match answer {
                Answer::Mutated(test) => Ok(PairMutants {
                    unusable: test.unusable,
                    verdicts: test.verdicts,
                    plain_micros: test.plain_micros,
                    mutant_micros: test.mutant_micros,
                }),
                Answer::Lost(missing) => Ok(lost(format!("its state {}", missing.failure.name()))),
                _ => Err(unexpected_reply()),
            }
        }
    }
}
