//! Random values of a type.

use super::Generator;
use crate::sql::ast::{Binary, Expr, Prefix};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::dialect::MODERN;
use crate::sql::duckdb::function::{FUNCTIONS, Function, Parameter};
use crate::sql::duckdb::known_faults::{CBRT, CONSTANT_CASE, UBIGINT_SUM};

/// Forms of values.
#[derive(Clone, Copy)]
enum Form {
    Leaf,
    Call,
    Arithmetic,
    Cast,
    Case,
    Coalesce,
    Extreme,
    Subquery,
}

const FORMS: &[(u32, Form)] = &[
    (8, Form::Leaf),
    (9, Form::Call),
    (8, Form::Arithmetic),
    (4, Form::Cast),
    (3, Form::Case),
    (3, Form::Coalesce),
    (1, Form::Extreme),
    (2, Form::Subquery),
];

impl Generator<'_> {
    /// A value of a type.
    pub(crate) fn value(&mut self, of: Type, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(of);
        }
        let depth = depth - 1;
        let made = match self.rng.weigh(FORMS) {
            Form::Call => self.call(of, depth),
            Form::Arithmetic => self.arithmetic(of, depth),
            Form::Cast => {
                let dialect = self.schema.dialect;
                let known = Type::weights(dialect);
                let is_known = |from: &&Type| known.iter().any(|(_, of)| of == *from);
                let sources: Vec<Type> = of.sources().iter().filter(is_known).copied().collect();
                let from = (!sources.is_empty()).then(|| *self.rng.pick(&sources));
                from.map(|from| self.value(from, depth).cast(of))
            }
            Form::Case => Some(self.case(of, depth)),
            Form::Coalesce => {
                let (first, second) = (self.value(of, depth), self.value(of, depth));
                let may_be_constant = !self.avoids_constant_case(of) || self.refers(&first);
                let is_nullif = self.rng.chance(50) && may_be_constant;
                let name = if is_nullif { "nullif" } else { "coalesce" };
                Some(Expr::call(name, vec![first, second]))
            }
            Form::Extreme if self.schema.dialect.has(MODERN) => {
                let name = *self.rng.pick(&["greatest", "least"]);
                let call = Expr::call(name, vec![self.value(of, depth), self.value(of, depth)]);
                // Of DECIMAL they return DOUBLE until 0.10 at least, whose sums depend on the order of
                // rows.
                Some(if of == Type::Decimal { call.cast(of) } else { call })
            }
            Form::Leaf | Form::Extreme => None,
            Form::Subquery => self.scalar(of),
        };
        made.unwrap_or_else(|| self.leaf(of))
    }

    /// `CASE [..] WHEN .. THEN .. [ELSE ..] END`
    fn case(&mut self, of: Type, depth: u32) -> Expr {
        let compared = self.rng.chance(25).then(|| self.any_type());
        let operand = compared.map(|of| Box::new(self.value(of, depth.min(1))));
        let mut arms = Vec::new();
        for _ in 0..self.rng.between(1, 2) {
            let when = match compared {
                Some(of) => self.value(of, 0),
                None => self.truth(depth.min(1)),
            };
            arms.push((when, self.value(of, depth)));
        }
        let otherwise = self.rng.chance(75).then(|| Box::new(self.value(of, depth)));
        let mut results = arms.iter().map(|(_, then)| then).chain(otherwise.as_deref());
        if self.avoids_constant_case(of) && !results.any(|result| self.refers(result)) {
            return self.leaf(of);
        }
        Expr::Case { operand, arms, otherwise }
    }

    /// Whether a CASE of this type must have a result that is not constant.
    fn avoids_constant_case(&self, of: Type) -> bool {
        of == Type::Varchar && self.schema.dialect.suffers(CONSTANT_CASE)
    }

    /// A column, an aggregate or a constant.
    fn leaf(&mut self, of: Type) -> Expr {
        if self.grouped.is_some()
            && self.rng.chance(60)
            && let Some(aggregate) = self.aggregate(of)
        {
            return aggregate;
        }
        if self.rng.chance(70)
            && let Some(column) = self.visible(|other| other == of)
        {
            return column.expr();
        }
        self.literal_or_null(of)
    }

    /// A call of a function that returns a type, if there is one.
    pub(super) fn call(&mut self, of: Type, depth: u32) -> Option<Expr> {
        let dialect = self.schema.dialect;
        let is_avoided = |name: &str| name == "cbrt" && dialect.suffers(CBRT);
        let fits = |function: &&Function| {
            function.result == of && dialect.has(function.since) && !is_avoided(function.name)
        };
        let functions: Vec<&Function> = FUNCTIONS.iter().filter(fits).collect();
        if functions.is_empty() {
            return None;
        }
        let function = *self.rng.pick(&functions);
        let arguments = function.parameters.iter().map(|parameter| match parameter {
            Parameter::Of(of) => self.value(*of, depth),
            Parameter::Small => self.small(-3, 9),
            Parameter::Count => self.small(0, 9),
            Parameter::Word(words) => Expr::text(self.rng.pick(words)),
        });
        let arguments = arguments.collect();
        Some(Expr::call(function.name, arguments))
    }

    /// A list of values.
    fn listed(&mut self, of: Type, depth: u32) -> Expr {
        Expr::List((0..self.rng.between(1, 3)).map(|_| self.value(of, depth.min(1))).collect())
    }

    /// An operation on values of a type, if there is one.
    ///
    /// Rule: the second operand is a small constant, so that few results are out of range.
    fn arithmetic(&mut self, of: Type, depth: u32) -> Option<Expr> {
        Some(match of {
            Type::TinyInt | Type::SmallInt | Type::Integer | Type::BigInt | Type::HugeInt => {
                let left = self.value(of, depth);
                let (operator, right) = match self.rng.below(8) {
                    0 if self.schema.dialect.has(MODERN) => {
                        return Some(Expr::Prefix(Prefix::BitNot, Box::new(left)));
                    }
                    0 | 1 => (Binary::BitAnd, self.small(0, 9)),
                    2 => (Binary::BitOr, self.small(0, 9)),
                    3 => (Binary::Remainder, self.small(1, 9)),
                    4 => (Binary::Times, self.small(-1, 3)),
                    5 => (Binary::Minus, self.small(0, 9)),
                    6 => return Some(Expr::Prefix(Prefix::Minus, Box::new(left))),
                    _ => (Binary::Plus, self.small(-3, 9)),
                };
                left.binary(operator, right.cast(of))
            }
            Type::Double | Type::Real => {
                let left = self.value(of, depth);
                let operator = *self.rng.pick(&[Binary::Plus, Binary::Minus, Binary::Times]);
                left.binary(operator, self.small(-3, 9).cast(of))
            }
            Type::Decimal => {
                let left = self.value(of, depth);
                let operator = *self.rng.pick(&[Binary::Plus, Binary::Minus]);
                left.binary(operator, self.literal(of))
            }
            Type::Varchar => {
                self.value(of, depth).binary(Binary::Concatenate, self.value(of, depth.min(1)))
            }
            Type::Date => {
                let operator = *self.rng.pick(&[Binary::Plus, Binary::Minus]);
                self.value(of, depth).binary(operator, self.small(0, 9))
            }
            Type::Boolean => self.truth(depth),
            Type::UInteger | Type::UBigInt => {
                let operators = [Binary::BitAnd, Binary::BitOr, Binary::Remainder, Binary::Plus];
                let avoids_sums = of == Type::UBigInt && self.schema.dialect.suffers(UBIGINT_SUM);
                let operators = if avoids_sums { &operators[..3] } else { &operators };
                let operator = *self.rng.pick(operators);
                self.value(of, depth).binary(operator, self.small(1, 9).cast(of))
            }
            Type::Timestamp if self.schema.dialect.has((1, 0, 0)) => {
                let operator = *self.rng.pick(&[Binary::Plus, Binary::Minus]);
                self.value(of, depth).binary(operator, self.value(Type::Interval, depth.min(1)))
            }
            Type::Interval => {
                let left = self.value(of, depth);
                match self.rng.below(3) {
                    0 => left.binary(Binary::Times, self.small(-3, 3)),
                    1 => left.binary(Binary::Minus, self.literal(of)),
                    _ => left.binary(Binary::Plus, self.literal(of)),
                }
            }
            Type::Blob => self.value(of, depth).binary(Binary::Concatenate, self.literal(of)),
            Type::Integers => self.listed(Type::Integer, depth).cast(of),
            Type::Texts => self.listed(Type::Varchar, depth).cast(of),
            Type::Struct => {
                let fields = [Type::Integer, Type::Varchar].map(|of| self.value(of, depth));
                Expr::call("row", fields.to_vec()).cast(of)
            }
            Type::Timestamp | Type::Time | Type::Uuid | Type::Enum => return None,
        })
    }
}
