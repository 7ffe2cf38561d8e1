//! What relations validate that others do not.

use metacov_core::Cover;

use super::Digest;

/// How much of what relations validate is the same, in sites of the primary criterion.
pub struct Overlap {
    /// By relation: what it validates.
    pub validated: Vec<u64>,
    /// By relation: what it validates and no other does.
    pub unique: Vec<u64>,
    /// By two relations: what both validate.
    pub shared: Vec<Vec<u64>>,
}

impl Overlap {
    /// Works it out.
    pub fn of(digest: &Digest) -> Self {
        let covers: Vec<&Cover> =
            digest.relations.iter().map(|relation| &relation.validated).collect();
        let mut once = Cover::of(&digest.suite.table);
        let mut again = once.clone();
        for cover in &covers {
            let mut both = once.clone();
            both &= cover;
            again |= &both;
            once |= cover;
        }
        once -= &again;
        let common = |left: &Cover, right: &Cover| {
            let mut both = left.clone();
            both &= right;
            both.len()
        };
        Overlap {
            validated: covers.iter().map(|cover| cover.len()).collect(),
            unique: covers.iter().map(|cover| common(cover, &once)).collect(),
            shared: covers
                .iter()
                .map(|left| covers.iter().map(|right| common(left, right)).collect())
                .collect(),
        }
    }
}
