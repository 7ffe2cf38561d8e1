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

    /// Adds rows to the table at a position. A view has as many times more rows as the tables that its
    /// definition names, once for each time that it names them as a source.
    pub(crate) fn grow(&mut self, at: usize, count: usize) {
        let table = &mut self.tables[at];
        let before = table.rows.max(1);
        table.rows += count;
        let mut grown = vec![(table.name.clone(), before, table.rows.max(1))];
        for view in self.tables.iter_mut().filter(|table| table.is_view) {
            let before = view.rows.max(1);
            let mut rows = before;
            for (name, old, new) in &grown {
                for _ in 0..view.sources(name) {
                    rows = rows.saturating_mul(*new).div_ceil(*old);
                }
            }
            if rows > before {
                view.rows = rows;
                grown.push((view.name.clone(), before, rows));
            }
        }
    }

    /// Whether a table has an index.
    pub(crate) fn is_indexed(&self, table: &str) -> bool {
        self.indexes.iter().any(|index| index.table == table)
    }
}

impl Table {
    /// How often its definition names a table as a source: not before the name of a column.
    fn sources(&self, name: &str) -> usize {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let places = self.sql.match_indices(name).filter(|(at, _)| {
            let (before, after) = (&self.sql[..*at], &self.sql[at + name.len()..]);
            !before.ends_with(is_name) && !after.starts_with(|next| is_name(next) || next == '.')
        });
        places.count()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_grow_with_their_tables() {
        let mut schema = Schema::new(Dialect::NEWEST);
        for (name, rows, sql) in [
            ("t1", 10, ""),
            ("t10", 10, ""),
            (
                "v2",
                100,
                "CREATE VIEW v2(c0) AS SELECT t1.c0 FROM t1 LEFT JOIN t1 AS a0 ON (t1.c0 = a0.c0)",
            ),
            ("v3", 100, "CREATE VIEW v3(c0) AS SELECT v2.c0 FROM v2"),
            ("v4", 10, "CREATE VIEW v4(c0) AS SELECT t10.c0 FROM t10"),
        ] {
            let (name, sql) = (name.to_owned(), sql.to_owned());
            let is_view = !sql.is_empty();
            schema.tables.push(Table { name, is_view, columns: Vec::new(), rows, sql });
        }
        schema.grow(0, 90);
        let rows: Vec<usize> = schema.tables.iter().map(|table| table.rows).collect();
        assert_eq!(rows, [100, 10, 10_000, 10_000, 10]);
    }
}
