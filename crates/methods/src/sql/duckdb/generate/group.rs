//! Queries with groups.

use std::rc::Rc;

use super::{Generator, Scope, Visible};
use crate::sql::ast::{Expr, Select};
use crate::sql::duckdb::Type;

/// How often rows are grouped in several ways at once, in percent.
const SEVERAL: u32 = 20;

impl Generator<'_> {
    /// The select with columns of these types, which are aggregates of groups. The innermost scope
    /// is that of the rows.
    pub(super) fn grouped(&mut self, types: &[Type], rows: &Rc<Scope>, select: Select) -> Select {
        let count = self.rng.weigh(&[(6, 1), (3, 2)]);
        let mut keys: Vec<Expr> = Vec::new();
        for key in (0..count).filter_map(|_| self.visible(|_| true)) {
            if !keys.contains(&key.expr()) {
                keys.push(Visible::expr(&key));
            }
        }
        let has_several = self.schema.dialect.has((1, 0, 0)) && self.rng.chance(SEVERAL);
        let group_by = if has_several { self.several(keys) } else { keys };
        self.grouped = Some(Rc::clone(rows));
        self.scopes.push(Rc::default());
        let columns = self.typed_columns(types, |generator, of| {
            generator.aggregate(of).unwrap_or_else(|| generator.literal(of))
        });
        let has_having = self.rng.chance(25);
        let having = has_having.then(|| self.without_subqueries(|generator| generator.truth(1)));
        self.scopes.pop();
        self.grouped = None;
        Select { columns, group_by, having, ..select }
    }

    /// Rows grouped by all keys, by some of them, and by none.
    fn several(&mut self, keys: Vec<Expr>) -> Vec<Expr> {
        if keys.is_empty() {
            return keys;
        }
        vec![match self.rng.below(3) {
            0 => Expr::call("ROLLUP", keys),
            1 => Expr::call("CUBE", keys),
            _ => {
                let sets = keys.into_iter().map(|key| Expr::Row(vec![key]));
                Expr::call("GROUPING SETS", sets.chain([Expr::Row(Vec::new())]).collect())
            }
        }]
    }
}
