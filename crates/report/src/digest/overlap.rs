//! The MC sites that relations share, and those that only one has.

use metacov_core::Cover;

use super::Digest;

/// The MC sites that relations share, in sites of the primary criterion.
pub struct Overlap {
    /// By relation: its MC sites.
    pub mc_sites: Vec<u64>,
    /// By relation: its MC sites that no other has.
    pub unique: Vec<u64>,
    /// By two relations: the MC sites of both.
    pub shared: Vec<Vec<u64>>,
}

impl Overlap {
    /// Works it out.
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
