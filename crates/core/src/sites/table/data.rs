//! A table as plain data, for sending it to another process.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::SiteTable;
use crate::{BranchKey, Criteria, Element, FileId, Mark, Site, SiteId, Symbol};

/// A table as plain data: files, names and sites in the order of their numbers. What is large is
/// borrowed: the tables of large programs take tens of megabytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableData<'t> {
    #[serde(borrow)]
    names: Vec<&'t str>,
    files: Cow<'t, [Symbol]>,
    shown_names: Vec<(Symbol, Symbol)>,
    sites: Cow<'t, [Site]>,
    ends: Vec<(SiteId, u32)>,
    marks: Cow<'t, [Option<Mark>]>,
    excluded: Vec<SiteId>,
    partial: Criteria,
}

impl<'t> From<&'t SiteTable> for TableData<'t> {
    fn from(table: &'t SiteTable) -> Self {
        let mut shown_names: Vec<_> =
            table.shown_names.iter().map(|(name, shown)| (*name, *shown)).collect();
        shown_names.sort_unstable();
        let mut ends: Vec<_> = table.ends.iter().map(|(site, line)| (*site, *line)).collect();
        ends.sort_unstable();
        TableData {
            names: table.symbols.names().collect(),
            files: Cow::Borrowed(&table.files),
            shown_names,
            sites: Cow::Borrowed(&table.sites),
            ends,
            marks: Cow::Borrowed(&table.marks),
            excluded: table.excluded.iter().collect(),
            partial: table.partial,
        }
    }
}

impl TryFrom<TableData<'_>> for SiteTable {
    type Error = &'static str;

    /// Restores the table with the same numbers. Data that is not that of a table is refused.
    fn try_from(data: TableData<'_>) -> Result<Self, Self::Error> {
        let mut table = SiteTable::new();
        for name in &data.names {
            table.symbols.intern(name);
        }
        let has_names = table.symbols.names().eq(data.names.iter().copied());
        check(has_names, "a name is there twice")?;
        let is_name = |table: &SiteTable, symbol| table.symbols.contains(symbol);
        for (at, path) in data.files.iter().enumerate() {
            check(is_name(&table, *path), "the name of a file is missing")?;
            let path = table.name(*path).to_owned();
            check(table.file(&path) == FileId::new(at), "a file is there twice")?;
        }
        for (at, site) in data.sites.iter().enumerate() {
            let names = [names_of(site.element), site.instance];
            let is_known = site.file.index() < data.files.len()
                && names.iter().all(|name| is_name(&table, *name));
            check(is_known, "a site has an unknown file or name")?;
            check(table.site(*site) == SiteId::new(at), "a site is there twice")?;
        }
        let is_site = |site: SiteId| site.index() < data.sites.len();
        let sites = data.ends.iter().map(|(site, _)| site).chain(&data.excluded);
        check(sites.copied().all(is_site), "a site is missing")?;
        check(data.marks.len() <= data.sites.len(), "a site is missing")?;
        for (name, shown) in data.shown_names {
            check(is_name(&table, name) && is_name(&table, shown), "a name is missing")?;
            table.set_shown_name(name, shown);
        }
        for (site, line) in data.ends {
            table.set_end(site, line);
        }
        table.marks = data.marks.into_owned();
        for site in data.excluded {
            table.exclude(site);
        }
        data.partial.iter().for_each(|criterion| table.set_partial(criterion));
        Ok(table)
    }
}

fn check(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}

/// The name in an element, or none.
fn names_of(element: Element) -> Symbol {
    match element {
        Element::Function(name) | Element::Branch(BranchKey::Label { name, .. }) => name,
        Element::Block { function, .. } => function,
        _ => Symbol::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Criterion;

    #[test]
    fn a_table_survives_encode_and_decode_and_damaged_data_is_refused() {
        let mut table = SiteTable::new();
        let (file, name) = (table.file("a.c"), table.symbol("f"));
        let element = Element::Function(name);
        let site = table.site(Site { file, line: 3, element, instance: Symbol::NONE });
        table.site(Site { file, line: 4, element: Element::Line, instance: name });
        table.set_end(site, 9);
        table.mark(site, Mark::new(1, 2, 3)).unwrap();
        table.exclude(site);
        table.set_partial(Criterion::Branch);
        let shown = table.symbol("f(int)");
        table.set_shown_name(name, shown);
        let data = TableData::from(&table);
        let arrived = SiteTable::try_from(data.clone()).unwrap();
        assert_eq!(arrived.build_id(), table.build_id());
        assert_eq!(format!("{:?}", TableData::from(&arrived)), format!("{data:?}"));
        let twice =
            TableData { sites: [&data.sites[..], &data.sites].concat().into(), ..data.clone() };
        assert!(SiteTable::try_from(twice).is_err());
        let nameless = TableData { names: Vec::new(), ..data.clone() };
        assert!(SiteTable::try_from(nameless).is_err());
        let fileless = TableData { files: Cow::default(), ..data };
        assert!(SiteTable::try_from(fileless).is_err());
    }
}
