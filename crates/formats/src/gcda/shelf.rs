//! Where notes are found, and kept once they have been read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use metacov_core::BuildMismatch;

use super::entries::{Entry, entries};
use super::flow::Flow;
use super::image::{COUNTER_BYTES, Image, Piece};
use super::notes::{FunctionKey, Notes};
use super::projection::Projection;
use super::words::Layout;
use crate::{Fault, Place, Recorder};

/// Notes beyond this size are not notes.
pub(super) const NOTES_BYTES_MAX: u64 = 1 << 30;

/// How deep a folder of notes is searched.
const DEPTH_MAX: usize = 32;

/// The notes that have been read into one table.
#[derive(Default)]
pub(crate) struct Shelf {
    units: BTreeMap<(PathBuf, u32), Rc<Unit>>,
    /// By length and hash: notes are often copied beside the counters of each run, and compiling
    /// them takes longer than all else.
    by_content: BTreeMap<(usize, u64), Rc<Unit>>,
    /// The notes below the folder that was asked for last.
    below: Option<(PathBuf, Vec<PathBuf>)>,
}

/// A translation unit, made ready for any number of counters.
pub(super) struct Unit {
    pub(super) notes: Notes,
    pub(super) flows: Vec<Flow>,
    pub(super) entries: Vec<Entry>,
    numbers: BTreeMap<FunctionKey, usize>,
    projections: ByPresence<Projection>,
    images: ByPresence<RefCell<Image>>,
    /// By function: the number of its first counter, if those of all functions lie one behind the
    /// other.
    pub(super) starts: Vec<usize>,
}

impl Unit {
    /// The unit that notes tell of.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let notes = Notes::read(bytes)?;
        let flow = |function| {
            Flow::of(function).ok_or_else(|| {
                let what = format!("the flow graph of {} has no solution", function.name);
                Fault::malformed(Place::Whole, what)
            })
        };
        let flows: Vec<Flow> = notes.functions.iter().map(flow).collect::<Result<_, _>>()?;
        let starts = flows.iter().scan(0, |end, flow| {
            *end += flow.counter_count();
            Some(*end - flow.counter_count())
        });
        let starts = starts.collect();
        let numbered = notes.functions.iter().enumerate();
        let numbers = numbered.map(|(number, function)| (function.key, number)).collect();
        let entries = entries(&notes);
        let (projections, images) = (ByPresence::default(), ByPresence::default());
        Ok(Unit { notes, flows, entries, numbers, projections, images, starts })
    }

    /// The number of a function, which is likely the one that is expected, or one soon after it.
    pub(super) fn number(&self, key: FunctionKey, expected: usize) -> Option<usize> {
        match self.notes.functions.get(expected) {
            Some(function) if function.key == key => Some(expected),
            _ => self.numbers.get(&key).copied(),
        }
    }

    /// How many counters it has, if all its functions are in the program.
    pub(super) fn counter_count(&self) -> usize {
        self.flows.iter().map(Flow::counter_count).sum()
    }

    /// Where the counts go, if these functions are in the program.
    pub(super) fn projection(
        &self,
        present: &[bool],
        recorder: &mut Recorder<'_>,
    ) -> Result<Rc<Projection>, Fault> {
        self.projections.get(present, || Projection::of(self, present, recorder))
    }

    /// Its counters, one function behind the other, if these functions are in the program.
    pub(super) fn image(
        self: &Rc<Self>,
        present: &[bool],
        recorder: &mut Recorder<'_>,
    ) -> Result<Rc<RefCell<Image>>, Fault> {
        self.images.get(present, || Image::of(&[self.piece(present)], recorder).map(RefCell::new))
    }

    /// The functions that are in the program, their counters one behind the other.
    pub(super) fn piece(self: &Rc<Self>, present: &[bool]) -> Piece {
        let starts = self.starts.iter().map(|start| COUNTER_BYTES * start).enumerate();
        let functions = starts.filter(|(number, _)| present[*number]).collect();
        Piece { unit: self.clone(), functions }
    }
}

/// What depends on which functions are in the program. There is one, unless programs share the
/// unit.
struct ByPresence<T>(RefCell<Vec<(Vec<bool>, Rc<T>)>>);

impl<T> ByPresence<T> {
    fn get(
        &self,
        present: &[bool],
        make: impl FnOnce() -> Result<T, Fault>,
    ) -> Result<Rc<T>, Fault> {
        let known = self.0.borrow().iter().find(|(of, _)| of == present).cloned();
        if let Some((_, known)) = known {
            return Ok(known);
        }
        let new = Rc::new(make()?);
        self.0.borrow_mut().push((present.to_owned(), new.clone()));
        Ok(new)
    }
}

impl<T> Default for ByPresence<T> {
    fn default() -> Self {
        ByPresence(RefCell::default())
    }
}

impl Shelf {
    /// The notes of these counters: beside them; at the path that they have below `prefix`; or
    /// anywhere below `folder`.
    pub(super) fn unit(
        &mut self,
        counters: &Path,
        (stamp, layout): (u32, Layout),
        prefix: Option<&Path>,
        folder: Option<&Path>,
    ) -> Result<Rc<Unit>, Fault> {
        let beside = counters.with_extension("gcno");
        let mut candidates = vec![beside.clone()];
        let at_home = prefix.and_then(|prefix| beside.strip_prefix(prefix).ok());
        candidates.extend(at_home.map(|path| Path::new("/").join(path)));
        if let Some(folder) = folder {
            let same_name = |path: &&PathBuf| path.file_name() == beside.file_name();
            candidates.extend(self.below(folder).iter().filter(same_name).cloned());
        }
        let mut other_stamp = None;
        for path in candidates {
            if let Some(unit) = self.units.get(&(path.clone(), stamp)) {
                return Ok(unit.clone());
            }
            if !path.is_file() {
                continue;
            }
            let unit = self.read(&path).map_err(|fault| {
                Fault::malformed(Place::Whole, format!("its notes {}: {fault}", path.display()))
            })?;
            if (unit.notes.stamp, unit.notes.layout) == (stamp, layout) {
                self.units.insert((path, stamp), unit.clone());
                return Ok(unit);
            }
            other_stamp = Some(path);
        }
        if let Some(path) = other_stamp {
            return Err(other_build(&path));
        }
        let what = format!("no notes {} (name their folder with --notes)", beside.display());
        Err(Fault::malformed(Place::Whole, what))
    }

    /// The unit that a file tells of, compiled now or before.
    fn read(&mut self, path: &Path) -> Result<Rc<Unit>, Fault> {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(NOTES_BYTES_MAX).read_to_end(&mut bytes)?;
        let mut hasher = DefaultHasher::new();
        hasher.write(&bytes);
        let key = (bytes.len(), hasher.finish());
        if let Some(unit) = self.by_content.get(&key) {
            return Ok(unit.clone());
        }
        let unit = Rc::new(Unit::read(&bytes)?);
        self.by_content.insert(key, unit.clone());
        Ok(unit)
    }

    /// The notes below a folder.
    fn below(&mut self, folder: &Path) -> &[PathBuf] {
        if self.below.as_ref().is_none_or(|(known, _)| known != folder) {
            self.below = Some((folder.to_owned(), files_below(folder, "gcno")));
        }
        self.below.as_ref().map_or(&[], |(_, notes)| notes)
    }
}

/// Counters that were made from another build than their notes.
fn other_build(notes: &Path) -> Fault {
    let mismatch = BuildMismatch { place: "what it counts".to_owned() };
    Fault::OtherBuild { earlier: notes.display().to_string(), mismatch }
}

/// The counters below a folder, in the order of their paths.
pub(crate) fn counters_below(folder: &Path) -> Vec<PathBuf> {
    files_below(folder, "gcda")
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(folder, ending, 0, &mut files);
    files.sort_unstable();
    files
}

/// Collects files with this ending. Links are not followed: they may lead in circles.
fn walk(folder: &Path, ending: &str, depth: usize, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEPTH_MAX => walk(&path, ending, depth + 1, files),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end == ending) => {
                files.push(path);
            }
            _ => {}
        }
    }
}
