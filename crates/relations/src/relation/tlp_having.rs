//! TLP on HAVING.

use metacov_core::Pair;

use super::Relation;
use super::partition::{DEPTH, ROWS_MAX, SOURCES_MAX, keys, partitioned, results};
use crate::rng::Rng;
use crate::sql::{Generator, Print, Query, Schema, Select, SetOperator, percent};
use crate::test::{Side, Test};

/// The groups for which a predicate is true, those for which it is false and those for which it is NULL are all groups.
pub struct TlpHaving;

impl Relation for TlpHaving {
    fn name(&self) -> &'static str {
        "tlp-having"
    }

    fn about(&self) -> &'static str {
        "the groups of the three parts of a HAVING are all groups"
    }

    /// Rule: the predicate sees exact keys and aggregates only. Any other column would be that of a row of the group, or
    /// a representative of equal values, which the database chooses anew for each part.
    fn derive(&self, schema: &Schema, rng: &mut Rng) -> Test {
        let mut generator = Generator::new(schema, rng);
        let (from, scope, _) = generator.from(SOURCES_MAX, ROWS_MAX, 1);
        let (keys, comparison) = keys(&mut generator, &scope);
        let filter = if generator.rng.chance(percent::HAVING_WHERE) {
            Some(generator.within_scope(scope.clone(), |generator| generator.truth(2)))
        } else {
            None
        };
        let exact = Generator::keys(&keys, &scope);
        let predicate = generator.having(exact, scope, DEPTH);
        let select = Select {
            columns: results(&keys),
            from: Some(from),
            filter,
            group_by: keys,
            ..Select::default()
        };
        let united = partitioned(&select, predicate, SetOperator::UnionAll, |select, part| {
            select.having = Some(part);
        });
        Test {
            sides: Pair { a: Side::of(Query::of(select).sql()), b: Side::of(united.sql()) },
            comparison,
        }
    }
}
