//! A pair on the pages.

use std::time::Duration;

use metacov_core::{
    Cover, Failure, Group, Missing, Reading, SideOutput, SiteTable, StoredInput, Verdict, codec,
};
use metacov_store::StoredPair;

/// How much of the last output of a side is shown.
pub(crate) const WORDS_MAX: usize = 200;

/// A pair on the pages.
pub struct PairDigest {
    /// The index of its relation.
    pub relation: usize,
    /// The name of the pair, unique within its relation.
    pub name: String,
    /// How it ended.
    pub ended: PairEnd,
    /// How long it took.
    pub took: Duration,
    /// The hash of the setup that its sides share, if there is one.
    pub setup: Option<u64>,
    /// The inputs of each side.
    pub inputs: Vec<Vec<StoredInput>>,
    /// The outputs of each side, if they are stored.
    pub outputs: Vec<SideOutput>,
    /// How many sites of the primary criterion an earlier side ran and a later one did not.
    pub a_only: u64,
    /// How many a later side ran and an earlier one did not.
    pub b_only: u64,
    /// Which sides ran sites that others did not.
    pub shape: Shape,
    /// The sites that any side ran, and that only one side ran, encoded as ranges.
    packed: [Vec<u8>; 3],
}

/// Which sides of a pair ran sites that others did not, for any criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// None, or it is not known.
    Empty,
    /// All differing sites ran on one side.
    OneSided,
    /// Each side ran sites that the other did not.
    TwoSided,
}

/// How a pair ended.
pub enum PairEnd {
    /// Measured, with the verdict if it was judged.
    Measured(Option<Verdict>),
    /// Not measured: the side, how it failed, and its last output.
    Failed(usize, Failure, String),
}

/// The comparison of the sides of a pair.
pub(crate) struct Contrast {
    /// The sites that any side ran.
    pub(crate) any: Cover,
    /// The sites that an earlier side ran and a later one did not.
    pub(crate) a_only: Cover,
    /// The sites that a later side ran and an earlier one did not.
    pub(crate) b_only: Cover,
}

impl Contrast {
    pub(crate) fn shape(&self) -> Shape {
        match (self.a_only.is_empty(), self.b_only.is_empty()) {
            (true, true) => Shape::Empty,
            (false, false) => Shape::TwoSided,
            _ => Shape::OneSided,
        }
    }

    /// Compares the sides of a group, without excluded sites.
    pub(crate) fn of(group: &Group<Reading>, excluded: &Cover) -> Self {
        let [first, others @ ..] = group.sides() else { unreachable!("a group has sides") };
        let (mut any, mut all) = (first.executed.clone(), first.executed.clone());
        let (mut a_only, mut b_only) = (any.clone(), any.clone());
        a_only.clear();
        b_only.clear();
        for side in others {
            let (mut missed, mut added) = (any.clone(), side.executed.clone());
            missed -= &side.executed;
            added -= &all;
            a_only |= &missed;
            b_only |= &added;
            any |= &side.executed;
            all &= &side.executed;
        }
        for cover in [&mut any, &mut a_only, &mut b_only] {
            *cover -= excluded;
        }
        Contrast { any, a_only, b_only }
    }
}

impl PairDigest {
    pub(crate) fn failed(
        stored: &StoredPair,
        relation: usize,
        side: usize,
        missing: &Missing,
    ) -> Self {
        let words = missing.output_tail.chars().take(WORDS_MAX).collect();
        let ended = PairEnd::Failed(side, missing.failure, words);
        PairDigest::new(stored, relation, ended)
    }

    pub(crate) fn measured(
        stored: &StoredPair,
        relation: usize,
        contrast: &Contrast,
        mask: &Cover,
    ) -> Self {
        let count = |cover: &Cover| {
            let mut cover = cover.clone();
            cover &= mask;
            cover.len()
        };
        let Contrast { any, a_only, b_only } = contrast;
        let packed = [any, a_only, b_only].map(codec::encode);
        PairDigest {
            shape: contrast.shape(),
            a_only: count(&contrast.a_only),
            b_only: count(&contrast.b_only),
            packed,
            ..PairDigest::new(stored, relation, PairEnd::Measured(stored.verdict.clone()))
        }
    }

    /// Returns the comparison of its sides.
    pub(crate) fn contrast(&self, table: &SiteTable) -> Contrast {
        let [any, a_only, b_only] = self.packed.each_ref().map(|bytes| {
            let mut cover = Cover::of(table);
            // It was encoded from covers of this table.
            let _ = codec::flip(bytes, table.len(), &mut cover);
            cover
        });
        Contrast { any, a_only, b_only }
    }

    fn new(stored: &StoredPair, relation: usize, ended: PairEnd) -> Self {
        PairDigest {
            relation,
            name: stored.name.clone(),
            ended,
            took: stored.took,
            setup: stored.setup,
            inputs: stored.inputs.clone(),
            outputs: stored.outputs.clone(),
            a_only: 0,
            b_only: 0,
            shape: Shape::Empty,
            packed: [Vec::new(), Vec::new(), Vec::new()],
        }
    }
}
