//! Reads the files of one side.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use metacov_core::{Cover, Criteria, Reading, SiteTable};

use crate::gcov::{self, IN_MEMORY, Images, NotesIndex, OnInconsistency, SharedNotes, Snapshot};
use crate::scope::{Exclusions, Scope};
use crate::site_recorder::{SiteRecorder, Waiting, other_build};
use crate::unit_marks::UnitMarks;
use crate::universe::Universe;
use crate::{CoverageFile, Error, Fault, Location, READERS, Reader, reader_names};

/// A coverage file, and optionally one test in it; or a folder, which stands for all counters
/// (`.gcda`) below it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileSpec {
    /// The file.
    pub path: PathBuf,
    /// The test or context in it, if not all of them: the part after `::` of `FILE::CONTEXT`.
    pub context: Option<String>,
}

/// The purpose of reading a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To learn what ran.
    Side,
    /// To learn which code exists.
    Universe,
}

/// Reads coverage files into one growing site table.
pub struct CoverageLoader<'s> {
    scope: &'s Scope,
    table: SiteTable,
    exclusions: Vec<Option<Exclusions>>,
    waiting: Waiting,
    universe: Option<Universe>,
    notes_index: NotesIndex,
    images: Images,
    unit_marks: UnitMarks,
    /// The first file that was read. All others must be of the same build.
    first: Option<String>,
}

impl<'s> CoverageLoader<'s> {
    /// Creates a loader that has read nothing yet.
    pub fn new(scope: &'s Scope) -> Self {
        CoverageLoader::sharing(Arc::default(), scope)
    }

    /// Creates a loader that has read nothing yet, and shares compiled notes with others.
    pub fn sharing(notes: Arc<SharedNotes>, scope: &'s Scope) -> Self {
        CoverageLoader {
            scope,
            table: SiteTable::new(),
            exclusions: Vec::new(),
            waiting: Waiting::default(),
            universe: None,
            notes_index: NotesIndex::of(notes),
            images: Images::default(),
            unit_marks: UnitMarks::default(),
            first: None,
        }
    }

    /// Reads files for the code that they list; whether it ran is ignored.
    pub fn read_universe(&mut self, files: &[FileSpec]) -> Result<(), Error> {
        for file in files {
            self.read_file(file, Purpose::Universe, None)?;
            self.universe = Some(Universe::of(&self.table));
        }
        self.settle_marks()
    }

    /// Reads all files of one side. A site ran on a side if it ran in any of its files.
    pub fn read_side(&mut self, files: &[FileSpec]) -> Result<Reading, Error> {
        let mut side = Reading::of(&self.table);
        for file in files {
            let reading = if file.path.is_dir() {
                self.read_folder(&file.path)?.ok_or_else(|| {
                    let what = "a folder without counters (.gcda); name other files one by one";
                    Fault::malformed(Location::Whole, what).of(file.to_string())
                })?
            } else {
                self.read_file(file, Purpose::Side, None)?
            };
            side.unite(&reading);
        }
        self.settle_marks()?;
        Ok(side)
    }

    /// Reads all counters (`.gcda`) below a folder; none if there are none. The folder is the value
    /// of `GCOV_PREFIX`, or where the program was built.
    pub fn read_folder(&mut self, folder: &Path) -> Result<Option<Reading>, Error> {
        let mut reading: Option<Reading> = None;
        for path in gcov::counters_below(folder) {
            let file = FileSpec { path, context: None };
            let counters = self.read_file(&file, Purpose::Side, Some(folder))?;
            match &mut reading {
                Some(reading) => reading.unite(&counters),
                None => reading = Some(counters),
            }
        }
        self.settle_marks()?;
        Ok(reading)
    }

    /// Reads the counters that an execution left in memory. Counters that do not add up are an
    /// error, [`Fault::Inconsistent`].
    pub fn read_snapshots(&mut self, snapshots: &[Snapshot<'_>]) -> Result<Reading, Error> {
        self.read_memory(snapshots, OnInconsistency::Refuse)
    }

    /// Takes counters of a layout that was read before, for an execution to be solved later, and sets them to
    /// zero. An execution may take several, and ends with [`end_execution`](Self::end_execution).
    pub fn take(&mut self, layout: &Arc<[u8]>, counters: &mut [u8]) -> Result<(), Error> {
        self.images.take(layout, counters, &self.table)
    }

    /// How many executions were taken and not solved yet.
    pub fn taken(&self) -> usize {
        self.images.taken()
    }

    /// Whether the counters of another execution can be taken before those so far are solved.
    pub fn has_room(&self) -> bool {
        self.taken() < crate::EXECUTIONS_MAX
    }

    /// Ends an execution whose counters were taken. There is room for [`EXECUTIONS_MAX`](crate::EXECUTIONS_MAX).
    pub fn end_execution(&mut self) {
        self.images.end_execution();
    }

    /// Returns the sites that ran in each execution that was taken since the last call. Solving several together
    /// takes far less time than one by one.
    pub fn solve(&mut self) -> Vec<Result<Cover, Error>> {
        self.images.solve(&self.table)
    }

    /// Reads the counters of a process that crashed. Those of the function that it crashed in are
    /// inconsistent: arcs and blocks that do not follow from them count as not run.
    pub fn read_snapshots_of_crash(
        &mut self,
        snapshots: &[Snapshot<'_>],
    ) -> Result<Reading, Error> {
        self.read_memory(snapshots, OnInconsistency::Allow)
    }

    fn read_memory(
        &mut self,
        snapshots: &[Snapshot<'_>],
        on_inconsistency: OnInconsistency,
    ) -> Result<Reading, Error> {
        let mut images = std::mem::take(&mut self.images);
        let mut recorder = self.recorder(number_of(&gcov::Gcda), None, None);
        let outcome = images.read(snapshots, on_inconsistency, &mut recorder);
        let SiteRecorder { reading, waiting, .. } = recorder;
        self.images = images;
        outcome?;
        self.waiting = waiting;
        self.settle_marks()?;
        if reading.known.is_empty() {
            return Err(Fault::NoCode(self.missing(None)).of(IN_MEMORY));
        }
        self.first.get_or_insert_with(|| IN_MEMORY.to_owned());
        Ok(reading)
    }

    /// Returns what gcov would report for counters in memory.
    #[cfg(feature = "exact-counts")]
    pub fn tell_snapshots(
        &mut self,
        snapshots: &[Snapshot<'_>],
    ) -> Result<Vec<gcov::UnitCounts>, Error> {
        gcov::tell_snapshots(snapshots, &mut self.notes_index, self.scope)
    }

    /// Returns what gcov would report for the counters in a file (`.gcda`).
    #[cfg(feature = "exact-counts")]
    pub fn tell_file(&mut self, path: &Path) -> Result<gcov::UnitCounts, Error> {
        gcov::tell_file(path, &mut self.notes_index, self.scope)
    }

    /// Returns the sites that have been read.
    pub fn table(&self) -> &SiteTable {
        &self.table
    }

    /// Frees the notes of counters. Images that have been read before can be read again without
    /// them.
    pub fn forget_notes(&mut self) {
        self.notes_index = NotesIndex::of(Arc::default());
    }

    /// Returns the sites that have been read.
    pub fn into_table(self) -> SiteTable {
        self.table
    }

    fn read_file(
        &mut self,
        file: &FileSpec,
        purpose: Purpose,
        prefix: Option<&Path>,
    ) -> Result<Reading, Error> {
        let name = file.to_string();
        self.unit_marks.begin_file(&name);
        let reading = CoverageFile::open(&file.path)
            .and_then(|input| self.read_for(purpose, prefix, input, file.context.as_deref()))
            .map_err(|fault| fault.of(&name))?;
        self.first.get_or_insert(name);
        Ok(reading)
    }

    /// Reads one report of a side from an open input.
    pub fn read(&mut self, input: CoverageFile, context: Option<&str>) -> Result<Reading, Fault> {
        let reading = self.read_for(Purpose::Side, None, input, context)?;
        self.settle_marks().map_err(|error| error.fault)?;
        Ok(reading)
    }

    /// Compares the marks of a side's translation units with those of earlier sides.
    fn settle_marks(&mut self) -> Result<(), Error> {
        self.unit_marks.settle(&mut self.table).map_err(|(mismatch, file)| {
            other_build(self.first.as_deref(), mismatch).of(file.as_deref().unwrap_or(IN_MEMORY))
        })
    }

    fn read_for(
        &mut self,
        purpose: Purpose,
        prefix: Option<&Path>,
        mut input: CoverageFile,
        context: Option<&str>,
    ) -> Result<Reading, Fault> {
        let (format, reader) = detect(input.head())?;
        if purpose == Purpose::Side && reader.lists_only_code() {
            let what = format!(
                "{} list all code and not what ran: use them with --universe",
                reader.name()
            );
            return Err(Fault::malformed(Location::Whole, what));
        }
        if context.is_some() && !reader.has_contexts() {
            let what = format!("{} has no tests or contexts to choose from", reader.name());
            return Err(Fault::malformed(Location::Whole, what));
        }
        let mut recorder = self.recorder(format, context, prefix);
        reader.read(&mut input, &mut recorder)?;
        recorder.flush(None)?;
        let SiteRecorder { mut reading, waiting, only_ran, .. } = recorder;
        self.waiting = waiting;
        if reading.known.is_empty() {
            return Err(Fault::NoCode(self.missing(context)));
        }
        // Code that such a file does not list did not run; the universe says that it exists.
        for sites in self.universe.iter().flat_map(|universe| universe.sites(only_ran)) {
            reading.known |= sites;
        }
        Ok(reading)
    }

    fn recorder<'i>(
        &'i mut self,
        format: u8,
        context: Option<&'i str>,
        prefix: Option<&'i Path>,
    ) -> SiteRecorder<'i> {
        SiteRecorder {
            reading: Reading::of(&self.table),
            table: &mut self.table,
            scope: self.scope,
            exclusions: &mut self.exclusions,
            format,
            context,
            universe: self.universe.as_ref(),
            notes_index: &mut self.notes_index,
            prefix,
            first: self.first.as_deref(),
            unit: 0,
            unit_marks: &mut self.unit_marks,
            only_ran: Criteria::default(),
            waiting: std::mem::take(&mut self.waiting),
        }
    }

    /// Which code a report without sites should have named, for the message.
    fn missing(&self, context: Option<&str>) -> String {
        let mut kind = context.map_or(String::new(), |name| format!(" for the context `{name}`"));
        if !self.scope.filter.is_empty() || !self.scope.exclude.is_empty() {
            kind += " that --filter and --exclude let through";
        }
        if self.universe.is_some() {
            kind += " that --universe lists (are the paths the same? see --root and --prefix-map)";
        }
        kind
    }
}

/// The number of a reader's format.
fn number_of(reader: &dyn Reader) -> u8 {
    let numbered = (0..).zip(READERS);
    numbered.filter(|(_, known)| known.name() == reader.name()).map(|(number, _)| number).sum()
}

/// The reader that recognises the content, and its number.
fn detect(head: &[u8]) -> Result<(u8, &'static dyn Reader), Fault> {
    (0..).zip(READERS.iter().copied()).find(|(_, reader)| reader.detect(head)).ok_or_else(|| {
        let names: Vec<&str> = reader_names().collect();
        Fault::UnknownFormat(names.join(", "))
    })
}

impl std::fmt::Display for FileSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())?;
        match &self.context {
            Some(context) => write!(f, "::{context}"),
            None => Ok(()),
        }
    }
}

impl FileSpec {
    /// `FILE` or `FILE::CONTEXT`, relative to `folder`. If a file of the whole text's name exists,
    /// it is that file.
    pub fn parse(text: &str, folder: &Path) -> Self {
        let whole = folder.join(text);
        match text.split_once("::") {
            Some((path, context)) if !whole.exists() => {
                FileSpec { path: folder.join(path), context: Some(context.to_owned()) }
            }
            _ => FileSpec { path: whole, context: None },
        }
    }
}
