//! Reads a site table from rows.

use metacov_core::{BranchKey, Criterion, Element, FileId, Mark, Site, SiteTable, Span, Symbol};
use metacov_formats::Fault;
use rusqlite::{Connection, Row};

use super::{Extras, StoredSites, number};
use crate::header::{damaged, partial};

/// Returns the table of a run file, all of which counts as written.
pub(crate) fn read(connection: &Connection) -> Result<(SiteTable, StoredSites), Fault> {
    let mut table = SiteTable::new();
    let mut files: Vec<FileId> = Vec::new();
    let mut rows = connection.prepare("SELECT id, path FROM file ORDER BY id")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let path = row.get_ref(1)?.as_str().map_err(|_| damaged("a path is not text"))?;
        if path.is_empty() || path.chars().any(char::is_control) {
            return Err(damaged("invalid path"));
        }
        let file = table.file(path);
        if row.get::<_, i64>(0)? != number(files.len()) || file.index() != files.len() {
            return Err(damaged("duplicate or missing file"));
        }
        files.push(file);
    }
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut rows = connection.prepare("SELECT id, name FROM symbol ORDER BY id")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let name = row.get_ref(1)?.as_str().map_err(|_| damaged("a name is not text"))?;
        if row.get::<_, i64>(0)? != number(symbols.len()) {
            return Err(damaged("missing name"));
        }
        symbols.push(table.symbol(name));
    }
    let mut written = StoredSites {
        files: files.len(),
        symbols: symbols.iter().enumerate().map(|(at, symbol)| (*symbol, at)).collect(),
        ..StoredSites::default()
    };
    if written.symbols.len() != symbols.len() || written.symbols.contains_key(&Symbol::NONE) {
        return Err(damaged("duplicate name"));
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

/// Adds the site of a row, which must be the next.
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
            .ok_or_else(|| "unknown name".to_owned()),
    };
    let unsigned = |at| match cell(at)?.map(u32::try_from) {
        Some(Ok(number)) => Ok(number),
        _ => Err("a number is missing".to_owned()),
    };
    let file = usize::try_from(cell(1)?.unwrap_or(-1)).ok().and_then(|id| files.get(id).copied());
    let file = file.ok_or("unknown file")?;
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
        let mark = Mark::of_kind(kind.cast_unsigned(), mark.cast_unsigned());
        let mark = mark.ok_or("a mark of an unknown kind")?;
        table.mark(id, mark).map_err(|error| error.to_string())?;
    }
    Ok(Extras::of(table, id))
}
