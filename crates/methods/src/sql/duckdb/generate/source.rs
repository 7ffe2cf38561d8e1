//! The sources of random queries.

use std::rc::Rc;

use super::query::SUBQUERY_ROWS_MAX;
use super::{Generator, Scope};
use crate::sql::ast::{From, IndexHint, Source, SourceKind};
use crate::sql::duckdb::schema::{Column, Table};

/// A source and its columns.
pub(super) struct Opened {
    pub(super) source: Source,
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    rows: usize,
}

/// How often a source is a query, and how often a common table expression if there is one, in
/// percent.
const DERIVED: u32 = 15;
const COMMON: u32 = 60;

impl Generator<'_> {
    /// Up to `sources_max` joined sources with about `rows_max` rows at most, their columns, and an
    /// estimate of the rows.
    pub(crate) fn from(
        &mut self,
        sources_max: usize,
        rows_max: usize,
        depth: u32,
    ) -> (From, Rc<Scope>, usize) {
        let count = self.rng.weigh(&[(5, 1), (4, 2), (2, 3)]).min(sources_max);
        let first = self.open(rows_max, depth);
        let mut rows = first.rows.max(1);
        let mut scope = Rc::new(Scope::of(&first.name, &first.columns));
        let mut joins = Vec::new();
        for _ in 1..count {
            if depth > 0
                && let Some((join, times)) = self.new_join(rows_max / rows, &mut scope)
            {
                rows *= times;
                joins.push(join);
                continue;
            }
            let opened = self.open(rows_max / rows, depth);
            if rows * opened.rows.max(1) > rows_max {
                break;
            }
            rows *= opened.rows.max(1);
            joins.push(self.join(opened, &mut scope));
        }
        (From { first: first.source, joins }, scope, rows)
    }

    /// One source of about `rows_max` rows at most.
    fn open(&mut self, rows_max: usize, depth: u32) -> Opened {
        if depth > 0 && self.rng.chance(DERIVED) {
            let types: Vec<_> = (0..self.rng.between(1, 3)).map(|_| self.any_type()).collect();
            let (query, rows) = self.isolated(|generator| generator.query(&types, depth));
            let name = self.alias();
            let columns = Column::numbered(types);
            let kind = SourceKind::Derived(Box::new(query));
            return Opened {
                source: Source { kind, alias: Some(name.clone()) },
                name,
                columns,
                rows,
            };
        }
        let is_common = !self.common.is_empty() && !self.inner_only && self.rng.chance(COMMON);
        if is_common {
            let common = self.rng.pick(&self.common).clone();
            if common.rows <= rows_max {
                return self.opened(&common);
            }
        }
        self.open_table(rows_max)
    }

    fn open_table(&mut self, rows_max: usize) -> Opened {
        let tables = self.schema.tables.iter().filter(|table| !(self.inner_only && table.is_view));
        let tables: Vec<&Table> = tables.collect();
        let mut fitting = tables.clone();
        fitting.retain(|table| table.rows <= rows_max.max(1));
        if fitting.is_empty() {
            fitting.extend(tables.into_iter().min_by_key(|table| table.rows));
        }
        if fitting.is_empty() {
            return self.one_row();
        }
        let table = *self.rng.pick(&fitting);
        self.opened(table)
    }

    fn opened(&mut self, table: &Table) -> Opened {
        let is_renamed = self.used.contains(&table.name) || self.rng.chance(10);
        let alias = is_renamed.then(|| self.alias());
        let name = alias.clone().unwrap_or_else(|| table.name.clone());
        self.used.push(name.clone());
        let kind = SourceKind::Named { name: table.name.clone(), hint: IndexHint::None };
        let source = Source { kind, alias };
        Opened { source, name, columns: table.columns.clone(), rows: table.rows }
    }

    /// A row of constants, if there is no table.
    fn one_row(&mut self) -> Opened {
        let of = self.any_type();
        let query = self.constants(&[of]);
        let name = self.alias();
        let columns = Column::numbered(vec![of]);
        let kind = SourceKind::Derived(Box::new(query));
        Opened { source: Source { kind, alias: Some(name.clone()) }, name, columns, rows: 1 }
    }

    /// Whether there is a table for a query in an expression.
    pub(super) fn has_small_table(&self) -> bool {
        self.schema.tables.iter().any(|table| table.rows <= SUBQUERY_ROWS_MAX)
    }
}
