//! The optimiser's switches: one query under two configurations.

use metacov_core::{Input, Judge, Pair, RelationInfo, Rng, Test};

use super::query_parts::{ROWS_MAX, SOURCES_MAX};
use crate::sql::relations::DEPTH;
use crate::sql::sqlite::switches;
use crate::sql::sqlite::{Generator, Print, Query, ResultColumn, Schema, Select, percent};

/// A query returns the same rows with some or all optimisations disabled.
pub(super) const OPTIMIZER: RelationInfo = RelationInfo {
    name: "optimizer",
    about: "a query has the same rows with optimizations switched off",
};

/// The number of SQLite's optimisations, one bit each (`SQLITE_QueryFlattener` and the following in
/// `sqliteInt.h`).
const OPTIMIZATIONS: usize = 30;

/// `SQLITE_Coroutines` stays enabled: without it, and with `PRAGMA reverse_unordered_selects`, the
/// rows that a window function needs in order are stored and then read backwards. Users cannot
/// reach that configuration.
const COROUTINES: u32 = 0x0200_0000;

pub(super) fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let query = if generator.rng.chance(percent::ANY_SHAPE) {
        let columns = generator.rng.between(1, 4);
        generator.query(columns, 2).query
    } else {
        let (from, scope, _) = generator.from(SOURCES_MAX, ROWS_MAX, 1);
        generator.within_scope(scope, |generator| {
            let filter = Some(generator.truth(DEPTH));
            let columns = vec![ResultColumn::Star];
            let mut query =
                Query::of(Select { columns, from: Some(from), filter, ..Select::default() });
            if generator.rng.chance(percent::ORDER_BY) {
                query.order_by = generator.orders(2);
            }
            query
        })
    };
    let off = match rng.below(5) {
        0..=1 => u32::MAX,
        2..=3 => 1 << rng.below(OPTIMIZATIONS),
        _ => rng.word(),
    };
    // Both sides set the switches, so that setting them does not differ.
    let sql = query.sql();
    let parts = vec![sql.as_str().into()];
    let side = |off: u32| Input { statements: vec![switches::statement(off), sql.clone()] };
    Test::new(Pair { a: side(0), b: side(off & !COROUTINES) }, Judge::Bag, parts)
}
