//! Any table is read back as it was written, in any number of steps.

use metacov_core::{Criterion, Element, Mark, Site, SiteTable, Symbol};
use proptest::prelude::*;
use rusqlite::Connection;

use super::{StoredSites, fingerprint, read};
use crate::schema;

/// A step that builds a table. Numbers choose among a few names.
#[derive(Clone, Debug)]
enum Step {
    /// Adds a file, which may never get a site.
    File(u8),
    Line {
        file: u8,
        line: u32,
        instance: u8,
    },
    Function {
        file: u8,
        line: u32,
        name: u8,
        shown: Option<u8>,
        mark: Option<(u32, u64)>,
    },
    Exclude(prop::sample::Index),
    /// Writes the table so far.
    Write,
}

fn step() -> impl Strategy<Value = Step> {
    let (file, line, name) = (0..6u8, 1..5u32, 0..4u8);
    let mark = prop::option::of((0..3u32, 0..3u64));
    prop_oneof![
        1 => file.clone().prop_map(Step::File),
        4 => (file.clone(), line.clone(), name.clone())
            .prop_map(|(file, line, instance)| Step::Line { file, line, instance }),
        3 => (file, line, name.clone(), prop::option::of(name), mark).prop_map(
            |(file, line, name, shown, mark)| Step::Function { file, line, name, shown, mark }
        ),
        1 => any::<prop::sample::Index>().prop_map(Step::Exclude),
        1 => Just(Step::Write),
    ]
}

fn apply(step: &Step, table: &mut SiteTable) {
    let path = |file: &u8| format!("{file}.h");
    // The names of functions are also those of files, instances and displayed names.
    let symbol = |table: &mut SiteTable, name: u8| match name {
        0 => Symbol::NONE,
        name => table.symbol(&format!("{name}.h")),
    };
    match step {
        Step::File(file) => drop(table.file(&path(file))),
        Step::Line { file, line, instance } => {
            let (file, instance) = (table.file(&path(file)), symbol(table, *instance));
            table.site(Site { file, line: *line, element: Element::Line, instance });
        }
        Step::Function { file, line, name, shown, mark } => {
            let (file, name) = (table.file(&path(file)), symbol(table, *name));
            let element = Element::Function(name);
            let id = table.site(Site { file, line: *line, element, instance: Symbol::NONE });
            table.set_end(id, line + 1);
            if let Some(shown) = shown.filter(|shown| *shown != 0) {
                let shown = symbol(table, shown);
                table.set_shown_name(name, shown);
            }
            if let Some((unit, hash)) = mark {
                // Another build is refused, and changes nothing.
                let _ = table.mark(id, Mark::new(1, *unit, *hash));
            }
        }
        Step::Exclude(which) => {
            let ids: Vec<_> = table.all_sites().map(|(id, _)| id).collect();
            if !ids.is_empty() {
                table.exclude(*which.get(&ids));
            }
        }
        Step::Write => {}
    }
}

/// Everything that a file stores of a table.
fn whole(table: &SiteTable) -> (Vec<String>, Vec<String>, u64) {
    let mut hash = metacov_core::Fingerprint::new();
    fingerprint(table, &mut hash);
    let sites = table.all_sites().map(|(id, site)| {
        let name = match site.element {
            Element::Function(name) => table.shown_name(name),
            _ => "",
        };
        let (path, instance) = (table.path(site.file), table.name(site.instance));
        format!("{path}:{} {:?} {name} {instance} {:?}", site.line, site.criterion(), table.end(id))
    });
    (table.paths().map(ToOwned::to_owned).collect(), sites.collect(), hash.hash())
}

proptest! {
    #[test]
    fn any_table_is_read_back(steps in prop::collection::vec(step(), 0..40)) {
        let connection = Connection::open_in_memory().unwrap();
        schema::create(&connection).unwrap();
        let (mut table, mut written) = (SiteTable::new(), StoredSites::default());
        table.set_partial(Criterion::Region);
        for step in steps.iter().chain([&Step::Write]) {
            apply(step, &mut table);
            if matches!(step, Step::Write) && let Some(news) = written.news(&table) {
                news.write(&connection).unwrap();
            }
        }
        let (found, mut known) = read(&connection).unwrap();
        prop_assert_eq!(whole(&found), whole(&table));
        prop_assert!(known.news(&found).is_none(), "what was read is known to be written");
    }
}
