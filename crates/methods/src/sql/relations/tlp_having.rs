//! TLP on HAVING.

use metacov_core::{RelationInfo, Test};

use super::partition::{partitioned, whole_and_parts};
use super::{DEPTH, QueryParts, percent};
use crate::sql::ast::{ResultColumn, Select, SetOperator};
use crate::sql::print::printed;

/// The groups for which a predicate is true, those for which it is false and those for which it is
/// NULL are all groups.
pub(crate) const TLP_HAVING: RelationInfo = RelationInfo {
    name: "tlp-having",
    about: "the groups of the three parts of a HAVING are all groups",
};

/// Rule: the predicate uses only exact keys and aggregates. Any other column would come from an
/// arbitrary row of the group, or from one of several equal values, which the database chooses
/// separately for each partition.
pub(crate) fn derive(generator: &mut impl QueryParts) -> Test {
    let (from, scope) = generator.sources();
    let from = from.printed();
    let (keys, judge) = generator.keys(&scope);
    let has_filter = generator.rng().chance(percent::HAVING_WHERE);
    let filter = has_filter.then(|| generator.predicate(&scope, 2));
    let predicate = printed(&[generator.group_predicate(&keys, scope, DEPTH)]);
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
