//! Relations over queries: each derives tests whose sides must agree. They know no dialect: what a
//! query is made of comes from a generator.

pub(crate) mod norec;
pub(crate) mod partition;
pub(crate) mod tlp_distinct;
pub(crate) mod tlp_groupby;
pub(crate) mod tlp_having;
pub(crate) mod tlp_where;

use std::rc::Rc;

use metacov_core::{Judge, RelationInfo, Rng, Test};

use super::ast::{Expr, From, Order, Query, ResultColumn, Source};

/// A metamorphic relation on databases with this kind of schema.
pub struct Relation<S: 'static> {
    /// Its name and its description.
    pub info: RelationInfo,
    /// Whether the predicate filters rows on the first side of its tests, and not on the second, so
    /// that the query plan of the first side characterises a test.
    pub(crate) filters_first: bool,
    pub(crate) derive: fn(&S, &mut Rng) -> Test,
    /// Returns the statement that shows the plan of a query; none of a setting.
    pub(crate) explain: fn(&str) -> Option<String>,
}

impl<S> Relation<S> {
    /// Derives a test on a database.
    pub fn derive(&self, schema: &S, rng: &mut Rng) -> Test {
        let mut test = (self.derive)(schema, rng);
        let side = if self.filters_first { &test.sides.a } else { &test.sides.b };
        let mut statements = side.iter().flat_map(|input| &input.statements);
        test.probe = statements.find_map(|statement| (self.explain)(statement));
        test
    }
}

/// Returns what users see of relations.
pub(crate) const fn infos<S, const COUNT: usize>(
    relations: &[Relation<S>; COUNT],
) -> [RelationInfo; COUNT] {
    let mut infos = [relations[0].info; COUNT];
    let mut at = 0;
    while at < COUNT {
        infos[at] = relations[at].info;
        at += 1;
    }
    infos
}

/// Generates the parts of queries in one dialect.
pub(crate) trait QueryParts {
    /// The columns of a query's sources.
    type Scope;

    /// The random stream that it draws from.
    fn rng(&mut self) -> &mut Rng;

    /// The sources of a query, and their columns.
    fn sources(&mut self) -> (From, Rc<Self::Scope>);

    /// Result columns of a query: `*`, or some columns and expressions over them, printed once.
    fn columns(&mut self, scope: &Rc<Self::Scope>) -> Vec<ResultColumn>;

    /// All columns, in a form that can be read.
    fn all_columns(&self, _: &Rc<Self::Scope>) -> Vec<ResultColumn> {
        vec![ResultColumn::Star]
    }

    /// Some columns and expressions over them, and how results compare after rows with equal ones
    /// were merged.
    fn keys(&mut self, scope: &Rc<Self::Scope>) -> (Vec<Expr>, Judge);

    /// A predicate over rows.
    fn predicate(&mut self, scope: &Rc<Self::Scope>, depth: u32) -> Expr;

    /// Terms of an ORDER BY that does not affect the bag of rows.
    fn orders(&mut self, scope: &Rc<Self::Scope>) -> Vec<Order>;

    /// A predicate over groups with these keys.
    fn group_predicate(&mut self, keys: &[Expr], scope: Rc<Self::Scope>, depth: u32) -> Expr;

    /// A number that is 1 if a predicate is true, and 0 otherwise.
    fn truth_number(predicate: Expr) -> Expr;

    /// The order of a query that counts rows: some databases refuse to order a single row.
    fn order_of_count(order_by: Vec<Order>) -> Vec<Order> {
        order_by
    }

    /// A query as the only source of another one.
    fn derived(query: Query) -> Source {
        Source::derived(query)
    }
}

/// The depth of a tested predicate.
pub(crate) const DEPTH: u32 = 3;

/// How often something is chosen, in percent.
mod percent {
    /// A query has an ORDER BY.
    pub(super) const ORDER_BY: u32 = 25;
    /// The optimised side of `NoREC` counts rows instead of returning them.
    pub(super) const NOREC_COUNT: u32 = 50;
    /// A query with a HAVING has a WHERE too.
    pub(super) const HAVING_WHERE: u32 = 40;
}
