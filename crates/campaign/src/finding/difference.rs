//! What only one of the sides of a finding runs.

use std::collections::BTreeSet;

use metacov_core::{Cover, Criterion, Functions, Pair, SiteTable};

/// What only one of the sides runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// The lines, by file and number.
    pub lines: BTreeSet<(String, u32)>,
    /// The functions that these lines are in.
    pub functions: Vec<String>,
}

impl Difference {
    pub(crate) fn of(covers: &Pair<Cover>, table: &SiteTable, functions: &Functions) -> Self {
        let mut difference = Difference::default();
        let mut names = BTreeSet::new();
        for id in covers.difference().iter() {
            let site = table.get(id);
            if site.criterion() == Criterion::Line {
                difference.lines.insert((table.path(site.file).to_owned(), site.line));
                let function = functions.place(id).map(|place| functions.keys[place].name);
                names.extend(function.map(|name| table.shown_name(name).to_owned()));
            }
        }
        difference.functions = names.into_iter().collect();
        difference
    }
}
