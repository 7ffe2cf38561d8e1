//! Random queries for views, derived tables, common table expressions and the like.

use std::rc::Rc;
use std::sync::Arc;

use super::source::column;
use super::{Generator, Scope};
use crate::sql::ast::{
    Body, Collation, Expr, Limit, Literal, Query, ResultColumn, Select, SetOperator, Type,
};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::schema::Column;
use crate::sql::sqlite::weights::{SHAPES, Shape, percent};

/// The most combinations of rows that a query iterates over.
const ROWS_MAX: usize = 200;

/// A query with its columns.
pub struct Shaped {
    pub query: Query,
    pub columns: Vec<Column>,
    /// An upper estimate of the number of rows.
    pub rows: usize,
}

/// A result expression and its properties.
pub struct Output {
    expr: Expr,
    class: Class,
    exact: bool,
    samples: Arc<Vec<Literal>>,
}

impl Output {
    fn of(expr: Expr, class: Class, exact: bool) -> Self {
        Self { expr, class, exact, samples: Arc::default() }
    }
}

const SET_OPERATORS: &[SetOperator] =
    &[SetOperator::UnionAll, SetOperator::Union, SetOperator::Intersect, SetOperator::Except];

impl Generator<'_> {
    /// A query of any shape, with named columns. It cannot refer to enclosing queries.
    pub fn query(&mut self, columns: usize, depth: u32) -> Shaped {
        match self.rng.weigh(SHAPES) {
            Shape::Distinct => self.distinct(columns, depth),
            Shape::Grouped => self.grouped(columns, depth),
            Shape::Aggregate => self.single(columns, depth),
            Shape::Window if self.schema.dialect.has(30) => self.windowed(columns, depth),
            Shape::Compound => self.compound(columns, depth),
            Shape::Values => self.values(columns),
            Shape::Limited => self.limited(columns, depth),
            Shape::Common if self.schema.dialect.has(35) => self.common(columns, depth),
            Shape::Recursive => self.recursive(columns),
            _ => self.plain(columns, depth),
        }
    }

    pub fn plain(&mut self, columns: usize, depth: u32) -> Shaped {
        let (mut select, scope, rows) = self.start(depth);
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(depth);
            (0..columns).map(|_| generator.output()).collect()
        });
        let mut shaped = finish(select, outputs, rows);
        if self.rng.chance(percent::ORDER_BY) {
            let place = self.rng.between(1, columns);
            shaped.query.order_by = vec![self.order(Expr::ordinal(place))];
        }
        shaped
    }

    /// Rule: which of several equal rows is returned is not defined, so all columns are exact.
    fn distinct(&mut self, columns: usize, depth: u32) -> Shaped {
        let (mut select, scope, rows) = self.start(depth);
        select.distinct = true;
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(depth);
            generator.exact_outputs(columns)
        });
        finish(select, outputs, rows)
    }

    /// Rule: apart from the keys, which are exact, there are only aggregates. A bare column would
    /// come from an arbitrary row.
    fn grouped(&mut self, columns: usize, depth: u32) -> Shaped {
        let (mut select, scope, rows) = self.start(depth);
        let keys_count = self.rng.between(1, columns);
        let rows_scope = Rc::clone(&scope);
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(depth);
            let mut outputs = generator.exact_outputs(keys_count);
            outputs.extend((keys_count..columns).map(|_| {
                let aggregated = generator.aggregate();
                Output::of(aggregated.expr, aggregated.class, aggregated.exact)
            }));
            outputs
        });
        select.group_by = if self.rng.chance(50) {
            (1..=keys_count).map(Expr::ordinal).collect()
        } else {
            outputs[..keys_count].iter().map(|output| output.expr.clone()).collect()
        };
        if self.rng.chance(40) {
            let keys = Self::keys(&select.group_by, &rows_scope);
            select.having = Some(self.having(keys, rows_scope, depth.min(1)));
        }
        finish(select, outputs, rows)
    }

    /// The group keys that a HAVING may refer to.
    pub fn keys(group_by: &[Expr], rows: &Scope) -> Scope {
        let is_key =
            |visible: &&super::Visible| visible.exact && group_by.contains(&visible.expr());
        Scope { columns: rows.columns.iter().filter(is_key).cloned().collect(), rowids: Vec::new() }
    }

    /// One row of aggregates.
    fn single(&mut self, columns: usize, depth: u32) -> Shaped {
        let (mut select, scope, _) = self.start(depth);
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(depth);
            (0..columns)
                .map(|_| {
                    let aggregated = generator.aggregate();
                    Output::of(aggregated.expr, aggregated.class, aggregated.exact)
                })
                .collect()
        });
        finish(select, outputs, 1)
    }

    fn windowed(&mut self, columns: usize, depth: u32) -> Shaped {
        let (mut select, scope, rows) = self.start(depth);
        let named = self.rng.chance(percent::NAMED_WINDOW);
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(depth);
            (0..columns)
                .map(|place| {
                    if place > 0 && generator.rng.chance(50) {
                        return generator.output();
                    }
                    let (mut expr, class) = generator.window();
                    if named {
                        generator.name_window(&mut expr, &mut select);
                    }
                    Output::of(expr, class, false)
                })
                .collect()
        });
        finish(select, outputs, rows)
    }

    /// Rule: the columns of all parts have one affinity and one collation. Those of a compound are
    /// "one of those of its parts, which is not defined" (SQLite's page on types), and do change
    /// with the plan.
    fn compound(&mut self, columns: usize, depth: u32) -> Shaped {
        let integers: Vec<bool> = (0..columns).map(|_| self.rng.chance(50)).collect();
        let operator = *self.rng.pick(SET_OPERATORS);
        let mut rows_all = 0;
        let parts: Vec<Shaped> = (0..self.rng.between(2, 3))
            .map(|_| {
                let (mut select, scope, rows) = self.start(depth);
                rows_all += rows;
                let outputs = self.within_scope(scope, |generator| {
                    select.filter = generator.inner_filter(depth);
                    let mut output = |&integer: &bool| {
                        let value = generator.value(Class::Any, 1);
                        cast(value, integer)
                    };
                    integers.iter().map(&mut output).collect()
                });
                finish(select, outputs, rows)
            })
            .collect();
        let columns = parts[0].columns.clone();
        let body = Body::chain(operator, parts.into_iter().map(|part| part.query.body));
        let query = Query {
            with: Vec::new(),
            body: body.unwrap_or(Body::Values(Vec::new())),
            order_by: Vec::new(),
            limit: None,
        };
        Shaped { query, columns, rows: rows_all }
    }

    fn values(&mut self, columns: usize) -> Shaped {
        let mut rows: Vec<Vec<Literal>> =
            (0..self.rng.between(1, 4)).map(|_| self.constants(columns)).collect();
        if !self.direct {
            // A fault of SQLite, see `tests/on_sqlite/known_faults.rs`.
            let nulls = rows.iter_mut().flatten().filter(|value| **value == Literal::Null);
            nulls.for_each(|value| *value = Literal::Integer(0));
        }
        let count = rows.len();
        Shaped {
            query: Query {
                with: Vec::new(),
                body: Body::Values(rows),
                order_by: Vec::new(),
                limit: None,
            },
            columns: (1..=columns)
                .map(|place| column(&format!("column{place}"), Class::Any))
                .collect(),
            rows: count,
        }
    }

    /// Rule: a LIMIT is used only after an order by all columns, all of them exact, so that tied
    /// rows are the same.
    fn limited(&mut self, columns: usize, depth: u32) -> Shaped {
        let (mut select, scope, rows) = self.start(depth);
        let outputs = self.within_scope(scope, |generator| {
            select.filter = generator.inner_filter(depth);
            generator.exact_outputs(columns)
        });
        let mut shaped = finish(select, outputs, rows);
        shaped.query.order_by =
            (1..=columns).map(|place| self.order(Expr::ordinal(place))).collect();
        let count = self.rng.between(0, 8);
        let offset = self.rng.chance(40).then(|| self.rng.below(4));
        shaped.query.limit = Some(Limit { count, offset });
        shaped.rows = rows.min(count);
        shaped
    }

    fn start(&mut self, depth: u32) -> (Select, Rc<Scope>, usize) {
        let (from, scope, rows) = self.from(2, ROWS_MAX, depth.min(1));
        (Select { from: Some(from), ..Select::default() }, scope, rows)
    }

    pub fn inner_filter(&mut self, depth: u32) -> Option<Expr> {
        self.rng.chance(percent::INNER_WHERE).then(|| self.truth(depth.min(2)))
    }

    /// Runs `make` with a scope that is removed afterwards.
    pub fn within_scope<T>(
        &mut self,
        scope: impl Into<Rc<Scope>>,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.scopes.push(scope.into());
        let result = make(self);
        self.scopes.pop();
        result
    }

    pub fn output(&mut self) -> Output {
        if self.rng.chance(60)
            && let Some(visible) = self.visible(Class::Any)
        {
            return Output {
                expr: visible.expr(),
                class: visible.class,
                exact: visible.exact,
                samples: visible.samples,
            };
        }
        let class = *self.rng.pick(&[Class::Integer, Class::Real, Class::Text, Class::Any]);
        Output::of(self.value(class, 2), class, false)
    }

    fn exact_outputs(&mut self, count: usize) -> Vec<Output> {
        (0..count)
            .map(|_| {
                let (expr, class) = self.exact(1);
                // As a term of GROUP BY, a constant would be the number of a column.
                if super::is_constant(&expr) {
                    let (expr, class) = super::value::exact_text(expr);
                    return Output::of(expr, class, true);
                }
                Output::of(expr, class, true)
            })
            .collect()
    }
}

fn cast(value: Expr, integer: bool) -> Output {
    let (expr, class) = if integer {
        (value.cast(Type::Integer), Class::Integer)
    } else {
        (value.cast(Type::Text), Class::Text)
    };
    Output::of(expr.collate(Collation::Binary), class, true)
}

/// The query of a select, its columns named `c0`, `c1` and so on.
pub fn finish(mut select: Select, outputs: Vec<Output>, rows: usize) -> Shaped {
    let mut columns = Vec::with_capacity(outputs.len());
    for (place, output) in outputs.into_iter().enumerate() {
        let name = format!("c{place}");
        columns.push(Column {
            exact: output.exact,
            samples: output.samples,
            ..column(&name, output.class)
        });
        select.columns.push(ResultColumn::named(output.expr, &name));
    }
    Shaped { query: Query::of(select), columns, rows }
}
