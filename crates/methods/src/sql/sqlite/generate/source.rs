//! The sources of random queries.

use std::rc::Rc;
use std::sync::Arc;

use super::{Generator, Scope, Visible};
use crate::sql::ast::{
    Binary, Body, Collation, Expr, From, IndexHint, Join, JoinConstraint, JoinKind, Literal, Query,
    Source, SourceKind,
};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::schema::{Column, Index, Table, TableKind};
use crate::sql::sqlite::weights::{JOINS, LINKS, Link, ORIGINS, Origin, SOURCES, percent};

/// A source and its columns.
pub struct Opened {
    pub source: Source,
    pub name: String,
    pub columns: Vec<Column>,
    pub rowid: bool,
    pub rows: usize,
}

impl Generator<'_> {
    /// Up to `sources_max` joined sources with about `rows_max` rows at most, their columns, and an
    /// estimate of the rows.
    pub fn from(
        &mut self,
        sources_max: usize,
        rows_max: usize,
        depth: u32,
    ) -> (From, Rc<Scope>, usize) {
        let count = self.rng.weigh(SOURCES).min(sources_max);
        let first = self.open(rows_max, depth);
        let mut rows = first.rows.max(1);
        let mut scope = Rc::new(Scope::of(&first.name, &first.columns, first.rowid));
        let mut joins = Vec::new();
        for _ in 1..count {
            if joins.last().is_some_and(is_merging) {
                break;
            }
            let opened = self.open(rows_max / rows, depth);
            if rows * opened.rows.max(1) > rows_max {
                break;
            }
            rows *= opened.rows.max(1);
            let before = scope.columns.len();
            Rc::make_mut(&mut scope).add(&opened.name, &opened.columns, opened.rowid);
            joins.push(self.join(opened, before, &scope));
        }
        (From { first: first.source, joins }, scope, rows)
    }

    /// Joins a source, which is the last in `scope`, to those with the first `before` columns.
    fn join(&mut self, opened: Opened, before: usize, scope: &Rc<Scope>) -> Join {
        let before = &scope.columns[..before];
        let mut kind = self.rng.weigh(JOINS);
        if matches!(kind, JoinKind::Right | JoinKind::Full) && !self.schema.dialect.has(39) {
            kind = JoinKind::Left;
        }
        let mut natural = false;
        let link = match kind {
            JoinKind::Comma => Link::None,
            JoinKind::Cross if self.rng.chance(70) => Link::None,
            _ => self.rng.weigh(LINKS),
        };
        let constraint = match link {
            Link::None => JoinConstraint::None,
            Link::Natural => {
                // A name that occurs twice on the left is ambiguous.
                let twice =
                    |name: &str| before.iter().filter(|column| column.name == name).count() > 1;
                natural = !opened.columns.iter().any(|column| twice(&column.name));
                JoinConstraint::None
            }
            Link::Using => match self.shared(&opened.columns, before) {
                Some(name) => JoinConstraint::Using(vec![name]),
                None => JoinConstraint::None,
            },
            Link::On => {
                // Rule: ON refers only to sources before it; outer joins refuse the others.
                self.scopes.push(Rc::clone(scope));
                let on = if self.rng.chance(60) {
                    self.equation(&opened, before)
                } else {
                    self.truth(2)
                };
                self.scopes.pop();
                JoinConstraint::On(on)
            }
        };
        Join { natural, kind, source: opened.source, constraint }
    }

    /// A column name that both sides of a join have, once on the left.
    fn shared(&mut self, columns: &[Column], before: &[Visible]) -> Option<String> {
        let once = |name: &str| before.iter().filter(|column| column.name == name).count() == 1;
        let names: Vec<&Column> = columns.iter().filter(|column| once(&column.name)).collect();
        if names.is_empty() { None } else { Some(self.rng.pick(&names).name.clone()) }
    }

    /// An equation between a column of the new source and one before it.
    fn equation(&mut self, opened: &Opened, before: &[Visible]) -> Expr {
        let new = self.rng.pick(&opened.columns);
        let fitting: Vec<&Visible> =
            before.iter().filter(|column| column.class == new.class).collect();
        let old = if fitting.is_empty() { self.rng.pick(before) } else { *self.rng.pick(&fitting) };
        Expr::column(&opened.name, &new.name).binary(Binary::Equal, old.expr())
    }

    /// One source of about `rows_max` rows at most.
    pub fn open(&mut self, rows_max: usize, depth: u32) -> Opened {
        match self.rng.weigh(ORIGINS) {
            Origin::Derived if depth > 0 => {
                let columns = self.rng.between(1, 3);
                let shaped = self.isolated(|generator| generator.query(columns, depth - 1));
                let name = self.alias();
                Opened {
                    source: Source {
                        kind: SourceKind::Derived(Box::new(shaped.query)),
                        alias: Some(name.clone()),
                    },
                    name,
                    columns: shaped.columns,
                    rowid: false,
                    rows: shaped.rows,
                }
            }
            Origin::Function if self.direct && self.rng.chance(percent::PRAGMA_ROWS) => {
                self.pragma_rows()
            }
            Origin::Function if self.schema.dialect.has(38) => self.json_rows(),
            _ => self.open_table(rows_max),
        }
    }

    /// One source whose name differs from `table`, which an UPDATE uses already.
    pub fn open_apart(&mut self, table: &str, rows_max: usize) -> Opened {
        self.used.extend(self.schema.tables.iter().map(|other| other.name.clone()));
        debug_assert!(self.used.iter().any(|name| name == table), "the table is in the schema");
        self.open_table(rows_max)
    }

    fn open_table(&mut self, rows_max: usize) -> Opened {
        let schema = self.schema;
        let direct = self.direct;
        let all: Vec<&Table> = schema
            .tables
            .iter()
            .filter(|table| direct || table.kind != TableKind::Dbstat)
            .collect();
        let tables_only = self.rng.chance(percent::NO_VIEW);
        let fits = |table: &&Table| {
            table.rows <= rows_max.max(1) && !(tables_only && table.kind == TableKind::View)
        };
        let fitting: Vec<&Table> = all.iter().copied().filter(fits).collect();
        if all.is_empty() {
            return self.constant_rows();
        }
        let table = if fitting.is_empty() {
            all.into_iter().min_by_key(|table| table.rows).unwrap_or(&schema.tables[0])
        } else {
            *self.rng.pick(&fitting)
        };
        let searched =
            matches!(table.kind, TableKind::Fts5 { .. }) && self.rng.chance(percent::SEARCHED);
        let alias =
            (searched || self.used.contains(&table.name) || self.rng.chance(percent::ALIAS))
                .then(|| self.alias());
        let name = alias.clone().unwrap_or_else(|| table.name.clone());
        self.used.push(name.clone());
        let kind = if searched {
            // A full text search can be written as a table-valued function.
            let arguments = vec![self.search_text(table)];
            SourceKind::Function { name: table.name.clone(), arguments }
        } else {
            SourceKind::Named { name: table.name.clone(), hint: self.hint(table) }
        };
        Opened {
            source: Source { kind, alias },
            name,
            columns: table.columns.clone(),
            // A search by rowid too: a fault of SQLite, see `tests/on_sqlite/known_faults.rs`.
            rowid: table.rowid && !searched,
            rows: table.rows,
        }
    }

    fn hint(&mut self, table: &Table) -> IndexHint {
        if table.kind != TableKind::Ordinary || !self.rng.chance(percent::INDEX_HINT) {
            return IndexHint::None;
        }
        let usable = |index: &&Index| index.table == table.name && index.full;
        let indexes: Vec<_> = self.schema.indexes.iter().filter(usable).collect();
        if indexes.is_empty() || self.rng.chance(50) {
            return IndexHint::NotIndexed;
        }
        IndexHint::IndexedBy(self.rng.pick(&indexes).name.clone())
    }

    /// The rows of a JSON document.
    ///
    /// Rule: `value` of `json_tree`, and nested arrays in `json_each`, are not used: they carry a
    /// subtype.
    fn json_rows(&mut self) -> Opened {
        let name = self.alias();
        let (function, document) = *self.rng.pick(&[
            ("json_each", "[1,2.5,null,\"a\",true,2]"),
            ("json_each", "{\"a\":1,\"b\":\"B\",\"c\":null}"),
            ("json_tree", "{\"a\":[1,{\"b\":[]}],\"c\":\"a\"}"),
        ]);
        let mut columns = vec![
            column("key", Class::Any),
            column("type", Class::Text),
            column("atom", Class::Any),
            column("fullkey", Class::Text),
        ];
        if function == "json_each" {
            columns.push(column("value", Class::Any));
        }
        Opened {
            source: Source {
                kind: SourceKind::Function {
                    name: function.to_owned(),
                    arguments: vec![Expr::text(document)],
                },
                alias: Some(name.clone()),
            },
            name,
            columns,
            rowid: false,
            rows: 6,
        }
    }

    /// What a PRAGMA returns about a table.
    fn pragma_rows(&mut self) -> Opened {
        if self.schema.tables.is_empty() {
            return self.constant_rows();
        }
        let name = self.alias();
        let function = *self.rng.pick(&["pragma_table_info", "pragma_table_xinfo"]);
        let table = self.rng.pick(&self.schema.tables);
        let columns = vec![
            column("cid", Class::Integer),
            column("name", Class::Text),
            column("type", Class::Text),
            column("dflt_value", Class::Text),
            column("pk", Class::Integer),
        ];
        let rows = table.columns.len();
        let arguments = vec![Expr::text(&table.name)];
        let kind = SourceKind::Function { name: function.to_owned(), arguments };
        Opened {
            source: Source { kind, alias: Some(name.clone()) },
            name,
            columns,
            rowid: false,
            rows,
        }
    }

    /// Constant rows, for a database without tables.
    fn constant_rows(&mut self) -> Opened {
        let name = self.alias();
        let rows: Vec<Vec<Literal>> = (0..3).map(|_| self.constants(2)).collect();
        let query =
            Query { with: Vec::new(), body: Body::Values(rows), order_by: Vec::new(), limit: None };
        Opened {
            source: Source {
                kind: SourceKind::Derived(Box::new(query)),
                alias: Some(name.clone()),
            },
            name,
            columns: vec![column("column1", Class::Any), column("column2", Class::Any)],
            rowid: false,
            rows: 3,
        }
    }

    /// A new alias.
    pub fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("a{}", self.aliases)
    }
}

/// Whether a join merges two columns that may both be NULL. If a further source has a column of
/// that name, SQLite calls `*` ambiguous.
fn is_merging(join: &Join) -> bool {
    let outer = matches!(join.kind, JoinKind::Right | JoinKind::Full);
    outer && (join.natural || matches!(join.constraint, JoinConstraint::Using(_)))
}

/// A column of a source that is not a table, not exact.
pub fn column(name: &str, class: Class) -> Column {
    Column {
        name: name.to_owned(),
        class,
        exact: false,
        generated: false,
        not_null: false,
        strict: false,
        refers: false,
        samples: Arc::default(),
        collation: Collation::Binary,
    }
}
