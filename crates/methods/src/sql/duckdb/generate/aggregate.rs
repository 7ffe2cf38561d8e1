//! Aggregates.

use super::Generator;
use crate::sql::ast::{Call, Expr, Literal};
use crate::sql::duckdb::Type;
use crate::sql::duckdb::dialect::MODERN;

impl Generator<'_> {
    /// An aggregate of a type, over the rows of the groups.
    ///
    /// Rule: no sum or average of DOUBLE, which depends on the order of rows; no FIRST, `ARG_MIN` or
    /// MODE, which choose among rows. LIST and `STRING_AGG` order their values by themselves.
    pub(super) fn aggregate(&mut self, of: Type) -> Option<Expr> {
        let rows = self.grouped.take()?;
        let has_filter = self.schema.dialect.has((0, 5, 0)) && self.rng.chance(10);
        let (call, filter) = self.within_scope(std::rc::Rc::clone(&rows), |generator| {
            let call = generator.argument(|generator| generator.aggregate_call(of));
            let filter = has_filter.then(|| generator.argument(|generator| generator.truth(1)));
            (call, filter)
        });
        self.grouped = Some(rows);
        Some(Expr::Call(Box::new(Call { filter, ..call })))
    }

    /// An aggregate whose values are ordered by themselves.
    fn ordered(&mut self, name: &'static str, of: Type, others: &[Expr]) -> Call {
        let value = self.value(of, 1);
        // The cast is there because a constant cannot be a key.
        let order_by = vec![self.order(value.clone().cast(of))];
        let arguments = [&[value], others].concat();
        Call { name, arguments, order_by, ..Call::default() }
    }

    fn aggregate_call(&mut self, of: Type) -> Call {
        let dialect = self.schema.dialect;
        let (name, argument) = match of {
            Type::BigInt if self.rng.chance(30) => {
                return Call { name: "COUNT", star: true, ..Call::default() };
            }
            Type::BigInt if self.rng.chance(60) => {
                let any = self.any_type();
                let arguments = vec![self.value(any, 1)];
                let distinct = self.rng.chance(25);
                return Call { name: "COUNT", distinct, arguments, ..Call::default() };
            }
            Type::HugeInt if self.rng.chance(70) => {
                let distinct = self.rng.chance(20);
                let arguments = vec![self.value(Type::Integer, 1)];
                return Call { name: "SUM", distinct, arguments, ..Call::default() };
            }
            Type::Integer | Type::Date if dialect.has((1, 0, 0)) && self.rng.chance(25) => {
                let half = Expr::Literal(Literal::Real(0.5));
                let arguments = vec![self.value(of, 1), half];
                return Call { name: "quantile_disc", arguments, ..Call::default() };
            }
            Type::Integer if dialect.has(MODERN) && self.rng.chance(30) => {
                (*self.rng.pick(&["bit_and", "bit_or", "bit_xor"]), self.value(of, 1))
            }
            Type::Integers => return self.ordered("list", Type::Integer, &[]),
            Type::Texts => return self.ordered("list", Type::Varchar, &[]),
            Type::Varchar if dialect.has((1, 0, 0)) && self.rng.chance(30) => {
                return self.ordered("string_agg", of, &[Expr::text(",")]);
            }
            Type::Decimal if self.rng.chance(40) => ("SUM", self.value(Type::Decimal, 1)),
            Type::Boolean if dialect.has(MODERN) => {
                (*self.rng.pick(&["bool_and", "bool_or"]), self.value(of, 1))
            }
            _ => (*self.rng.pick(&["MIN", "MAX"]), self.value(of, 1)),
        };
        Call { name, arguments: vec![argument], ..Call::default() }
    }
}
