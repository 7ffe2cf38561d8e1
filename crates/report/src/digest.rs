//! The contents of the pages of a run, computed from its stored pairs only.
//!
//! The pairs are read once, in the order of the plan, in memory that is bounded by the code and not
//! by the number of pairs: numbers are of all pairs, details are kept for a limited number.

mod case;
mod counts;
mod gaps;
mod outline;
mod overlap;

use std::collections::BTreeMap;

use metacov_core::{Cover, Criteria, Criterion, Failure, Growth, Setup, SiteTable, Suite, Tally};
use metacov_formats::Error;
use metacov_store::{Header, MutantRun, Run, StoredPair};

pub use case::{PairDigest, PairEnd, Shape};
pub use counts::Counts;
pub use gaps::{Gap, Gaps};
pub use outline::{FileOutline, FunctionOutline, Numbers, Outline};
pub use overlap::Overlap;

pub(crate) use case::Contrast;

/// For how many pairs details are kept, and for how many more that failed or violate their
/// relation, wherever in the run they are.
const DETAILED_MAX: usize = 2000;

/// How many bytes of setups are kept.
const SETUP_BYTES_MAX: usize = 8 << 20;

/// The contents of the pages of a run.
pub struct Digest {
    /// The file as the user named it.
    pub name: String,
    /// The header of the run file.
    pub header: Header,
    /// All pairs, folded.
    pub suite: Suite,
    /// All relations together.
    pub total: Tally,
    /// The criteria that can be compared.
    pub criteria: Criteria,
    /// The growth curves.
    pub growth: Growth,
    /// The criterion of curves, overlaps and gaps: lines, if there are any.
    pub primary: Criterion,
    /// By relation, in the order of names.
    pub relations: Vec<Relation>,
    /// In how many pairs each site ran, and on which sides.
    pub counts: Counts,
    /// The pairs with details, in the order of the plan.
    pub cases: Vec<PairDigest>,
    /// The setups of those pairs, by hash.
    pub setups: BTreeMap<u64, Setup>,
    /// How often pairs failed: by relation, kind and message.
    pub reasons: BTreeMap<(String, Failure, String), u64>,
    /// What became of mutants, if pairs were run with them.
    pub mutants: Option<MutantRun>,
}

/// A relation on the pages.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// How many pairs have no difference.
    pub empty: u64,
    /// How many pairs have a difference on one side only.
    pub one_sided: u64,
    /// How many pairs violate it.
    pub violated: u64,
    mc_sites: Cover,
}

impl Digest {
    /// Computes the digest of a run.
    pub fn of(run: Run) -> Result<Self, Error> {
        let name = run.name.clone();
        let has =
            |wanted: &Criterion| run.table.sites().any(|(_, site)| site.criterion() == *wanted);
        let primary = Criterion::ALL.into_iter().find(has).unwrap_or(Criterion::Line);
        let mut mask = Cover::of(&run.table);
        for (id, site) in run.table.sites() {
            if site.criterion() == primary {
                mask.insert(id);
            }
        }
        let mut excluded = Cover::of(&run.table);
        for (id, _) in run.table.all_sites().filter(|(id, _)| run.table.is_excluded(*id)) {
            excluded.insert(id);
        }
        let names = run.relations()?;
        let quota = DETAILED_MAX.div_ceil(names.len().max(1));
        let empty = Cover::of(&run.table);
        let relation = |name| Relation { name, mc_sites: empty.clone(), ..Relation::default() };
        let mut gathering = Gathering {
            growth: Growth::default(),
            relations: names.into_iter().map(relation).collect(),
            counts: Counts::of(&run.table),
            cases: Vec::new(),
            reasons: BTreeMap::new(),
            seen: BTreeMap::new(),
            quota,
            mask,
            excluded,
        };
        let (mut setups, mutants) = (setups(&run)?, run.mutants()?);
        let (suite, header) = run.fold(|table, stored| gathering.add(table, stored))?;
        let Gathering { growth, relations, mut counts, cases, reasons, .. } = gathering;
        counts.finish();
        setups.retain(|hash, _| cases.iter().any(|case| case.setup == Some(*hash)));
        let (total, criteria) = (suite.total(), suite.criteria());
        Ok(Digest {
            name,
            header,
            suite,
            total,
            criteria,
            growth,
            primary,
            relations,
            counts,
            cases,
            setups,
            reasons,
            mutants,
        })
    }
}

/// The setups of a run, up to the limit.
fn setups(run: &Run) -> Result<BTreeMap<u64, Setup>, Error> {
    let (mut setups, mut room) = (BTreeMap::new(), SETUP_BYTES_MAX);
    for hash in run.setups()? {
        let setup = run.setup(hash)?;
        if setup.content().len() > room {
            break;
        }
        room -= setup.content().len();
        setups.insert(hash, setup);
    }
    Ok(setups)
}

/// A digest under construction.
struct Gathering {
    growth: Growth,
    relations: Vec<Relation>,
    counts: Counts,
    cases: Vec<PairDigest>,
    reasons: BTreeMap<(String, Failure, String), u64>,
    /// How many pairs there were, by relation and whether they failed or violate it.
    seen: BTreeMap<(usize, bool), usize>,
    quota: usize,
    /// All sites of the primary criterion.
    mask: Cover,
    /// Sites that do not count.
    excluded: Cover,
}

impl Gathering {
    fn add(&mut self, table: &SiteTable, stored: &StoredPair) {
        let at = self.relations.iter().position(|relation| relation.name == stored.relation);
        let Some(at) = at else { return };
        let is_violated = stored.violation().is_some();
        let seen = self.seen.entry((at, stored.outcome.is_err() || is_violated)).or_default();
        *seen += 1;
        let is_detailed = *seen <= self.quota;
        match &stored.outcome {
            Err((side, missing)) => {
                let words = missing.output_tail.lines().next().unwrap_or_default().trim();
                let words = words.chars().take(case::WORDS_MAX).collect();
                let reason = (stored.relation.clone(), missing.failure, words);
                *self.reasons.entry(reason).or_default() += 1;
                if is_detailed {
                    self.cases.push(PairDigest::failed(stored, at, *side, missing));
                }
            }
            Ok(group) => {
                self.growth.add(table, &stored.relation, group);
                let contrast = Contrast::of(group, &self.excluded);
                self.counts.add(&contrast);
                let relation = &mut self.relations[at];
                relation.add(&contrast, &self.mask);
                relation.violated += u64::from(is_violated);
                if is_detailed {
                    self.cases.push(PairDigest::measured(stored, at, &contrast, &self.mask));
                }
            }
        }
    }
}

impl Relation {
    fn add(&mut self, contrast: &Contrast, mask: &Cover) {
        self.empty += u64::from(contrast.shape() == Shape::Empty);
        self.one_sided += u64::from(contrast.shape() == Shape::OneSided);
        let mut new = contrast.a_only.clone();
        new |= &contrast.b_only;
        new &= mask;
        self.mc_sites |= &new;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use metacov_core::{Exit, Group, Missing, Reading, Verdict};

    use super::*;

    fn gathering(table: &SiteTable, quota: usize) -> Gathering {
        let relation =
            Relation { name: "swap".to_owned(), mc_sites: Cover::of(table), ..Relation::default() };
        Gathering {
            growth: Growth::default(),
            relations: vec![relation],
            counts: Counts::of(table),
            cases: Vec::new(),
            reasons: BTreeMap::new(),
            seen: BTreeMap::new(),
            quota,
            mask: Cover::of(table),
            excluded: Cover::of(table),
        }
    }

    fn pair(table: &SiteTable, name: &str) -> StoredPair {
        let sides = vec![Reading::of(table), Reading::of(table)];
        StoredPair {
            place: 0,
            relation: "swap".to_owned(),
            name: name.to_owned(),
            sides: 2,
            outcome: Ok(Group::new(sides).unwrap()),
            setup: None,
            outputs: Vec::new(),
            inputs: Vec::new(),
            verdict: None,
            judge: None,
            took: Duration::ZERO,
        }
    }

    /// The most important pairs of a long run may come last.
    #[test]
    fn details_of_late_violations_and_failures_are_kept() {
        let table = SiteTable::new();
        let mut gathering = gathering(&table, 2);
        for at in 0..100 {
            gathering.add(&table, &pair(&table, &at.to_string()));
        }
        let verdict = Some(Verdict::Violated("a returns 1, b returns 2".to_owned()));
        gathering.add(&table, &StoredPair { verdict, ..pair(&table, "violated") });
        let missing = Missing {
            failure: Failure::Crashed,
            exit: Exit::Signalled(11),
            output_tail: String::new(),
        };
        let failed = || StoredPair { outcome: Err((0, missing.clone())), ..pair(&table, "failed") };
        gathering.add(&table, &failed());
        gathering.add(&table, &failed());
        let names: Vec<&str> = gathering.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["0", "1", "violated", "failed"], "as many of each kind as the quota");
        assert_eq!((gathering.counts.pairs, gathering.relations[0].violated), (101, 1));
    }
}
