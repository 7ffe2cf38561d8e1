//! TLP on DISTINCT.

use super::Relation;
use super::partition::united;
use crate::rng::Rng;
use crate::sql::{ResultColumn, Schema, Select};
use crate::test::Test;

/// The distinct rows of the three parts, united, are the distinct rows of the whole.
pub struct TlpDistinct;

impl Relation for TlpDistinct {
    fn name(&self) -> &'static str {
        "tlp-distinct"
    }

    fn about(&self) -> &'static str {
        "the distinct rows of the three parts of a WHERE, united, are all distinct rows"
    }

    fn derive(&self, schema: &Schema, rng: &mut Rng) -> Test {
        united(schema, rng, |keys| Select {
            distinct: true,
            columns: vec![ResultColumn::of(keys)],
            ..Select::default()
        })
    }
}
