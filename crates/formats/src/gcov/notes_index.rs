//! Finds the notes (`.gcno`) of counters, and keeps them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use metacov_core::BuildMismatch;

use super::compiled::CompiledUnit;
use super::image::{COUNTER_BYTES, Image, ImageBuilder, Piece};
use super::notes_cache::{NotesCache, ProgramKey, StoredUnits};
use super::shared_notes::{CompiledProgram, Content, SharedNotes, UnitJob};
use super::snapshot::Listing;
use super::unit::Unit;
use super::words::Layout;
use crate::scope::NotesSearch;
use crate::{Error, Fault, Location, Scope, SiteRecorder};

/// Larger files are not notes.
pub(super) const NOTES_BYTES_MAX: u64 = 1 << 30;

/// How deep a folder of notes is searched.
const DEPTH_MAX: usize = 32;

/// The notes that have been read into one table.
pub(crate) struct NotesIndex {
    shared: Arc<SharedNotes>,
    by_path: BTreeMap<(PathBuf, u32), Rc<NotesUnit>>,
    by_content: BTreeMap<Content, Rc<NotesUnit>>,
    /// The notes below the folder that was searched last.
    below: Option<(PathBuf, Vec<PathBuf>)>,
}

/// A translation unit, and its images for one table.
pub(super) struct NotesUnit {
    pub(super) unit: Arc<Unit>,
    images: ByPresence<RefCell<Image>>,
}

impl NotesUnit {
    /// Returns the image of its counters if these functions are in the program, where they are in
    /// a file of counters.
    pub(super) fn image(
        &self,
        name: u32,
        present: &[bool],
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<Rc<RefCell<Image>>, Fault> {
        self.images.get(present, || {
            let numbers: Vec<usize> =
                (0..present.len()).filter(|number| present[*number]).collect();
            let starts = numbers.iter().map(|number| COUNTER_BYTES * self.unit.starts[*number]);
            let unit = CompiledUnit::of(&self.unit, &numbers, recorder.scope.blocks);
            let piece = Piece { unit: &unit, name, starts: starts.collect() };
            let mut image = ImageBuilder::new(recorder);
            image.add(&piece, recorder)?;
            image.build(recorder).map(RefCell::new)
        })
    }
}

/// Values by the set of functions in the program. There is one, unless several programs share the
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

impl NotesIndex {
    /// An empty index that takes compiled units from `shared`.
    pub(crate) fn of(shared: Arc<SharedNotes>) -> Self {
        let (by_path, by_content) = (BTreeMap::new(), BTreeMap::new());
        NotesIndex { shared, by_path, by_content, below: None }
    }

    /// The notes of these counters.
    pub(super) fn find(
        &mut self,
        counters: &Path,
        build: (u32, Layout),
        prefix: Option<&Path>,
        scope: &Scope,
    ) -> Result<Rc<NotesUnit>, Fault> {
        let places = self.places(counters, prefix, scope);
        places.find(|path| {
            if let Some(notes_unit) = self.by_path.get(&(path.to_owned(), build.0)) {
                return Ok(Some(notes_unit.clone()));
            }
            let notes_unit = self.read(path)?;
            let notes = &notes_unit.unit.notes;
            if (notes.stamp, notes.layout) != build {
                return Ok(None);
            }
            self.by_path.insert((path.to_owned(), build.0), notes_unit.clone());
            Ok(Some(notes_unit))
        })
    }

    /// The units of a program that was compiled at an earlier start, if they are stored.
    pub(super) fn stored_program(layout: &[u8], scope: &Scope) -> Option<StoredUnits> {
        let (cache, key) = cache(layout, scope)?;
        cache.open(key)
    }

    /// The units of a program, compiled now.
    pub(super) fn program(
        &mut self,
        layout: &Arc<[u8]>,
        listings: &[Listing],
        scope: &Scope,
    ) -> Result<CompiledProgram, Error> {
        let shared = self.shared.clone();
        shared.program(layout, cache(layout, scope), listings, |listing| UnitJob {
            listing: listing.clone(),
            notes: self.places(&listing.path, None, scope),
            has_blocks: scope.blocks,
        })
    }

    /// Where the notes of these counters may be: beside them; at the path that they have below
    /// `prefix`; or anywhere below the folder of the scope. In that folder only, if the scope says
    /// so.
    pub(super) fn places(
        &mut self,
        counters: &Path,
        prefix: Option<&Path>,
        scope: &Scope,
    ) -> NotesPlaces {
        let beside = counters.with_extension("gcno");
        let candidates = match (&scope.notes, beside.file_name()) {
            (Some(folder), Some(name)) if scope.notes_search == NotesSearch::FolderOnly => {
                vec![folder.join(name)]
            }
            _ => self.candidates(&beside, prefix, scope.notes.as_deref()),
        };
        NotesPlaces { beside, candidates }
    }

    fn candidates(
        &mut self,
        beside: &Path,
        prefix: Option<&Path>,
        folder: Option<&Path>,
    ) -> Vec<PathBuf> {
        let mut candidates = vec![beside.to_owned()];
        let at_home = prefix.and_then(|prefix| beside.strip_prefix(prefix).ok());
        candidates.extend(at_home.map(|path| Path::new("/").join(path)));
        if let Some(folder) = folder {
            let same_name = |path: &&PathBuf| path.file_name() == beside.file_name();
            candidates.extend(self.below(folder).iter().filter(same_name).cloned());
        }
        candidates
    }

    /// Returns the unit of a notes file, compiled now or before.
    fn read(&mut self, path: &Path) -> Result<Rc<NotesUnit>, Fault> {
        let bytes = read_notes(path)?;
        let content = SharedNotes::content(&bytes);
        if let Some(notes_unit) = self.by_content.get(&content) {
            return Ok(notes_unit.clone());
        }
        let unit = self.shared.unit(content, &bytes)?;
        let notes_unit = Rc::new(NotesUnit { unit, images: ByPresence::default() });
        self.by_content.insert(content, notes_unit.clone());
        Ok(notes_unit)
    }

    /// The notes below a folder.
    fn below(&mut self, folder: &Path) -> &[PathBuf] {
        if self.below.as_ref().is_none_or(|(known, _)| known != folder) {
            self.below = Some((folder.to_owned(), files_below(folder, "gcno")));
        }
        self.below.as_ref().map_or(&[], |(_, notes)| notes)
    }
}

/// The cache of compiled programs, if there is one, and the key of a program.
fn cache(layout: &[u8], scope: &Scope) -> Option<(NotesCache, ProgramKey)> {
    let Scope { blocks, notes, notes_search, notes_cache, .. } = scope;
    let settings = format!("{blocks} {notes_search:?} {notes:?}");
    Some((NotesCache::new(notes_cache.clone()?), ProgramKey::of(layout, &settings)?))
}

/// Where the notes of a unit may be.
pub(super) struct NotesPlaces {
    beside: PathBuf,
    candidates: Vec<PathBuf>,
}

impl NotesPlaces {
    /// The first result of `read` among the files that exist; it returns none for notes of another
    /// build.
    pub(super) fn find<T>(
        &self,
        mut read: impl FnMut(&Path) -> Result<Option<T>, Fault>,
    ) -> Result<T, Fault> {
        let mut of_other_build = None;
        for path in self.candidates.iter().filter(|path| path.is_file()) {
            let found = read(path).map_err(|fault| {
                Fault::malformed(Location::Whole, format!("its notes {}: {fault}", path.display()))
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
            of_other_build = Some(path);
        }
        if let Some(path) = of_other_build {
            return Err(other_build(path));
        }
        let what = format!("no notes {} (name their folder with --notes)", self.beside.display());
        Err(Fault::malformed(Location::Whole, what))
    }
}

/// The content of a file of notes.
pub(super) fn read_notes(path: &Path) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(NOTES_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The fault of counters that are of another build than their notes.
fn other_build(notes: &Path) -> Fault {
    let mismatch = BuildMismatch { place: "what it counts".to_owned() };
    Fault::OtherBuild { earlier: notes.display().to_string(), mismatch }
}

/// The counters below a folder, ordered by path.
pub(crate) fn counters_below(folder: &Path) -> Vec<PathBuf> {
    files_below(folder, "gcda")
}

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(folder, ending, 0, &mut files);
    files.sort_unstable();
    files
}

/// Collects files with this ending. Links are not followed: they may form a cycle.
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
