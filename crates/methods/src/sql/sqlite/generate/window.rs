//! Random window functions.

use super::Generator;
use crate::sql::ast::{Bound, Call, Exclude, Expr, Frame, FrameUnit, Over, Select, Window};
use crate::sql::sqlite::function::Class;
use crate::sql::sqlite::weights::percent;

/// Frames that SQLite accepts.
const BOUNDS: &[(Bound, Bound)] = &[
    (Bound::UnboundedPreceding, Bound::CurrentRow),
    (Bound::UnboundedPreceding, Bound::UnboundedFollowing),
    (Bound::CurrentRow, Bound::UnboundedFollowing),
    (Bound::CurrentRow, Bound::CurrentRow),
];
/// Frames with offsets.
const OFFSETS: &[(Bound, Bound)] = &[
    (Bound::Preceding(1), Bound::Following(1)),
    (Bound::Preceding(2), Bound::Preceding(1)),
    (Bound::Following(1), Bound::Following(2)),
    (Bound::UnboundedPreceding, Bound::Preceding(1)),
];

impl Generator<'_> {
    /// A window function over the rows of the innermost scope.
    ///
    /// Rule: rows that the window's order does not distinguish are treated alike. Ranks, and
    /// aggregates over frames of RANGE and GROUPS, see whole sets of peers; functions and frames
    /// that count single rows are used only with an order by the rowid of the only source.
    pub fn window(&mut self) -> (Expr, Class) {
        let unique = match self.scopes.last() {
            Some(scope)
                if scope.rowids.len() == 1
                    && scope.columns.iter().all(|c| c.source == scope.rowids[0]) =>
            {
                Some(Expr::column(&scope.rowids[0], "rowid"))
            }
            _ => None,
        };
        let partition_by =
            if self.rng.chance(50) { vec![self.column(Class::Any)] } else { Vec::new() };
        let mut window = Window { partition_by, order_by: Vec::new(), frame: None };
        match unique {
            Some(rowid) if self.rng.chance(50) => {
                let order = self.order(rowid);
                window.order_by = vec![order];
                self.over_unique(window)
            }
            _ => {
                window.order_by = self.orders(2);
                self.over_peers(window)
            }
        }
    }

    /// Moves the window of a call to the WINDOW clause of its select, and reuses the name of an
    /// identical window.
    pub fn name_window(&mut self, call: &mut Expr, select: &mut Select) {
        let Expr::Call(call) = call else { return };
        let Some(Over::Window(window)) = call.over.take() else { return };
        let known = select.windows.iter().find(|(_, other)| *other == window);
        let name = match known {
            Some((name, _)) => name.clone(),
            None => format!("w{}", self.alias()),
        };
        if known.is_none() {
            select.windows.push((name.clone(), window));
        }
        call.over = Some(Over::Named(name));
    }

    fn over_peers(&mut self, mut window: Window) -> (Expr, Class) {
        if self.rng.chance(50) {
            let (name, class) = *self.rng.pick(&[
                ("rank", Class::Integer),
                ("dense_rank", Class::Integer),
                ("percent_rank", Class::Real),
                ("cume_dist", Class::Real),
            ]);
            return (
                Expr::Call(Box::new(Call {
                    name,
                    over: Some(Over::Window(window)),
                    ..Call::default()
                })),
                class,
            );
        }
        let groups = self.rng.chance(50);
        let unit = if groups { FrameUnit::Groups } else { FrameUnit::Range };
        // RANGE accepts offsets with a single term only.
        let offsets = groups || window.order_by.len() == 1;
        let bounds = if offsets && self.rng.chance(40) {
            *self.rng.pick(OFFSETS)
        } else {
            *self.rng.pick(BOUNDS)
        };

        window.frame = Some(Frame {
            unit,
            start: bounds.0,
            end: bounds.1,
            exclude: *self.rng.pick(Exclude::ALL),
        });
        self.aggregate_over(window)
    }

    fn over_unique(&mut self, mut window: Window) -> (Expr, Class) {
        if self.rng.chance(40) {
            let bounds =
                if self.rng.chance(50) { *self.rng.pick(OFFSETS) } else { *self.rng.pick(BOUNDS) };
            let exclude = *self.rng.pick(Exclude::ALL);
            window.frame =
                Some(Frame { unit: FrameUnit::Rows, start: bounds.0, end: bounds.1, exclude });
            return self.aggregate_over(window);
        }
        let name = *self.rng.pick(&[
            "row_number",
            "ntile",
            "lag",
            "lead",
            "first_value",
            "last_value",
            "nth_value",
        ]);
        let (arguments, class) = match name {
            "row_number" => (Vec::new(), Class::Integer),
            "ntile" => (vec![Expr::ordinal(self.rng.between(1, 4))], Class::Integer),
            "nth_value" => {
                (vec![self.column(Class::Any), Expr::ordinal(self.rng.between(1, 3))], Class::Any)
            }
            _ => (vec![self.column(Class::Any)], Class::Any),
        };
        (
            Expr::Call(Box::new(Call {
                name,
                arguments,
                over: Some(Over::Window(window)),
                ..Call::default()
            })),
            class,
        )
    }

    fn aggregate_over(&mut self, window: Window) -> (Expr, Class) {
        let filter = self.rng.chance(percent::FILTER).then(|| self.truth(1));
        let (name, star, arguments, class) = match self.rng.below(5) {
            0 => ("COUNT", true, Vec::new(), Class::Integer),
            1 => ("COUNT", false, vec![self.column(Class::Any)], Class::Integer),
            2 => ("SUM", false, vec![self.small_integer(1)], Class::Integer),
            3 => ("AVG", false, vec![self.eighths(1)], Class::Real),
            _ => {
                let (argument, class) = self.exact(1);
                (*self.rng.pick(&["MIN", "MAX"]), false, vec![argument], class)
            }
        };
        let call = Call {
            name,
            star,
            arguments,
            filter,
            over: Some(Over::Window(window)),
            ..Call::default()
        };
        (Expr::Call(Box::new(call)), class)
    }
}
