//! A plan whose pairs are measured.

#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use metacov_core::{Context, Cover, Language, Operation, Setup, Suite, SuiteFold, Verdict};
use metacov_formats::Error;
use metacov_run::{GroupRead, Observer, RunError, SharedTable, WorkerFold};

use crate::plan::TestPlan;
use crate::stored_inputs::stored;
use crate::worker::batches::{self, ResultSink, RunLog, TestDone};
use crate::worker::host::{WorkerOptions, WorkerProcess};
use crate::worker::protocol::SetupDone;

/// Runs all tests of a plan that the observer does not know yet, and folds them. An interrupt ends
/// it, and the result is what was folded until then.
pub fn measure(
    plan: &TestPlan,
    options: &WorkerOptions<'_>,
    table: SharedTable,
    observer: &dyn Observer,
) -> Result<(Suite, RunLog), RunError> {
    let sink = || Folding {
        fold: WorkerFold::new(&table, Operation::Xor),
        observer,
        setup: None,
        executed: Cover::default(),
        language: options.language(),
    };
    let (sinks, log) = batches::run(plan, options, sink)?;
    let mut all = SuiteFold::new(&table.table(), Operation::Xor);
    for sink in sinks {
        all.merge(sink.fold.finish());
    }
    Ok((all.finish(table.into_table(), false), log))
}

/// Folds pairs.
struct Folding<'f> {
    fold: WorkerFold<'f>,
    observer: &'f dyn Observer,
    /// What made the state.
    setup: Option<Arc<Setup>>,
    /// What making it ran.
    executed: Cover,
    language: &'static dyn Language,
}

impl ResultSink for Folding<'_> {
    fn wants(&self, place: u64, relation: &'static str, number: u64) -> Result<bool, Error> {
        Ok(!self.observer.is_done(place, relation, &number.to_string())?)
    }

    fn set_state(&mut self, done: SetupDone, worker: &WorkerProcess) -> io::Result<()> {
        self.executed = worker.sites()?.cover(&done.executed)?;
        self.setup = Some(Arc::new(Setup::new(self.language.script(&done.setup).into_bytes())));
        Ok(())
    }

    fn take(&mut self, done: TestDone<'_>) -> Result<(), RunError> {
        let TestDone { place, relation, number, result, worker } = done;
        let pair = number.to_string();
        let sides = ["a", "b"].map(|side| format!("side {side} of pair {pair} of {relation}"));
        let named = |error: io::Error| RunError::from(error).of(&sides[0]);
        let inputs = result.sides.map(|sides| stored(self.language, &sides)).unwrap_or_default();
        let judge = result.judge.map(|judge| judge.name().to_owned());
        let setup = self.setup.clone();
        let mut context = Context { setup, inputs, judge, ..Context::default() };
        let found = worker.sites().map_err(named)?;
        let readings = match result.verdict {
            Verdict::Lost { side, missing } => Err((side.unwrap_or(0), missing)),
            Verdict::Invalid(reason) => Err((reason.side(), reason.missing())),
            verdict => {
                context.verdict = Some(verdict);
                let covers =
                    result.covers.ok_or_else(|| io::Error::other("worker reported no coverage"));
                let group = covers.and_then(|covers| found.group(&self.executed, &covers));
                Ok(group.map_err(named)?)
            }
        };
        let took = Duration::from_micros(result.micros);
        let read =
            GroupRead { place, relation, pair: &pair, sides: &sides, readings, context, took };
        self.fold.add(read, &found.table, self.observer)
    }
}
