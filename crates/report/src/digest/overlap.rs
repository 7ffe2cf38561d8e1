//! The MC sites that relations share, and those that only one has.

use metacov_core::Cover;

use super::Digest;

/// The MC sites that relations share, in sites of the primary criterion.
pub struct Overlap {
    /// The number of MC sites of each relation.
    pub mc_sites: Vec<u64>,
    /// The number of MC sites of each relation that no other relation has.
    pub unique: Vec<u64>,
    /// The number of MC sites that two relations share.
    pub shared: Vec<Vec<u64>>,
}

impl Overlap {
    /// Computes the overlaps.
    pub fn of(digest: &Digest) -> Self {
        let covers: Vec<&Cover> =
            digest.relations.iter().map(|relation| &relation.mc_sites).collect();
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
            mc_sites: covers.iter().map(|cover| cover.len()).collect(),
            unique: covers.iter().map(|cover| common(cover, &once)).collect(),
            shared: covers
                .iter()
                .map(|left| covers.iter().map(|right| common(left, right)).collect())
                .collect(),
        }
    }
}
