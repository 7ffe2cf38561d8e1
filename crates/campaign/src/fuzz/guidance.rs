//! What a campaign takes for news, and so where it goes.

use super::traces::Novelty;

/// What is looked at of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probes {
    /// Which counters its sides count.
    pub traces: bool,
    /// The plan of its query.
    pub plans: bool,
}

/// What a campaign takes for news.
///
/// The loop is the same for all: as long as there is news, pairs are tested on the same database; without news for a
/// while, the database is changed.
pub trait Guidance: Sync {
    /// Its name on command lines and in results.
    fn name(&self) -> &'static str;

    /// What it does, in a sentence.
    fn about(&self) -> &'static str;

    /// What it needs to see.
    fn looks(&self) -> Probes;

    /// Whether what was seen is news: a reason to stay with the database.
    fn is_novel(&self, seen: &Novelty) -> bool;

    /// What a pair is worth to the change of the database that it was tested behind.
    fn reward(&self, seen: &Novelty) -> u64 {
        u64::from(self.is_novel(seen))
    }

    /// What it looks at in a pair, so many pairs behind the last news. A look takes time, and is worth less the longer
    /// there was nothing to see; a pair that nobody looks at is judged all the same.
    fn probes_after(&self, _stale: u64) -> Probes {
        self.looks()
    }

    /// Whether tests that brought something rare are kept in mind and varied.
    fn varies(&self) -> bool {
        false
    }
}

/// All of them.
pub const GUIDANCES: &[&dyn Guidance] =
    &[&Nothing, &QueryPlans, &CodeCoverage, &MetamorphicCoverage, &Mix];

const BLIND: Probes = Probes { traces: false, plans: false };

struct Nothing;

impl Guidance for Nothing {
    fn name(&self) -> &'static str {
        "none"
    }

    fn about(&self) -> &'static str {
        "nothing is news: the database is changed again and again"
    }

    fn looks(&self) -> Probes {
        BLIND
    }

    fn is_novel(&self, _: &Novelty) -> bool {
        false
    }
}

struct QueryPlans;

impl Guidance for QueryPlans {
    fn name(&self) -> &'static str {
        "qpg"
    }

    fn about(&self) -> &'static str {
        "a query plan that was not there before"
    }

    fn looks(&self) -> Probes {
        Probes { plans: true, ..BLIND }
    }

    fn is_novel(&self, seen: &Novelty) -> bool {
        seen.is_new_plan
    }
}

struct CodeCoverage;

impl Guidance for CodeCoverage {
    fn name(&self) -> &'static str {
        "ccg"
    }

    fn about(&self) -> &'static str {
        "code that no pair has run before"
    }

    fn looks(&self) -> Probes {
        Probes { traces: true, ..BLIND }
    }

    fn is_novel(&self, seen: &Novelty) -> bool {
        seen.executed > 0
    }
}

struct MetamorphicCoverage;

impl Guidance for MetamorphicCoverage {
    fn name(&self) -> &'static str {
        "mcg"
    }

    fn about(&self) -> &'static str {
        "code in the difference of a pair that was in none before"
    }

    fn looks(&self) -> Probes {
        Probes { traces: true, ..BLIND }
    }

    fn is_novel(&self, seen: &Novelty) -> bool {
        seen.differing > 0
    }
}

/// Metamorphic coverage first, query plans where that says nothing, and variants of what has paid.
///
/// Metamorphic coverage says what could be noticed at all, so it decides how long a database is worth staying with. It
/// is exhausted sooner or later; then query plans still tell which changes of a database lead somewhere, so they have a
/// say in the rewards of mutators. Tests that brought rare code are varied, where rare is what few databases have had in
/// their differences: that is there to be seen long behind the last news, and what is near to such a test reaches it in
/// other ways, also on databases that come later. Those that violate their relation are not varied: what is near to
/// them is most likely the same bug again. And it looks less often where there is little to see, so that more pairs are
/// tested in the same time.
struct Mix;

/// Without news for so many pairs, plans are looked at too, and only one pair in so many is looked at.
const WATCHED_PAIRS: u64 = 16;
const LOOK_EVERY: u64 = 16;

/// A pair with rare code is worth as much as so many pairs with new plans.
const CODE_WORTH: u64 = 16;

impl Guidance for Mix {
    fn name(&self) -> &'static str {
        "mix"
    }

    fn about(&self) -> &'static str {
        "new metamorphic coverage; query plans reward changes, and tests that brought rare code are varied"
    }

    fn looks(&self) -> Probes {
        Probes { traces: true, plans: true }
    }

    fn is_novel(&self, seen: &Novelty) -> bool {
        seen.differing > 0
    }

    fn reward(&self, seen: &Novelty) -> u64 {
        CODE_WORTH * u64::from(seen.rare > 0) + u64::from(seen.is_new_plan)
    }

    fn probes_after(&self, stale: u64) -> Probes {
        let is_quiet = stale >= WATCHED_PAIRS;
        let is_look = stale.is_multiple_of(LOOK_EVERY);
        Probes { traces: !is_quiet || is_look, plans: is_quiet && is_look }
    }

    fn varies(&self) -> bool {
        true
    }
}
