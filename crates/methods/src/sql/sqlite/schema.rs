//! The contents of a database, as far as statements and queries need them.

use std::sync::Arc;

use super::ast::{Collation, Literal, Place};
use super::dialect::Dialect;
use super::function::Class;

/// The tables, views, indexes and triggers of a database. [`super::Database`] updates it as
/// statements succeed.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(crate) dialect: Dialect,
    pub(crate) tables: Vec<Table>,
    pub(crate) indexes: Vec<Index>,
    pub(crate) triggers: Vec<Trigger>,
    /// Recently stored values, of any column.
    pub(crate) pool: Vec<Literal>,
    /// Whether there are blobs.
    ///
    /// Rule: not in UTF-16 databases. A blob that is used as a text or a number is read in the
    /// encoding of the database, as far as its bytes go: half a character may or may not be dropped
    /// on the way.
    pub(crate) blobs: bool,
    /// Whether there is a second database.
    pub(crate) attached: bool,
    /// Whether there is a `sqlite_stat1` to edit.
    pub(crate) analyzed: bool,
}

/// How many values the pool keeps.
const POOL_MAX: usize = 60;

/// How many values are kept of a column.
const SAMPLES_MAX: usize = 8;

/// A table, a view or a virtual table.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub name: String,
    pub kind: TableKind,
    pub columns: Vec<Column>,
    /// Whether `rowid` can be queried.
    pub rowid: bool,
    pub strict: bool,
    pub place: Place,
    /// Sets of columns that a constraint of the table makes unique.
    pub keys: Vec<Vec<String>>,
    /// The columns of the primary key.
    pub primary_key: Vec<String>,
    /// An upper estimate of the number of rows.
    pub rows: usize,
    /// The text of its definition, which shows what it depends on.
    pub sql: String,
}

/// The kind of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableKind {
    Ordinary,
    View,
    Fts4,
    Fts5 { phrases: bool, contentless: bool },
    Rtree,
    Dbstat,
}

/// A column.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact that some statement asks for")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub name: String,
    pub class: Class,
    /// Whether equal values are identical.
    ///
    /// `1` equals `1.0`, and `'a'` equals `'A'` under NOCASE. The database may choose any of them
    /// for a group, a DISTINCT, a UNION or a MIN, so only exact values are used there. INTEGER
    /// affinity converts `1.0` to an integer, TEXT affinity converts numbers to texts, so such
    /// columns are exact (texts if BINARY).
    pub exact: bool,
    pub generated: bool,
    pub not_null: bool,
    /// Whether only values of the class (and NULL) can be stored.
    pub strict: bool,
    /// Whether a value must be that of a key, in this table or another, unless it is NULL.
    pub refers: bool,
    /// Values that were stored in it, so that predicates match rows.
    pub samples: Arc<Vec<Literal>>,
    pub collation: Collation,
}

/// An index.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub name: String,
    pub table: String,
    /// Whether it contains all rows.
    pub full: bool,
    pub sql: String,
}

/// A trigger.
#[derive(Clone, Debug)]
pub(crate) struct Trigger {
    pub name: String,
    pub table: String,
    pub sql: String,
}

impl Schema {
    /// An empty database.
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            tables: Vec::new(),
            indexes: Vec::new(),
            triggers: Vec::new(),
            pool: Vec::new(),
            blobs: true,
            attached: false,
            analyzed: false,
        }
    }

    /// The names of the tables and views that queries use.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| &table.name[..])
    }

    /// Records a value that is stored in a column of a table.
    pub(crate) fn remember(&mut self, table: &str, column: &str, literal: Literal) {
        let tables = self.tables.iter_mut().filter(|other| other.name == table);
        for column in
            tables.flat_map(|table| &mut table.columns).filter(|other| other.name == column)
        {
            let samples = Arc::make_mut(&mut column.samples);
            if samples.len() >= SAMPLES_MAX {
                samples.remove(0);
            }
            samples.push(literal.clone());
        }
        if self.pool.len() >= POOL_MAX {
            self.pool.remove(0);
        }
        self.pool.push(literal);
    }

    /// Tables that accept rows.
    pub(crate) fn writable(&self) -> impl Iterator<Item = &Table> {
        self.tables
            .iter()
            .filter(|table| !matches!(table.kind, TableKind::View | TableKind::Dbstat))
    }

    /// Whether a table, view or trigger other than `except` mentions a word. (Indexes are dropped
    /// and changed with their table.)
    pub(crate) fn speaks_of(&self, word: &str, except: &str) -> bool {
        let tables =
            self.tables.iter().filter(|table| table.name != except).map(|table| &table.sql);
        let triggers = self.triggers.iter().map(|trigger| &trigger.sql);
        tables.chain(triggers).any(|sql| has_word(sql, word))
    }
}

/// Whether a text contains a whole word.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .any(|part| part == word)
}
