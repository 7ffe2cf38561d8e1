//! The site table, as rows.

mod read;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use metacov_core::{
    BranchKey, Criterion, Element, Fingerprint, Mark, Site, SiteId, SiteTable, Span, Symbol,
};
use rusqlite::{Connection, params};

use crate::header::set;

pub(crate) use read::read;

/// What a table has and its file does not.
#[derive(Default)]
pub(crate) struct NewSites {
    files: Vec<String>,
    symbols: Vec<String>,
    sites: Vec<SiteRow>,
    first_file: usize,
    first_symbol: usize,
    partial: String,
}

/// What the file contains.
#[derive(Default)]
pub(crate) struct StoredSites {
    revision: Option<u64>,
    files: usize,
    symbols: BTreeMap<Symbol, usize>,
    sites: Vec<Extras>,
}

/// Additional data of a site, which may be set after the site was written.
#[derive(Clone, Copy, Default, PartialEq)]
struct Extras {
    shown: Option<Symbol>,
    last_line: Option<u32>,
    excluded: bool,
    mark: Option<Mark>,
}

impl Extras {
    fn of(table: &SiteTable, id: SiteId) -> Self {
        let shown = match table.get(id).element {
            Element::Function(name) => table.given_name(name),
            _ => None,
        };
        let (last_line, excluded) = (table.end(id), table.is_excluded(id));
        Extras { shown, last_line, excluded, mark: table.mark_of(id) }
    }
}

impl StoredSites {
    /// Returns what has to be written of a table, and regards it as written. None if there is
    /// nothing.
    pub(crate) fn news(&mut self, table: &SiteTable) -> Option<NewSites> {
        if self.revision.replace(table.revision()) == Some(table.revision()) {
            return None;
        }
        // By their numbers: sites are added in any order of files, and a file may have none.
        let files = table.paths().skip(self.files).map(ToOwned::to_owned).collect();
        let mut news = NewSites {
            files,
            first_file: self.files,
            first_symbol: self.symbols.len(),
            partial: table.partial().to_string(),
            ..NewSites::default()
        };
        for (id, site) in table.all_sites() {
            let extras = Extras::of(table, id);
            if self.sites.get(id.index()) == Some(&extras) {
                continue;
            }
            let row = self.row(table, id, *site, extras, &mut news);
            news.sites.push(row);
            match self.sites.get_mut(id.index()) {
                Some(written) => *written = extras,
                None => self.sites.push(extras),
            }
        }
        self.files += news.files.len();
        Some(news)
    }

    fn row(
        &mut self,
        table: &SiteTable,
        id: SiteId,
        site: Site,
        extras: Extras,
        news: &mut NewSites,
    ) -> SiteRow {
        let mut symbol = |symbol: Symbol| {
            let next = self.symbols.len();
            (symbol != Symbol::NONE).then(|| {
                *self.symbols.entry(symbol).or_insert_with(|| {
                    news.symbols.push(table.name(symbol).to_owned());
                    next
                })
            })
        };
        let (kind, numbers, name) = parts(site.element);
        SiteRow {
            id: id.index(),
            file: site.file.index(),
            line: site.line,
            criterion: site.criterion(),
            kind,
            numbers,
            symbol: symbol(name),
            instance: symbol(site.instance),
            shown: extras.shown.and_then(symbol),
            last_line: extras.last_line,
            excluded: extras.excluded,
            mark: extras.mark,
        }
    }
}

/// A site as it is stored: files and symbols by their ids.
struct SiteRow {
    id: usize,
    file: usize,
    line: u32,
    criterion: Criterion,
    kind: Option<&'static str>,
    numbers: [Option<i64>; 4],
    symbol: Option<usize>,
    instance: Option<usize>,
    shown: Option<usize>,
    last_line: Option<u32>,
    excluded: bool,
    mark: Option<Mark>,
}

/// What distinguishes an element from others of its criterion and line: a word, numbers and a name.
fn parts(element: Element) -> (Option<&'static str>, [Option<i64>; 4], Symbol) {
    let numbers = |numbers: &[u32]| {
        let mut all = [None; 4];
        all.iter_mut().zip(numbers).for_each(|(to, from)| *to = Some(i64::from(*from)));
        all
    };
    let Element::Branch(key) = element else {
        return match element {
            Element::Function(name) => (None, numbers(&[]), name),
            Element::Region(Span { column, end_line, end_column }) => {
                (None, numbers(&[column, end_line, end_column]), Symbol::NONE)
            }
            Element::Block { function, number } => (None, numbers(&[number]), function),
            _ => (None, numbers(&[]), Symbol::NONE),
        };
    };
    let (kind, numbers, name) = match key {
        BranchKey::Position(at) => ("position", numbers(&[at]), Symbol::NONE),
        BranchKey::Number(at) => ("number", numbers(&[at]), Symbol::NONE),
        BranchKey::Arc { source, destination, occurrence } => {
            ("arc", numbers(&[source, destination, occurrence]), Symbol::NONE)
        }
        BranchKey::Label { block, name } => ("label", numbers(&[block]), name),
        BranchKey::Jump(to) => ("jump", [Some(i64::from(to)), None, None, None], Symbol::NONE),
        BranchKey::Outcome { span: Span { column, end_line, end_column }, taken } => {
            ("outcome", numbers(&[column, end_line, end_column, u32::from(taken)]), Symbol::NONE)
        }
        BranchKey::Alternative { decision, index } => {
            ("alternative", numbers(&[decision, index]), Symbol::NONE)
        }
    };
    (Some(kind), numbers, name)
}

impl NewSites {
    /// The ids of the files that have new sites.
    pub(crate) fn files_with_sites(&self) -> BTreeSet<i64> {
        self.sites.iter().map(|site| number(site.file)).collect()
    }

    /// Writes new sites, and new data of stored sites.
    pub(crate) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let mut insert = connection.prepare_cached("INSERT INTO file VALUES (?1, ?2)")?;
        for (id, path) in (self.first_file..).zip(&self.files) {
            insert.execute((number(id), path))?;
        }
        let mut insert = connection.prepare_cached("INSERT INTO symbol VALUES (?1, ?2)")?;
        for (id, name) in (self.first_symbol..).zip(&self.symbols) {
            insert.execute((number(id), name))?;
        }
        let mut insert = connection.prepare_cached(
            "INSERT OR REPLACE INTO site
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?;
        for site in &self.sites {
            let [n1, n2, n3, n4] = site.numbers;
            insert.execute(params![
                number(site.id),
                number(site.file),
                site.line,
                site.criterion.name(),
                site.kind,
                site.symbol.map(number),
                n1,
                n2,
                n3,
                n4,
                site.instance.map(number),
                site.shown.map(number),
                site.last_line,
                site.excluded,
                site.mark.map(|mark| mark.kind().cast_signed()),
                site.mark.map(|mark| mark.code().cast_signed()),
            ])?;
        }
        set(connection, "partial", &self.partial)
    }
}

/// Adds everything that is stored of a table.
pub(crate) fn fingerprint(table: &SiteTable, fingerprint: &mut Fingerprint) {
    fingerprint.text(&table.partial().to_string());
    for (id, site) in table.all_sites() {
        let (kind, numbers, name) = parts(site.element);
        let Extras { shown, last_line, excluded, mark } = Extras::of(table, id);
        fingerprint.text(table.path(site.file));
        fingerprint.text(site.criterion().name());
        fingerprint.text(kind.unwrap_or_default());
        fingerprint.text(table.name(name));
        fingerprint.text(table.name(site.instance));
        fingerprint.text(shown.map_or("", |shown| table.name(shown)));
        let (producer, unit, code) =
            mark.map_or((0, 0, 0), |mark| (mark.producer, mark.unit, mark.code()));
        let words = [site.line, last_line.unwrap_or(0), u32::from(excluded), u32::from(producer)];
        fingerprint.numbers(words);
        if unit != 0 {
            fingerprint.numbers([unit]);
        }
        fingerprint.bytes(&code.to_le_bytes());
        for number in numbers {
            fingerprint.bytes(&number.unwrap_or(-1).to_le_bytes());
        }
    }
}

/// An index as a stored number.
pub(crate) fn number(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}
