//! The fold of a suite: pair by pair, in constant memory. Submodules: what is derived from a tally.

mod growth;
mod site_state;
mod suite;
mod summary;
mod warning;

use crate::cover::bits;
use crate::{Cover, Failure, Group, Operation, Reading, SiteId, SiteTable};

pub use growth::{Curve, Growth, Point};
pub use site_state::SiteState;
pub use suite::{SharedCriteria, Suite, SuiteFold};
pub use summary::{FunctionKey, Functions, Summaries, Summary, by_file, by_function, total};
pub use warning::Warning;

/// The result of folding the pairs of a relation, or of a whole suite.
///
/// Differences are united pair by pair; the difference of unions would be another number. Folding
/// is commutative and associative ([`Tally::merge`]), so pairs can be folded in any order and in
/// parallel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    /// How many pairs were folded. A group of n sides counts as `n (n - 1) / 2` pairs.
    pub pairs: u64,
    /// How many groups were folded.
    pub groups: u64,
    /// How many groups were not folded because a side failed, by kind of failure.
    failed: [u64; Failure::ALL.len()],
    /// How many of the folded groups had a judge. Without one, sides are compared and nothing is
    /// checked.
    pub judged: u64,
    /// How many of the judged groups violate their relation.
    pub violated: u64,
    /// How many groups had no difference at all.
    pub vacuous: u64,
    /// How many groups had a side that ran less than a tenth of what another side ran.
    pub lopsided: u64,
    /// The sites that any side of any pair ran.
    pub executed: Cover,
    /// The sites that only the first side of some pair ran.
    pub a_only: Cover,
    /// The sites that only the second side of some pair ran.
    pub b_only: Cover,
    /// The sites that ran in some repetitions of an execution and not in others.
    pub flaky: Cover,
    /// The sites that some side reported to exist and another side of the same group did not.
    pub one_sided: Cover,
    /// In how many pairs the operation's result contains each site.
    counts: Vec<u32>,
}

impl Tally {
    /// Creates a tally of no pairs.
    pub fn of(table: &SiteTable) -> Self {
        Tally {
            pairs: 0,
            groups: 0,
            failed: [0; Failure::ALL.len()],
            judged: 0,
            violated: 0,
            vacuous: 0,
            lopsided: 0,
            executed: Cover::of(table),
            a_only: Cover::of(table),
            b_only: Cover::of(table),
            flaky: Cover::of(table),
            one_sided: Cover::of(table),
            counts: Vec::new(),
        }
    }

    /// Adds one group.
    ///
    /// # Panics
    /// If the operation is not [`Operation::Xor`] and there are more than two sides: only the
    /// difference is defined for them.
    pub fn add(&mut self, group: &Group<Reading>, operation: Operation) {
        let sides = group.sides();
        assert!(operation == Operation::Xor || sides.len() == 2, "{operation} takes two sides");
        assert!(
            sides.iter().all(|side| side.executed.table() == self.executed.table()),
            "covers of one tally share one site table"
        );
        self.pairs += group.pair_count();
        self.groups += 1;
        self.vacuous += u64::from(self.add_differences(sides, operation) == 0);
        self.lopsided += u64::from(is_lopsided(sides));
        for side in sides {
            self.flaky |= &side.flaky;
        }
        for side in sides[1..].iter().filter(|side| side.known != sides[0].known) {
            let mut one_sided = side.known.clone();
            one_sided ^= &sides[0].known;
            self.one_sided |= &one_sided;
        }
    }

    /// Counts a group that cannot be folded, because one of its sides has no cover.
    pub fn add_failure(&mut self, failure: Failure) {
        self.failed[failure as usize] += 1;
    }

    /// How many groups had a side that failed in this way.
    pub fn failed(&self, failure: Failure) -> u64 {
        self.failed[failure as usize]
    }

    /// How many groups there were, folded or failed.
    pub fn all_groups(&self) -> u64 {
        self.groups + self.failed.iter().sum::<u64>()
    }

    /// Whether every folded group had a judge, so that the MC sites are those that were checked.
    pub fn is_checked(&self) -> bool {
        self.groups > 0 && self.judged == self.groups
    }

    /// Folds word by word over all sides at once. Returns how many sites differ.
    fn add_differences(&mut self, sides: &[Reading], operation: Operation) -> u64 {
        let words = sides.iter().map(|side| side.executed.words()).max().unwrap_or(0);
        let bits_per_word = u64::BITS as usize;
        if self.counts.len() < words * bits_per_word {
            self.counts.resize(words * bits_per_word, 0);
        }
        let all_executed = self.executed.words_mut(words);
        let total_a = self.a_only.words_mut(words);
        let total_b = self.b_only.words_mut(words);
        let all_counts = self.counts.chunks_exact_mut(bits_per_word);
        let mut differing = 0;
        for (at, counts) in (0..words).zip(all_counts) {
            let Differences { ran, a_only, b_only } = Differences::of_word(sides, at);
            let difference = a_only | b_only;
            all_executed[at] |= ran;
            if difference != 0 {
                // Rare: most sites that run, run on all sides.
                differing += u64::from(difference.count_ones());
                total_a[at] |= a_only;
                total_b[at] |= b_only;
            }
            if let [a, b] = sides {
                if ran == 0 {
                    continue;
                }
                let selected = operation.on_words(a.executed.word(at), b.executed.word(at));
                bits(selected).for_each(|bit| counts[bit] = counts[bit].saturating_add(1));
            } else {
                for bit in bits(difference) {
                    let pairs = pairs_that_differ(sides, at, bit);
                    counts[bit] = counts[bit].saturating_add(pairs);
                }
            }
        }
        differing
    }

    /// Returns in how many pairs the operation's result contains the site.
    pub fn count_of(&self, site: SiteId) -> u32 {
        self.counts.get(site.index()).copied().unwrap_or(0)
    }

    /// The state of the site over all pairs.
    pub fn state(&self, site: SiteId) -> SiteState {
        match (self.a_only.contains(site), self.b_only.contains(site)) {
            (true, true) => SiteState::Either,
            (true, false) => SiteState::AOnly,
            (false, true) => SiteState::BOnly,
            (false, false) if self.executed.contains(site) => SiteState::Both,
            (false, false) => SiteState::NotExecuted,
        }
    }

    /// The MC sites of the suite: `MC(T)`, the union of the differences of all pairs.
    #[must_use]
    pub fn mc_sites(&self) -> Cover {
        let mut mc_sites = self.a_only.clone();
        mc_sites |= &self.b_only;
        mc_sites
    }

    /// Adds all pairs of another tally over the same table.
    pub fn merge(&mut self, other: &Tally) {
        self.pairs += other.pairs;
        self.groups += other.groups;
        for (failed, other) in self.failed.iter_mut().zip(other.failed) {
            *failed += other;
        }
        self.judged += other.judged;
        self.violated += other.violated;
        self.vacuous += other.vacuous;
        self.lopsided += other.lopsided;
        self.executed |= &other.executed;
        self.a_only |= &other.a_only;
        self.b_only |= &other.b_only;
        self.flaky |= &other.flaky;
        self.one_sided |= &other.one_sided;
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count = count.saturating_add(*other);
        }
    }
}

/// The sites of one word that any side ran, and those that only the first or only the second side of some pair
/// ran.
struct Differences {
    ran: u64,
    a_only: u64,
    b_only: u64,
}

impl Differences {
    #[inline]
    fn of_word(sides: &[Reading], at: usize) -> Self {
        if let [a, b] = sides {
            let (a, b) = (a.executed.word(at), b.executed.word(at));
            return Differences { ran: a | b, a_only: a & !b, b_only: b & !a };
        }
        // For the pairs (i, j) that end in side j: the sites that earlier sides ran and did not run.
        let (mut ran, mut missed, mut a_only, mut b_only) = (0, 0, 0, 0);
        for side in sides {
            let word = side.executed.word(at);
            a_only |= ran & !word;
            b_only |= missed & word;
            ran |= word;
            missed |= !word;
        }
        Differences { ran, a_only, b_only }
    }
}

/// Of n sides of which h ran the site, `h (n - h)` pairs differ in it.
fn pairs_that_differ(sides: &[Reading], word: usize, bit: usize) -> u32 {
    let ran = sides.iter().filter(|side| side.executed.word(word) >> bit & 1 == 1).count();
    u32::try_from(ran * (sides.len() - ran)).unwrap_or(u32::MAX)
}

fn is_lopsided(sides: &[Reading]) -> bool {
    let lengths = sides.iter().map(|side| side.executed.len());
    let (least, most) =
        lengths.fold((u64::MAX, 0), |(least, most), length| (least.min(length), most.max(length)));
    least * 10 < most
}
