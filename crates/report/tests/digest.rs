//! What pages tell of a small run, by hand.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use metacov_core::{Group, Operation};
use metacov_formats::{FileSpec, GroupSpec, PairList, Scope};
use metacov_report::digest::{Digest, Gap, Gaps, Outline, Overlap, Shape};
use metacov_report::html;
use metacov_run::{CoverageFiles, FoldOptions, fold};
use metacov_store::{Header, Run, RunWriter, Settings};

/// Two functions of five lines each, and which lines ran.
fn report(folder: &Path, name: &str, ran: &[u32]) -> Vec<FileSpec> {
    let mut text =
        String::from("SF:a.c\nFN:1,5,first\nFN:6,10,second\nFNDA:1,first\nFNDA:1,second\n");
    for line in 1..=10 {
        let _ = writeln!(text, "DA:{line},{}", u8::from(ran.contains(&line)));
    }
    let path = folder.join(name);
    fs::write(&path, text + "end_of_record\n").unwrap();
    vec![FileSpec { path, context: None }]
}

/// Pairs as relation, and the lines that either side ran.
fn digest(folder: &Path, pairs: &[(&str, &[u32], &[u32])]) -> Digest {
    let specs: Vec<_> = pairs
        .iter()
        .enumerate()
        .map(|(at, (relation, a, b))| {
            let side = |name: &str, ran: &[u32]| report(folder, &format!("{at}{name}.info"), ran);
            let sides = Group::new(vec![side("a", a), side("b", b)]).unwrap();
            Ok(GroupSpec { relation: (*relation).to_owned(), pair: at.to_string(), sides })
        })
        .collect();
    let options = FoldOptions {
        scope: Scope { root: PathBuf::from("/"), ..Scope::default() },
        operation: Operation::Xor,
        universe: Vec::new(),
        workers: NonZero::<usize>::MIN,
    };
    let header = Header {
        made_by: "diff".to_owned(),
        command: String::new(),
        operation: Operation::Xor,
        per_instance: false,
        root: PathBuf::from("/"),
        planned: Some(pairs.len() as u64),
        complete: false,
        by_relation: true,
        settings: Settings::new(),
    };
    let file = folder.join("run.metacov");
    let mut recorder = RunWriter::open(&file, &header, false).unwrap();
    let pairs = PairList { groups: pairs.len() as u64, specs: Box::new(specs.into_iter()) };
    let table = recorder.shared_table();
    let suite = fold(&CoverageFiles, pairs, &options, table, &recorder).unwrap();
    recorder.finish(true, Some(&suite.table)).unwrap();
    Digest::of(Run::open(&file).unwrap()).unwrap()
}

const PAIRS: [(&str, &[u32], &[u32]); 4] = [
    ("shift", &[1, 2, 3, 6, 7], &[1, 2, 3, 6, 7]),
    ("shift", &[1, 2, 6, 7], &[1, 2, 3, 6, 7]),
    ("swap", &[1, 2, 3, 4, 6], &[1, 2, 3, 5, 6]),
    ("swap", &[1, 2, 3, 6, 7], &[1, 2, 6, 7]),
];

#[test]
fn numbers_are_those_of_the_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let digest = digest(folder.path(), &PAIRS);
    let table = &digest.suite.table;
    let outline = Outline::of(&digest);
    let counts: Vec<[u32; 4]> = outline.files[0]
        .sites
        .iter()
        .filter(|id| table.get(**id).criterion() == digest.primary)
        .map(|id| {
            let counts = &digest.counts;
            [counts.ran(*id), counts.only_a(*id), counts.only_b(*id), counts.validated(*id)]
        })
        .collect();
    let none = [0; 4];
    let [one, two] = [[4, 0, 0, 0], [4, 0, 0, 0]];
    let three = [4, 1, 1, 2];
    let [four, five] = [[1, 1, 0, 1], [1, 0, 1, 1]];
    let seven = [3, 0, 0, 0];
    assert_eq!(counts, [one, two, three, four, five, one, seven, none, none, none]);
    let shapes: Vec<Shape> = digest.cases.iter().map(|case| case.shape).collect();
    assert_eq!(shapes, [Shape::Empty, Shape::OneSided, Shape::TwoSided, Shape::OneSided]);
    let relations: Vec<_> =
        digest.relations.iter().map(|of| (of.name.as_str(), of.empty, of.one_sided)).collect();
    assert_eq!(relations, [("shift", 1, 1), ("swap", 0, 1)]);
    let overlap = Overlap::of(&digest);
    assert_eq!((overlap.validated, overlap.unique), (vec![1, 3], vec![0, 2]));
    assert_eq!(overlap.shared, [[1, 1], [1, 3]]);
}

#[test]
fn gaps_are_what_runs_most_and_is_never_validated() {
    let folder = tempfile::tempdir().unwrap();
    let digest = digest(folder.path(), &PAIRS);
    let outline = Outline::of(&digest);
    let gaps = Gaps::of(&digest, &outline);
    let told = |gap: &Gap| {
        let name = outline.functions[gap.function].name.as_str();
        (name.to_owned(), gap.lines, gap.sites, gap.pairs, gap.executions, gap.closest.clone())
    };
    // Lines 6 and 7; swap validates line 5, shift line 3.
    let second = ("second".to_owned(), (6, 7), 2, 4, 7, vec![(1, 5), (0, 3)]);
    assert_eq!(gaps.functions.iter().map(told).collect::<Vec<_>>(), [second]);
    let first = ("first".to_owned(), (1, 2), 2, 4, 8, vec![(0, 3), (1, 3)]);
    assert_eq!(gaps.blocks.iter().map(told).collect::<Vec<_>>(), [first]);
}

#[test]
fn sources_that_are_not_there_or_not_the_same_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let digest = digest(folder.path(), &PAIRS);
    let write = |source: Option<&str>| {
        let library = |_: &str| source.map(|text| text.as_bytes().to_vec());
        html::write(&digest, &library, &mut |_, _| Ok(())).unwrap()
    };
    assert_eq!(write(None).missing, ["a.c"]);
    assert_eq!(write(Some("too short\n")).stale, ["a.c"]);
    let written = write(Some(&"line\n".repeat(10)));
    assert!(written.stale.is_empty() && written.missing.is_empty());
}
