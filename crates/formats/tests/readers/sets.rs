//! The contents of a report, as text that is easy to compare.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use metacov_core::{Element, Reading, SiteTable};
use metacov_formats::{CoverageFile, CoverageLoader, Error, FileSpec, Scope};
use regex::Regex;

/// The sites of a report: `line main.cpp:7`, `branch main.cpp:7 #0` (numbered on its line),
/// `function main.cpp:7 main`, `region main.cpp:7:2-8:1`.
#[derive(Debug, PartialEq, Eq)]
pub struct Sets {
    /// All of them.
    pub known: BTreeSet<String>,
    /// Those that ran.
    pub executed: BTreeSet<String>,
}

impl Sets {
    /// The sites of one criterion.
    pub fn only(&self, criterion: &str) -> Sets {
        let of = |set: &BTreeSet<String>| {
            let word = format!("{criterion} ");
            set.iter().filter(|site| site.starts_with(&word)).cloned().collect()
        };
        Sets { known: of(&self.known), executed: of(&self.executed) }
    }
}

impl Sets {
    /// Functions by the line that they start on.
    pub fn without_names(&self) -> Sets {
        let of = |set: &BTreeSet<String>| {
            set.iter().map(|site| site.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect()
        };
        Sets { known: of(&self.known), executed: of(&self.executed) }
    }
}

/// The folder of the fixtures of a format and producer.
pub fn data(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder)
}

/// A scope with the folder in which the fixtures were generated. The compiler's own headers are
/// excluded, as most producers do.
pub fn scope() -> Scope {
    let exclude = vec![Regex::new("/usr/").unwrap()];
    Scope { root: "/tmp/fixtures/shapes".into(), exclude, ..Scope::default() }
}

/// Fails with the sites that only one of the two has.
#[track_caller]
pub fn assert_same(left: &Sets, right: &Sets, what: &str) {
    for (word, left, right) in
        [("known", &left.known, &right.known), ("executed", &left.executed, &right.executed)]
    {
        let only: Vec<_> = left.symmetric_difference(right).collect();
        assert!(only.is_empty(), "{what}: {word} to one of the two only: {only:#?}");
    }
}

/// Reads the files of one side, as metacov does.
pub fn read(scope: &Scope, files: &[PathBuf]) -> Result<Sets, Error> {
    let specs: Vec<FileSpec> =
        files.iter().map(|path| FileSpec { path: path.clone(), context: None }).collect();
    read_specs(scope, &specs)
}

/// The same with contexts.
pub fn read_specs(scope: &Scope, files: &[FileSpec]) -> Result<Sets, Error> {
    let mut loader = CoverageLoader::new(scope);
    let reading = loader.read_side(files)?;
    Ok(describe(loader.table(), &reading))
}

/// Reads a report that a test has written. Returns its sites or its fault.
pub fn read_text(scope: &Scope, text: &str) -> Result<Sets, String> {
    let mut loader = CoverageLoader::new(scope);
    let input = CoverageFile::from_bytes(text.into()).map_err(|fault| fault.to_string())?;
    let reading = loader.read(input, None).map_err(|fault| fault.to_string())?;
    Ok(describe(loader.table(), &reading))
}

/// All sites of a table as text.
pub fn describe_all(table: &SiteTable) -> BTreeSet<String> {
    let mut everything = Reading::of(table);
    for (id, _) in table.sites() {
        everything.known.insert(id);
    }
    describe(table, &everything).known
}

/// The sites of a reading as text.
pub fn describe(table: &SiteTable, reading: &Reading) -> Sets {
    let mut branches: BTreeMap<(u32, usize, String), u32> = BTreeMap::new();
    let mut sets = Sets { known: BTreeSet::new(), executed: BTreeSet::new() };
    for id in table.ordered() {
        let site = table.get(id);
        let instance = table.name(site.instance);
        let mut text = format!("{}:{}", table.path(site.file), site.line);
        text = match site.element {
            Element::Line => format!("line {text}"),
            Element::Function(name) => format!("function {text} {}", table.name(name)),
            Element::Region(span) => {
                format!("region {text}:{}-{}:{}", span.column, span.end_line, span.end_column)
            }
            Element::Block { function, number } => {
                format!("block {text} {} {number}", table.name(function))
            }
            Element::Branch(_) => {
                let key = (site.line, site.file.index(), instance.to_owned());
                let number = branches.entry(key).or_insert(0);
                *number += 1;
                format!("branch {text} #{}", *number - 1)
            }
        };
        if !instance.is_empty() {
            text = format!("{text} in {instance}");
        }
        if reading.known.contains(id) {
            sets.known.insert(text.clone());
        }
        if reading.executed.contains(id) {
            sets.executed.insert(text);
        }
    }
    sets
}
