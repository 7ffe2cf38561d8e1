//! Compiled notes, shared by all workers.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::compiled::CompiledUnit;
use super::notes_cache::{NotesCache, NotesFile, ProgramKey};
use super::notes_index::NotesPlaces;
use super::snapshot::Listing;
use super::unit::Unit;
use crate::{Error, Fault};

/// The compiled notes (`.gcno`) that the loaders of one fold share. Compiling takes most of the
/// time and memory, so each program is compiled once.
///
/// No thread is started here. The units of a program are jobs, which are taken by the loader that
/// needs the program first, and by others that wait for it. Units that the cache has are not
/// compiled, so each loader reads them there.
#[derive(Default)]
pub struct SharedNotes {
    units: Mutex<BTreeMap<Content, Arc<UnitSlot>>>,
    state: Mutex<State>,
    /// A job was added or finished, or a program is complete.
    changed: Condvar,
}

/// Identifies notes: their length and a hash. Their path does not, since they are often copied
/// beside the counters of each run.
pub(super) type Content = (usize, u64);

/// A unit with all its functions; none until it is read.
type UnitSlot = Mutex<Option<Arc<Unit>>>;

/// The units of a program, in the order of its layout.
pub(super) type CompiledProgram = Arc<[CompiledUnit]>;

#[derive(Default)]
struct State {
    /// By layout. None while a program is being compiled. Once all loaders have read it, it is not
    /// kept: it takes memory, and is rarely needed again.
    programs: BTreeMap<Arc<[u8]>, Option<Weak<[CompiledUnit]>>>,
    jobs: VecDeque<Job>,
}

/// A unit to compile.
struct Job {
    unit: UnitJob,
    number: usize,
    batch: Arc<Mutex<Batch>>,
}

/// What a unit is compiled from.
pub(super) struct UnitJob {
    pub(super) listing: Listing,
    pub(super) notes: NotesPlaces,
    /// Whether blocks are sites.
    pub(super) has_blocks: bool,
}

/// The results of the jobs of a program.
struct Batch {
    units: Vec<Option<Result<(CompiledUnit, NotesFile), Error>>>,
    /// How many jobs are not finished.
    left: usize,
}

impl SharedNotes {
    pub(super) fn content(notes: &[u8]) -> Content {
        let mut hasher = DefaultHasher::new();
        hasher.write(notes);
        (notes.len(), hasher.finish())
    }

    /// The unit of notes with this content, with all its functions. Malformed notes are not kept:
    /// each call reads them again and gets the same error.
    pub(super) fn unit(&self, content: Content, notes: &[u8]) -> Result<Arc<Unit>, Fault> {
        let place = lock(&self.units).entry(content).or_default().clone();
        let mut place = lock(&place);
        if let Some(unit) = &*place {
            return Ok(unit.clone());
        }
        let unit = Arc::new(Unit::read(notes, |_| true)?);
        Ok(place.insert(unit).clone())
    }

    /// The program with this layout, compiled now or by another loader; and stored for later starts.
    pub(super) fn program(
        &self,
        layout: &Arc<[u8]>,
        cache: Option<(NotesCache, ProgramKey)>,
        listings: &[Listing],
        job: impl FnMut(&Listing) -> UnitJob,
    ) -> Result<CompiledProgram, Error> {
        let known = self.work_until(|state| match state.programs.get(layout) {
            Some(None) => None,
            Some(Some(program)) if let Some(program) = program.upgrade() => Some(Some(program)),
            _ => {
                state.programs.insert(layout.clone(), None);
                Some(None)
            }
        });
        if let Some(program) = known {
            return Ok(program);
        }
        let compiled = self.compile(listings.iter().map(job).collect());
        let program: Result<CompiledProgram, Error> = compiled.map(|compiled| {
            if let Some((cache, key)) = cache {
                cache.store(key, &compiled);
            }
            compiled.into_iter().map(|(unit, _)| unit).collect()
        });
        let mut state = lock(&self.state);
        match &program {
            Ok(program) => {
                state.programs.insert(layout.clone(), Some(Arc::downgrade(program)));
            }
            // The next loader that needs it gets the same error.
            Err(_) => {
                state.programs.remove(layout);
            }
        }
        self.changed.notify_all();
        program
    }

    /// Compiles units. If some cannot be compiled, the error is that of the first of them.
    fn compile(&self, jobs: Vec<UnitJob>) -> Result<Vec<(CompiledUnit, NotesFile)>, Error> {
        let units = jobs.iter().map(|_| None).collect();
        let batch = Arc::new(Mutex::new(Batch { units, left: jobs.len() }));
        let job = |(number, unit)| Job { unit, number, batch: batch.clone() };
        lock(&self.state).jobs.extend(jobs.into_iter().enumerate().map(job));
        self.changed.notify_all();
        self.work_until(|_| (lock(&batch).left == 0).then_some(()));
        let units = std::mem::take(&mut lock(&batch).units);
        units.into_iter().flatten().collect()
    }

    /// Works on jobs, or waits for other threads, until there is a result.
    fn work_until<T>(&self, mut result: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut state = lock(&self.state);
        loop {
            if let Some(result) = result(&mut state) {
                return result;
            }
            state = match state.jobs.pop_front() {
                Some(job) => {
                    drop(state);
                    job.run();
                    self.changed.notify_all();
                    lock(&self.state)
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Job {
    fn run(self) {
        let unit = self.unit.compile();
        let unit = unit.map_err(|fault| fault.of(self.unit.listing.path.display().to_string()));
        let mut batch = lock(&self.batch);
        batch.units[self.number] = Some(unit);
        batch.left -= 1;
    }
}

impl UnitJob {
    fn compile(&self) -> Result<(CompiledUnit, NotesFile), Fault> {
        let (unit, notes) = self.listing.unit(&self.notes)?;
        let numbers = self.listing.numbers(&unit)?;
        Ok((CompiledUnit::of(&unit, &numbers, self.has_blocks), notes))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
