//! How often everything is generated: the only place to tune it.

use super::ast::JoinKind;
use super::setup::Kind;

/// Chances in percent.
pub mod percent {
    /// A column has the requested class, if there is one.
    pub const COLUMN_OF_CLASS: u32 = 70;
    /// A column comes from a subquery's own sources rather than from an enclosing query.
    pub const OWN_COLUMN: u32 = 75;
    /// A rowid in place of a column.
    pub const ROWID: u32 = 4;
    /// A literal is one that was stored.
    pub const LITERAL_FROM_POOL: u32 = 35;
    /// A literal that is compared with a column was stored in it.
    pub const LITERAL_FROM_COLUMN: u32 = 60;
    /// A literal is NULL, whatever was requested.
    pub const LITERAL_NULL: u32 = 4;
    /// A literal has another class than requested.
    pub const LITERAL_OF_OTHER_CLASS: u32 = 8;
    /// A comparison is between a column and a literal, which an index can serve.
    pub const COLUMN_WITH_LITERAL: u32 = 55;
    /// A pattern or a test is negated.
    pub const NEGATED: u32 = 30;
    /// A source is a table rather than a view, which often has few rows or none.
    pub const NO_VIEW: u32 = 60;
    /// A source has an alias without needing one.
    pub const ALIAS: u32 = 25;
    /// A table of full text is searched as a source.
    pub const SEARCHED: u32 = 25;
    /// A table-valued function is a PRAGMA.
    pub const PRAGMA_ROWS: u32 = 25;
    /// A scalar subquery shows the matches of a full text search, if there is such a table.
    pub const SHOWN: u32 = 25;
    /// A source has INDEXED BY or NOT INDEXED.
    pub const INDEX_HINT: u32 = 3;
    /// A query inside another has a WHERE.
    pub const INNER_WHERE: u32 = 40;
    /// A query has an ORDER BY that does not affect the bag of rows.
    pub const ORDER_BY: u32 = 25;
    /// An aggregate has a FILTER.
    pub const FILTER: u32 = 15;
    /// The windows of a query are in its WINDOW clause.
    pub const NAMED_WINDOW: u32 = 30;
    /// An aggregate has a DISTINCT.
    pub const DISTINCT: u32 = 15;
    /// A tested query selects all columns.
    pub const STAR: u32 = 40;
    /// A column of a tested result is an expression.
    pub const EXPRESSION_KEY: u32 = 20;
    /// A query for the optimiser has any shape, instead of a predicate like the other relations.
    pub const ANY_SHAPE: u32 = 60;
}

/// Forms of truth values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    Compare,
    Connect,
    Not,
    Test,
    Between,
    InList,
    InQuery,
    Like,
    Exists,
    CompareRows,
    InRows,
    Match,
    Function,
    Value,
    Case,
    Literal,
}

/// How often predicates have each form.
pub const TRUTHS: &[(u32, Truth)] = &[
    (34, Truth::Compare),
    (18, Truth::Connect),
    (5, Truth::Not),
    (9, Truth::Test),
    (6, Truth::Between),
    (6, Truth::InList),
    (4, Truth::InQuery),
    (6, Truth::Like),
    (3, Truth::Exists),
    (3, Truth::CompareRows),
    (1, Truth::InRows),
    (2, Truth::Match),
    (2, Truth::Function),
    (4, Truth::Value),
    (2, Truth::Case),
    (1, Truth::Literal),
];

/// Forms of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Column,
    Literal,
    Operator,
    Function,
    Truth,
    Prefix,
    Cast,
    Collate,
    Case,
    Scalar,
}

/// How often values have each form, before the maximum depth is reached.
pub const FORMS: &[(u32, Form)] = &[
    (38, Form::Column),
    (16, Form::Literal),
    (13, Form::Operator),
    (14, Form::Function),
    (5, Form::Truth),
    (3, Form::Prefix),
    (4, Form::Cast),
    (2, Form::Collate),
    (3, Form::Case),
    (2, Form::Scalar),
];

/// How many sources a query has.
pub const SOURCES: &[(u32, usize)] = &[(55, 1), (33, 2), (12, 3)];

/// The origin of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Table,
    Derived,
    Function,
}

/// How often sources have each origin.
pub const ORIGINS: &[(u32, Origin)] =
    &[(86, Origin::Table), (10, Origin::Derived), (4, Origin::Function)];

/// How often sources are joined in each way.
pub const JOINS: &[(u32, JoinKind)] = &[
    (20, JoinKind::Comma),
    (18, JoinKind::Inner),
    (10, JoinKind::Plain),
    (8, JoinKind::Cross),
    (24, JoinKind::Left),
    (10, JoinKind::Right),
    (10, JoinKind::Full),
];

/// What determines the rows that a join combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    On,
    Using,
    Natural,
    None,
}

/// How often joins are linked in each way.
pub const LINKS: &[(u32, Link)] =
    &[(70, Link::On), (12, Link::Using), (8, Link::Natural), (10, Link::None)];

/// Forms of the queries in views, derived tables, common table expressions and `IN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Plain,
    Distinct,
    Grouped,
    Aggregate,
    Window,
    Compound,
    Values,
    Limited,
    Common,
    Recursive,
}

/// How often such queries have each form.
pub const SHAPES: &[(u32, Shape)] = &[
    (36, Shape::Plain),
    (9, Shape::Distinct),
    (13, Shape::Grouped),
    (6, Shape::Aggregate),
    (9, Shape::Window),
    (11, Shape::Compound),
    (3, Shape::Values),
    (6, Shape::Limited),
    (5, Shape::Common),
    (2, Shape::Recursive),
];

/// The fewest statements of a database after its tables.
pub const STATEMENTS_MIN: usize = 12;
/// The most statements of a database after its tables.
pub const STATEMENTS_MAX: usize = 45;

/// How many tables a database begins with.
pub const TABLES: &[(u32, usize)] = &[(30, 1), (45, 2), (25, 3)];

/// The kinds of these tables.
pub const TABLE_KINDS: &[(u32, Kind)] = &[
    (78, Kind::CreateTable),
    (5, Kind::CreateTableAs),
    (8, Kind::CreateFts),
    (7, Kind::CreateRtree),
    (2, Kind::CreateDbstat),
];

/// How often each kind of statement follows.
pub const KINDS: &[(u32, Kind)] = &[
    (360, Kind::Insert),
    (3, Kind::InsertMany),
    (90, Kind::Update),
    (30, Kind::Delete),
    (110, Kind::CreateIndex),
    (60, Kind::CreateView),
    (25, Kind::CreateTable),
    (25, Kind::CreateTrigger),
    (40, Kind::Alter),
    (12, Kind::Drop),
    (40, Kind::Analyze),
    (25, Kind::Statistics),
    (15, Kind::Reindex),
    (10, Kind::Vacuum),
    (15, Kind::Check),
    (60, Kind::Pragma),
    (60, Kind::Transaction),
    (10, Kind::Explain),
];

/// How many columns a table has.
pub const COLUMNS: &[(u32, usize)] = &[(12, 1), (25, 2), (28, 3), (18, 4), (10, 5), (7, 6)];

/// How many dimensions a table of rectangles has.
pub const DIMENSIONS: &[(u32, usize)] = &[(40, 1), (40, 2), (10, 3), (5, 4), (5, 5)];

/// Chances in percent, in definitions of tables, indexes and views.
pub mod definition {
    /// `TEMP`
    pub const TEMPORARY: u32 = 8;
    /// A database has another one attached.
    pub const ATTACH: u32 = 8;
    /// A table is in the attached database, if there is one.
    pub const ATTACHED: u32 = 35;
    /// `IF NOT EXISTS`
    pub const IF_NOT_EXISTS: u32 = 15;
    /// `STRICT`
    pub const STRICT: u32 = 12;
    /// `WITHOUT ROWID`, of tables with a primary key.
    pub const WITHOUT_ROWID: u32 = 35;
    /// A column is generated.
    pub const GENERATED: u32 = 10;
    /// A column is the primary key.
    pub const COLUMN_PRIMARY_KEY: u32 = 14;
    /// `AUTOINCREMENT`, of integer keys.
    pub const AUTOINCREMENT: u32 = 20;
    /// A column has a default.
    pub const DEFAULT: u32 = 12;
    /// A column is `NOT NULL`.
    pub const NOT_NULL: u32 = 10;
    /// A column refers to a key.
    pub const COLUMN_REFERENCES: u32 = 2;
    /// A column is `UNIQUE`.
    pub const UNIQUE: u32 = 8;
    /// A column has a collation.
    pub const COLLATE: u32 = 14;
    /// A column has a check.
    pub const COLUMN_CHECK: u32 = 5;
    /// A table has a primary key of several columns.
    pub const TABLE_PRIMARY_KEY: u32 = 15;
    /// A table has a unique set of columns.
    pub const TABLE_UNIQUE: u32 = 7;
    /// A table has a check.
    pub const TABLE_CHECK: u32 = 6;
    /// A table has a foreign key.
    pub const FOREIGN_KEY: u32 = 3;
    /// A constraint says what happens to rows that violate it.
    pub const CONFLICT: u32 = 30;
    /// An index is unique (if there are hardly any rows yet).
    pub const UNIQUE_INDEX: u32 = 25;
    /// A term of an index is an expression.
    pub const EXPRESSION_TERM: u32 = 35;
    /// A term of an index has a collation.
    pub const COLLATED_TERM: u32 = 15;
    /// An index contains only some rows.
    pub const PARTIAL_INDEX: u32 = 30;
}

/// How many rows a bulk insertion creates: several pages, but few enough to be scanned completely.
pub const MANY_ROWS: &[(u32, usize)] = &[(5, 100), (3, 300), (2, 500)];

/// Chances in percent, in INSERT, UPDATE and DELETE.
pub mod change {
    /// A value is an expression rather than a constant.
    pub const EXPRESSION: u32 = 6;
    /// A text or blob does not fit on a page.
    pub const LONG: u32 = 1;
    /// A column that refers to a key is NULL.
    pub const NO_REFERENCE: u32 = 90;
    /// `INSERT .. SELECT`
    pub const INSERT_SELECT: u32 = 8;
    /// `DEFAULT VALUES`
    pub const DEFAULT_VALUES: u32 = 3;
    /// `ON CONFLICT .. DO`
    pub const UPSERT: u32 = 7;
    /// `RETURNING`
    pub const RETURNING: u32 = 6;
    /// Rows that violate a constraint are ignored or replace others, if there are keys.
    pub const LENIENT: u32 = 85;
    /// An UPDATE has a FROM.
    pub const UPDATE_FROM: u32 = 12;
    /// An UPDATE has a WHERE.
    pub const WHERE: u32 = 70;
}
