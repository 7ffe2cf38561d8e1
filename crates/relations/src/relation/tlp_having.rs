//! TLP on HAVING.

use std::rc::Rc;

use super::Relation;
use super::partition::{DEPTH, keys, partitioned, sources, whole_and_parts};
use crate::rng::Rng;
use crate::sql::{Generator, ResultColumn, Schema, Select, SetOperator, percent, printed};
use crate::test::Test;

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
        let (from, scope) = sources(&mut generator);
        let (keys, comparison) = keys(&mut generator, &scope);
        let filter = generator
            .rng
            .chance(percent::HAVING_WHERE)
            .then(|| generator.within_scope(Rc::clone(&scope), |generator| generator.truth(2)));
        let exact = Generator::keys(&keys, &scope);
        let predicate = printed(&[generator.having(exact, scope, DEPTH)]);
        let keys = printed(&keys);
        let whole = Select {
            columns: vec![ResultColumn::of(keys.clone())],
            from: Some(from),
            filter: filter.map(|filter| printed(&[filter])),
            group_by: vec![keys],
            ..Select::default()
        };
        let parts = partitioned(&whole, &predicate, SetOperator::UnionAll, |select, part| {
            select.having = Some(part);
        });
        whole_and_parts(whole, &parts, &predicate, comparison)
    }
}
