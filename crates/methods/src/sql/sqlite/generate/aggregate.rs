//! Random aggregates.

use super::Generator;
use super::call::untagged;
use crate::sql::ast::{Call, Expr, Order};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::weights::percent;

/// An aggregate and the properties of its value.
pub struct Aggregated {
    pub expr: Expr,
    pub class: Class,
    pub exact: bool,
}

/// Forms of aggregates.
#[derive(Clone, Copy)]
enum Form {
    CountStar,
    Count,
    CountDistinct,
    Extreme,
    Sum,
    SumOfEighths,
    Average,
    Total,
    Concatenation,
}

const FORMS: &[(u32, Form)] = &[
    (20, Form::CountStar),
    (12, Form::Count),
    (8, Form::CountDistinct),
    (26, Form::Extreme),
    (12, Form::Sum),
    (5, Form::SumOfEighths),
    (5, Form::Average),
    (5, Form::Total),
    (5, Form::Concatenation),
];

/// Aggregates that concatenate all values.
const CONCATENATIONS: &[&str] =
    &["group_concat", "string_agg", "json_group_array", "json_group_object"];

impl Generator<'_> {
    /// An aggregate over the rows of the innermost scope (or of the groups, in HAVING).
    ///
    /// Rule: its value depends only on the bag of rows, not on their order. MIN and MAX are taken
    /// of exact values, sums of small integers and eighths, and texts are concatenated in their own
    /// order.
    pub fn aggregate(&mut self) -> Aggregated {
        self.over_rows(|generator| {
            let form = generator.rng.weigh(FORMS);
            generator.aggregate_of(form)
        })
    }

    /// The FILTER of an aggregate over the rows of the innermost scope.
    pub fn aggregate_filter(&mut self) -> Expr {
        self.over_rows(|generator| generator.truth(1))
    }

    /// A column of the innermost scope.
    pub fn column_expr(&mut self) -> Expr {
        self.over_rows(|generator| generator.column(Class::Any))
    }

    fn aggregate_of(&mut self, form: Form) -> Aggregated {
        let distinct = self.rng.chance(percent::DISTINCT);
        let filter = (self.schema.dialect.has(30) && self.rng.chance(percent::FILTER))
            .then(|| self.truth(1));
        let mut call = Call { filter, ..Call::default() };
        let (mut class, mut exact) = (Class::Integer, true);
        match form {
            Form::Count | Form::CountDistinct => {
                call.name = "COUNT";
                call.distinct = matches!(form, Form::CountDistinct);
                call.arguments = vec![self.value(Class::Any, 1)];
            }
            Form::Extreme => {
                call.name = *self.rng.pick(&["MIN", "MAX"]);
                call.distinct = distinct;
                let (argument, of) = self.exact(1);
                call.arguments = vec![argument];
                class = of;
            }
            Form::Sum => {
                call.name = "SUM";
                call.distinct = distinct;
                call.arguments = vec![self.small_integer(1)];
            }
            Form::SumOfEighths | Form::Average | Form::Total => {
                call.name = match form {
                    Form::SumOfEighths => "SUM",
                    Form::Average => "AVG",
                    _ => "TOTAL",
                };
                call.arguments = vec![self.eighths(1)];
                (class, exact) = (Class::Real, false);
            }
            Form::Concatenation if self.schema.dialect.has(44) => {
                call.name = *self.rng.pick(CONCATENATIONS);
                let (argument, _) = super::value::exact_text(self.column(Class::Any));
                call.order_by = vec![Order::of(argument.clone())];
                call.arguments = vec![argument];
                match call.name {
                    "json_group_array" => {}
                    "json_group_object" => {
                        let (value, _) = super::value::exact_text(self.column(Class::Any));
                        call.order_by.push(Order::of(value.clone()));
                        call.arguments.push(value);
                    }
                    _ => call.arguments.push(Expr::text(self.rng.pick(&[",", "", " | "]))),
                }
                class = Class::Text;
            }
            Form::CountStar | Form::Concatenation => {
                call.name = "COUNT";
                call.star = true;
            }
        }
        let json = call.name.starts_with("json");
        let expr = Expr::Call(Box::new(call));
        Aggregated { expr: if json { untagged(expr) } else { expr }, class, exact }
    }
}
