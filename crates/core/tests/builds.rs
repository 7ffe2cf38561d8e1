//! What tells builds apart.

use metacov_core::{Element, Mark, Site, SiteId, SiteTable, Symbol, absorb_run};

/// A table with a function on each of these lines, marked: producer, unit, hash.
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
fn what_one_build_has_several_versions_of_is_not_compared() {
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

#[test]
fn marks_are_stored_as_kind_and_hash() {
    for mark in [Mark::new(1, 0, 7), Mark::new(0x1ff, u32::MAX, u64::MAX)] {
        assert_eq!(Mark::of_kind(mark.kind(), mark.hash()), Some(mark));
    }
    assert_eq!(Mark::of_kind(1 << 16, 7), None);
    assert_eq!(Mark::of_kind(u64::MAX, 7), None);
}

/// Units are known by their paths, so builds in two folders share none.
#[test]
fn runs_of_builds_in_two_folders_are_told_apart() {
    let here = || table(&[(1, Mark::new(1, 1, 10)), (2, Mark::new(1, 1, 20))]);
    let same =
        table(&[(1, Mark::new(1, 2, 10)), (2, Mark::new(1, 2, 20)), (3, Mark::new(1, 2, 30))]);
    let other = table(&[(1, Mark::new(1, 2, 10)), (2, Mark::new(1, 2, 21))]);
    absorb_run(&mut here(), &same).unwrap();
    let error = absorb_run(&mut here(), &other).unwrap_err();
    assert_eq!(error.to_string(), "h.h:2 is not the same code");
    // With a unit in common, the others may be of libraries that only one of the runs has loaded.
    let shared = table(&[(1, Mark::new(1, 1, 10)), (2, Mark::new(1, 2, 21))]);
    absorb_run(&mut here(), &shared).unwrap();
}
