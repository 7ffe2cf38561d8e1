//! The site table, as rows.

use std::collections::BTreeMap;

use metacov_core::{
    BranchKey, Criterion, Element, FileId, Fingerprint, Site, SiteId, SiteTable, Span, Symbol,
};
use metacov_formats::Fault;
use rusqlite::{Connection, Row, params};

use crate::header::{damaged, partial, set};

/// What a table has that its file has not.
#[derive(Default)]
pub(crate) struct News {
    files: Vec<String>,
    symbols: Vec<String>,
    sites: Vec<SiteRow>,
    first_file: usize,
    first_symbol: usize,
    partial: String,
}

/// What is known to be in the file.
#[derive(Default)]
pub(crate) struct Written {
    revision: Option<u64>,
    files: usize,
    symbols: BTreeMap<Symbol, usize>,
    sites: Vec<Extras>,
}

/// What is said of a site beside what it is. It may be said later than the site is met.
#[derive(Clone, Copy, Default, PartialEq)]
struct Extras {
    shown: Option<Symbol>,
    last_line: Option<u32>,
    excluded: bool,
    mark: Option<(u16, u64)>,
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

impl Written {
    /// What has to be written of a table; from now on it counts as written. None if that is
    /// nothing.
    pub(crate) fn news(&mut self, table: &SiteTable) -> Option<News> {
        if self.revision.replace(table.revision()) == Some(table.revision()) {
            return None;
        }
        let mut news = News {
            first_file: self.files,
            first_symbol: self.symbols.len(),
            partial: table.partial().to_string(),
            ..News::default()
        };
        for (id, site) in table.all_sites() {
            let extras = Extras::of(table, id);
            if self.sites.get(id.index()) == Some(&extras) {
                continue;
            }
            if site.file.index() >= self.files + news.files.len() {
                news.files.push(table.path(site.file).to_owned());
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
        news: &mut News,
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
    mark: Option<(u16, u64)>,
}

/// What tells an element from others of its criterion and line: a word, numbers and a name.
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

impl News {
    /// Writes what is new, and what is said anew of sites that are there.
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
                site.mark.map(|(kind, _)| kind),
                site.mark.map(|(_, mark)| mark.cast_signed()),
            ])?;
        }
        set(connection, "partial", &self.partial)
    }
}

/// Takes in all that is stored of a table.
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
        let (mark_kind, mark) = mark.unwrap_or_default();
        let words = [site.line, last_line.unwrap_or(0), u32::from(excluded), u32::from(mark_kind)];
        fingerprint.numbers(words);
        fingerprint.bytes(&mark.to_le_bytes());
        for number in numbers {
            fingerprint.bytes(&number.unwrap_or(-1).to_le_bytes());
        }
    }
}

/// A number of something that is in memory.
pub(crate) fn number(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}

/// The table of a run file, and what of it is written: all.
pub(crate) fn read(connection: &Connection) -> Result<(SiteTable, Written), Fault> {
    let mut table = SiteTable::new();
    let mut files: Vec<FileId> = Vec::new();
    let mut rows = connection.prepare("SELECT id, path FROM file ORDER BY id")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let path = row.get_ref(1)?.as_str().map_err(|_| damaged("a path that is no text"))?;
        if path.is_empty() || path.chars().any(char::is_control) {
            return Err(damaged("a path that is none"));
        }
        let file = table.file(path);
        if row.get::<_, i64>(0)? != number(files.len()) || file.index() != files.len() {
            return Err(damaged("a file is there twice or not at all"));
        }
        files.push(file);
    }
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut rows = connection.prepare("SELECT id, name FROM symbol ORDER BY id")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str().map_err(|_| damaged("a name that is no text"))?;
        if row.get::<_, i64>(0)? != number(symbols.len()) {
            return Err(damaged("a name is not there"));
        }
        symbols.push(table.symbol(name));
    }
    let mut written = Written {
        files: files.len(),
        symbols: symbols.iter().enumerate().map(|(at, symbol)| (*symbol, at)).collect(),
        ..Written::default()
    };
    if written.symbols.len() != symbols.len() || written.symbols.contains_key(&Symbol::NONE) {
        return Err(damaged("a name is there twice"));
    }
    let mut rows = connection.prepare("SELECT * FROM site ORDER BY id")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let id = written.sites.len();
        let extras = read_site(&mut table, row, &files, &symbols)
            .map_err(|what| damaged(&format!("site {id}: {what}")))?;
        written.sites.push(extras);
    }
    for criterion in partial(connection)?.iter() {
        table.set_partial(criterion);
    }
    written.revision = Some(table.revision());
    Ok((table, written))
}

/// Enters the site of a row, which must be the next.
fn read_site(
    table: &mut SiteTable,
    row: &Row<'_>,
    files: &[FileId],
    symbols: &[Symbol],
) -> Result<Extras, String> {
    let cell = |at| row.get::<_, Option<i64>>(at).map_err(|error| error.to_string());
    let word = |at: usize| row.get::<_, Option<String>>(at).map_err(|error| error.to_string());
    let symbol = |at| match cell(at)? {
        None => Ok(Symbol::NONE),
        Some(id) => usize::try_from(id)
            .ok()
            .and_then(|id| symbols.get(id).copied())
            .ok_or_else(|| "a name that is not there".to_owned()),
    };
    let unsigned = |at| match cell(at)?.map(u32::try_from) {
        Some(Ok(number)) => Ok(number),
        _ => Err("a number is missing".to_owned()),
    };
    let file = usize::try_from(cell(1)?.unwrap_or(-1)).ok().and_then(|id| files.get(id).copied());
    let file = file.ok_or("a file that is not there")?;
    let span = || {
        Ok::<_, String>(Span {
            column: unsigned(6)?,
            end_line: unsigned(7)?,
            end_column: unsigned(8)?,
        })
    };
    let element = match (word(3)?.unwrap_or_default().parse()?, word(4)?.as_deref()) {
        (Criterion::Line, None) => Element::Line,
        (Criterion::Function, None) => Element::Function(symbol(5)?),
        (Criterion::Region, None) => Element::Region(span()?),
        (Criterion::Block, None) => Element::Block { function: symbol(5)?, number: unsigned(6)? },
        (Criterion::Branch, Some(kind)) => Element::Branch(match kind {
            "position" => BranchKey::Position(unsigned(6)?),
            "number" => BranchKey::Number(unsigned(6)?),
            "arc" => BranchKey::Arc {
                source: unsigned(6)?,
                destination: unsigned(7)?,
                occurrence: unsigned(8)?,
            },
            "label" => BranchKey::Label { block: unsigned(6)?, name: symbol(5)? },
            "jump" => {
                let to = cell(6)?.and_then(|to| i32::try_from(to).ok());
                BranchKey::Jump(to.ok_or("a jump to nowhere")?)
            }
            "outcome" => BranchKey::Outcome { span: span()?, taken: unsigned(9)? != 0 },
            "alternative" => BranchKey::Alternative { decision: unsigned(6)?, index: unsigned(7)? },
            _ => return Err("a kind of branch that is not known".to_owned()),
        }),
        _ => return Err("neither a line nor a branch, function, region or block".to_owned()),
    };
    let next = table.len();
    let id = table.site(Site { file, line: unsigned(2)?, element, instance: symbol(10)? });
    if id.index() != next || cell(0)? != Some(number(next)) {
        return Err("it is there twice or not at all".to_owned());
    }
    if let (Element::Function(name), Some(_)) = (element, cell(11)?) {
        table.set_shown_name(name, symbol(11)?);
    }
    if cell(12)?.is_some() {
        table.set_end(id, unsigned(12)?);
    }
    if cell(13)? != Some(0) {
        table.exclude(id);
    }
    if let (Some(kind), Some(mark)) = (cell(14)?, cell(15)?) {
        let kind = u16::try_from(kind).ok().filter(|kind| *kind != 0).ok_or("a mark of no kind")?;
        table.mark(id, kind, mark.cast_unsigned()).map_err(|error| error.to_string())?;
    }
    Ok(Extras::of(table, id))
}
