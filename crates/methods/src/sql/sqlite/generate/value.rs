//! Random values.

use super::Generator;
use crate::sql::ast::{Binary, Collation, Expr, Literal, Prefix, Type};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::weights::{FORMS, Form, percent};

const ARITHMETIC: &[Binary] =
    &[Binary::Plus, Binary::Minus, Binary::Times, Binary::Divide, Binary::Remainder];
const BITS: &[Binary] = &[Binary::BitAnd, Binary::BitOr, Binary::ShiftLeft, Binary::ShiftRight];

impl Generator<'_> {
    /// A value of a class, most of the time.
    pub fn value(&mut self, class: Class, depth: u32) -> Expr {
        if class == Class::Boolean {
            return self.truth(depth);
        }
        if self.grouped.is_some() && self.rng.chance(35) {
            return self.aggregate().expr;
        }
        if depth == 0 {
            return if self.rng.chance(75) {
                self.column(class)
            } else {
                Expr::Literal(self.literal(class))
            };
        }
        match self.rng.weigh(FORMS) {
            Form::Column => self.column(class),
            Form::Literal => Expr::Literal(self.literal(class)),
            Form::Operator => self.operator(class, depth - 1),
            Form::Function => self.call(class, depth - 1),
            Form::Truth => self.truth(depth - 1),
            Form::Prefix => {
                let prefix = *self.rng.pick(&[Prefix::Minus, Prefix::Plus, Prefix::BitNot]);
                Expr::Prefix(prefix, Box::new(self.value(class, depth - 1)))
            }
            Form::Cast => {
                let mut to = *self.rng.pick(Type::ALL);
                if to == Type::Blob && !self.schema.blobs {
                    to = Type::Numeric;
                }
                self.value(Class::Any, depth - 1).cast(to)
            }
            Form::Collate => {
                let collation = *self.rng.pick(Collation::ALL);
                self.value(Class::Text, depth - 1).collate(collation)
            }
            Form::Case => self.case(class, depth - 1),
            Form::Scalar => match self.scalar(depth - 1) {
                Some(scalar) => scalar,
                None => self.column(class),
            },
        }
    }

    fn operator(&mut self, class: Class, depth: u32) -> Expr {
        let (operator, operands) = match class {
            Class::Text | Class::Blob => (Binary::Concatenate, Class::Any),
            Class::Real => (*self.rng.pick(ARITHMETIC), Class::Real),
            _ => match self.rng.below(10) {
                0..=5 => (*self.rng.pick(ARITHMETIC), Class::Integer),
                6..=7 => (*self.rng.pick(BITS), Class::Integer),
                _ => (Binary::Concatenate, Class::Any),
            },
        };
        let left = self.value(operands, depth);
        let right = self.value(operands, depth);
        left.binary(operator, right)
    }

    /// A CASE, of both forms.
    pub fn case(&mut self, class: Class, depth: u32) -> Expr {
        let operand = self.rng.chance(40).then(|| Box::new(self.value(Class::Any, depth)));
        let arms = (0..self.rng.between(1, 2))
            .map(|_| {
                let when = if operand.is_some() {
                    self.value(Class::Any, depth)
                } else {
                    self.truth(depth)
                };
                (when, self.value(class, depth))
            })
            .collect();
        let otherwise = self.rng.chance(60).then(|| Box::new(self.value(class, depth)));
        Expr::Case { operand, arms, otherwise }
    }

    /// A value whose equals are all identical (see `Column::exact`), of a column if there is one.
    pub fn exact(&mut self, depth: u32) -> (Expr, Class) {
        if self.rng.chance(60)
            && let Some(scope) = self.scopes.last()
        {
            let exact: Vec<_> = scope.columns.iter().filter(|column| column.exact).collect();
            if !exact.is_empty() {
                let column = self.rng.pick(&exact);
                return (column.expr(), column.class);
            }
        }
        let integer = self.rng.chance(50);
        let value = self.value(Class::Any, depth);
        if integer { exact_integer(value) } else { exact_text(value) }
    }

    /// Any value as a small integer, so that sums do not overflow: whether an overflow is an error
    /// depends on the order of rows.
    pub fn small_integer(&mut self, depth: u32) -> Expr {
        let value = self.value(Class::Integer, depth);
        value.cast(Type::Integer).binary(Binary::Remainder, Expr::integer(1000))
    }

    /// A multiple of an eighth. Rule: only such reals are summed. Their sums are exact, so the
    /// order of rows does not matter; the sum of other reals depends on the plan.
    pub fn eighths(&mut self, depth: u32) -> Expr {
        let eight = Expr::Literal(Literal::Real(8.0));
        self.small_integer(depth).binary(Binary::Divide, eight)
    }

    /// Whether to negate something.
    pub fn negation(&mut self) -> bool {
        self.rng.chance(percent::NEGATED)
    }
}

/// Any value as an integer.
pub fn exact_integer(value: Expr) -> (Expr, Class) {
    (value.cast(Type::Integer), Class::Integer)
}

/// Any value as a text that is compared byte by byte. CAST alone would keep the collation of a
/// column.
pub fn exact_text(value: Expr) -> (Expr, Class) {
    (value.cast(Type::Text).collate(Collation::Binary), Class::Text)
}
