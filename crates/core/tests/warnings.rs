//! Signs that a number may be misleading.

use metacov_core::{
    BranchKey, Element, FileId, Group, Operation, Pair, Reading, Site, SiteTable, Suite, SuiteFold,
    Symbol, Warning,
};

/// A suite of one pair whose sides report these elements, each with whether it ran.
fn suite(a: &[(u32, Element, bool)], b: &[(u32, Element, bool)]) -> Suite {
    let mut table = SiteTable::new();
    let file = table.file("x.c");
    let readings = Pair { a, b }.map(|sites| reading(&mut table, file, sites));
    let group = Group::from(readings);
    let mut fold = SuiteFold::new(&table, Operation::Xor);
    fold.add("relation", Ok(&group), None);
    fold.finish(table, false)
}

fn reading(table: &mut SiteTable, file: FileId, sites: &[(u32, Element, bool)]) -> Reading {
    let mut reading = Reading::of(table);
    for (line, element, ran) in sites {
        let site = Site { file, line: *line, element: *element, instance: Symbol::NONE };
        let id = table.site(site);
        reading.known.insert(id);
        reading.criteria.insert(site.criterion());
        if *ran {
            reading.executed.insert(id);
        }
    }
    reading
}

const BRANCH: Element = Element::Branch(BranchKey::Position(0));

fn residue(suite: &Suite) -> Option<Warning> {
    suite.warnings().into_iter().find(|warning| matches!(warning, Warning::Residue { .. }))
}

/// Branches that only one side reports are not a sign of residue: they are in no number.
#[test]
fn residue_is_searched_only_in_counted_sites() {
    let a = [(1, Element::Line, true), (2, Element::Line, false), (1, BRANCH, true)];
    let b = [(1, Element::Line, true), (2, Element::Line, true)];
    let expected = Some(Warning::Residue { a_within_b: true, pairs: 1 });
    assert_eq!(residue(&suite(&a, &b)), expected);
    let b = [(1, Element::Line, true), (2, Element::Line, false)];
    assert_eq!(residue(&suite(&a, &b)), None, "the lines are the same");
}
