//! TLP on HAVING.

use std::rc::Rc;

use metacov_core::{RelationInfo, Rng, Test};

use super::Relation;
use super::partition::{DEPTH, keys, partitioned, sources, whole_and_parts};
use crate::sql::sqlite::{Generator, ResultColumn, Schema, Select, SetOperator, percent, printed};

/// The groups for which a predicate is true, those for which it is false and those for which it is
/// NULL are all groups.
pub(super) const TLP_HAVING: Relation = Relation {
    info: RelationInfo {
        name: "tlp-having",
        about: "the groups of the three parts of a HAVING are all groups",
    },
    filters_first: false,
    derive,
};

/// Rule: the predicate uses only exact keys and aggregates. Any other column would come from an
/// arbitrary row of the group, or from one of several equal values, which the database chooses
/// separately for each partition.
fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    let mut generator = Generator::new(schema, rng);
    let (from, scope) = sources(&mut generator);
    let (keys, judge) = keys(&mut generator, &scope);
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
    whole_and_parts(whole, &parts, &predicate, judge)
}
