//! Counters in memory give the same result as the same counters in files.

use std::sync::Arc;

use metacov_core::{Cover, Reading, SiteId};
use metacov_formats::{CoverageLoader, EXECUTIONS_MAX, Error, Fault, FileSpec, Scope, Snapshot};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::memory::Memory;
use crate::sets::{data, scope};

/// The program "shapes", as run `a` or `b` left it.
fn memory(producer: &str, side: &str) -> Memory {
    Memory::of(&["main", "shapes"].map(|unit| {
        let folder = data(&format!("gcda/{producer}"));
        (folder.join(side).join(format!("{unit}.gcda")), folder.join(format!("{unit}.gcda")))
    }))
}

fn files(loader: &mut CoverageLoader<'_>, producer: &str, side: &str) -> Reading {
    let files = ["main", "shapes"].map(|unit| {
        let path = data(&format!("gcda/{producer}/{side}/{unit}.gcda"));
        FileSpec { path, context: None }
    });
    loader.read_side(&files).unwrap()
}

fn read(loader: &mut CoverageLoader<'_>, memory: &Memory) -> Result<Reading, Error> {
    loader.read_snapshots(&[memory.snapshot()])
}

#[track_caller]
fn assert_same(left: &Reading, right: &Reading) {
    assert_eq!(left.executed, right.executed);
    assert_eq!(left.known, right.known);
    assert_eq!((left.criteria, left.naming), (right.criteria, right.naming));
}

#[test]
fn memory_and_files_agree_whatever_was_read_before() {
    for producer in ["gcc-11", "gcc-12"] {
        let scope = Scope { notes: Some(data(&format!("gcda/{producer}"))), ..scope() };
        let mut loader = CoverageLoader::new(&scope);
        let memories = ["a", "b"].map(|side| memory(producer, side));
        let right = ["a", "b"].map(|side| files(&mut loader, producer, side));
        assert_ne!(right[0].executed, right[1].executed);
        for side in [0, 0, 1, 0, 1, 1] {
            assert_same(&read(&mut loader, &memories[side]).unwrap(), &right[side]);
        }
        // Nothing ran: all sites are known, as before.
        let mut nothing = memories[0].clone();
        nothing.counters.fill(0);
        let nothing = read(&mut loader, &nothing).unwrap();
        assert!(nothing.executed.is_empty());
        assert_eq!(nothing.known, right[0].known);
    }
}

/// Two processes, each with a part of the counts: neither adds up, but their sum does.
#[test]
fn snapshots_of_one_layout_are_added_counter_by_counter() {
    let scope = scope();
    let mut loader = CoverageLoader::new(&scope);
    let whole = memory("gcc-12", "a");
    let right = read(&mut loader, &whole).unwrap();
    let mut parts = [whole.clone(), whole.clone()];
    for at in (0..whole.counters.len()).step_by(8) {
        parts[at / 8 % 2].counters[at..at + 8].fill(0);
    }
    let fault = read(&mut loader, &parts[0]).unwrap_err().fault;
    assert!(matches!(&fault, Fault::Inconsistent { .. }), "{fault}");
    assert!(fault.to_string().ends_with("do not add up (were they updated by several threads?)"));
    // Reading the same again fails as well.
    assert!(read(&mut loader, &parts[0]).is_err());
    let both = parts.each_ref().map(Memory::snapshot);
    assert_same(&loader.read_snapshots(&both).unwrap(), &right);
    let crashed = loader.read_snapshots_of_crash(&[parts[0].snapshot()]).unwrap();
    assert!(!crashed.executed.is_empty() && crashed.known == right.known);
    assert_same(&read(&mut loader, &whole).unwrap(), &right);
}

/// Executions that are solved together: each has the cover that it has alone, whatever the others are.
#[test]
fn executions_are_solved_together_as_one_by_one() {
    let scope = scope();
    let (mut alone, mut together) = (CoverageLoader::new(&scope), CoverageLoader::new(&scope));
    let without_gaps = |mut memory: Memory| {
        for counter in memory.counters.as_chunks_mut::<8>().0 {
            if *counter == [0xee; 8] {
                *counter = [0; 8];
            }
        }
        memory
    };
    let [a, b] = ["a", "b"].map(|side| without_gaps(memory("gcc-12", side)));
    let changed = |change: &dyn Fn(usize, u64) -> u64| {
        let mut memory = a.clone();
        for (at, counter) in memory.counters.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            *counter = change(at, u64::from_le_bytes(*counter)).to_le_bytes();
        }
        memory
    };
    let large = changed(&|_, count| count << 40);
    let (more, nothing) = (changed(&|_, count| count * 3), changed(&|_, _| 0));
    let part = changed(&|at, count| if at % 2 == 0 { count } else { 0 });
    let with_gaps = memory("gcc-12", "b");
    let executions = [&a, &b, &large, &part, &nothing, &with_gaps, &more];
    let layout: Arc<[u8]> = a.layout.as_slice().into();
    let known = Snapshot { layout: layout.clone(), counters: &a.counters };
    together.read_snapshots(&[known]).unwrap();
    read(&mut alone, &a).unwrap();
    let mut errors = 0;
    for (start, count) in (0..executions.len()).zip([1, EXECUTIONS_MAX].iter().cycle()) {
        let chosen = executions.iter().cycle().skip(start).take(*count);
        for execution in chosen.clone() {
            let mut counters = execution.counters.clone();
            together.take(&layout, &mut counters).unwrap();
            assert!(counters.iter().all(|byte| *byte == 0), "they are reset");
            together.end_execution();
        }
        let solved = together.solve();
        assert_eq!(solved.len(), *count);
        for (execution, solved) in chosen.zip(solved) {
            let right = read(&mut alone, execution).map(|reading| reading.executed);
            errors += usize::from(right.is_err());
            match (right, solved) {
                (Ok(right), Ok(solved)) => {
                    assert!(right.iter().eq(solved.iter()));
                }
                (right, solved) => assert!(right.is_err() && solved.is_err()),
            }
        }
    }
    assert!(errors > 2, "{errors}");
    assert!(together.solve().is_empty());
    assert!(together.take(&layout, &mut []).is_err(), "fewer counters than the layout has");
    assert!(together.take(&Arc::from([0; 8]), &mut [0; 8]).is_err(), "an unknown layout");
}

/// A program and its library: the union of what they ran.
#[test]
fn snapshots_of_several_layouts_are_united() {
    let scope = scope();
    let mut loader = CoverageLoader::new(&scope);
    let unit = |unit: &str| {
        let folder = data("gcda/gcc-12");
        let name = format!("{unit}.gcda");
        Memory::of(&[(folder.join("a").join(&name), folder.join(&name))])
    };
    let (main, shapes) = (unit("main"), unit("shapes"));
    let both = loader.read_snapshots(&[main.snapshot(), shapes.snapshot()]).unwrap();
    assert_same(&both, &read(&mut loader, &memory("gcc-12", "a")).unwrap());
    assert_ne!(both.executed, read(&mut loader, &main).unwrap().executed);
}

#[test]
fn inconsistent_layouts_are_refused_with_a_name() {
    let scope = scope();
    let said = |memory: &Memory| {
        let error = read(&mut CoverageLoader::new(&scope), memory).unwrap_err();
        error.to_string().replace(data("gcda").to_str().unwrap(), "gcda")
    };
    let sound = memory("gcc-12", "a");
    let with = |at: usize, word: u32| {
        let mut memory = sound.clone();
        memory.layout[at..at + 4].copy_from_slice(&word.to_le_bytes());
        said(&memory)
    };
    let unfit = "gcda/gcc-12/main.gcda: the counters in memory do not fit their notes \
                 gcda/gcc-12/main.gcno: ";
    let cases = [
        (with(0, 7), "the layout of the counters in memory: gcov data version "),
        (with(4, 7), "gcda/gcc-12/main.gcda: made from another build than gcda/gcc-12/main.gcno"),
        (with(16, 7_000_000), "the layout of the counters in memory: byte "),
        (with(24, 7), &format!("{unfit}function 0x7 is missing, or there twice")),
        (with(36, 77), &format!("{unfit}77 counters of ")),
        (with(40, 0x7000_0000), &format!("{unfit}the counters of ")),
        (with(44, u32::MAX), &format!("{unfit}the counters of ")),
        (with(64, 0), "the layout of the counters in memory: the counters of "),
        (said(&Memory::default()), "the counters in memory: the file lists no code"),
    ];
    for (said, right) in cases {
        assert!(said.starts_with(right), "{said}\n{right}");
    }
    let mut loader = CoverageLoader::new(&scope);
    read(&mut loader, &sound).unwrap();
    let short = Memory { counters: sound.counters[8..].to_vec(), ..sound };
    let said = read(&mut loader, &short).unwrap_err().to_string();
    assert!(said.contains("bytes of counters where the layout needs"), "{said}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The caches that are kept between executions never change a result.
    #[test]
    fn earlier_executions_do_not_matter(
        executions in vec(vec((any::<Index>(), 0..3i64), 0..12), 1..6),
    ) {
        let scope = Scope { blocks: true, ..scope() };
        let (mut loader, sound) = (CoverageLoader::new(&scope), memory("gcc-12", "a"));
        for changes in executions {
            let mut memory = sound.clone();
            let (counters, _) = memory.counters.as_chunks_mut::<8>();
            for (at, count) in changes {
                counters[at.index(counters.len())] = count.to_le_bytes();
            }
            let kept = loader.read_snapshots_of_crash(&[memory.snapshot()]).unwrap();
            let fresh = CoverageLoader::new(&scope).read_snapshots_of_crash(&[memory.snapshot()]).unwrap();
            // Another table, but the same sites in the same order.
            let numbers = |cover: &Cover| cover.iter().map(SiteId::index).collect::<Vec<_>>();
            prop_assert_eq!(numbers(&kept.executed), numbers(&fresh.executed));
            let [kept, fresh] = [&mut loader, &mut CoverageLoader::new(&scope)]
                .map(|loader| read(loader, &memory).map(drop).map_err(|error| error.to_string()));
            prop_assert_eq!(kept, fresh);
        }
    }
}
