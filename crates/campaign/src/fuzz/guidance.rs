//! What a campaign regards as new, and so what guides it.

use super::traces::Novelty;

/// What is observed of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probes {
    /// Which counters of its sides are not zero.
    pub traces: bool,
    /// The plan of its query.
    pub plans: bool,
}

/// Decides what a campaign regards as new.
///
/// The loop is the same for all guidances: as long as pairs bring something new, more pairs are
/// tested on the same database; after a number of pairs without anything new, the database is
/// changed.
pub trait Guidance: Sync {
    /// Its name on command lines and in results.
    fn name(&self) -> &'static str;

    /// What it does, in a sentence.
    fn about(&self) -> &'static str;

    /// What it needs to observe.
    fn looks(&self) -> Probes;

    /// Whether a pair brings something new, a reason to keep the database.
    fn is_novel(&self, seen: &Novelty) -> bool;

    /// The reward of a pair for the last change of its database.
    fn reward(&self, seen: &Novelty) -> u64 {
        u64::from(self.is_novel(seen))
    }

    /// What it observes of a pair, `stale` pairs after the last one that brought something new. An
    /// observation takes time, and pays less the longer nothing was new; a pair that is not
    /// observed is still judged.
    fn probes_after(&self, _stale: u64) -> Probes {
        self.looks()
    }

    /// Whether tests that brought something rare are kept and varied.
    fn varies(&self) -> bool {
        false
    }
}

/// All guidances.
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

/// Metamorphic coverage first, query plans where that is exhausted, and variants of productive
/// tests.
///
/// Metamorphic coverage says which code can be checked at all, so it decides how long to keep a
/// database. It is exhausted sooner or later; query plans still show then which changes of a
/// database are productive, so they contribute to the rewards of mutators. Tests that brought rare
/// code are varied, where rare code is in the differences of few databases: it still occurs long
/// after nothing is new, and variants of such a test reach it in other ways, also on later
/// databases. Tests that violate their relation are not varied: their variants most likely show the
/// same bug again. Where little is new, fewer pairs are observed, so that more are tested in the
/// same time.
struct Mix;

/// After this many pairs without anything new, only one pair in `LOOK_EVERY` is observed, and its
/// query plan too.
const WATCHED_PAIRS: u64 = 16;
const LOOK_EVERY: u64 = 16;

/// A pair with rare code is worth as much as this many pairs with new plans.
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
