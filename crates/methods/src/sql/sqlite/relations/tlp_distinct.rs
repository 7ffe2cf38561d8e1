//! TLP on DISTINCT.

use metacov_core::{RelationInfo, Rng, Test};

use super::Relation;
use super::partition::united;
use crate::sql::sqlite::{ResultColumn, Schema, Select};

/// The distinct rows of the three partitions, united, are the distinct rows of the whole.
pub(super) const TLP_DISTINCT: Relation = Relation {
    info: RelationInfo {
        name: "tlp-distinct",
        about: "the distinct rows of the three parts of a WHERE, united, are all distinct rows",
    },
    filters_first: false,
    derive,
};

fn derive(schema: &Schema, rng: &mut Rng) -> Test {
    united(schema, rng, |keys| Select {
        distinct: true,
        columns: vec![ResultColumn::of(keys)],
        ..Select::default()
    })
}
