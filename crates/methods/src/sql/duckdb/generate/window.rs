//! Window functions.

use super::{Generator, Scope};
use crate::sql::ast::{Bound, Call, Exclude, Expr, Frame, FrameUnit, Order, Over, Window};
use crate::sql::duckdb::Type;

/// The most columns of a scope by all of which a window is ordered.
const ORDERED_MAX: usize = 6;

impl Generator<'_> {
    /// A window function of a type over the rows of the innermost scope, if there is one.
    ///
    /// Rule: which of the rows with equal keys comes first is left open. So either the function
    /// treats such rows alike (`rank`, and aggregates over all of them), or the window is ordered by
    /// all columns, so that such rows are the same. Zeros of both signs are equal and not the same,
    /// so there are no columns of REAL and DOUBLE then.
    pub(super) fn window(&mut self, of: Type, scope: &Scope) -> Option<Expr> {
        let dialect = self.schema.dialect;
        if !dialect.has((0, 5, 0)) || scope.columns.is_empty() {
            return None;
        }
        let can_be_total = scope.columns.len() <= ORDERED_MAX
            && scope.columns.iter().all(|column| !column.of.is_float());
        let is_total = can_be_total && self.rng.chance(50);
        let (name, arguments) = if is_total { self.by_place(of) } else { self.by_peers(of) };
        let keys = |generator: &mut Self, most: usize| {
            let count = generator.rng.between(0, most);
            let keys = (0..count).map(|_| generator.rng.pick(&scope.columns).expr());
            keys.collect::<Vec<Expr>>()
        };
        let partition_by = keys(self, 2);
        let order_by: Vec<Order> = if is_total {
            scope.columns.iter().map(|column| self.order(column.expr())).collect()
        } else {
            let mut keys = keys(self, 1);
            keys.push(self.rng.pick(&scope.columns).expr());
            keys.into_iter().map(|key| self.order(key)).collect()
        };
        let has_frame = dialect.has((1, 0, 0)) && self.rng.chance(40);
        let frame = has_frame.then(|| self.frame(is_total));
        let over = Some(Over::Window(Window { partition_by, order_by, frame }));
        Some(Expr::Call(Box::new(Call { name, arguments, over, ..Call::default() })))
    }

    /// A function that treats rows with equal keys alike.
    fn by_peers(&mut self, of: Type) -> (&'static str, Vec<Expr>) {
        match of {
            Type::BigInt if self.rng.chance(60) => {
                (*self.rng.pick(&["rank", "dense_rank"]), Vec::new())
            }
            Type::BigInt => {
                let any = self.any_type();
                ("COUNT", vec![self.argument(|generator| generator.value(any, 1))])
            }
            Type::Double if self.rng.chance(60) => {
                (*self.rng.pick(&["percent_rank", "cume_dist"]), Vec::new())
            }
            Type::HugeInt => {
                ("SUM", vec![self.argument(|generator| generator.value(Type::Integer, 1))])
            }
            _ => {
                let name = *self.rng.pick(&["MIN", "MAX"]);
                (name, vec![self.argument(|generator| generator.value(of, 1))])
            }
        }
    }

    /// A function that depends on the places of rows.
    fn by_place(&mut self, of: Type) -> (&'static str, Vec<Expr>) {
        match of {
            Type::BigInt if self.rng.chance(30) => ("row_number", Vec::new()),
            Type::BigInt if self.rng.chance(30) => ("ntile", vec![self.small(1, 5)]),
            _ if self.rng.chance(30) => self.by_peers(of),
            _ => {
                let name =
                    *self.rng.pick(&["lag", "lead", "first_value", "last_value", "nth_value"]);
                let mut arguments = vec![self.argument(|generator| generator.value(of, 1))];
                let is_counted = name == "nth_value" || name.starts_with('l') && name.len() < 5;
                if is_counted {
                    arguments.push(self.small(1, 3));
                }
                (name, arguments)
            }
        }
    }

    fn frame(&mut self, is_total: bool) -> Frame {
        let offset = |generator: &mut Self| u8::try_from(generator.rng.between(0, 3)).unwrap_or(1);
        let is_offset = is_total && self.rng.chance(60);
        let (start, end) = if is_offset {
            let (before, after) = (offset(self), offset(self));
            (Bound::Preceding(before), Bound::Following(after))
        } else {
            *self.rng.pick(&[
                (Bound::UnboundedPreceding, Bound::CurrentRow),
                (Bound::UnboundedPreceding, Bound::UnboundedFollowing),
                (Bound::CurrentRow, Bound::UnboundedFollowing),
                (Bound::CurrentRow, Bound::CurrentRow),
            ])
        };
        // A RANGE with offsets computes with its key.
        let units = [FrameUnit::Groups, if is_offset { FrameUnit::Rows } else { FrameUnit::Range }];
        let unit = if is_total && self.rng.chance(50) {
            FrameUnit::Rows
        } else {
            *self.rng.pick(&units[..if is_offset { 1 } else { 2 }])
        };
        Frame { unit, start, end, exclude: *self.rng.pick(Exclude::ALL) }
    }
}
