//! A plan whose pairs are measured.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use metacov_core::{Context, Cover, Input, Judgement, Operation, Setup, SiteTable, Suite};
use metacov_formats::{Error, Fault};
use metacov_run::{GroupRead, Observer, SharedTable, StopReason, WorkerFold};

use crate::crew::{self, Desk, Ended, RunLog};
use crate::message::{Judged, SetupDone};
use crate::plan::Plan;
use crate::script::script;
use crate::worker::{Worker, WorkerOptions};

/// Runs all tests of a plan that the observer does not know yet, and folds them. An interrupt ends
/// it, and the result is what was folded until then.
pub fn measure(
    plan: &Plan,
    conditions: &WorkerOptions<'_>,
    table: SharedTable,
    observer: &dyn Observer,
) -> Result<(Suite, RunLog), StopReason> {
    let desk = || Folding {
        fold: WorkerFold::new(&table, Operation::Xor),
        observer,
        setup: None,
        executed: Cover::default(),
    };
    let (desks, log) = crew::run(plan, conditions, desk)?;
    let mut suite = Suite::new(SiteTable::new(), Operation::Xor, false);
    for desk in desks {
        desk.fold.put_into(&mut suite);
    }
    suite.table = table.into_table();
    Ok((suite, log))
}

/// A desk that folds pairs.
struct Folding<'f> {
    fold: WorkerFold<'f>,
    observer: &'f dyn Observer,
    /// What made the database.
    setup: Option<Arc<Setup>>,
    /// What making it ran.
    executed: Cover,
}

impl Desk for Folding<'_> {
    fn wants(&self, place: u64, relation: &'static str, number: u64) -> Result<bool, Error> {
        Ok(!self.observer.is_done(place, relation, &number.to_string())?)
    }

    fn set_database(&mut self, built: SetupDone, worker: &Worker) -> io::Result<()> {
        self.executed = worker.sites()?.cover(&built.executed)?;
        self.setup = Some(Arc::new(Setup::new(script(&built.setup).into_bytes())));
        Ok(())
    }

    fn take(&mut self, ended: Ended<'_>) -> Result<(), StopReason> {
        let Ended { place, relation, number, tested, worker } = ended;
        let pair = number.to_string();
        let sides = ["a", "b"].map(|side| format!("side {side} of pair {pair} of {relation}"));
        let fault = |error| StopReason::Input(Fault::Io(error).of(sides[0].clone()));
        let input = |side: &Vec<String>| vec![Input::new(String::new(), script(side).into_bytes())];
        let inputs = tested.statements.iter().flatten().map(input).collect();
        let mut context = Context { setup: self.setup.clone(), inputs, judgement: None };
        let table = &worker.sites().map_err(fault)?.table;
        let readings = match tested.outcome {
            Ok(Judged { violated, sides: Some(bytes) }) => {
                context.judgement = Some(violated.map_or(Judgement::Holds, Judgement::Violated));
                let group = worker.sites().and_then(|sites| sites.group(&self.executed, &bytes));
                Ok(group.map_err(fault)?)
            }
            Ok(_) => return Err(fault(io::Error::other("what it ran is not told"))),
            Err(missing) => Err(missing),
        };
        let took = Duration::from_micros(tested.micros);
        let read =
            GroupRead { place, relation, pair: &pair, sides: &sides, readings, context, took };
        self.fold.add(read, table, self.observer)
    }
}
