//! TLP on GROUP BY.

use super::Relation;
use super::partition::united;
use crate::rng::Rng;
use crate::sql::{ResultColumn, Schema, Select};
use crate::test::Test;

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
        united(schema, rng, |keys| Select {
            columns: vec![ResultColumn::of(keys.clone())],
            group_by: vec![keys],
            ..Select::default()
        })
    }
}
