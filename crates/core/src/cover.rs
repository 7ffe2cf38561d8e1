//! A set of sites, one bit each. Submodules: pairs and groups of sets, and their encoding.

pub mod codec;
mod group;
mod operation;
mod pair;
mod reading;

use std::fmt;
use std::ops::Range;
use std::ops::{BitAndAssign, BitOrAssign, BitXorAssign, SubAssign};

use multiversion::multiversion;

use crate::{SiteId, SiteTable, TableId};

pub use group::Group;
pub use operation::Operation;
pub use pair::Pair;
pub use reading::Reading;

pub(crate) const BITS: usize = u64::BITS as usize;

/// A set of sites of one table: those that an execution ran, those in which two executions differ,
/// the MC sites of a suite.
///
/// Bits beyond the last word are zero, so covers taken while a table was smaller stay valid as it
/// grows. Mixing covers of different tables is a defect of the program, not of its input, and
/// panics.
#[derive(Clone, Default)]
pub struct Cover {
    table: TableId,
    words: Vec<u64>,
}

impl Cover {
    /// The empty set over the sites of `table`.
    pub fn of(table: &SiteTable) -> Self {
        Cover { table: table.id(), words: Vec::new() }
    }

    /// Adds a site; returns whether it is new.
    pub fn insert(&mut self, site: SiteId) -> bool {
        let (word, bit) = (site.index() / BITS, 1u64 << (site.index() % BITS));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Replaces the sites of one word (see [`SiteId::place`]) that are in `mask` by `bits`, a
    /// subset of `mask`. Faster than [`Cover::insert`] if many sites of a word are known at once.
    #[inline]
    pub fn replace(&mut self, word: usize, mask: u64, bits: u64) {
        debug_assert_eq!(bits & !mask, 0, "bits are within the mask");
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] = self.words[word] & !mask | bits;
    }

    /// Adds words after the last one (see [`SiteId::place`]).
    #[inline]
    pub fn append(&mut self, words: impl Iterator<Item = u64>) {
        self.words.extend(words);
    }

    /// Whether the site is in the set.
    pub fn contains(&self, site: SiteId) -> bool {
        self.word(site.index() / BITS) & (1 << (site.index() % BITS)) != 0
    }

    /// How many sites are in the set.
    pub fn len(&self) -> u64 {
        count(&self.words)
    }

    /// Whether no site is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Whether every site of this set is in `other`.
    pub fn is_subset(&self, other: &Cover) -> bool {
        self.assert_same_table(other);
        self.words.iter().enumerate().all(|(at, word)| word & !other.word(at) == 0)
    }

    /// The sites, ascending.
    pub fn iter(&self) -> impl Iterator<Item = SiteId> {
        self.words
            .iter()
            .enumerate()
            .flat_map(|(at, word)| bits(*word).map(move |bit| SiteId::new(at * BITS + bit)))
    }

    /// Removes all sites and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The maximal ranges of consecutive numbers, ascending. They are how a cover is stored.
    ///
    /// ```
    /// # use metacov_core::Cover;
    /// let runs: Vec<_> = Cover::from([2, 3, 4, 7]).runs().collect();
    /// assert_eq!(runs, [2..5, 7..8]);
    /// ```
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> {
        let mut edges = self.edges();
        let last = self.words.len() * BITS;
        std::iter::from_fn(move || edges.next().map(|start| start..edges.next().unwrap_or(last)))
    }

    /// The numbers of the bits that differ from the one before: the starts and ends of runs.
    fn edges(&self) -> impl Iterator<Item = usize> {
        let mut before = 0;
        self.words.iter().enumerate().flat_map(move |(at, word)| {
            let edges = word ^ (word << 1 | before);
            before = word >> (BITS - 1);
            bits(edges).map(move |bit| at * BITS + bit)
        })
    }

    /// Removes the sites with these numbers that are in the set, and adds those that are not.
    pub fn flip(&mut self, run: Range<usize>) {
        if run.is_empty() {
            return;
        }
        let words = run.start / BITS..=(run.end - 1) / BITS;
        for (at, word) in
            self.words_mut(words.end() + 1).iter_mut().enumerate().skip(*words.start())
        {
            let from = run.start.saturating_sub(at * BITS);
            let to = (run.end - at * BITS).min(BITS);
            *word ^= (u64::MAX << from) & (u64::MAX >> (BITS - to));
        }
    }

    /// The empty set over the sites of the table with this id.
    pub(crate) fn over(table: TableId) -> Self {
        Cover { table, words: Vec::new() }
    }

    /// The same numbers, of another table.
    pub(crate) fn retagged(self, table: TableId) -> Self {
        Cover { table, ..self }
    }

    pub(crate) fn table(&self) -> TableId {
        self.table
    }

    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    /// The `at`-th word; zero beyond the end.
    pub(crate) fn word(&self, at: usize) -> u64 {
        self.words.get(at).copied().unwrap_or(0)
    }

    /// The first `count` words; missing ones are added as zero.
    pub(crate) fn words_mut(&mut self, count: usize) -> &mut [u64] {
        if self.words.len() < count {
            self.words.resize(count, 0);
        }
        &mut self.words[..count]
    }

    fn assert_same_table(&self, other: &Cover) {
        assert_eq!(self.table, other.table, "covers of one operation share one site table");
    }
}

/// How many bits are set. Not all processors that this is compiled for have an instruction for it.
#[multiversion(targets("x86_64+popcnt"))]
fn count(words: &[u64]) -> u64 {
    words.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The numbers of the bits that are set in `word`, ascending.
pub(crate) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (word != 0).then(|| {
            let bit = word.trailing_zeros() as usize;
            word &= word - 1;
            bit
        })
    })
}

impl BitOrAssign<&Cover> for Cover {
    fn bitor_assign(&mut self, other: &Cover) {
        self.assert_same_table(other);
        if self.words.is_empty() {
            self.words.extend_from_slice(&other.words);
            return;
        }
        let words = self.words_mut(other.words.len());
        words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }
}

impl BitXorAssign<&Cover> for Cover {
    fn bitxor_assign(&mut self, other: &Cover) {
        self.assert_same_table(other);
        let words = self.words_mut(other.words.len());
        words.iter_mut().zip(&other.words).for_each(|(word, other)| *word ^= other);
    }
}

impl BitAndAssign<&Cover> for Cover {
    fn bitand_assign(&mut self, other: &Cover) {
        self.assert_same_table(other);
        self.words.truncate(other.words.len());
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }
}

impl SubAssign<&Cover> for Cover {
    fn sub_assign(&mut self, other: &Cover) {
        self.assert_same_table(other);
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }
}

impl PartialEq for Cover {
    fn eq(&self, other: &Cover) -> bool {
        let (left, right) = (&self.words, &other.words);
        let both = left.len().min(right.len());
        self.table == other.table
            && left[..both] == right[..both]
            && left[both..].iter().chain(&right[both..]).all(|word| *word == 0)
    }
}

impl Eq for Cover {}

impl fmt::Debug for Cover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(SiteId::index)).finish()
    }
}

/// A cover of no table in particular, for examples and tests: the sites are the numbers given.
impl<const N: usize> From<[usize; N]> for Cover {
    fn from(sites: [usize; N]) -> Self {
        sites.into_iter().map(SiteId::new).collect()
    }
}

impl FromIterator<SiteId> for Cover {
    fn from_iter<I: IntoIterator<Item = SiteId>>(sites: I) -> Self {
        let mut cover = Cover::default();
        sites.into_iter().for_each(|site| {
            cover.insert(site);
        });
        cover
    }
}
