//! Suites to record: small reports, and sides that fail.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use std::sync::Arc;

use metacov_core::{
    Criteria, Exit, Failure, Group, Missing, Operation, Setup, StoredInput as Kept, Suite,
};
use metacov_formats::{
    CoverageLoader, Error, Export, FileSpec, GcovrFormat, GroupSpec, PairList, Scope, WRITERS,
};
use metacov_run::{FoldOptions, RunError, SharedTable, SideReading, SideRun, Source, fold};
use metacov_store::{Header, Provenance, Run, RunWriter, Settings};
use proptest::prelude::*;

/// One side: which of twelve lines ran (one bit each), whether it lists a thirteenth, or how it
/// failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    Lines(u16, bool),
    Failed(Failure),
}

/// A group: relation, name, sides.
pub type Spec = (String, String, Vec<Ran>);

pub fn ran() -> impl Strategy<Value = Ran> {
    prop_oneof![
        9 => (0..1u16 << 12, prop::bool::weighted(0.2)).prop_map(|(lines, more)| Ran::Lines(lines, more)),
        1 => (0..4usize).prop_map(|at| Ran::Failed(Failure::ALL[at])),
    ]
}

/// Groups with unique names, at least one of which is measured.
pub fn specs() -> impl Strategy<Value = Vec<Spec>> {
    let sides = prop::collection::vec(ran(), 2..4);
    let groups = prop::collection::vec((0..3u8, sides), 1..12);
    groups.prop_map(|groups| {
        let named = groups.into_iter().enumerate();
        let mut specs: Vec<Spec> = named
            .map(|(at, (relation, sides))| (format!("r{relation}"), format!("pair {at}"), sides))
            .collect();
        specs.push((
            "r0".to_owned(),
            "last".to_owned(),
            vec![Ran::Lines(3, false), Ran::Lines(5, false)],
        ));
        specs
    })
}

/// A side, as the fold takes it.
pub enum Input {
    File(PathBuf),
    Failed(Failure),
}

/// Reads or fails, depending on the input.
pub struct Inputs;

impl Source for Inputs {
    type Side = Input;
    type Runner = ();

    fn runner(&self, _worker: usize) {}

    fn read(
        &self,
        side: &Input,
        _inputs: &[Kept],
        (): &mut (),
        loader: &mut CoverageLoader<'_>,
    ) -> Result<SideRun, RunError> {
        let reading = match side {
            Input::File(path) => {
                let file = FileSpec { path: path.clone(), context: None };
                Ok(SideReading::Complete(loader.read_side(&[file])?))
            }
            Input::Failed(failure) => {
                let exit = match failure {
                    Failure::Crashed => Exit::Signalled(6),
                    Failure::TimedOut => Exit::Timeout,
                    Failure::Invalid => Exit::Failure(3),
                    Failure::NoCounters | Failure::NotRun => Exit::Success,
                };
                let output_tail = format!("it {}", failure.name());
                Err(Missing { failure: *failure, exit, output_tail })
            }
        };
        Ok(SideRun { reading, output: None })
    }

    fn name(&self, _side: &Input) -> String {
        "side".to_owned()
    }

    /// Text, and bytes that are none: the same for all groups, so that runs may differ in what groups did on them.
    fn inputs(&self, _side: &Input) -> Result<Vec<Kept>, Error> {
        let bytes = b"input".iter().map(|byte| byte ^ 0x80).collect();
        Ok(vec![
            Kept::new("a.txt".to_owned(), b"input".to_vec()),
            Kept::new("-x".to_owned(), bytes),
        ])
    }

    fn setup(&self) -> Option<Arc<Setup>> {
        Some(Arc::new(Setup::new(b"setup".to_vec())))
    }
}

/// The report of a side, in lcov's format: lines, and two branches and a function that depend on
/// them.
fn report(lines: u16, more: bool) -> String {
    let mut text = String::from("SF:a.c\nFN:1,main\n");
    let _ = writeln!(text, "FNDA:{},main", lines & 1);
    let _ = writeln!(text, "BRDA:2,0,0,{}\nBRDA:2,0,1,{}", lines & 1, lines >> 1 & 1);
    for line in 0..12 {
        let _ = writeln!(text, "DA:{},{}", line + 1, lines >> line & 1);
    }
    if more {
        text += "DA:13,1\n";
    }
    text + "end_of_record\n"
}

/// The plan of these groups, with reports in a folder.
pub fn plan(folder: &Path, specs: &[Spec]) -> PairList<Input> {
    let specs: Vec<_> = specs
        .iter()
        .map(|(relation, pair, sides)| {
            let sides = sides.iter().map(|side| match side {
                Ran::Failed(failure) => Input::Failed(*failure),
                Ran::Lines(lines, more) => {
                    let path = folder.join(format!("{lines}-{more}.info"));
                    if !path.exists() {
                        fs::write(&path, report(*lines, *more)).unwrap();
                    }
                    Input::File(path)
                }
            });
            let sides = Group::new(sides.collect()).unwrap();
            let (relation, pair) = (relation.clone(), pair.clone());
            Ok(GroupSpec { relation, pair, sides, judge: None, listed_at: None })
        })
        .collect();
    PairList { groups: specs.len() as u64, has_judges: false, specs: Box::new(specs.into_iter()) }
}

pub fn options(workers: usize) -> FoldOptions {
    FoldOptions {
        scope: Scope { root: PathBuf::from("/"), ..Scope::default() },
        operation: Operation::Xor,
        universe: Vec::new(),
        workers: NonZero::new(workers).unwrap(),
    }
}

pub fn header(specs: &[Spec]) -> Header {
    Header {
        made_by: "diff".to_owned(),
        command: "a test".to_owned(),
        operation: Operation::Xor,
        per_instance: false,
        root: PathBuf::from("/"),
        planned: Some(specs.len() as u64),
        complete: false,
        by_relation: true,
        settings: Settings::from([
            ("--filter".to_owned(), "a".to_owned()),
            ("--pairs".to_owned(), "pairs.jsonl".to_owned()),
        ]),
        provenance: Provenance::default(),
    }
}

/// Folds without a file.
pub fn live(folder: &Path, specs: &[Spec]) -> Suite {
    fold(&Inputs, plan(folder, specs), &options(1), SharedTable::default(), &()).unwrap()
}

/// Records the first `until` groups of a suite, or continues up to there.
pub fn record(folder: &Path, file: &Path, specs: &[Spec], until: usize) -> Result<(), RunError> {
    record_with(3, folder, file, specs, until)
}

/// The same with this many workers: with one, the file is the same each time except for the times.
pub fn record_with(
    workers: usize,
    folder: &Path,
    file: &Path,
    specs: &[Spec],
    until: usize,
) -> Result<(), RunError> {
    let recorder = RunWriter::open(file, &header(specs), file.exists())?;
    let listed = specs.iter().map(|(relation, pair, _)| (relation.clone(), pair.clone()));
    let mut recorder = recorder.check_listed(&listed.collect())?;
    recorder.keep_sources(folder);
    let mut plan = plan(folder, specs);
    plan.specs = Box::new(plan.specs.take(until));
    let table = recorder.shared_table();
    let suite = match fold(&Inputs, plan, &options(workers), table, &recorder) {
        Ok(suite) => suite,
        Err(error) => {
            recorder.finish(false, None)?;
            return Err(error);
        }
    };
    recorder.finish(until >= specs.len(), Some(&suite.table))
}

/// The contents of a file, in every format.
pub fn exported(file: &Path) -> Result<Vec<u8>, Error> {
    Run::open(file)?.suite().map(|(suite, _)| shown(&suite))
}

/// The contents of a suite, in every format.
pub fn shown(suite: &Suite) -> Vec<u8> {
    let total = suite.total();
    let criteria = suite.criteria();
    let (root, gcovr_format) = (Path::new("/"), GcovrFormat::default());
    let export = Export {
        suite,
        total: &total,
        criteria,
        root,
        gcovr_format,
        growth: None,
        plot: None,
        since: None,
        provenance: &[],
        violations: &BTreeMap::new(),
        pairs: &[],
    };
    let mut bytes = format!("{:?} {}", suite.warnings(), Criteria::all()).into_bytes();
    for writer in WRITERS {
        writer.write(&export, &mut bytes).unwrap();
    }
    for (relation, tally) in &suite.relations {
        bytes.extend(relation.bytes());
        bytes.extend(Failure::ALL.iter().flat_map(|failure| tally.failed(*failure).to_le_bytes()));
    }
    bytes
}
