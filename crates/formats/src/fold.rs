//! Suites of coverage files, folded in parallel and in constant memory.
//!
//! Each worker reads pairs into a site table of its own, takes them to the numbering that all
//! workers share, tells the audience, and folds them into tallies of its own; the tallies are
//! united at the end. Uniting is commutative, so the result is the same however many workers
//! there are.

use std::io::ErrorKind;
use std::num::NonZero;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use metacov_core::{Context, Input, Missing, Operation, Reading, Setup, SiteTable, Suite};

use crate::gcda::Library;
use crate::{
    Audience, Error, Fault, FileSpec, GroupSpec, Hand, Intake, Numbering, Outcome, Place, Plan,
    Read, Scope, Specs,
};

/// How a suite is folded.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which code counts.
    pub scope: Scope,
    /// What is asked of each pair.
    pub operation: Operation,
    /// Files that list all code, whether it ran or not.
    pub universe: Vec<FileSpec>,
    /// How many workers.
    pub workers: NonZero<usize>,
}

/// A side of a group, which can be asked what it ran.
pub trait Side: Send {
    /// What it ran, or why it cannot tell.
    fn read(&self, intake: &mut Intake<'_>) -> Result<Result<Reading, Missing>, Error>;

    /// What to call it in a message.
    fn name(&self) -> String;

    /// What it is run on, if it is run.
    fn inputs(&self) -> Result<Vec<Input>, Error> {
        Ok(Vec::new())
    }

    /// What makes the state that it and all other sides start from, if they share one.
    fn setup(&self) -> Option<Arc<Setup>> {
        None
    }
}

/// Coverage files, united. One that cannot be read is an error: nobody ran anything.
impl Side for Vec<FileSpec> {
    fn read(&self, intake: &mut Intake<'_>) -> Result<Result<Reading, Missing>, Error> {
        intake.read_side(self).map(Ok)
    }

    fn name(&self) -> String {
        self.first().map(ToString::to_string).unwrap_or_default()
    }
}

/// Why a fold came to an early end.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// A group could not be read.
    #[error(transparent)]
    Input(Error),
    /// The audience could not take in a group.
    #[error(transparent)]
    Audience(Error),
}

/// Folds all groups of a plan that the audience does not know yet, and tells it of each. The
/// result is of those groups, over the numbering's table.
///
/// The first group that cannot be read ends it, and its error is the result: the first by its
/// place in the plan, whichever worker met it. An interrupt ends it too, but loses nothing: the
/// result is what was folded until then, which is fewer groups than were planned.
pub fn fold<S: Side>(
    plan: Plan<S>,
    options: &Options,
    numbering: Numbering,
    audience: &dyn Audience,
) -> Result<Suite, Halt> {
    let queue = Mutex::new(Queue { specs: plan.specs, next: 0, failed: None, stopped: false });
    let workers = options.workers.get().min(usize::try_from(plan.groups).unwrap_or(usize::MAX));
    let room =
        Room { options, numbering: &numbering, audience, queue: &queue, library: Arc::default() };
    let hands = thread::scope(|scope| {
        let worker = || work(&room);
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(worker)).collect();
        let mut hands = vec![worker()];
        hands.extend(others.into_iter().map(|other| match other.join() {
            Ok(hand) => hand,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        hands
    });
    let failed = room.queue().failed.take();
    if let Some((_, halt)) = failed {
        return Err(halt);
    }
    let mut suite = Suite::new(SiteTable::new(), options.operation, options.scope.per_instance);
    for hand in hands {
        hand.put_into(&mut suite);
    }
    suite.table = numbering.into_table();
    Ok(suite)
}

/// What all workers share.
struct Room<'r, S> {
    options: &'r Options,
    numbering: &'r Numbering,
    audience: &'r dyn Audience,
    queue: &'r Mutex<Queue<S>>,
    library: Arc<Library>,
}

impl<S> Room<'_, S> {
    fn queue(&self) -> MutexGuard<'_, Queue<S>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The groups that are left, and the first that failed.
struct Queue<S> {
    specs: Specs<S>,
    next: u64,
    failed: Option<(u64, Halt)>,
    /// Whether an interrupt has ended it.
    stopped: bool,
}

impl<S> Queue<S> {
    /// The next group that the audience does not know, and its place. After a failure there is
    /// none: all groups before the failed one have been given out already, so the first failure is
    /// found all the same.
    fn take(&mut self, audience: &dyn Audience) -> Option<(u64, GroupSpec<S>)> {
        while self.failed.is_none() && !self.stopped {
            let at = self.next;
            self.next += 1;
            let spec = self.specs.next()?;
            let known = spec.and_then(|spec| {
                let known = audience.knows(at, &spec.relation, &spec.pair)?;
                Ok((!known).then_some(spec))
            });
            match known {
                Ok(Some(spec)) => return Some((at, spec)),
                Ok(None) => {}
                Err(error) => self.fail(at, Halt::Input(error)),
            }
        }
        None
    }

    fn fail(&mut self, at: u64, halt: Halt) {
        if let Halt::Input(Error { fault: Fault::Io(error), .. }) = &halt
            && error.kind() == ErrorKind::Interrupted
        {
            self.stopped = true;
            return;
        }
        if self.failed.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
            self.failed = Some((at, halt));
        }
    }
}

fn work<'n, S: Side>(room: &Room<'n, S>) -> Hand<'n> {
    let mut hand = Hand::new(room.numbering, room.options.operation);
    let mut intake = Intake::sharing(room.library.clone(), &room.options.scope);
    let universe = &room.options.universe;
    if let Err(error) = universe.iter().try_for_each(|file| intake.read_universe(file)) {
        room.queue().fail(0, Halt::Input(error));
        return hand;
    }
    loop {
        let Some((place, spec)) = room.queue().take(room.audience) else { return hand };
        // What was folded before counts, should a failure turn out to be an interrupt.
        if let Err(halt) = fold_group(room, &mut intake, (place, &spec), &mut hand) {
            room.queue().fail(place, halt);
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a group took is told, and part of no result"
)]
fn fold_group<S: Side>(
    room: &Room<'_, S>,
    intake: &mut Intake<'_>,
    (place, spec): (u64, &GroupSpec<S>),
    hand: &mut Hand<'_>,
) -> Result<(), Halt> {
    let context = context(spec.sides.sides()).map_err(Halt::Input)?;
    let start = Instant::now();
    let outcome = read_group(room.options.operation, intake, spec).map_err(Halt::Input)?;
    let GroupSpec { relation, pair, sides } = spec;
    let sides: Vec<String> = sides.sides().iter().map(Side::name).collect();
    let took = start.elapsed();
    let read = Read { place, relation, pair, sides: &sides, outcome, context, took };
    hand.fold(read, intake.table(), room.audience)
}

/// What is known of the group before it is read. Nobody judges it here.
fn context<S: Side>(sides: &[S]) -> Result<Context, Error> {
    let mut inputs = sides.iter().map(Side::inputs).collect::<Result<Vec<_>, _>>()?;
    if inputs.iter().all(Vec::is_empty) {
        inputs.clear();
    }
    Ok(Context { setup: sides.first().and_then(Side::setup), inputs, judgement: None })
}

fn read_group<S: Side>(
    operation: Operation,
    intake: &mut Intake<'_>,
    spec: &GroupSpec<S>,
) -> Result<Outcome, Error> {
    let sides = spec.sides.sides();
    if operation != Operation::Xor && sides.len() > 2 {
        let what = format!("`{operation}` takes two sides, this pair has {}", sides.len());
        return Err(Fault::malformed(Place::Whole, what)
            .of(format!("pair {} of {}", spec.pair, spec.relation)));
    }
    let outcomes = spec.sides.try_map(|side| side.read(intake))?;
    let missing = outcomes.sides().iter().position(Result::is_err);
    Ok(outcomes.transposed().map_err(|failed| (missing.unwrap_or(0), failed)))
}
