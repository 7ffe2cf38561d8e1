//! Random expressions and queries over a schema.
//!
//! They are deterministic: run twice on one database, with any plan, a query returns the same bag
//! of rows. The rules that ensure this are marked "Rule" where they are enforced.

mod aggregate;
mod call;
mod common;
mod literal;
mod query;
mod search;
mod source;
mod subquery;
mod truth;
mod value;
mod window;

pub use common::counter;
pub use literal::class_of;
pub use source::column as plain_column;

use std::rc::Rc;
use std::sync::Arc;

use super::ast::{Direction, Expr, Literal, Nulls, Order};
use super::function::Class;
use super::schema::{Column, Schema};
use super::weights::percent;
use metacov_core::Rng;

/// The most subqueries in one query: each may run once for every row of the enclosing queries.
const SUBQUERIES_MAX: u32 = 2;

/// Generates expressions and queries.
pub struct Generator<'a> {
    pub schema: &'a Schema,
    pub rng: &'a mut Rng,
    /// The visible columns, those of the innermost query last.
    pub scopes: Vec<Rc<Scope>>,
    /// The rows that aggregates range over, where aggregates are allowed (`HAVING`).
    grouped: Option<Rc<Scope>>,
    /// Whether arguments of an aggregate are being generated. They must not refer to outer queries:
    /// an aggregate of only outer columns belongs to the outer query, where it may be a misuse.
    own_only: bool,
    pub subqueries_left: u32,
    /// Whether the query is run directly, not stored in the schema, where SQLite refuses some
    /// virtual tables.
    pub direct: bool,
    /// Whether the expression is part of the definition of a table or an index.
    defining: bool,
    aliases: usize,
    /// Names of sources that are in use.
    used: Vec<String>,
}

/// The columns of a query's sources.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub columns: Vec<Visible>,
    /// Sources with a rowid.
    pub rowids: Vec<String>,
}

/// A visible column.
#[derive(Clone, Debug)]
pub struct Visible {
    pub source: String,
    pub name: String,
    pub class: Class,
    pub exact: bool,
    samples: Arc<Vec<Literal>>,
}

impl<'a> Generator<'a> {
    /// Creates a generator without visible columns.
    pub fn new(schema: &'a Schema, rng: &'a mut Rng) -> Self {
        Self {
            schema,
            rng,
            scopes: Vec::new(),
            grouped: None,
            own_only: false,
            subqueries_left: SUBQUERIES_MAX,
            direct: true,
            defining: false,
            aliases: 0,
            used: Vec::new(),
        }
    }

    /// Creates a generator for expressions in definitions of tables and indexes: columns have no
    /// source and there are no subqueries.
    pub fn bare(schema: &'a Schema, rng: &'a mut Rng, columns: &[Column]) -> Self {
        let mut generator = Self::new(schema, rng);
        generator.subqueries_left = 0;
        generator.defining = true;
        generator.scopes.push(Rc::new(Scope::of("", columns, false)));
        generator
    }

    /// Runs `make` without the columns of enclosing queries, for derived tables and views.
    fn isolated<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let scopes = std::mem::take(&mut self.scopes);
        let grouped = self.grouped.take();
        let own_only = std::mem::take(&mut self.own_only);
        let result = make(self);
        self.scopes = scopes;
        self.grouped = grouped;
        self.own_only = own_only;
        result
    }

    /// Runs `make` over the rows of one scope, for arguments of aggregates.
    fn over_rows<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let grouped = self.grouped.take();
        let own_only = std::mem::replace(&mut self.own_only, true);
        if let Some(rows) = &grouped {
            self.scopes.push(Rc::clone(rows));
        }
        let result = make(self);
        if grouped.is_some() {
            self.scopes.pop();
        }
        self.grouped = grouped;
        self.own_only = own_only;
        result
    }

    /// A predicate over groups: the scope has the keys, and aggregates range over `rows`.
    pub fn having(&mut self, keys: Scope, rows: Rc<Scope>, depth: u32) -> Expr {
        let outer = std::mem::replace(&mut self.scopes, vec![Rc::new(keys)]);
        self.grouped = Some(rows);
        let truth = self.truth(depth);
        self.grouped = None;
        self.scopes = outer;
        truth
    }

    /// A visible column, of the given class if there is one.
    fn visible(&mut self, class: Class) -> Option<Visible> {
        let own = self.scopes.len().checked_sub(1)?;
        let place = if self.own_only || own == 0 || self.rng.chance(percent::OWN_COLUMN) {
            own
        } else {
            self.rng.below(own)
        };
        let scope = &self.scopes[place];
        if !scope.rowids.is_empty() && self.rng.chance(percent::ROWID) {
            let source = self.rng.pick(&scope.rowids).clone();
            let name = (*self.rng.pick(&["rowid", "_rowid_", "oid"])).to_owned();
            let samples = Arc::default();
            return Some(Visible { source, name, class: Class::Integer, exact: true, samples });
        }
        if class != Class::Any && self.rng.chance(percent::COLUMN_OF_CLASS) {
            let fitting: Vec<&Visible> =
                scope.columns.iter().filter(|column| column.class == class).collect();
            if !fitting.is_empty() {
                return Some((*self.rng.pick(&fitting)).clone());
            }
        }
        if scope.columns.is_empty() {
            return None;
        }
        Some(self.rng.pick(&scope.columns).clone())
    }

    /// A column with a constant to compare it with, likely one that it contains.
    fn column_and_literal(&mut self, class: Class) -> (Expr, Literal) {
        let Some(column) = self.visible(class) else {
            return (Expr::Literal(self.literal(class)), self.literal(class));
        };
        let stored = !column.samples.is_empty() && self.rng.chance(percent::LITERAL_FROM_COLUMN);
        let literal = if stored {
            self.rng.pick(&column.samples).clone()
        } else {
            self.literal(column.class)
        };
        (column.expr(), literal)
    }

    /// A visible column or, if there is none, a constant.
    pub fn column(&mut self, class: Class) -> Expr {
        match self.visible(class) {
            Some(column) => column.expr(),
            None => Expr::Literal(self.literal(class)),
        }
    }

    /// Terms of an ORDER BY that does not affect the bag of rows.
    pub fn orders(&mut self, count_max: usize) -> Vec<Order> {
        (0..self.rng.between(1, count_max))
            .map(|_| {
                let expr = if self.rng.chance(70) { self.column(Class::Any) } else { self.term() };
                let expr = if is_constant(&expr) { Expr::call("typeof", vec![expr]) } else { expr };
                self.order(expr)
            })
            .collect()
    }

    /// An expression to order or group by.
    ///
    /// Rule: it is not an integer constant, which would be the number of a column.
    pub fn term(&mut self) -> Expr {
        let expr = self.value(Class::Any, 2);
        if is_constant(&expr) { Expr::call("typeof", vec![expr]) } else { expr }
    }

    /// An order by an expression, in a random direction.
    pub fn order(&mut self, expr: Expr) -> Order {
        let direction = *self.rng.pick(Direction::ALL);
        let nulls = *self.rng.pick(Nulls::ALL);
        let nulls = if self.schema.dialect.has(30) { nulls } else { Nulls::None };
        Order { expr, direction, nulls }
    }
}

/// Whether an expression could be read as an integer constant.
pub fn is_constant(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(_) => true,
        Expr::Prefix(_, operand) | Expr::Collate(operand, _) => is_constant(operand),
        _ => false,
    }
}

impl Scope {
    /// The scope of one source.
    pub fn of(source: &str, columns: &[Column], rowid: bool) -> Self {
        let mut scope = Self::default();
        scope.add(source, columns, rowid);
        scope
    }

    /// Adds a source.
    pub fn add(&mut self, source: &str, columns: &[Column], rowid: bool) {
        self.columns.extend(columns.iter().map(|column| Visible {
            source: source.to_owned(),
            name: column.name.clone(),
            class: column.class,
            exact: column.exact,
            samples: Arc::clone(&column.samples),
        }));
        if rowid {
            self.rowids.push(source.to_owned());
        }
    }
}

impl Visible {
    /// Returns the expression that refers to it.
    pub fn expr(&self) -> Expr {
        Expr::column(&self.source, &self.name)
    }
}
