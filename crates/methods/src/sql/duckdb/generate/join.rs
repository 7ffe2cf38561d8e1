//! Joins of random queries.

use std::rc::Rc;

use super::query::SUBQUERY_ROWS_MAX;
use super::source::Opened;
use super::{Generator, Scope, Visible};
use crate::sql::ast::{
    Binary, Expr, From, Join, JoinConstraint, JoinKind, Literal, Query, ResultColumn, Select,
    Source, SourceKind,
};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::dialect::MODERN;
use crate::sql::duckdb::schema::Column;

const JOINS: &[(u32, JoinKind)] = &[
    (3, JoinKind::Comma),
    (4, JoinKind::Inner),
    (2, JoinKind::Cross),
    (4, JoinKind::Left),
    (2, JoinKind::Right),
    (2, JoinKind::Full),
    (1, JoinKind::Semi),
    (1, JoinKind::Anti),
];

/// How often a join is one of these, in percent.
const ASOF: u32 = 6;
const LATERAL: u32 = 8;

impl Generator<'_> {
    /// Joins a source to those in `scope`, which gets its columns.
    pub(super) fn join(&mut self, opened: Opened, scope: &mut Rc<Scope>) -> Join {
        let is_modern = self.schema.dialect.has(MODERN);
        let kind = match self.rng.weigh(JOINS) {
            JoinKind::Left | JoinKind::Right | JoinKind::Full if self.inner_only => JoinKind::Inner,
            // Faults of 0.1: a RIGHT JOIN returns other memory, and others are missing.
            JoinKind::Right | JoinKind::Full if !is_modern => JoinKind::Left,
            JoinKind::Semi | JoinKind::Anti if !self.schema.dialect.has((1, 0, 0)) => {
                JoinKind::Inner
            }
            kind => kind,
        };
        let before = scope.columns.len();
        let mut both = Rc::clone(scope);
        Rc::make_mut(&mut both).add(&opened.name, &opened.columns);
        let constraint = match kind {
            JoinKind::Comma | JoinKind::Cross => JoinConstraint::None,
            _ => {
                let Some(condition) = self.condition(kind, before, &both) else {
                    *scope = both;
                    let (kind, constraint) = (JoinKind::Cross, JoinConstraint::None);
                    return Join { natural: false, kind, source: opened.source, constraint };
                };
                JoinConstraint::On(condition)
            }
        };
        // The columns of the second source are not visible after these.
        if !matches!(kind, JoinKind::Semi | JoinKind::Anti) {
            *scope = both;
        }
        Join { natural: false, kind, source: opened.source, constraint }
    }

    /// A condition between the first `before` columns of the scope and the others, if the version
    /// can join by one.
    fn condition(&mut self, kind: JoinKind, before: usize, scope: &Rc<Scope>) -> Option<Expr> {
        let equation = self.equation(&scope.columns[..before], &scope.columns[before..]);
        let is_modern = self.schema.dialect.has(MODERN);
        if equation.is_some() && (!is_modern || self.rng.chance(65)) {
            return equation;
        }
        // Outer joins on other conditions are missing in old versions.
        if kind == JoinKind::Inner || self.schema.dialect.has((0, 8, 0)) {
            return Some(self.within_scope(Rc::clone(scope), |generator| {
                generator.without_subqueries(|generator| generator.truth(2))
            }));
        }
        equation
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

    /// A join that only newer versions have, and how many rows it has for one of `scope`, which gets
    /// its columns. Rarely, and only if there may be `rows_max` rows for one.
    pub(super) fn new_join(
        &mut self,
        rows_max: usize,
        scope: &mut Rc<Scope>,
    ) -> Option<(Join, usize)> {
        if !self.schema.dialect.has((1, 1, 0)) || self.inner_only {
            return None;
        }
        if self.rng.chance(ASOF) {
            return self.asof(scope).map(|join| (join, 1));
        }
        let is_possible = rows_max >= SUBQUERY_ROWS_MAX && self.has_small_table();
        (is_possible && self.rng.chance(LATERAL)).then(|| (self.lateral(scope), SUBQUERY_ROWS_MAX))
    }

    /// `ASOF JOIN`: each row with the nearest row of another source.
    ///
    /// Rule: the other source has only the key, and each key once. Which of several rows with the
    /// nearest key is joined would be left open.
    fn asof(&mut self, scope: &mut Rc<Scope>) -> Option<Join> {
        let is_ordered = |of: Type| of.is_number() || matches!(of, Type::Date | Type::Timestamp);
        let tables = self.schema.tables.iter();
        let keys = tables.flat_map(|table| table.columns.iter().map(move |key| (table, key)));
        let pairs: Vec<_> = keys
            .flat_map(|(table, key)| scope.columns.iter().map(move |left| (table, key, left)))
            .filter(|(_, key, left)| key.of == left.of && is_ordered(key.of))
            .collect();
        if pairs.is_empty() {
            return None;
        }
        let (table, key, left) = *self.rng.pick(&pairs);
        let (table, key, of, left) = (table.name.clone(), key.name.clone(), key.of, left.expr());
        let columns = vec![ResultColumn::named(Expr::column(&table, &key), "c0")];
        let from = Some(From::of(Source::named(&table)));
        let query = Query::of(Select { distinct: true, columns, from, ..Select::default() });
        let name = self.alias();
        let operators = [Binary::GreaterEqual, Binary::Greater, Binary::LessEqual, Binary::Less];
        let operator = *self.rng.pick(&operators);
        let constraint = JoinConstraint::On(left.binary(operator, Expr::column(&name, "c0")));
        let kind = *self.rng.pick(&[JoinKind::Asof, JoinKind::AsofLeft]);
        Rc::make_mut(scope).add(&name, &Column::numbered(vec![of]));
        let kind_of_source = SourceKind::Derived(Box::new(query));
        let source = Source { kind: kind_of_source, alias: Some(name) };
        Some(Join { natural: false, kind, source, constraint })
    }

    /// `LATERAL`: a query that refers to the sources before it.
    fn lateral(&mut self, scope: &mut Rc<Scope>) -> Join {
        let types: Vec<Type> = (0..self.rng.between(1, 2)).map(|_| self.any_type()).collect();
        let query = self.within_scope(Rc::clone(scope), |generator| {
            generator.without_subqueries(|generator| {
                generator.plain_query(&types, |generator, of| generator.value(of, 1))
            })
        });
        let name = self.alias();
        Rc::make_mut(scope).add(&name, &Column::numbered(types));
        let kind = *self.rng.pick(&[JoinKind::Comma, JoinKind::Inner, JoinKind::Left]);
        let constraint = match kind {
            JoinKind::Comma => JoinConstraint::None,
            _ => JoinConstraint::On(Expr::Literal(Literal::Boolean(true))),
        };
        let source = Source { kind: SourceKind::Lateral(Box::new(query)), alias: Some(name) };
        Join { natural: false, kind, source, constraint }
    }
}
