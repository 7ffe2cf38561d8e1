//! TLP on DISTINCT.

use metacov_core::{RelationInfo, Test};

use super::QueryParts;
use super::partition::united;
use crate::sql::ast::{ResultColumn, Select};

/// The distinct rows of the three partitions, united, are the distinct rows of the whole.
pub(crate) const TLP_DISTINCT: RelationInfo = RelationInfo {
    name: "tlp-distinct",
    about: "the distinct rows of the three parts of a WHERE, united, are all distinct rows",
};

pub(crate) fn derive(generator: &mut impl QueryParts) -> Test {
    united(generator, |keys| Select {
        distinct: true,
        columns: vec![ResultColumn::of(keys)],
        ..Select::default()
    })
}
