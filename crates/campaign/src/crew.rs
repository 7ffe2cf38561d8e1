//! Workers and the suite that they fold.

use std::io;
use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use metacov_core::{
    Context, Cover, Exit, Failure, Group, Input, Judgement, Missing, Operation, Reading, Setup,
    SiteTable, Suite, runs,
};
use metacov_exec::{Said, Servant};
use metacov_formats::{Audience, Error, Fault, Halt, Hand, Intake, Numbering, Read, Snapshot};
use metacov_relations::ALL;

use crate::message::{Answer, Job, Measured, Request, Script, Setting, Tested, decode, encode};
use crate::work::scope;

/// Which tests, on how many databases.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seed of all.
    pub seed: u64,
    /// The relations, as they stand in the table of all.
    pub relations: Vec<usize>,
    /// How many pairs of each.
    pub pairs: u64,
    /// How many databases they are spread over.
    pub databases: u64,
}

impl Plan {
    /// How many pairs in all.
    pub fn groups(&self) -> u64 {
        self.pairs * self.relations.len() as u64
    }

    /// The tests on a database: every relation has its share.
    fn tests(&self, database: u64) -> Vec<(usize, u64)> {
        let step = usize::try_from(self.databases).unwrap_or(usize::MAX);
        let numbers = (database..self.pairs).step_by(step);
        let of_relation = |relation: &usize| {
            let relation = *relation;
            numbers.clone().map(move |number| (relation, number))
        };
        self.relations.iter().flat_map(of_relation).collect()
    }

    /// The place of a test among all.
    fn place(&self, relation: usize, number: u64) -> u64 {
        let at = self.relations.iter().position(|known| *known == relation).unwrap_or(0);
        at as u64 * self.pairs + number
    }
}

/// How tests are run.
pub struct Conditions<'c> {
    /// What is measured.
    pub setting: &'c Setting,
    /// How many workers.
    pub workers: NonZero<usize>,
    /// How long a worker may be silent.
    pub timeout: Duration,
    /// How much memory a worker may have.
    pub memory_bytes: Option<u64>,
    /// Set when all should end.
    pub interrupted: &'c AtomicBool,
}

/// What a run leaves besides its suite.
#[derive(Debug, Default)]
pub struct Log {
    /// Statements that built databases, and how many of them worked.
    pub statements: u64,
    /// How many of them worked.
    pub worked: u64,
}

/// Runs all tests of a plan that the audience does not know yet, and folds them. An interrupt ends
/// it, and the result is what was folded until then.
pub fn measure(
    plan: &Plan,
    conditions: &Conditions<'_>,
    numbering: Numbering,
    audience: &dyn Audience,
) -> Result<(Suite, Log), Halt> {
    let room = Room { plan, conditions, numbering: &numbering, audience, state: Mutex::default() };
    let workers = conditions.workers.get().min(usize::try_from(plan.databases).unwrap_or(1));
    let hands = thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(|| room.work())).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, _>| match thread.join() {
            Ok(hand) => hand,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect::<Vec<Hand<'_>>>()
    });
    let State { failed, log, .. } = std::mem::take(&mut *room.state());
    if let Some((_, halt)) = failed {
        return Err(halt);
    }
    let mut suite = Suite::new(SiteTable::new(), Operation::Xor, false);
    for hand in hands {
        hand.put_into(&mut suite);
    }
    drop(room);
    suite.table = numbering.into_table();
    Ok((suite, log))
}

/// Writes the tests of a plan down, database by database: `each` gets the setup, and the relation,
/// number and sides of each test.
pub fn write(
    plan: &Plan,
    conditions: &Conditions<'_>,
    mut each: impl FnMut(&[String], (&'static str, u64), &[Vec<String>; 2]) -> io::Result<()>,
) -> io::Result<()> {
    let mut worker = Worker::start(conditions)?;
    for database in 0..plan.databases {
        let job = Job { seed: plan.seed, database, tests: plan.tests(database) };
        let tests = job.tests.clone();
        worker.servant.say(&encode(&Request::Write(job)));
        let Script { setup, tests: scripts } = match worker.hear(conditions)? {
            Heard::Answer(Answer::Written(script)) => script,
            Heard::Answer(Answer::Failed(what)) => return Err(io::Error::other(what)),
            Heard::Answer(_) => return Err(io::Error::other("a worker that makes no sense")),
            Heard::Gone(missing) => return Err(io::Error::other(missing.last_words)),
        };
        for ((relation, number), sides) in tests.into_iter().zip(&scripts) {
            each(&setup, (ALL[relation].name(), number), sides)?;
        }
    }
    Ok(())
}

/// What all threads share.
struct Room<'r> {
    plan: &'r Plan,
    conditions: &'r Conditions<'r>,
    numbering: &'r Numbering,
    audience: &'r dyn Audience,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    stopped: bool,
    /// The first failure, by database.
    failed: Option<(u64, Halt)>,
    log: Log,
}

impl<'r> Room<'r> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next database. After a failure there is none: those before it have been given out.
    fn next(&self) -> Option<u64> {
        let mut state = self.state();
        let is_over = state.failed.is_some() || state.stopped || state.next == self.plan.databases;
        (!is_over).then(|| {
            state.next += 1;
            state.next - 1
        })
    }

    fn work(&self) -> Hand<'r> {
        let mut hand = Hand::new(self.numbering, Operation::Xor);
        let mut worker = None;
        while let Some(database) = self.next() {
            let Err(halt) = self.job(database, &mut worker, &mut hand) else { continue };
            let mut state = self.state();
            if matches!(&halt, Halt::Input(Error { fault: Fault::Io(error), .. })
                if error.kind() == io::ErrorKind::Interrupted)
            {
                state.stopped = true;
            } else if state.failed.as_ref().is_none_or(|(earlier, _)| database < *earlier) {
                state.failed = Some((database, halt));
            }
        }
        hand
    }

    /// All tests on a database, with as many workers as that takes.
    fn job(
        &self,
        database: u64,
        worker: &mut Option<Worker>,
        hand: &mut Hand<'r>,
    ) -> Result<(), Halt> {
        let fault = |error| Halt::Input(Fault::Io(error).of(format!("database {database}")));
        let mut tests = Vec::new();
        for (relation, number) in self.plan.tests(database) {
            let place = self.plan.place(relation, number);
            let name = ALL[relation].name();
            let knows = self.audience.knows(place, name, &number.to_string());
            if !knows.map_err(Halt::Input)? {
                tests.push((relation, number));
            }
        }
        tests.reverse();
        while !tests.is_empty() {
            let mut running = match worker.take() {
                Some(running) => running,
                None => Worker::start(self.conditions).map_err(fault)?,
            };
            let rest = tests.iter().rev().copied().collect();
            let job = Job { seed: self.plan.seed, database, tests: rest };
            running.servant.say(&encode(&Request::Run(job)));
            let (mut current, mut is_gone) = (None, false);
            let mut context = Context::default();
            loop {
                let said = running.hear(self.conditions).map_err(fault)?;
                let (tested, goes_on) = match said {
                    Heard::Answer(Answer::Next { relation, number, sides }) => {
                        current = Some((relation, number));
                        context.inputs = sides.iter().map(|side| vec![input(side)]).collect();
                        continue;
                    }
                    Heard::Answer(Answer::Built { setup, worked }) => {
                        let log = &mut self.state().log;
                        log.statements += setup.len() as u64;
                        log.worked += worked;
                        context.setup = Some(Arc::new(Setup::new(script(&setup).into_bytes())));
                        continue;
                    }
                    Heard::Answer(Answer::Tested(tested)) => (tested, true),
                    Heard::Answer(Answer::Done) => {
                        *worker = Some(running);
                        break;
                    }
                    Heard::Answer(Answer::Failed(what)) => {
                        return Err(fault(io::Error::other(what)));
                    }
                    Heard::Answer(
                        Answer::Ready { .. } | Answer::Written(_) | Answer::Tried(_),
                    ) => continue,
                    Heard::Answer(Answer::Lost(lost)) => {
                        let outcome = Err((0, lost));
                        (Tested { micros: 0, outcome }, false)
                    }
                    Heard::Gone(missing) => {
                        is_gone = true;
                        let outcome = Err((0, missing.into()));
                        (Tested { micros: 0, outcome }, false)
                    }
                };
                let Some(test) = current.take().filter(|test| tests.last() == Some(test)) else {
                    let what = "a worker that makes no sense, or ends while it makes the database";
                    return Err(fault(io::Error::other(what)));
                };
                tests.pop();
                self.fold(test, (tested, context.clone()), &running, hand)?;
                if !goes_on {
                    *worker = (!is_gone).then_some(running);
                    break;
                }
            }
        }
        Ok(())
    }

    fn fold(
        &self,
        (relation, number): (usize, u64),
        (tested, mut context): (Tested, Context),
        worker: &Worker,
        hand: &mut Hand<'r>,
    ) -> Result<(), Halt> {
        let (place, name) = (self.plan.place(relation, number), ALL[relation].name());
        let outcome = match tested.outcome {
            Ok(Measured { sides, violated }) => {
                let holds = Judgement::Holds;
                context.judgement = Some(violated.map_or(holds, Judgement::Violated));
                let group = worker.group(&sides);
                Ok(group.map_err(|what| Halt::Input(Fault::Io(io::Error::other(what)).of(name)))?)
            }
            Err((side, lost)) => Err((side, Missing::from(lost))),
        };
        let pair = number.to_string();
        let sides = ["a", "b"].map(|side| format!("side {side} of pair {pair} of {name}"));
        let took = Duration::from_micros(tested.micros);
        let relation = name;
        let read = Read { place, relation, pair: &pair, sides: &sides, outcome, context, took };
        hand.fold(read, worker.table(), self.audience)
    }
}

/// Statements as SQLite's shell takes them.
pub fn script(statements: &[String]) -> String {
    let mut text = String::new();
    for statement in statements {
        text.push_str(statement);
        // What is for the shell ends with its line.
        text.push_str(if statement.starts_with('.') { "\n" } else { ";\n" });
    }
    text
}

fn input(statements: &[String]) -> Input {
    Input::new(String::new(), script(statements).into_bytes())
}

/// A process that runs tests, and the table in whose numbers it tells what they ran.
pub(crate) struct Worker {
    pub(crate) servant: Servant,
    pub(crate) table: SiteTable,
    /// All sites, none of which ran.
    universe: Reading,
}

/// What a worker said.
pub(crate) enum Heard {
    Answer(Answer),
    /// It has ended, or was ended.
    Gone(Missing),
}

impl Worker {
    pub(crate) fn start(conditions: &Conditions<'_>) -> io::Result<Self> {
        let words = vec!["work".into()];
        let mut servant = Servant::start(words, conditions.memory_bytes)?;
        servant.say(&encode(conditions.setting));
        let said = servant.hear(conditions.timeout, conditions.interrupted)?;
        let Said::Message(message) = said else {
            let words = if let Said::Ended(_, words) = said { words } else { String::new() };
            return Err(io::Error::other(format!("the worker does not start: {words}")));
        };
        let Answer::Ready { layouts, sites, build } = decode(&message)? else {
            return Err(io::Error::other("the worker does not say how its counters lie"));
        };
        let scope = scope(conditions.setting);
        let mut intake = Intake::new(&scope);
        let counters: Vec<Vec<u8>> = layouts.iter().map(|(_, bytes)| vec![0; *bytes]).collect();
        let snapshots: Vec<Snapshot<'_>> = layouts
            .iter()
            .zip(&counters)
            .map(|((layout, _), counters)| Snapshot { layout: layout.as_slice().into(), counters })
            .collect();
        let universe = intake.read_snapshots(&snapshots).map_err(io::Error::other)?;
        let table = intake.into_table();
        if (table.len(), table.build_id().number()) != (sites, build) {
            return Err(io::Error::other("the worker knows other code than its notes"));
        }
        Ok(Worker { servant, table, universe })
    }

    pub(crate) fn hear(&mut self, conditions: &Conditions<'_>) -> io::Result<Heard> {
        Ok(match self.servant.hear(conditions.timeout, conditions.interrupted)? {
            Said::Message(message) => Heard::Answer(decode(&message)?),
            Said::Ended(exit, last_words) => {
                Heard::Gone(Missing { failure: Failure::Crashed, exit, last_words })
            }
            Said::Late => {
                let (failure, exit) = (Failure::TimedOut, Exit::Timeout);
                Heard::Gone(Missing { failure, exit, last_words: String::new() })
            }
        })
    }

    fn table(&self) -> &SiteTable {
        &self.table
    }

    /// The sides that bytes tell of.
    fn group(&self, [a, b]: &[Vec<u8>; 2]) -> Result<Group<Reading>, &'static str> {
        let mut executed = Cover::of(&self.table);
        let mut sides = Vec::new();
        for bytes in [a, b] {
            runs::flip(bytes, self.table.len(), &mut executed)?;
            sides.push(Reading { executed: executed.clone(), ..self.universe.clone() });
        }
        Group::new(sides).map_err(|_| "too few sides")
    }
}
