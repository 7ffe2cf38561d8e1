//! The contents of a database, as far as statements and queries need them.

use std::sync::Arc;

use super::Type;
use super::dialect::Dialect;
use crate::sql::ast::Expr;

/// The tables, views and indexes of a database. [`super::Database`] updates it as statements
/// succeed.
#[derive(Clone, Debug)]
pub struct Schema {
    pub(crate) dialect: Dialect,
    pub(crate) tables: Vec<Table>,
    pub(crate) indexes: Vec<Index>,
}

/// How many values are kept of a column.
const SAMPLES_MAX: usize = 8;

/// A table or a view.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) is_view: bool,
    pub(crate) columns: Vec<Column>,
    /// An upper estimate of the number of rows.
    pub(crate) rows: usize,
    /// The text of its definition, which shows what it depends on.
    pub(crate) sql: String,
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) of: Type,
    pub(crate) not_null: bool,
    /// Whether no two rows have the same value.
    pub(crate) unique: bool,
    /// Whether it is computed from other columns.
    pub(crate) generated: bool,
    /// Constants that were stored in it, so that predicates match rows.
    pub(crate) samples: Arc<Vec<Expr>>,
}

/// An index.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    pub(crate) name: String,
    pub(crate) table: String,
}

impl Schema {
    /// An empty database.
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self { dialect, tables: Vec::new(), indexes: Vec::new() }
    }

    /// Tables that accept rows.
    pub(crate) fn writable(&self) -> impl Iterator<Item = &Table> {
        self.tables.iter().filter(|table| !table.is_view)
    }

    /// Whether the definition of another table or view mentions a table.
    pub(crate) fn is_used(&self, table: &str) -> bool {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let mut others = self.tables.iter().filter(|other| other.is_view && other.name != table);
        others.any(|other| other.sql.split(|letter| !is_name(letter)).any(|word| word == table))
    }

    /// Whether a table has an index.
    pub(crate) fn is_indexed(&self, table: &str) -> bool {
        self.indexes.iter().any(|index| index.table == table)
    }
}

impl Column {
    /// A column that may be NULL.
    pub(crate) fn new(name: String, of: Type) -> Self {
        let samples = Arc::default();
        Self { name, of, not_null: false, unique: false, generated: false, samples }
    }

    /// Columns of these types, with the names `c0`, `c1` and so on.
    pub(crate) fn numbered(types: Vec<Type>) -> Vec<Self> {
        let column = |(at, of)| Self::new(format!("c{at}"), of);
        types.into_iter().enumerate().map(column).collect()
    }

    /// Records a constant that is stored in it.
    pub(crate) fn remember(&mut self, literal: Expr) {
        let samples = Arc::make_mut(&mut self.samples);
        if samples.len() >= SAMPLES_MAX {
            samples.remove(0);
        }
        samples.push(literal);
    }
}
