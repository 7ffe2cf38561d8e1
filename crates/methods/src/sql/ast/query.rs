//! Queries.

use std::rc::Rc;

use super::{Expr, Literal, Window, words};

/// A query: `[WITH ..] body [ORDER BY ..] [LIMIT ..]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    pub with: Vec<Cte>,
    pub body: Body,
    pub order_by: Vec<Order>,
    pub limit: Option<Limit>,
}

/// A common table expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Cte {
    pub name: String,
    pub columns: Vec<String>,
    pub hint: CteHint,
    pub query: Query,
}

words! {
    /// A hint of a common table expression to the planner.
    CteHint { None = "", Materialized = "MATERIALIZED ", NotMaterialized = "NOT MATERIALIZED ", }
}

/// The body of a query.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    Select(Box<Select>),
    Compound { operator: SetOperator, left: Box<Body>, right: Box<Body> },
    Values(Vec<Vec<Literal>>),
}

words! {
    /// Operators between queries.
    SetOperator {
        UnionAll = "UNION ALL",
        Union = "UNION",
        Intersect = "INTERSECT",
        Except = "EXCEPT",
        IntersectAll = "INTERSECT ALL",
        ExceptAll = "EXCEPT ALL",
    }
}

/// `SELECT [DISTINCT] columns [FROM ..] [WHERE ..] [GROUP BY .. [HAVING ..]] [WINDOW ..] [QUALIFY ..]`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select {
    pub distinct: bool,
    pub columns: Vec<ResultColumn>,
    pub from: Option<From>,
    pub filter: Option<Expr>,
    pub group_by: Vec<Expr>,
    pub having: Option<Expr>,
    /// Windows with their names.
    pub windows: Vec<(String, Window)>,
    /// A predicate over window functions.
    pub qualify: Option<Expr>,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum ResultColumn {
    /// `*`
    Star,
    /// `expr [AS name]`
    Expr { expr: Expr, name: Option<String> },
}

/// The FROM clause.
#[derive(Clone, Debug, PartialEq)]
pub struct From {
    pub first: Source,
    pub joins: Vec<Join>,
}

/// A source with its alias.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub kind: SourceKind,
    pub alias: Option<String>,
}

/// The kind of a source.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceKind {
    /// A table, a view or a common table expression.
    Named { name: String, hint: IndexHint },
    /// A query in parentheses.
    Derived(Box<Query>),
    /// A query in parentheses that refers to the sources before it.
    Lateral(Box<Query>),
    /// A table-valued function.
    Function { name: String, arguments: Vec<Expr> },
    /// The rest of the FROM clause, printed once, to be used in several places.
    Printed(Rc<str>),
}

/// A hint of a source to the planner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexHint {
    None,
    NotIndexed,
    IndexedBy(String),
}

/// A further source.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    pub natural: bool,
    pub kind: JoinKind,
    pub source: Source,
    pub constraint: JoinConstraint,
}

words! {
    /// Kinds of joins.
    JoinKind {
        Comma = ",",
        Inner = "INNER JOIN",
        Plain = "JOIN",
        Cross = "CROSS JOIN",
        Left = "LEFT JOIN",
        Right = "RIGHT JOIN",
        Full = "FULL JOIN",
        Semi = "SEMI JOIN",
        Anti = "ANTI JOIN",
        Asof = "ASOF JOIN",
        AsofLeft = "ASOF LEFT JOIN",
    }
}

/// Which rows a join combines.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinConstraint {
    None,
    On(Expr),
    Using(Vec<String>),
}

/// A term of an `ORDER BY`.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    pub expr: Expr,
    pub direction: Direction,
    pub nulls: Nulls,
}

words! {
    /// The direction of an order.
    Direction { None = "", Ascending = " ASC", Descending = " DESC", }
}
words! {
    /// The position of NULLs in an order.
    Nulls { None = "", First = " NULLS FIRST", Last = " NULLS LAST", }
}

/// `LIMIT count [OFFSET offset]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub count: usize,
    pub offset: Option<usize>,
}

impl Query {
    /// A query that consists of a select.
    pub fn of(select: Select) -> Self {
        Self {
            with: Vec::new(),
            body: Body::Select(Box::new(select)),
            order_by: Vec::new(),
            limit: None,
        }
    }
}

impl Source {
    /// A table, a view or a common table expression without an alias.
    pub fn named(name: &str) -> Self {
        let kind = SourceKind::Named { name: name.to_owned(), hint: IndexHint::None };
        Self { kind, alias: None }
    }

    /// A derived table without an alias.
    pub fn derived(query: Query) -> Self {
        Self { kind: SourceKind::Derived(Box::new(query)), alias: None }
    }
}

impl From {
    /// One source.
    pub fn of(first: Source) -> Self {
        Self { first, joins: Vec::new() }
    }
}

impl Body {
    /// `first operator second operator third ..`
    pub fn chain(operator: SetOperator, bodies: impl IntoIterator<Item = Self>) -> Option<Self> {
        bodies.into_iter().reduce(|left, right| Self::Compound {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        })
    }
}

impl ResultColumn {
    /// An unnamed column.
    pub fn of(expr: Expr) -> Self {
        Self::Expr { expr, name: None }
    }

    /// A named column.
    pub fn named(expr: Expr, name: &str) -> Self {
        Self::Expr { expr, name: Some(name.to_owned()) }
    }
}

impl Order {
    /// An order without direction or NULLS.
    pub fn of(expr: Expr) -> Self {
        Self { expr, direction: Direction::None, nulls: Nulls::None }
    }
}
