//! The code that only one side of a finding runs.

use std::collections::BTreeSet;

use metacov_core::{Cover, Criterion, Element, Functions, Pair, SiteTable};

/// The code that only one of the sides runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The lines, by file and number.
    pub lines: BTreeSet<(String, u32)>,
    /// The functions that contain these lines.
    pub functions: BTreeSet<String>,
    /// The functions that only one of the sides calls.
    pub entered: BTreeSet<String>,
}

impl Difference {
    pub(crate) fn of(covers: &Pair<Cover>, table: &SiteTable, functions: &Functions) -> Self {
        let mut difference = Difference::default();
        for id in covers.difference().iter() {
            let site = table.get(id);
            if let Element::Function(name) = site.element {
                difference.entered.insert(table.shown_name(name).to_owned());
            }
            if site.criterion() == Criterion::Line {
                difference.lines.insert((table.path(site.file).to_owned(), site.line));
                let function = functions.place(id).map(|place| functions.keys[place].name);
                difference.functions.extend(function.map(|name| table.shown_name(name).to_owned()));
            }
        }
        difference
    }
}
