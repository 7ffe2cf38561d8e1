//! TLP on GROUP BY.

use metacov_core::{RelationInfo, Test};

use super::QueryParts;
use super::partition::united;
use crate::sql::ast::{ResultColumn, Select};

/// The groups of the three partitions, united, are the groups of the whole.
pub(crate) const TLP_GROUPBY: RelationInfo = RelationInfo {
    name: "tlp-groupby",
    about: "the groups of the three parts of a WHERE, united, are all groups",
};

pub(crate) fn derive(generator: &mut impl QueryParts) -> Test {
    united(generator, |keys| Select {
        columns: vec![ResultColumn::of(keys.clone())],
        group_by: vec![keys],
        ..Select::default()
    })
}
