//! Small programs, and suites and runs of pairs on them, built by hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use metacov_core::{
    BranchKey, BranchNaming, Context, Criteria, Criterion, Element, Exit, Failure, Group, Missing,
    Operation, Reading, Setup, Site, SiteTable, StoredInput, Suite, SuiteFold, Symbol, Tally,
    Verdict, Violation,
};
use metacov_formats::{Export, GcovrFormat, Writer};
use metacov_report::digest::Digest;
use metacov_run::{GroupDone, Observer, SharedTable};
use metacov_store::{Header, Provenance, Run, RunWriter, Settings};
use proptest::prelude::*;

/// The code of a program.
#[derive(Default)]
pub struct Program {
    pub table: SiteTable,
}

/// A line of a file.
pub type Place = (String, u32);

/// Lines of a file, as the lines that a side ran.
pub fn lines(path: &str, lines: &[u32]) -> Vec<Place> {
    lines.iter().map(|line| (path.to_owned(), *line)).collect()
}

impl Program {
    /// One file, `a.c`, with these lines and nothing else.
    pub fn of_lines(lines: impl IntoIterator<Item = u32>) -> Self {
        Program::default().file("a.c", lines)
    }

    /// Adds lines of code to a file.
    pub fn file(mut self, path: &str, lines: impl IntoIterator<Item = u32>) -> Self {
        for line in lines {
            self.site(path, line, Element::Line);
        }
        self
    }

    /// Adds a function, by its first and last line.
    pub fn function(mut self, path: &str, name: &str, first: u32, last: u32) -> Self {
        let element = Element::Function(self.table.symbol(name));
        let id = self.site(path, first, element);
        self.table.set_end(id, last);
        self
    }

    /// Adds branches to a line. The first runs if the next line does, the second if the one after
    /// that does.
    pub fn branches(mut self, path: &str, line: u32, count: u32) -> Self {
        for position in 0..count {
            self.site(path, line, Element::Branch(BranchKey::Position(position)));
        }
        self
    }

    /// Adds the lines of an instance of a template; sides run them as lines of `path#name`.
    pub fn instance(
        mut self,
        path: &str,
        name: &str,
        lines: impl IntoIterator<Item = u32>,
    ) -> Self {
        let (file, instance) = (self.table.file(path), self.table.symbol(name));
        for line in lines {
            self.table.site(Site { file, line, element: Element::Line, instance });
        }
        self
    }

    fn site(&mut self, path: &str, line: u32, element: Element) -> metacov_core::SiteId {
        let file = self.table.file(path);
        self.table.site(Site { file, line, element, instance: Symbol::NONE })
    }

    /// The reading of a side that ran these lines.
    pub fn reading(&self, ran: &[Place]) -> Reading {
        let mut reading = Reading::of(&self.table);
        let mut naming = BranchNaming::default();
        for (id, site) in self.table.all_sites() {
            let path = match site.instance {
                Symbol::NONE => self.table.path(site.file).to_owned(),
                of => format!("{}#{}", self.table.path(site.file), self.table.name(of)),
            };
            let has = |line: u32| ran.iter().any(|(file, of)| *file == path && *of == line);
            let is_executed = match site.element {
                Element::Branch(key @ BranchKey::Position(position)) => {
                    naming.note(key);
                    has(site.line) && has(site.line + 1 + position)
                }
                _ => has(site.line),
            };
            reading.known.insert(id);
            reading.criteria.insert(site.criterion());
            if is_executed {
                reading.executed.insert(id);
            }
        }
        reading.naming = naming;
        reading
    }

    fn group(&self, sides: &[Vec<Place>]) -> Group<Reading> {
        Group::new(sides.iter().map(|ran| self.reading(ran)).collect()).unwrap()
    }
}

/// A pair (or a group of more sides) of a run.
#[derive(Clone, Debug)]
pub struct Pair {
    pub relation: String,
    /// Its name; by default, its place in the plan.
    pub name: Option<String>,
    /// The lines that each side ran; or how the second side failed, and its last output.
    pub outcome: Result<Vec<Vec<Place>>, (Failure, String)>,
    pub context: Context,
}

impl Pair {
    pub fn of(relation: &str, sides: Vec<Vec<Place>>) -> Self {
        let context = Context::default();
        Pair { relation: relation.to_owned(), name: None, outcome: Ok(sides), context }
    }

    /// A pair on `a.c`.
    pub fn ran(relation: &str, a: &[u32], b: &[u32]) -> Self {
        Pair::of(relation, vec![lines("a.c", a), lines("a.c", b)])
    }

    pub fn failed(relation: &str, failure: Failure, words: &str) -> Self {
        Pair { outcome: Err((failure, words.to_owned())), ..Pair::of(relation, Vec::new()) }
    }

    pub fn named(self, name: &str) -> Self {
        Pair { name: Some(name.to_owned()), ..self }
    }

    pub fn holds(mut self) -> Self {
        self.context.verdict = Some(Verdict::Holds);
        self
    }

    pub fn violated(mut self, how: &str) -> Self {
        self.context.verdict = Some(Verdict::Violated(how.to_owned()));
        self
    }

    pub fn on(mut self, setup: &str, inputs: [&str; 2]) -> Self {
        self.context.setup = Some(Arc::new(Setup::new(setup.as_bytes().to_vec())));
        let input = |text: &str| vec![StoredInput::new("in".to_owned(), text.as_bytes().to_vec())];
        self.context.inputs = inputs.map(input).to_vec();
        self
    }
}

/// The suite of some pairs.
pub fn suite(program: Program, operation: Operation, pairs: &[Pair]) -> Suite {
    let mut fold = SuiteFold::new(&program.table, operation);
    for pair in pairs {
        let outcome = pair.outcome.as_ref().map(|sides| program.group(sides));
        let outcome = outcome.as_ref().map_err(|(failure, _)| *failure);
        fold.add(&pair.relation, outcome, pair.context.verdict.as_ref());
    }
    fold.finish(program.table, false)
}

pub fn header(pairs: &[Pair]) -> Header {
    Header {
        made_by: "measure".to_owned(),
        command: "metacov measure".to_owned(),
        operation: Operation::Xor,
        per_instance: false,
        root: PathBuf::from("/"),
        planned: Some(pairs.len() as u64),
        complete: false,
        by_relation: true,
        settings: Settings::new(),
        provenance: Provenance::default(),
    }
}

/// The digest of a run file with these pairs.
pub fn digest(program: Program, pairs: &[Pair]) -> Digest {
    digest_with(program, &header(pairs), true, pairs)
}

pub fn digest_with(program: Program, header: &Header, complete: bool, pairs: &[Pair]) -> Digest {
    // In memory if possible, because hundreds of small files are written.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let file = folder.path().join("run.metacov");
    record(program, header, complete, pairs, &file);
    let digest = Digest::of(Run::open(&file).unwrap()).unwrap();
    // The folder has another name each time.
    Digest { name: "run.metacov".to_owned(), ..digest }
}

/// A run file with these pairs, in a folder that goes with the result.
pub fn run(program: Program, header: &Header, pairs: &[Pair]) -> (tempfile::TempDir, Run) {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let file = folder.path().join("run.metacov");
    record(program, header, true, pairs, &file);
    let mut run = Run::open(&file).unwrap();
    "run.metacov".clone_into(&mut run.name);
    (folder, run)
}

fn record(program: Program, header: &Header, complete: bool, pairs: &[Pair], file: &Path) {
    let writer = RunWriter::open(file, header, false).unwrap();
    let outcome = |pair: &Pair| match &pair.outcome {
        Ok(sides) => Ok(program.group(sides)),
        Err((failure, words)) => Err(Missing {
            failure: *failure,
            exit: Exit::Signalled(11),
            output_tail: words.clone(),
        }),
    };
    let outcomes: Vec<_> = pairs.iter().map(outcome).collect();
    let table = SharedTable::of(program.table, None);
    for ((place, pair), outcome) in (0..).zip(pairs).zip(&outcomes) {
        let done = GroupDone {
            place,
            relation: &pair.relation,
            pair: &pair.name.clone().unwrap_or_else(|| place.to_string()),
            sides: outcome.as_ref().map_or(2, |group| group.sides().len()),
            outcome: outcome.as_ref().map_err(|missing| (1, missing)),
            context: &pair.context,
            took: Duration::from_micros(1500),
            table: &table,
        };
        writer.on_group(&done).unwrap();
    }
    // A file without pairs has no code.
    let table = if pairs.is_empty() { SiteTable::new() } else { table.into_table() };
    writer.finish(complete, Some(&table)).unwrap();
}

/// The output of a writer for a suite.
pub fn exported(writer: &dyn Writer, suite: &Suite, since: Option<&str>) -> String {
    let total = suite.total();
    written(writer, &Export { since, ..export(suite, &total) })
}

/// A suite to write, with nothing else.
pub fn export<'s>(suite: &'s Suite, total: &'s Tally) -> Export<'s> {
    Export {
        suite,
        total,
        criteria: suite.criteria(),
        root: Path::new("/"),
        gcovr_format: GcovrFormat::default(),
        growth: None,
        plot: None,
        since: None,
        provenance: &[],
        violations: &NO_VIOLATIONS,
        pairs: &[],
    }
}

static NO_VIOLATIONS: BTreeMap<u64, Violation> = BTreeMap::new();

pub fn written(writer: &dyn Writer, export: &Export<'_>) -> String {
    let mut bytes = Vec::new();
    writer.write(export, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// The rows of a table in Markdown, below its heading: cells without emphasis and backslashes.
pub fn markdown_rows(table: &str) -> Vec<Vec<String>> {
    let row = |line: &str| {
        let inner = line.strip_prefix("| ").unwrap().strip_suffix(" |").unwrap();
        inner.split(" | ").map(|cell| cell.replace("**", "").replace('\\', "")).collect()
    };
    table.lines().skip(2).take_while(|line| line.starts_with('|')).map(row).collect()
}

pub fn criteria(criteria: &[Criterion]) -> Criteria {
    criteria.iter().copied().collect()
}

/// A program of two files with functions and branches.
pub fn two_files() -> Program {
    Program::default()
        .function("a.c", "first", 1, 5)
        .function("a.c", "second", 6, 10)
        .file("a.c", 1..=10)
        .branches("a.c", 2, 2)
        .file("b.c", 1..=4)
}

/// Some pairs on [`two_files`].
pub fn any_pairs() -> impl Strategy<Value = Vec<Pair>> {
    let side = || prop::collection::btree_set(0..14u32, 0..14);
    let place = |at: u32| match at {
        0..10 => ("a.c".to_owned(), at + 1),
        _ => ("b.c".to_owned(), at - 9),
    };
    let sides = prop::collection::vec(side(), 2..4);
    let outcome = prop_oneof![
        6 => sides.prop_map(move |sides| {
            Ok(sides.into_iter().map(|ran| ran.into_iter().map(place).collect()).collect())
        }),
        1 => (0..4usize).prop_map(|at| Err((Failure::ALL[at], "words".to_owned()))),
    ];
    let pair = (0..3u8, outcome).prop_map(|(relation, outcome)| Pair {
        outcome,
        ..Pair::of(&format!("r{relation}"), Vec::new())
    });
    prop::collection::vec(pair, 0..8)
}
