//! Suites of coverage files, folded in parallel and in constant memory.
//!
//! Each worker reads pairs into a site table of its own and folds them into tallies of its own;
//! the workers' results are united at the end. Nothing is shared in between, and uniting is
//! commutative, so the result is the same however many workers there are.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use metacov_core::{
    Agreement, BuildMismatch, Element, Group, Missing, Operation, Reading, SiteTable, Suite, Tally,
};

use crate::{Error, Fault, FileSpec, GroupSpec, Intake, Place, Plan, Scope, Specs};

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

/// Folds all groups of a plan; `progress` is called after each.
///
/// The first group that cannot be read ends it, and its error is the result: the first by its
/// place in the plan, whichever worker met it. An interrupt ends it too, but loses nothing: the
/// result is what was folded until then, which is fewer groups than were planned.
pub fn fold<S: Side>(
    plan: Plan<S>,
    options: &Options,
    progress: &(dyn Fn() + Sync),
) -> Result<Suite, Error> {
    let queue = Mutex::new(Queue { specs: plan.specs, next: 0, failed: None, stopped: false });
    let workers = options.workers.get().min(usize::try_from(plan.groups).unwrap_or(usize::MAX));
    let parts = thread::scope(|scope| {
        let worker = || work(&queue, options, progress);
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(worker)).collect();
        let mut parts = vec![worker()];
        parts.extend(others.into_iter().map(|other| match other.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        }));
        parts
    });
    let queue = queue.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, error)) = queue.failed {
        return Err(error);
    }
    unite(parts.into_iter().flatten().collect())
}

/// The groups that are left, and the first that failed.
struct Queue<S> {
    specs: Specs<S>,
    next: u64,
    failed: Option<(u64, Error)>,
    /// Whether an interrupt has ended it.
    stopped: bool,
}

impl<S> Queue<S> {
    /// The next group and its place. After a failure there is none: all groups before the failed
    /// one have been given out already, so the first failure is found all the same.
    fn take(&mut self) -> Option<(u64, GroupSpec<S>)> {
        if self.failed.is_some() || self.stopped {
            return None;
        }
        let at = self.next;
        self.next += 1;
        match self.specs.next()? {
            Ok(spec) => Some((at, spec)),
            Err(error) => {
                self.fail(at, error);
                None
            }
        }
    }

    fn fail(&mut self, at: u64, error: Error) {
        if matches!(&error.fault, Fault::Io(error) if error.kind() == ErrorKind::Interrupted) {
            self.stopped = true;
            return;
        }
        if self.failed.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
            self.failed = Some((at, error));
        }
    }
}

/// What one worker has folded, and the first file that it read.
type Part = (Suite, Option<String>);

fn work<S: Side>(
    queue: &Mutex<Queue<S>>,
    options: &Options,
    progress: &(dyn Fn() + Sync),
) -> Option<Part> {
    let lock = || queue.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut intake = Intake::new(&options.scope);
    if let Err(error) = options.universe.iter().try_for_each(|file| intake.read_universe(file)) {
        lock().fail(0, error);
        return None;
    }
    let per_instance = options.scope.per_instance;
    let mut suite = Suite::new(SiteTable::new(), options.operation, per_instance);
    loop {
        let Some((at, spec)) = lock().take() else { break };
        match fold_group(&spec, &mut intake, &mut suite) {
            Ok(()) => progress(),
            // What was folded before counts, should this turn out to be an interrupt.
            Err(error) => lock().fail(at, error),
        }
    }
    let (table, first) = intake.into_parts();
    suite.table = table;
    Some((suite, first))
}

fn fold_group<S: Side>(
    spec: &GroupSpec<S>,
    intake: &mut Intake<'_>,
    suite: &mut Suite,
) -> Result<(), Error> {
    let (operation, sides) = (suite.operation, spec.sides.sides());
    if operation != Operation::Xor && sides.len() > 2 {
        let what = format!("`{operation}` takes two sides, this pair has {}", sides.len());
        return Err(Fault::malformed(Place::Whole, what)
            .of(format!("pair {} of {}", spec.pair, spec.relation)));
    }
    let readings = spec.sides.try_map(|side| side.read(intake))?.transposed();
    let table = intake.table();
    if !suite.relations.contains_key(&spec.relation) {
        suite.relations.insert(spec.relation.clone(), Tally::of(table));
    }
    let Some(tally) = suite.relations.get_mut(&spec.relation) else { return Ok(()) };
    let readings = match readings {
        Ok(readings) => readings,
        Err(missing) => {
            tally.add_failure(missing.failure);
            return Ok(());
        }
    };
    if let Err((side, mismatch)) = check_functions(table, &readings) {
        let earlier = sides[0].name();
        return Err(Fault::OtherBuild { earlier, mismatch }.of(sides[side].name()));
    }
    suite.agreement = suite.agreement.meet(Agreement::of(&readings));
    tally.add(&readings, operation);
    Ok(())
}

/// Refuses sides in which the same function starts on different lines of a file whose lines of
/// code differ too: whatever the format, that is other source. (V8 lists inner functions only if
/// they could have run, so a name alone may stand for two functions; the lines are the same then.)
/// The error names the side that differs from the first.
fn check_functions(
    table: &SiteTable,
    readings: &Group<Reading>,
) -> Result<(), (usize, BuildMismatch)> {
    let [first, others @ ..] = readings.sides() else { return Ok(()) };
    for (at, other) in others.iter().enumerate() {
        let mut one_sided = first.known.clone();
        one_sided ^= &other.known;
        let mut functions = Vec::new();
        let mut files = BTreeSet::new();
        for id in one_sided.iter() {
            let site = table.get(id);
            match site.element {
                Element::Function(name) => functions.push(((site.file, name), id)),
                Element::Line => drop(files.insert(site.file)),
                _ => {}
            }
        }
        functions.sort_unstable();
        for moved in functions.windows(2) {
            let [((file, name), id), (other_name, other_id)] = [moved[0], moved[1]];
            let is_moved = (file, name) == other_name
                && first.known.contains(id) != first.known.contains(other_id);
            if is_moved && files.contains(&file) {
                let (line, other_line) = (table.get(id).line, table.get(other_id).line);
                let (path, name) = (table.path(file), table.shown_name(name));
                let place = format!("{name}, which starts at {path}:{line} and :{other_line},");
                return Err((at + 1, BuildMismatch { place }));
            }
        }
    }
    Ok(())
}

fn unite(mut parts: Vec<Part>) -> Result<Suite, Error> {
    // The one with the largest table takes in the others: the least work.
    parts.sort_by_key(|(suite, _)| std::cmp::Reverse(suite.table.len()));
    let mut parts = parts.into_iter();
    let (mut suite, first) =
        parts.next().unwrap_or_else(|| unreachable!("without a failure there is a part"));
    for (other, other_first) in parts {
        suite.absorb(&other).map_err(|mismatch| {
            let earlier = first.clone().unwrap_or_default();
            Fault::OtherBuild { earlier, mismatch }.of(other_first.unwrap_or_default())
        })?;
    }
    Ok(suite)
}
