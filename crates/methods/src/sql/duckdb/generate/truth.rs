//! Random predicates.

use super::Generator;
use crate::sql::ast::{Binary, Expr, Like, Literal, Members, Postfix, Quantifier, Query};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::dialect::MODERN;
use crate::sql::duckdb::known_faults::EXISTS_OUTER_JOIN;

const COMPARISONS: &[Binary] = &[
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
    Binary::Equal,
    Binary::Equal,
    Binary::NotEqual,
];

/// Forms of predicates.
#[derive(Clone, Copy)]
enum Truth {
    Compare,
    Distinct,
    Connect,
    Not,
    NullTest,
    IsTrue,
    Between,
    InList,
    InQuery,
    Exists,
    Quantified,
    Rows,
    Like,
    Similar,
    Function,
    Value,
    Literal,
}

const TRUTHS: &[(u32, Truth)] = &[
    (30, Truth::Compare),
    (4, Truth::Distinct),
    (18, Truth::Connect),
    (7, Truth::Not),
    (7, Truth::NullTest),
    (2, Truth::IsTrue),
    (5, Truth::Between),
    (6, Truth::InList),
    (4, Truth::InQuery),
    (3, Truth::Exists),
    (2, Truth::Quantified),
    (2, Truth::Rows),
    (5, Truth::Like),
    (2, Truth::Similar),
    (4, Truth::Function),
    (5, Truth::Value),
    (1, Truth::Literal),
];

/// Patterns of LIKE.
const PATTERNS: &[&str] = &["%", "_", "a%", "%a", "%b%", "a_", "A%", "", "abc", "_b%", "%ä%"];
/// Patterns of LIKE with an escape character.
const ESCAPED: &[&str] = &["$%", "a$%", "$_%", "%$_"];
/// Regular expressions.
const REGULAR: &[&str] = &["a.*", "[ab]+", ".", "(a|b)c?", ".*b", ""];

impl Generator<'_> {
    /// A predicate.
    pub(crate) fn truth(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.comparison(0);
        }
        let depth = depth - 1;
        let dialect = self.schema.dialect;
        match self.rng.weigh(TRUTHS) {
            Truth::Distinct if dialect.has(MODERN) => {
                let of = self.any_type();
                let operator = *self.rng.pick(&[Binary::IsDistinctFrom, Binary::IsNotDistinctFrom]);
                // The second one is no bare text: after FROM it could be a file.
                self.value(of, depth).binary(operator, self.value(of, depth).cast(of))
            }
            Truth::Connect => {
                let connective = *self.rng.pick(&[Binary::And, Binary::Or]);
                (0..self.rng.weigh(&[(7, 1), (2, 2), (1, 3)])).fold(self.truth(depth), |left, _| {
                    let right = self.truth(depth);
                    left.binary(connective, right)
                })
            }
            Truth::Not => self.truth(depth).negated(),
            Truth::NullTest => {
                let of = self.any_type();
                let test = *self.rng.pick(&[Postfix::IsNull, Postfix::NotNull]);
                self.value(of, depth).postfix(test)
            }
            Truth::IsTrue if dialect.has((1, 0, 0)) => {
                let tests =
                    [Postfix::IsTrue, Postfix::IsFalse, Postfix::IsNotTrue, Postfix::IsNotFalse];
                let test = *self.rng.pick(&tests);
                self.truth(depth).postfix(test)
            }
            Truth::Between => {
                let (operand, low) = self.operands(depth);
                let of = self.any_type();
                let (operand, low, high) = if self.rng.chance(50) {
                    (operand, low.clone(), low)
                } else {
                    (self.value(of, depth), self.value(of, 0), self.value(of, 0))
                };
                let [operand, low, high] = [operand, low, high].map(Box::new);
                Expr::Between { negated: self.rng.chance(25), operand, low, high }
            }
            // Rule: the members of a list have one type.
            Truth::InList => {
                let of = self.any_type();
                let operand = Box::new(self.value(of, depth));
                let list = (0..self.rng.between(1, 5)).map(|_| self.value(of, 0)).collect();
                Expr::In { negated: self.rng.chance(25), operand, members: Members::List(list) }
            }
            Truth::InQuery => self.in_query(depth).unwrap_or_else(|| self.comparison(depth)),
            Truth::Exists => self.exists().unwrap_or_else(|| self.comparison(depth)),
            Truth::Like => {
                let text = Box::new(self.value(Type::Varchar, depth));
                let negated = self.rng.chance(25);
                let (patterns, escape) =
                    if self.rng.chance(15) { (ESCAPED, Some('$')) } else { (PATTERNS, None) };
                let pattern = Box::new(Expr::text(self.rng.pick(patterns)));
                let is_folded = dialect.has(MODERN) && self.rng.chance(20);
                let word = if is_folded { Like::Folded } else { Like::Plain };
                Expr::Like { negated, word, text, pattern, escape }
            }
            Truth::Similar if dialect.has(MODERN) => {
                let text = Box::new(self.value(Type::Varchar, depth));
                let pattern = Box::new(Expr::text(self.rng.pick(REGULAR)));
                let negated = self.rng.chance(25);
                Expr::Like { negated, word: Like::Similar, text, pattern, escape: None }
            }
            Truth::Quantified if dialect.has((1, 0, 0)) => {
                self.quantified(depth).unwrap_or_else(|| self.comparison(depth))
            }
            Truth::Rows if dialect.has((1, 1, 0)) => {
                let types = [self.any_type(), self.any_type()];
                let operator = *self.rng.pick(COMPARISONS);
                let left = types.map(|of| self.value(of, depth.min(1)).cast(of));
                let right = types.map(|of| self.value(of, 0).cast(of));
                Expr::Row(left.to_vec()).binary(operator, Expr::Row(right.to_vec()))
            }
            Truth::Function => {
                self.call(Type::Boolean, depth).unwrap_or_else(|| self.comparison(depth))
            }
            Truth::Value => self.value(Type::Boolean, depth),
            Truth::Literal => {
                let literals = [Literal::Boolean(true), Literal::Boolean(false), Literal::Null];
                let literal = self.rng.pick(&literals).clone();
                Expr::Literal(literal).cast(Type::Boolean)
            }
            _ => self.comparison(depth),
        }
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        let operator = *self.rng.pick(COMPARISONS);
        let (left, right) = self.operands(depth);
        let (left, right) = if self.rng.chance(85) { (left, right) } else { (right, left) };
        left.binary(operator, right)
    }

    /// Two values to compare: a column and a constant that it likely has, or any values of one
    /// type, or numbers of two types.
    fn operands(&mut self, depth: u32) -> (Expr, Expr) {
        if self.grouped.is_none()
            && (depth == 0 || self.rng.chance(50))
            && let Some(column) = self.visible(|_| true)
        {
            let of = column.of;
            let constant = if !column.samples.is_empty() && self.rng.chance(60) {
                self.rng.pick(&column.samples).clone()
            } else if self.rng.chance(80) {
                self.literal_or_null(of)
            } else {
                self.value(of, 0)
            };
            return (column.expr(), constant);
        }
        let left = self.any_type();
        let mixes = left.is_number() && self.rng.chance(25);
        let other = if mixes { self.any_type() } else { left };
        let right = if other.is_number() { other } else { left };
        (self.value(left, depth), self.value(right, depth))
    }

    fn in_query(&mut self, depth: u32) -> Option<Expr> {
        let of = self.any_type();
        let operand = Box::new(self.value(of, depth));
        let query = Box::new(self.subquery(&[of], |generator, of| generator.value(of, 1))?);
        let negated = self.rng.chance(30);
        Some(Expr::In { negated, operand, members: Members::Query(query) })
    }

    fn exists(&mut self) -> Option<Expr> {
        let inner_only = self.inner_only;
        self.inner_only |= self.schema.dialect.suffers(EXISTS_OUTER_JOIN);
        let query = self.subquery(&[Type::Integer], |generator, of| generator.value(of, 0));
        self.inner_only = inner_only;
        Some(Expr::Exists { negated: self.rng.chance(30), query: Box::new(query?) })
    }

    fn quantified(&mut self, depth: u32) -> Option<Expr> {
        let of = self.any_type();
        let operand = Box::new(self.value(of, depth));
        let query = Box::new(self.subquery(&[of], |generator, of| generator.value(of, 1))?);
        let operator = *self.rng.pick(COMPARISONS);
        let quantifier = *self.rng.pick(Quantifier::ALL);
        Some(Expr::Quantified { operand, operator, quantifier, query })
    }

    /// The one value of a query.
    ///
    /// Rule: it is an aggregate over all rows. Which of several rows counts would be left open.
    pub(super) fn scalar(&mut self, of: Type) -> Option<Expr> {
        let query = self.subquery(&[of], |generator, of| {
            let name = *generator.rng.pick(&["MIN", "MAX"]);
            Expr::call(name, vec![generator.argument(|generator| generator.value(of, 1))])
        });
        query.map(|query| Expr::Scalar(Box::new(query)))
    }

    /// A plain query inside an expression, if there may be one more.
    fn subquery(&mut self, types: &[Type], column: fn(&mut Self, Type) -> Expr) -> Option<Query> {
        // In HAVING, aggregates of a subquery could belong to the enclosing query.
        if self.grouped.is_some() || !self.has_small_table() {
            return None;
        }
        self.subqueries_left = self.subqueries_left.checked_sub(1)?;
        Some(self.plain_query(types, column))
    }
}
