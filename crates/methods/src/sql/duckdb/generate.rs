//! Random expressions and queries with types.
//!
//! They are deterministic: run twice on one database, with any plan, a query returns the same bag
//! of rows. The rules that ensure this are marked "Rule" where they are enforced.

mod aggregate;
mod common;
mod group;
mod join;
mod literal;
mod query;
mod source;
mod truth;
mod value;
mod window;

use std::rc::Rc;
use std::sync::Arc;

use metacov_core::Rng;

use super::Type;
use super::schema::{Column, Schema, Table};
use crate::sql::ast::{Direction, Expr, Nulls, Order};
use crate::sql::print::Print as _;

/// The most subqueries in one query: each may run once for every row of the enclosing queries.
const SUBQUERIES_MAX: u32 = 2;

/// Generates expressions and queries.
pub(crate) struct Generator<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) rng: &'a mut Rng,
    /// The visible columns, those of the innermost query last.
    scopes: Vec<Rc<Scope>>,
    /// The rows that aggregates range over, where aggregates are allowed (`HAVING`).
    grouped: Option<Rc<Scope>>,
    /// Whether arguments of an aggregate are being generated. They must not refer to outer queries:
    /// an aggregate of only outer columns belongs to the outer query, where it may be a misuse.
    own_only: bool,
    subqueries_left: u32,
    /// Whether sources are joined by inner joins only, and are not views, which may contain others.
    inner_only: bool,
    /// Common table expressions.
    common: Vec<Table>,
    aliases: usize,
    /// Names of sources that are in use.
    used: Vec<String>,
}

/// The columns of a query's sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) columns: Vec<Visible>,
}

/// A visible column.
#[derive(Clone, Debug)]
pub(crate) struct Visible {
    source: String,
    name: String,
    pub(crate) of: Type,
    samples: Arc<Vec<Expr>>,
}

impl<'a> Generator<'a> {
    /// Creates a generator without visible columns.
    pub(crate) fn new(schema: &'a Schema, rng: &'a mut Rng) -> Self {
        Self {
            schema,
            rng,
            scopes: Vec::new(),
            grouped: None,
            own_only: false,
            subqueries_left: SUBQUERIES_MAX,
            inner_only: false,
            common: Vec::new(),
            aliases: 0,
            used: Vec::new(),
        }
    }

    /// Creates a generator for expressions over the columns of one table, without subqueries.
    pub(crate) fn bare(schema: &'a Schema, rng: &'a mut Rng, columns: &[Column]) -> Self {
        let mut generator = Self::new(schema, rng);
        generator.subqueries_left = 0;
        generator.scopes.push(Rc::new(Scope::of("", columns)));
        generator
    }

    /// Runs `make` in a scope.
    pub(crate) fn within_scope<T>(
        &mut self,
        scope: Rc<Scope>,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.scopes.push(scope);
        let result = make(self);
        self.scopes.pop();
        result
    }

    /// Runs `make` without the columns of enclosing queries.
    fn isolated<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let scopes = std::mem::take(&mut self.scopes);
        let grouped = self.grouped.take();
        let common = std::mem::take(&mut self.common);
        let result = make(self);
        (self.scopes, self.grouped, self.common) = (scopes, grouped, common);
        result
    }

    /// Generates the argument of an aggregate.
    pub(crate) fn argument<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let own_only = std::mem::replace(&mut self.own_only, true);
        let result = self.without_subqueries(make);
        self.own_only = own_only;
        result
    }

    /// Runs `make` where subqueries are not allowed.
    fn without_subqueries<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let left = std::mem::take(&mut self.subqueries_left);
        let result = make(self);
        self.subqueries_left = left;
        result
    }

    /// A predicate over groups: the scope has the keys, and aggregates range over `rows`.
    ///
    /// Rule: there are no subqueries, because aggregates in them belong to other rows.
    pub(crate) fn having(&mut self, keys: &[Expr], rows: Rc<Scope>, depth: u32) -> Expr {
        let is_key = |column: &&Visible| keys.contains(&column.expr());
        let columns = rows.columns.iter().filter(is_key).cloned().collect();
        let outer = std::mem::replace(&mut self.scopes, vec![Rc::new(Scope { columns })]);
        self.grouped = Some(rows);
        let truth = self.without_subqueries(|generator| generator.truth(depth));
        self.grouped = None;
        self.scopes = outer;
        truth
    }

    /// A visible column of a type, if there is one.
    fn visible(&mut self, is_wanted: impl Fn(Type) -> bool) -> Option<Visible> {
        let own = self.scopes.len().checked_sub(1)?;
        // Old versions bind few queries that refer to the enclosing one.
        let may_correlate = own > 0 && !self.own_only;
        let is_correlated =
            may_correlate && self.schema.dialect.has((1, 0, 0)) && self.rng.chance(25);
        let place = if is_correlated { self.rng.below(own) } else { own };
        let fitting: Vec<&Visible> =
            self.scopes[place].columns.iter().filter(|column| is_wanted(column.of)).collect();
        if fitting.is_empty() { None } else { Some((*self.rng.pick(&fitting)).clone()) }
    }

    /// A type of the dialect; likely one that a visible column has.
    fn any_type(&mut self) -> Type {
        if self.rng.chance(80)
            && let Some(column) = self.visible(|_| true)
        {
            return column.of;
        }
        let weights = Type::weights(self.schema.dialect);
        self.rng.weigh(&weights)
    }

    /// Terms of an ORDER BY that does not affect the bag of rows.
    pub(crate) fn orders(&mut self) -> Vec<Order> {
        let count = self.rng.between(1, 2);
        (0..count)
            .filter_map(|_| self.visible(|_| true).map(|column| self.order(column.expr())))
            .collect()
    }

    /// An order by an expression, in a random direction.
    fn order(&mut self, expr: Expr) -> Order {
        let direction = *self.rng.pick(Direction::ALL);
        let nulls = *self.rng.pick(Nulls::ALL);
        Order { expr, direction, nulls }
    }

    /// An expression over a column of the scope, to select, group or order by.
    ///
    /// Rule: it is not constant. An integer constant would be the number of a column.
    pub(crate) fn term(&mut self, scope: &Rc<Scope>) -> Expr {
        let column = self.rng.pick(&scope.columns).clone();
        if !column.of.is_shown() {
            return column.shown();
        }
        let term = self.within_scope(Rc::clone(scope), |generator| {
            generator.without_subqueries(|generator| generator.value(column.of, 2))
        });
        if scope.is_used(&term) { term } else { column.expr() }
    }

    /// Whether an expression refers to a visible column.
    fn refers(&self, expr: &Expr) -> bool {
        self.scopes.iter().any(|scope| scope.is_used(expr))
    }

    /// A new name of a source.
    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("a{}", self.aliases - 1)
    }
}

impl Scope {
    /// The scope of one source.
    pub(crate) fn of(source: &str, columns: &[Column]) -> Self {
        let mut scope = Self::default();
        scope.add(source, columns);
        scope
    }

    /// Whether an expression refers to one of the columns.
    fn is_used(&self, expr: &Expr) -> bool {
        let text = expr.sql();
        self.columns.iter().any(|column| text.contains(&column.expr().sql()))
    }

    /// Adds a source.
    fn add(&mut self, source: &str, columns: &[Column]) {
        self.columns.extend(columns.iter().map(|column| Visible {
            source: source.to_owned(),
            name: column.name.clone(),
            of: column.of,
            samples: Arc::clone(&column.samples),
        }));
    }
}

impl Visible {
    /// Returns it as a column of a result.
    pub(crate) fn shown(&self) -> Expr {
        self.of.shown(self.expr())
    }

    /// Returns the expression that refers to it.
    pub(crate) fn expr(&self) -> Expr {
        Expr::column(&self.source, &self.name)
    }
}
