//! TLP on GROUP BY.

use metacov_core::Pair;

use super::Relation;
use super::partition::{DEPTH, ROWS_MAX, SOURCES_MAX, in_where, keys, partitioned, results};
use crate::rng::Rng;
use crate::sql::{Generator, Print, Query, Schema, Select, SetOperator};
use crate::test::{Side, Test};

/// The groups of the three parts, united, are the groups of the whole.
pub struct TlpGroupBy;

impl Relation for TlpGroupBy {
    fn name(&self) -> &'static str {
        "tlp-groupby"
    }

    fn about(&self) -> &'static str {
        "the groups of the three parts of a WHERE, united, are all groups"
    }

    fn derive(&self, schema: &Schema, rng: &mut Rng) -> Test {
        let mut generator = Generator::new(schema, rng);
        let (from, scope, _) = generator.from(SOURCES_MAX, ROWS_MAX, 1);
        let (keys, comparison) = keys(&mut generator, &scope);
        let predicate = generator.within_scope(scope, |generator| generator.truth(DEPTH));
        let select = Select {
            columns: results(&keys),
            from: Some(from),
            group_by: keys,
            ..Select::default()
        };
        let united = partitioned(&select, predicate, SetOperator::Union, in_where);
        Test {
            sides: Pair { a: Side::of(Query::of(select).sql()), b: Side::of(united.sql()) },
            comparison,
        }
    }
}
