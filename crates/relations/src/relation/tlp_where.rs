//! TLP on WHERE.

use metacov_core::Pair;

use super::Relation;
use super::partition::{DEPTH, ROWS_MAX, SOURCES_MAX, columns, in_where, partitioned, parts};
use crate::comparison::Comparison;
use crate::rng::Rng;
use crate::sql::{Generator, Print, Query, Schema, Select, SetOperator, percent};
use crate::test::{Side, Test};

/// The rows for which a predicate is true, those for which it is false and those for which it is NULL are all rows.
pub struct TlpWhere;

impl Relation for TlpWhere {
    fn name(&self) -> &'static str {
        "tlp-where"
    }

    fn about(&self) -> &'static str {
        "the rows of the three parts of a WHERE are all rows"
    }

    fn derive(&self, schema: &Schema, rng: &mut Rng) -> Test {
        let mut generator = Generator::new(schema, rng);
        let (from, scope, _) = generator.from(SOURCES_MAX, ROWS_MAX, 1);
        let columns = columns(&mut generator, &scope);
        let (predicate, order_by) = generator.within_scope(scope, |generator| {
            let ordered = generator.rng.chance(percent::ORDER_BY);
            (generator.truth(DEPTH), if ordered { generator.orders(2) } else { Vec::new() })
        });
        let select = Select { columns, from: Some(from), ..Select::default() };
        let ordered = |select: Select| {
            let mut query = Query::of(select);
            query.order_by.clone_from(&order_by);
            query.sql()
        };
        // A compound can be ordered by its columns only, so with an order there are three statements.
        let statements = if order_by.is_empty() {
            vec![partitioned(&select, predicate, SetOperator::UnionAll, in_where).sql()]
        } else {
            let part = |part| ordered(Select { filter: Some(part), ..select.clone() });
            parts(predicate).map(part).to_vec()
        };
        Test {
            sides: Pair {
                a: Side::of(ordered(select.clone())),
                b: Side { statements, optimizations_off: None },
            },
            comparison: Comparison::Bag,
        }
    }
}
