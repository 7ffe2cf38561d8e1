//! The sources of random queries.

use std::rc::Rc;

use super::{Generator, Scope, Visible};
use crate::sql::ast::{
    Binary, Expr, From, IndexHint, Join, JoinConstraint, JoinKind, Source, SourceKind,
};
use crate::sql::duckdb::dialect::MODERN;
use crate::sql::duckdb::schema::{Column, Table};

/// A source and its columns.
struct Opened {
    source: Source,
    name: String,
    columns: Vec<Column>,
    rows: usize,
}

const JOINS: &[(u32, JoinKind)] = &[
    (3, JoinKind::Comma),
    (4, JoinKind::Inner),
    (2, JoinKind::Cross),
    (4, JoinKind::Left),
    (2, JoinKind::Right),
    (2, JoinKind::Full),
];

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
            let opened = self.open(rows_max / rows, depth);
            if rows * opened.rows.max(1) > rows_max {
                break;
            }
            rows *= opened.rows.max(1);
            let before = scope.columns.len();
            Rc::make_mut(&mut scope).add(&opened.name, &opened.columns);
            joins.push(self.join(opened, before, &scope));
        }
        (From { first: first.source, joins }, scope, rows)
    }

    /// Joins a source, which is the last in `scope`, to those with the first `before` columns.
    fn join(&mut self, opened: Opened, before: usize, scope: &Rc<Scope>) -> Join {
        let is_modern = self.schema.dialect.has(MODERN);
        let kind = match self.rng.weigh(JOINS) {
            // Faults of 0.1: a RIGHT JOIN returns other memory, and others are missing.
            JoinKind::Right | JoinKind::Full if !is_modern => JoinKind::Left,
            kind => kind,
        };
        let constraint = match kind {
            JoinKind::Comma | JoinKind::Cross => JoinConstraint::None,
            _ => {
                let equation = self.equation(&scope.columns[..before], &scope.columns[before..]);
                let is_inner = kind == JoinKind::Inner;
                JoinConstraint::On(match equation {
                    Some(equation) if !is_modern || self.rng.chance(65) => equation,
                    // Outer joins on other conditions are missing in old versions.
                    _ if is_inner || self.schema.dialect.has((0, 8, 0)) => self
                        .within_scope(Rc::clone(scope), |generator| {
                            generator.without_subqueries(|generator| generator.truth(2))
                        }),
                    Some(equation) => equation,
                    None => {
                        let source = opened.source;
                        let (kind, constraint) = (JoinKind::Cross, JoinConstraint::None);
                        return Join { natural: false, kind, source, constraint };
                    }
                })
            }
        };
        Join { natural: false, kind, source: opened.source, constraint }
    }

    /// An equation between two columns of one type, if there are such.
    fn equation(&mut self, left: &[Visible], right: &[Visible]) -> Option<Expr> {
        let pairs = left.iter().flat_map(|left| right.iter().map(move |right| (left, right)));
        let pairs: Vec<_> = pairs.filter(|(left, right)| left.of == right.of).collect();
        if pairs.is_empty() {
            return None;
        }
        let (left, right) = *self.rng.pick(&pairs);
        Some(left.expr().binary(Binary::Equal, right.expr()))
    }

    /// One source of about `rows_max` rows at most.
    fn open(&mut self, rows_max: usize, depth: u32) -> Opened {
        if depth > 0 && self.rng.chance(15) {
            let types: Vec<_> = (0..self.rng.between(1, 3)).map(|_| self.any_type()).collect();
            let (query, rows) = self.isolated(|generator| generator.query(&types, depth - 1));
            let name = self.alias();
            let column = |(at, of)| Column::new(format!("c{at}"), of);
            let columns = types.into_iter().enumerate().map(column).collect();
            let kind = SourceKind::Derived(Box::new(query));
            return Opened {
                source: Source { kind, alias: Some(name.clone()) },
                name,
                columns,
                rows,
            };
        }
        self.open_table(rows_max)
    }

    fn open_table(&mut self, rows_max: usize) -> Opened {
        let fits = |table: &&Table| table.rows <= rows_max.max(1);
        let mut fitting: Vec<&Table> = self.schema.tables.iter().filter(fits).collect();
        if fitting.is_empty() {
            fitting.extend(self.schema.tables.iter().min_by_key(|table| table.rows));
        }
        if fitting.is_empty() {
            return self.one_row();
        }
        let table = *self.rng.pick(&fitting);
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
        let columns = vec![Column::new("c0".to_owned(), of)];
        let kind = SourceKind::Derived(Box::new(query));
        Opened { source: Source { kind, alias: Some(name.clone()) }, name, columns, rows: 1 }
    }
}
