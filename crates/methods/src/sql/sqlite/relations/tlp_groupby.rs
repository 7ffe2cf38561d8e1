//! TLP on GROUP BY.

use metacov_core::{RelationInfo, Rng, Test};

use super::Relation;
use super::partition::united;
use crate::sql::sqlite::{ResultColumn, Schema, Select};

/// The groups of the three partitions, united, are the groups of the whole.
pub(super) const TLP_GROUPBY: Relation = Relation {
    info: RelationInfo {
        name: "tlp-groupby",
        about: "the groups of the three parts of a WHERE, united, are all groups",
    },
    filters_first: false,
    derive,
};

fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    united(schema, rng, |keys| Select {
        columns: vec![ResultColumn::of(keys.clone())],
        group_by: vec![keys],
        ..Select::default()
    })
}
