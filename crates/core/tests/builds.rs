//! What distinguishes builds.

use metacov_core::{Element, Mark, Site, SiteId, SiteTable, Symbol, absorb_run};

/// A table with a marked function on each of these lines: producer, unit, hash.
fn table(functions: &[(u32, Mark)]) -> SiteTable {
    let mut table = SiteTable::new();
    for (line, mark) in functions {
        let id = function(&mut table, *line);
        table.mark(id, *mark).unwrap();
    }
    table
}

fn function(table: &mut SiteTable, line: u32) -> SiteId {
    let file = table.file("h.h");
    let element = Element::Function(table.symbol("f"));
    table.site(Site { file, line, element, instance: Symbol::NONE })
}

#[test]
fn a_function_may_differ_from_unit_to_unit_but_not_within_one() {
    let mut one = table(&[(1, Mark::new(1, 1, 10))]);
    let id = function(&mut one, 1);
    one.mark(id, Mark::new(1, 2, 20)).unwrap();
    one.mark(id, Mark::new(1, 1, 10)).unwrap();
    let error = one.mark(id, Mark::new(1, 1, 11)).unwrap_err();
    assert_eq!(error.to_string(), "h.h:1 is not the same code");
}

#[test]
fn functions_with_several_versions_are_not_compared() {
    let mut one = table(&[(1, Mark::new(1, 1, 10))]);
    let id = function(&mut one, 1);
    let revision = one.revision();
    one.mark(id, Mark::new(1, 1, 0).ambiguous()).unwrap();
    assert_ne!(one.revision(), revision, "it has to be stored");
    for hash in [10, 11] {
        one.mark(id, Mark::new(1, 1, hash)).unwrap();
    }
    assert!(one.mark_of(id).unwrap().is_ambiguous());
}

/// The table is the same whichever unit is read first, so a merge does not depend on the order of
/// runs.
#[test]
fn marks_of_several_units_are_independent_of_order() {
    let marks = [Mark::new(1, 1, 10), Mark::new(1, 2, 20), Mark::new(1, 3, 10)];
    let ambiguous = Mark::new(1, 1, 10).ambiguous();
    for mut marks in [marks.to_vec(), [&marks[..], &[ambiguous]].concat()] {
        let in_order = |marks: &[Mark]| {
            let mut table = table(&[(1, marks[0])]);
            let id = function(&mut table, 1);
            for mark in marks {
                table.mark(id, *mark).unwrap();
            }
            table.mark_of(id).unwrap()
        };
        let first = in_order(&marks);
        assert_eq!(first.unit, 1);
        for _ in 0..marks.len() {
            marks.rotate_left(1);
            assert_eq!(in_order(&marks), first, "{marks:?}");
            marks.swap(0, 1);
            assert_eq!(in_order(&marks), first, "{marks:?}");
        }
    }
}

#[test]
fn marks_are_stored_as_two_numbers() {
    let versions = Mark::new(1, 1, 10).unite(Mark::new(1, 2, 20)).unwrap();
    let largest = Mark::new(0x1ff, u32::MAX, u64::MAX);
    for mark in [Mark::new(1, 0, 7), largest, versions, versions.ambiguous()] {
        assert_eq!(Mark::of_kind(mark.kind(), mark.code()), Some(mark));
    }
    assert_eq!(Mark::of_kind(1 << 16, 7), None);
    assert_eq!(Mark::of_kind(u64::MAX, 7), None);
}

/// Units are identified by their paths, so builds in two folders share none.
#[test]
fn runs_of_builds_in_two_folders_are_distinguished() {
    let here = || table(&[(1, Mark::new(1, 1, 10)), (2, Mark::new(1, 1, 20))]);
    let same =
        table(&[(1, Mark::new(1, 2, 10)), (2, Mark::new(1, 2, 20)), (3, Mark::new(1, 2, 30))]);
    let other = table(&[(1, Mark::new(1, 2, 10)), (2, Mark::new(1, 2, 21))]);
    absorb_run(&mut here(), &same).unwrap();
    let error = absorb_run(&mut here(), &other).unwrap_err();
    assert_eq!(error.to_string(), "h.h:2 is not the same code");
    // With a shared unit, the others may belong to libraries that only one of the runs has loaded.
    let shared = table(&[(1, Mark::new(1, 1, 10)), (2, Mark::new(1, 2, 21))]);
    absorb_run(&mut here(), &shared).unwrap();
}

/// A function with several versions has the mark of one of its units; in another folder that may be
/// another unit.
#[test]
fn runs_of_builds_in_two_folders_may_have_several_versions_of_a_function() {
    let folder = |units: [u32; 2], hash| {
        let [one, two] = units;
        let mut table = table(&[(1, Mark::new(1, one, hash)), (2, Mark::new(1, one, 30))]);
        let id = function(&mut table, 1);
        table.mark(id, Mark::new(1, two, 20)).unwrap();
        table
    };
    let (mut here, there) = (folder([1, 2], 10), folder([4, 3], 10));
    absorb_run(&mut here, &there).unwrap();
    // Functions with one version are compared.
    let other = table(&[(1, Mark::new(1, 5, 10)), (2, Mark::new(1, 5, 31))]);
    let error = absorb_run(&mut folder([1, 2], 10), &other).unwrap_err();
    assert_eq!(error.to_string(), "h.h:2 is not the same code");
}
