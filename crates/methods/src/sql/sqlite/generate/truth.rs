//! Random predicates.

use super::Generator;
use crate::sql::ast::{Binary, Expr, Like, Members, Postfix};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::weights::{TRUTHS, Truth, percent};

const COMPARISONS: &[Binary] = &[
    Binary::Less,
    Binary::LessEqual,
    Binary::Greater,
    Binary::GreaterEqual,
    Binary::Equal,
    Binary::EqualEqual,
    Binary::NotEqual,
    Binary::LessGreater,
    Binary::Is,
    Binary::IsNot,
    Binary::IsDistinctFrom,
    Binary::IsNotDistinctFrom,
];

/// How many comparisons at the end of the list require SQLite 3.39.
const YOUNG_COMPARISONS: usize = 2;

impl Generator<'_> {
    /// A predicate.
    pub fn truth(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.comparison(0);
        }
        let depth = depth - 1;
        match self.rng.weigh(TRUTHS) {
            Truth::Compare => self.comparison(depth),
            Truth::Connect => {
                let connective = *self.rng.pick(&[Binary::And, Binary::Or]);
                (0..self.rng.weigh(&[(7, 1), (2, 2), (1, 3)])).fold(self.truth(depth), |left, _| {
                    let right = self.truth(depth);
                    left.binary(connective, right)
                })
            }
            Truth::Not => self.truth(depth).negated(),
            Truth::Test => {
                let test = *self.rng.pick(Postfix::ALL);
                let class = if self.rng.chance(50) { Class::Any } else { Class::Boolean };
                self.value(class, depth).postfix(test)
            }
            Truth::Between => {
                let class = self.class();
                let (operand, low) = self.operand_and_bound(class, depth);
                let high = Box::new(self.bound(class, depth));
                Expr::Between {
                    negated: self.negation(),
                    operand: Box::new(operand),
                    low: Box::new(low),
                    high,
                }
            }
            Truth::InList => {
                let class = self.class();
                let (operand, first) = self.operand_and_bound(class, depth);
                let others = (0..self.rng.below(4)).map(|_| self.bound(class, depth.min(1)));
                let mut list: Vec<Expr> = others.collect();
                if self.rng.chance(90) {
                    list.push(first);
                }
                let members = Members::List(list);
                Expr::In { negated: self.negation(), operand: Box::new(operand), members }
            }
            Truth::InQuery => {
                let operand = self.value(Class::Any, depth.min(1));
                self.within(operand, 1, depth)
            }
            Truth::Like => {
                let word = *self.rng.pick(&[Like::Plain, Like::Plain, Like::Glob]);
                let text = Box::new(self.value(Class::Text, depth));
                let pattern = Box::new(self.pattern());
                let escape = (word == Like::Plain && self.rng.chance(10)).then_some('\\');
                Expr::Like { negated: self.negation(), word, text, pattern, escape }
            }
            Truth::Exists => match self.exists(depth) {
                Some(exists) => exists,
                None => self.comparison(depth),
            },
            Truth::CompareRows => self.row_comparison(depth),
            Truth::InRows => {
                let row = Expr::Row(vec![self.value(Class::Any, 1), self.value(Class::Any, 1)]);
                self.within(row, 2, depth)
            }
            Truth::Match => self.search().unwrap_or_else(|| self.comparison(depth)),
            Truth::Function => self.call(Class::Boolean, depth),
            Truth::Value => self.value(Class::Any, depth),
            Truth::Case => self.case(Class::Boolean, depth),
            Truth::Literal => Expr::Literal(self.literal(Class::Boolean)),
        }
    }

    fn comparison_operator(&mut self) -> Binary {
        let young = if self.schema.dialect.has(39) { 0 } else { YOUNG_COMPARISONS };
        *self.rng.pick(&COMPARISONS[..COMPARISONS.len() - young])
    }

    /// A class of values to compare.
    fn class(&mut self) -> Class {
        self.rng.weigh(&[
            (4, Class::Any),
            (4, Class::Integer),
            (2, Class::Real),
            (4, Class::Text),
            (1, Class::Blob),
        ])
    }

    /// A comparison.
    pub fn comparison(&mut self, depth: u32) -> Expr {
        let operator = self.comparison_operator();
        let class = self.class();
        if self.grouped.is_none() && (depth == 0 || self.rng.chance(percent::COLUMN_WITH_LITERAL)) {
            let (column, literal) = self.column_and_literal(class);
            let right =
                if self.rng.chance(80) { Expr::Literal(literal) } else { self.column(class) };
            return if self.rng.chance(85) {
                column.binary(operator, right)
            } else {
                right.binary(operator, column)
            };
        }
        let left = self.value(class, depth);
        let right = self.value(class, depth);
        left.binary(operator, right)
    }

    /// Two operands of a comparison.
    fn operand_and_bound(&mut self, class: Class, depth: u32) -> (Expr, Expr) {
        if self.grouped.is_none() && self.rng.chance(percent::COLUMN_WITH_LITERAL) {
            let (column, literal) = self.column_and_literal(class);
            return (column, Expr::Literal(literal));
        }
        (self.value(class, depth), self.bound(class, depth))
    }

    /// The second operand of a comparison, mostly constant.
    fn bound(&mut self, class: Class, depth: u32) -> Expr {
        if self.rng.chance(70) {
            Expr::Literal(self.literal(class))
        } else {
            self.value(class, depth)
        }
    }

    fn row_comparison(&mut self, depth: u32) -> Expr {
        let size = self.rng.between(2, 3);
        let row = |generator: &mut Self| {
            Expr::Row((0..size).map(|_| generator.value(Class::Any, depth.min(1))).collect())
        };
        if self.rng.chance(20) {
            let (operand, low, high) =
                (Box::new(row(self)), Box::new(row(self)), Box::new(row(self)));
            return Expr::Between { negated: self.negation(), operand, low, high };
        }
        let operator = self.comparison_operator();
        let left = row(self);
        left.binary(operator, row(self))
    }
}
