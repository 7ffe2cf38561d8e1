//! Receives the sites that readers find in a report.

use std::path::Path;

use metacov_core::{
    BranchKey, BuildMismatch, Criteria, Criterion, Element, FileId, Fingerprint, Mark, Reading,
    Site, SiteId, SiteTable, Span, Symbol,
};

use crate::Fault;
use crate::gcov::NotesIndex;
use crate::scope::{Exclusions, Scope};
use crate::unit_marks::UnitMarks;
use crate::universe::Universe;

/// One site of a report, and whether it ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    line: u32,
    element: Element,
    instance: Symbol,
    ran: bool,
    excluded: bool,
    traced: bool,
    mark: BuildMark,
    /// The last line of a function; zero if it is not reported.
    end: u32,
}

impl Record {
    fn new(line: u32, element: Element, ran: bool) -> Self {
        let instance = Symbol::NONE;
        let (excluded, traced, mark, end) = (false, false, BuildMark::default(), 0);
        Record { line, element, instance, ran, excluded, traced, mark, end }
    }

    pub(crate) fn line(line: u32, ran: bool) -> Self {
        Record::new(line, Element::Line, ran)
    }

    pub(crate) fn branch(line: u32, key: BranchKey, ran: bool) -> Self {
        Record::new(line, Element::Branch(key), ran)
    }

    pub(crate) fn function(line: u32, name: Symbol, ran: bool) -> Self {
        Record::new(line, Element::Function(name), ran)
    }

    pub(crate) fn region(line: u32, span: Span, ran: bool) -> Self {
        Record::new(line, Element::Region(span), ran)
    }

    pub(crate) fn block(line: u32, function: Symbol, number: u32, ran: bool) -> Self {
        Record::new(line, Element::Block { function, number }, ran)
    }

    /// Belongs to this function instance (see [`SiteRecorder::instance`]).
    pub(crate) fn instance(self, instance: Symbol) -> Self {
        Record { instance, ..self }
    }

    /// Left out of all counts, on all sides, if `excluded`.
    pub(crate) fn excluded(self, excluded: bool) -> Self {
        Record { excluded, ..self }
    }

    /// Is a line that an interpreter traced, or a jump between two of them. It counts for the
    /// statement that it is part of, if a universe lists the statements; only a universe knows
    /// which jumps are branches.
    pub(crate) fn traced(self) -> Self {
        Record { traced: true, ..self }
    }

    /// Is a function that ends on this line.
    pub(crate) fn ending(self, end: u32) -> Self {
        Record { end, ..self }
    }

    /// Carries what the producer reports about a function in a translation unit: the same bytes for
    /// the same code. Other units may have other code there.
    pub(crate) fn marked_in_unit(self, what: &[u8]) -> Self {
        let mut record = self.marked(what);
        record.mark.is_of_unit = true;
        record
    }

    /// Carries what the producer reports about the build: the same bytes for the same code.
    pub(crate) fn marked(self, what: &[u8]) -> Self {
        self.marked_in(1, what)
    }

    /// The same in one of several notations (numbered from one), which cannot be compared.
    pub(crate) fn marked_in(self, notation: u8, what: &[u8]) -> Self {
        Record { mark: BuildMark::of(notation, what), ..self }
    }
}

/// Adds the records of a report, file by file, to the site table and a reading.
///
/// Producers write a file's path before or after its lines, and the folder that the path is
/// relative to at the very end. So records are buffered: [`SiteRecorder::add`] them, name their
/// file with [`SiteRecorder::end_file`], and [`SiteRecorder::flush`] once the folder is known.
pub(crate) struct SiteRecorder<'i> {
    pub(crate) table: &'i mut SiteTable,
    pub(crate) scope: &'i Scope,
    /// By file of the table: what its markers exclude, once it has been looked up.
    pub(crate) exclusions: &'i mut Vec<Option<Exclusions>>,
    /// The number of the format being read.
    pub(crate) format: u8,
    /// The test or context to read, if not all of them.
    pub(crate) context: Option<&'i str>,
    /// Files that list all code, if any were read before.
    pub(crate) universe: Option<&'i Universe>,
    /// Notes of counters that have been read before.
    pub(crate) notes_index: &'i mut NotesIndex,
    /// The folder that the counters were written below, with their whole paths.
    pub(crate) prefix: Option<&'i Path>,
    /// The first file that was read: all files must be of its build.
    pub(crate) first: Option<&'i str>,
    /// The translation unit being read (see `unit_of`), and the marks of its functions.
    pub(crate) unit: u32,
    pub(crate) unit_marks: &'i mut UnitMarks,
    /// The criteria of which only sites that ran are listed.
    pub(crate) only_ran: Criteria,
    pub(crate) reading: Reading,
    pub(crate) waiting: Waiting,
}

/// Records that wait for their path. The memory is reused for the next report.
#[derive(Default)]
pub(crate) struct Waiting {
    records: Vec<Record>,
    /// The paths, each with the number of records up to its end.
    files: Vec<(String, usize)>,
}

impl SiteRecorder<'_> {
    /// Adds a record of the file that is named by the next [`SiteRecorder::end_file`].
    pub(crate) fn add(&mut self, record: Record) {
        self.waiting.records.push(record);
    }

    /// The symbol of a name.
    pub(crate) fn symbol(&mut self, name: &str) -> Symbol {
        self.table.symbol(name)
    }

    /// Returns the instance of a function of this name, if instances are distinguished.
    pub(crate) fn instance(&mut self, function: &str) -> Symbol {
        if self.scope.per_instance { self.table.symbol(function) } else { Symbol::NONE }
    }

    /// Assigns the records added since the last call to this file.
    pub(crate) fn end_file(&mut self, path: &str) -> Result<(), String> {
        if path.is_empty() || path.chars().any(char::is_control) {
            return Err(format!("the file name {path:?} is empty or has control characters"));
        }
        self.waiting.files.push((path.to_owned(), self.waiting.records.len()));
        Ok(())
    }

    /// Declares that only sites that ran are listed of a criterion.
    pub(crate) fn names_only_what_ran(&mut self, criterion: Criterion) {
        self.only_ran.insert(criterion);
        if self.universe.is_none() {
            self.table.set_partial(criterion);
        }
    }

    /// Adds all waiting files to the table. Their paths are relative to `folder`, if any.
    pub(crate) fn flush(&mut self, folder: Option<&str>) -> Result<(), Fault> {
        self.flush_with(folder, |_| {})
    }

    /// Adds all waiting files to the table. Returns the number of each record's site; none if it
    /// does not count.
    pub(crate) fn flush_numbered(
        &mut self,
        folder: Option<&str>,
    ) -> Result<Vec<Option<SiteId>>, Fault> {
        let mut numbers = Vec::with_capacity(self.waiting.records.len());
        self.flush_with(folder, |number| numbers.push(number))?;
        Ok(numbers)
    }

    fn flush_with(
        &mut self,
        folder: Option<&str>,
        mut numbered: impl FnMut(Option<SiteId>),
    ) -> Result<(), Fault> {
        let Waiting { mut records, mut files } = std::mem::take(&mut self.waiting);
        let mut start = 0;
        for (path, end) in files.drain(..) {
            let path = self.scope.path(&path, folder);
            self.take_file(&path, &records[start..end], &mut numbered)?;
            start = end;
        }
        records.clear();
        self.waiting = Waiting { records, files };
        Ok(())
    }

    fn take_file(
        &mut self,
        path: &str,
        records: &[Record],
        numbered: &mut impl FnMut(Option<SiteId>),
    ) -> Result<(), Fault> {
        if !self.scope.includes(path) {
            for _ in records {
                numbered(None);
            }
            return Ok(());
        }
        let file = self.table.file(path);
        if self.exclusions.len() <= file.index() {
            self.exclusions.resize(file.index() + 1, None);
        }
        let exclusions = self.exclusions[file.index()].get_or_insert_with(|| {
            let mut exclusions = self.scope.exclusions(path);
            let functions = records.iter().filter(|r| r.element.criterion() == Criterion::Function);
            exclusions.spread_functions(functions.map(|record| record.line));
            exclusions
        });
        let has_exclusions = !exclusions.is_empty();
        for record in records {
            let number = if has_exclusions && leaves_out(exclusions, record) {
                if exclusions.meet(record.line) {
                    let is_whole = exclusions.hold_line(record.line);
                    self.scope.left_out.add(path, record.line, is_whole);
                }
                None
            } else {
                number(self.table, self.universe, file, record)
            };
            numbered(number);
            let Some(id) = number else { continue };
            if record.mark.notation != 0 {
                // Marks of different formats, or in different notations, cannot be compared.
                let producer = u16::from_le_bytes([record.mark.notation, self.format]);
                if record.mark.is_of_unit {
                    self.unit_marks.add(id, Mark::new(producer, self.unit, record.mark.hash));
                } else {
                    let mark = Mark::new(producer, 0, record.mark.hash);
                    self.table
                        .mark(id, mark)
                        .map_err(|mismatch| other_build(self.first, mismatch))?;
                }
            }
            if record.excluded {
                self.table.exclude(id);
            }
            if record.end != 0 {
                self.table.set_end(id, record.end);
            }
            if let Element::Branch(key) = record.element {
                self.reading.naming.note(key);
            }
            self.reading.criteria.insert(record.element.criterion());
            self.reading.known.insert(id);
            if record.ran {
                self.reading.executed.insert(id);
            }
        }
        Ok(())
    }
}

/// The number of a record's site; none if it does not count.
fn number(
    table: &mut SiteTable,
    universe: Option<&Universe>,
    file: FileId,
    record: &Record,
) -> Option<SiteId> {
    let Record { line, element, instance, .. } = *record;
    let site = Site { file, line, element, instance };
    if !record.traced {
        return Some(table.site(site));
    }
    match (universe, element) {
        (None, Element::Line) => Some(table.site(site)),
        (Some(universe), Element::Line) => {
            let line = universe.statement(file, line)?;
            table.find(Site { line, ..site })
        }
        (Some(universe), Element::Branch(BranchKey::Jump(to))) => {
            let line = universe.statement(file, line)?;
            let mut keys = universe.branches(file, to);
            keys.find_map(|key| table.find(Site { line, element: Element::Branch(key), ..site }))
        }
        _ => None,
    }
}

fn leaves_out(exclusions: &Exclusions, record: &Record) -> bool {
    exclusions.hold_line(record.line)
        || (record.element.criterion() == Criterion::Branch
            && exclusions.hold_branches(record.line))
}

/// The fault of a file that is of another build than the first one.
pub(crate) fn other_build(first: Option<&str>, mismatch: BuildMismatch) -> Fault {
    let earlier = first.unwrap_or("the rest of it").to_owned();
    Fault::OtherBuild { earlier, mismatch }
}

/// What a producer reports about the build at a site: a notation (zero: nothing), and a hash.
#[derive(Clone, Copy, Debug, Default)]
struct BuildMark {
    notation: u8,
    hash: u64,
    is_of_unit: bool,
}

impl BuildMark {
    fn of(notation: u8, what: &[u8]) -> Self {
        let mut fingerprint = Fingerprint::new();
        fingerprint.bytes(what);
        BuildMark { notation, hash: fingerprint.hash(), is_of_unit: false }
    }
}
