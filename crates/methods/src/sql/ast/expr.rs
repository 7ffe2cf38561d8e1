//! Expressions.

use std::rc::Rc;

use super::{Order, Query};

/// An enum of keywords or operators, each with its text, and a list of them all.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
        }

        impl $name {
            /// All of them.
            #[allow(dead_code, reason = "some lists are walked through, some are not")]
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Their texts.
            #[allow(dead_code, reason = "some lists are walked through, some are not")]
            pub const TEXTS: &'static [&'static str] = &[$($text),+];

            /// The text.
            pub fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }
        }
    };
}
pub(crate) use words;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Literal(Literal),
    /// A column, with the name of its source unless the context has only one (then empty).
    Column { source: String, column: String },
    /// An operator before its operand.
    Prefix(Prefix, Box<Expr>),
    /// A test after its operand.
    Postfix(Postfix, Box<Expr>),
    /// An operator between its operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `text [NOT] LIKE pattern [ESCAPE escape]`
    Like { negated: bool, word: Like, text: Box<Expr>, pattern: Box<Expr>, escape: Option<char> },
    /// `operand [NOT] BETWEEN low AND high`
    Between { negated: bool, operand: Box<Expr>, low: Box<Expr>, high: Box<Expr> },
    /// `operand [NOT] IN members`
    In { negated: bool, operand: Box<Expr>, members: Members },
    /// `CASE [operand] WHEN .. THEN .. [ELSE ..] END`
    Case { operand: Option<Box<Expr>>, arms: Vec<(Expr, Expr)>, otherwise: Option<Box<Expr>> },
    /// `CAST(operand AS type)`
    Cast(Box<Expr>, TypeName),
    /// `operand COLLATE collation`
    Collate(Box<Expr>, Collation),
    /// A row value.
    Row(Vec<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `operand operator ANY (query)`, or `ALL`
    Quantified { operand: Box<Expr>, operator: Binary, quantifier: Quantifier, query: Box<Query> },
    /// A function: scalar, aggregate or window.
    Call(Box<Call>),
    /// The one value of a query with one row and one column (NULL without a row).
    Scalar(Box<Query>),
    /// `[NOT] EXISTS (query)`
    Exists { negated: bool, query: Box<Query> },
    /// `RAISE(..)`, in triggers.
    Raise(Raise),
    /// One or more expressions that were printed once, to be used in several places.
    Printed(Rc<str>),
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    Null,
    Integer(i64),
    /// An integer written in base 16.
    Hexadecimal(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
    /// `TRUE` or `FALSE`
    Boolean(bool),
}

/// The name of a type, as it is written.
pub type TypeName = &'static str;

impl From<Type> for TypeName {
    fn from(known: Type) -> Self {
        known.text()
    }
}

/// The right side of `IN`.
#[derive(Clone, Debug, PartialEq)]
pub enum Members {
    List(Vec<Expr>),
    Query(Box<Query>),
    /// The rows of a table with as many columns.
    Table(String),
}

/// A call of a function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    pub name: &'static str,
    /// `f(*)`, only for `count`.
    pub star: bool,
    pub distinct: bool,
    pub arguments: Vec<Expr>,
    /// The order in which an aggregate sees its rows.
    pub order_by: Vec<Order>,
    pub filter: Option<Expr>,
    pub over: Option<Over>,
}

/// The window of a window function.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    Window(Window),
    /// A window of the WINDOW clause.
    Named(String),
}

/// The window of a window function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    pub partition_by: Vec<Expr>,
    pub order_by: Vec<Order>,
    pub frame: Option<Frame>,
}

/// The frame of a window.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    pub unit: FrameUnit,
    pub start: Bound,
    pub end: Bound,
    pub exclude: Exclude,
}

/// An end of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    UnboundedPreceding,
    Preceding(u8),
    CurrentRow,
    Following(u8),
    UnboundedFollowing,
}

/// What a trigger raises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raise {
    Ignore,
    Abort(String),
    Fail(String),
}

words! {
    /// Operators before their operand.
    Prefix { Minus = "-", Plus = "+", BitNot = "~", Not = "NOT ", }
}
words! {
    /// Tests after their operand.
    Postfix {
        IsNull = "IS NULL",
        NotNull = "IS NOT NULL",
        LateNotNull = "NOT NULL",
        Isnull = "ISNULL",
        Notnull = "NOTNULL",
        IsTrue = "IS TRUE",
        IsFalse = "IS FALSE",
        IsNotTrue = "IS NOT TRUE",
        IsNotFalse = "IS NOT FALSE",
    }
}
words! {
    /// Operators between two operands.
    Binary {
        And = "AND",
        Or = "OR",
        Less = "<",
        LessEqual = "<=",
        Greater = ">",
        GreaterEqual = ">=",
        Equal = "=",
        EqualEqual = "==",
        NotEqual = "!=",
        LessGreater = "<>",
        Is = "IS",
        IsNot = "IS NOT",
        IsDistinctFrom = "IS DISTINCT FROM",
        IsNotDistinctFrom = "IS NOT DISTINCT FROM",
        Plus = "+",
        Minus = "-",
        Times = "*",
        Divide = "/",
        Remainder = "%",
        BitAnd = "&",
        BitOr = "|",
        ShiftLeft = "<<",
        ShiftRight = ">>",
        Concatenate = "||",
        Arrow = "->",
        LongArrow = "->>",
        Match = "MATCH",
    }
}
words! {
    /// Comparisons with patterns.
    Like { Plain = "LIKE", Glob = "GLOB", Folded = "ILIKE", Similar = "SIMILAR TO", }
}
words! {
    /// How many rows of a query a comparison must hold for.
    Quantifier { Any = "ANY", All = "ALL", }
}
words! {
    /// Types of SQLite's `CAST`.
    Type { Integer = "INTEGER", Real = "REAL", Text = "TEXT", Blob = "BLOB", Numeric = "NUMERIC", }
}
words! {
    /// Orders of text.
    Collation { Binary = "BINARY", Nocase = "NOCASE", Rtrim = "RTRIM", }
}
words! {
    /// The unit of a frame.
    FrameUnit { Rows = "ROWS", Range = "RANGE", Groups = "GROUPS", }
}
words! {
    /// Which rows a frame excludes.
    Exclude {
        NoOthers = "EXCLUDE NO OTHERS",
        CurrentRow = "EXCLUDE CURRENT ROW",
        Group = "EXCLUDE GROUP",
        Ties = "EXCLUDE TIES",
    }
}

impl Expr {
    /// A column of a source.
    pub fn column(source: &str, column: &str) -> Self {
        Self::Column { source: source.to_owned(), column: column.to_owned() }
    }

    /// An integer.
    pub fn integer(value: i64) -> Self {
        Self::Literal(Literal::Integer(value))
    }

    /// The number of a column, for ORDER BY and GROUP BY.
    pub fn ordinal(place: usize) -> Self {
        Self::integer(i64::try_from(place).unwrap_or(1))
    }

    /// A text.
    pub fn text(value: impl AsRef<str>) -> Self {
        Self::Literal(Literal::Text(value.as_ref().to_owned()))
    }

    /// A call with plain arguments.
    pub fn call(name: &'static str, arguments: Vec<Self>) -> Self {
        Self::Call(Box::new(Call { name, arguments, ..Call::default() }))
    }

    /// `COUNT(*)`
    pub fn count_star() -> Self {
        Self::Call(Box::new(Call { name: "COUNT", star: true, ..Call::default() }))
    }

    /// `self operator right`
    #[must_use]
    pub fn binary(self, operator: Binary, right: Self) -> Self {
        Self::Binary(operator, Box::new(self), Box::new(right))
    }

    /// `self test`
    #[must_use]
    pub fn postfix(self, test: Postfix) -> Self {
        Self::Postfix(test, Box::new(self))
    }

    /// `NOT self`
    #[must_use]
    pub fn negated(self) -> Self {
        Self::Prefix(Prefix::Not, Box::new(self))
    }

    /// `CAST(self AS type)`
    #[must_use]
    pub fn cast(self, to: impl Into<TypeName>) -> Self {
        Self::Cast(Box::new(self), to.into())
    }

    /// `self COLLATE collation`
    #[must_use]
    pub fn collate(self, collation: Collation) -> Self {
        Self::Collate(Box::new(self), collation)
    }
}
