//! What a campaign takes for news, and so where it goes.

use super::known::Seen;

/// What is looked at of each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looks {
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
    fn looks(&self) -> Looks;

    /// How much of what was seen is news.
    fn news(&self, seen: &Seen) -> u64;

    /// Whether tests that brought news are kept in mind and varied.
    fn varies(&self) -> bool {
        false
    }
}

/// All of them.
pub const GUIDANCES: &[&dyn Guidance] =
    &[&Nothing, &QueryPlans, &CodeCoverage, &MetamorphicCoverage, &Mix];

const BLIND: Looks = Looks { traces: false, plans: false };

struct Nothing;

impl Guidance for Nothing {
    fn name(&self) -> &'static str {
        "none"
    }

    fn about(&self) -> &'static str {
        "nothing is news: the database is changed again and again"
    }

    fn looks(&self) -> Looks {
        BLIND
    }

    fn news(&self, _: &Seen) -> u64 {
        0
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

    fn looks(&self) -> Looks {
        Looks { plans: true, ..BLIND }
    }

    fn news(&self, seen: &Seen) -> u64 {
        u64::from(seen.is_new_plan)
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

    fn looks(&self) -> Looks {
        Looks { traces: true, ..BLIND }
    }

    fn news(&self, seen: &Seen) -> u64 {
        u64::from(seen.executed > 0)
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

    fn looks(&self) -> Looks {
        Looks { traces: true, ..BLIND }
    }

    fn news(&self, seen: &Seen) -> u64 {
        u64::from(seen.differing > 0)
    }
}

/// Metamorphic coverage and query plans together.
///
/// Metamorphic coverage says what could be noticed, and is exhausted soon on one engine; plans tell states apart that
/// run the same code, and there are always more of them. So either is news, code counts more, and tests that brought
/// it are varied: what is near to them is more likely to bring more than what is made anew.
struct Mix;

/// A pair with new code is worth as much as so many pairs with new plans.
const CODE_WORTH: u64 = 4;

impl Guidance for Mix {
    fn name(&self) -> &'static str {
        "mix"
    }

    fn about(&self) -> &'static str {
        "new metamorphic coverage, or a new query plan; tests that brought either are varied"
    }

    fn looks(&self) -> Looks {
        Looks { traces: true, plans: true }
    }

    fn news(&self, seen: &Seen) -> u64 {
        CODE_WORTH * u64::from(seen.differing > 0) + u64::from(seen.is_new_plan)
    }

    fn varies(&self) -> bool {
        true
    }
}
