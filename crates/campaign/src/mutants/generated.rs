//! Generated pairs with mutants of a target, run by workers.

use std::path::Path;

use metacov_core::{Case, Input, Judge, Language, Pair, StoredInput, Verdict};
use metacov_mutants::{MutantTable, MutantVerdict};
use metacov_run::RunError;
use metacov_store::{Run, StoredMutants, StoredPair};

use super::MutantPairs;
use crate::worker::host::{Heard, WorkerOptions, WorkerProcess, unexpected_reply};
use crate::worker::mutants::{EACH, MutantTask};
use crate::worker::protocol::{Answer, Request};

/// A pair to run with mutants.
#[derive(Clone, Debug)]
pub struct MutantCase {
    /// Its name, unique within its relation.
    pub name: String,
    /// The pair.
    pub case: Case,
}

impl MutantCase {
    /// Returns a stored pair; none if it does not hold, or if it is not stored whole.
    pub fn of(
        run: &Run,
        pair: &StoredPair,
        language: &dyn Language,
    ) -> Result<Option<Self>, RunError> {
        let judge = pair.judge.as_deref().and_then(Judge::named);
        let (Some(judge), Some(Verdict::Holds)) = (judge, &pair.verdict) else { return Ok(None) };
        let statements =
            |content: &[u8]| Some(language.statements(std::str::from_utf8(content).ok()?));
        let setup = match pair.setup {
            Some(hash) => statements(run.setup(hash)?.content()),
            None => Some(Vec::new()),
        };
        let side = |inputs: &[StoredInput]| -> Option<Vec<Input>> {
            let input = |input: &StoredInput| {
                let is_whole = input.content.len() as u64 == input.bytes;
                is_whole.then(|| statements(&input.content)).flatten().map(Input::from)
            };
            inputs.iter().map(input).collect()
        };
        let [a, b] = &*pair.inputs else { return Ok(None) };
        let (Some(setup), Some(a), Some(b)) = (setup, side(a), side(b)) else { return Ok(None) };
        let (relation, parts) = (pair.relation.clone(), Vec::new());
        let case = Case { relation, setup, sides: Pair { a, b }, parts, judge };
        Ok(Some(MutantCase { name: pair.name.clone(), case }))
    }
}

/// Generated pairs, and the library with mutants that workers load.
pub struct GeneratedMutants<'s> {
    /// The pairs.
    pub cases: &'s [MutantCase],
    /// The library.
    pub library: &'s Path,
    /// Its mutants.
    pub table: &'s MutantTable,
    /// For each mutant, whether it is run.
    pub wanted: &'s [bool],
    /// How workers are started.
    pub workers: &'s WorkerOptions<'s>,
}

impl MutantPairs for GeneratedMutants<'_> {
    type Worker = WorkerProcess;

    fn count(&self) -> usize {
        self.cases.len()
    }

    fn name(&self, pair: usize) -> (&str, &str) {
        let MutantCase { name, case } = &self.cases[pair];
        (&case.relation, name)
    }

    fn run(
        &self,
        pair: usize,
        worker: &mut Option<WorkerProcess>,
    ) -> Result<StoredMutants, RunError> {
        self.ask(pair, EACH, worker)
    }

    fn run_new_process(&self, pair: usize, mutant: u32) -> Result<MutantVerdict, RunError> {
        let ran = self.ask(pair, mutant.to_le_bytes(), &mut None)?;
        match ran.verdicts[..] {
            [(_, verdict)] => Ok(verdict),
            _ => Ok(MutantVerdict::Crash),
        }
    }
}

impl GeneratedMutants<'_> {
    fn ask(
        &self,
        pair: usize,
        only: [u8; 4],
        worker: &mut Option<WorkerProcess>,
    ) -> Result<StoredMutants, RunError> {
        let MutantCase { case, .. } = &self.cases[pair];
        let task = MutantTask {
            library: self.library.to_owned(),
            setup: case.setup.clone(),
            sides: case.sides.clone(),
            judge: case.judge,
            first: self.table.first.clone(),
            wanted: self.wanted.iter().map(|wanted| u8::from(*wanted)).collect(),
            only,
        };
        let mut running = match worker.take() {
            Some(running) => running,
            None => WorkerProcess::start(self.workers)?,
        };
        running.ask(&Request::Mutate(Box::new(task)));
        let lost = |why: String| StoredMutants { unusable: Some(why), ..StoredMutants::default() };
        let answer = match running.hear(self.workers)? {
            Heard::Gone(missing) => {
                return Ok(lost(format!("the worker {}", missing.failure.name())));
            }
            Heard::Answer(answer) => answer,
        };
        *worker = Some(running);
        match answer {
            Answer::Mutated(test) => Ok(StoredMutants {
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
