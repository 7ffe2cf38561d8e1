//! What pages tell of a run, worked out from its stored pairs and from nothing else.
//!
//! The pairs are gone through once, in the order of the plan, in memory that is bounded by the code
//! and not by the number of pairs: numbers are of all pairs, details are kept of a limited number.

mod case;
mod counts;
mod gaps;
mod outline;
mod overlap;

use std::collections::BTreeMap;

use metacov_core::{Cover, Criteria, Criterion, Failure, Growth, Setup, SiteTable, Suite, Tally};
use metacov_formats::Error;
use metacov_store::{Header, Run, StoredPair};

pub use case::{Case, Ended, Shape};
pub use counts::Counts;
pub use gaps::{Gap, Gaps};
pub use outline::{FileOutline, FunctionOutline, Numbers, Outline};
pub use overlap::Overlap;

use case::Contrast;

/// Of how many pairs details are kept, besides those that have failed or violate their relation.
const DETAILED_MAX: usize = 2000;

/// How many bytes of setups are kept.
const SETUP_BYTES_MAX: usize = 8 << 20;

/// What pages tell of a run.
pub struct Digest {
    /// The file as the user named it.
    pub name: String,
    /// What it says of the run as a whole.
    pub header: Header,
    /// All pairs, folded.
    pub suite: Suite,
    /// All relations together.
    pub total: Tally,
    /// The criteria that can be compared.
    pub criteria: Criteria,
    /// How it grew, pair by pair.
    pub growth: Growth,
    /// The criterion that curves, overlaps and gaps are counted in: lines, where there are any.
    pub primary: Criterion,
    /// By relation, in the order of names.
    pub relations: Vec<Relation>,
    /// By site: in how many pairs it ran, and how.
    pub counts: Counts,
    /// The pairs of which details are kept, in the order of the plan.
    pub cases: Vec<Case>,
    /// By hash: what those pairs start from.
    pub setups: BTreeMap<u64, Setup>,
    /// How often pairs have failed: by relation, by how, and in which words.
    pub reasons: BTreeMap<(String, Failure, String), u64>,
}

/// What pages tell of a relation.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// How many pairs have no difference.
    pub empty: u64,
    /// How many pairs have a difference that is all on one side.
    pub one_sided: u64,
    /// How many pairs violate it.
    pub violated: u64,
    validated: Cover,
}

impl Digest {
    /// Works it out.
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
        let names = run.relations()?;
        let quota = DETAILED_MAX.div_ceil(names.len().max(1));
        let empty = Cover::of(&run.table);
        let relation = |name| Relation { name, validated: empty.clone(), ..Relation::default() };
        let mut gathering = Gathering {
            growth: Growth::default(),
            relations: names.into_iter().map(relation).collect(),
            counts: Counts::of(&run.table),
            cases: Vec::new(),
            reasons: BTreeMap::new(),
            kept: BTreeMap::new(),
            quota,
            mask,
        };
        let mut setups = setups(&run)?;
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
        })
    }
}

/// The setups of a run, as many as there is room for.
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

/// A digest in the making.
struct Gathering {
    growth: Growth,
    relations: Vec<Relation>,
    counts: Counts,
    cases: Vec<Case>,
    reasons: BTreeMap<(String, Failure, String), u64>,
    /// By relation: of how many pairs details are kept.
    kept: BTreeMap<usize, usize>,
    quota: usize,
    /// All sites of the primary criterion.
    mask: Cover,
}

impl Gathering {
    fn add(&mut self, table: &SiteTable, stored: &StoredPair) {
        let at = self.relations.iter().position(|relation| relation.name == stored.relation);
        let Some(at) = at else { return };
        let kept = self.kept.entry(at).or_default();
        let is_plain = *kept < self.quota;
        *kept += 1;
        match &stored.outcome {
            Err((side, missing)) => {
                let words = missing.output_tail.lines().next().unwrap_or_default().trim();
                let words = words.chars().take(case::WORDS_MAX).collect();
                let reason = (stored.relation.clone(), missing.failure, words);
                *self.reasons.entry(reason).or_default() += 1;
                if *kept <= 2 * self.quota {
                    self.cases.push(Case::failed(stored, at, *side, missing));
                }
            }
            Ok(group) => {
                self.growth.add(table, &stored.relation, group);
                let contrast = Contrast::of(group);
                self.counts.add(&contrast);
                let relation = &mut self.relations[at];
                relation.add(&contrast, &self.mask);
                let is_violated = stored.violation().is_some();
                relation.violated += u64::from(is_violated);
                if is_plain || is_violated && *kept <= 2 * self.quota {
                    self.cases.push(Case::measured(stored, at, &contrast, &self.mask));
                }
            }
        }
    }
}

impl Relation {
    fn add(&mut self, contrast: &Contrast, mask: &Cover) {
        self.empty += u64::from(contrast.shape() == Shape::Empty);
        self.one_sided += u64::from(contrast.shape() == Shape::OneSided);
        let mut new = contrast.only_a.clone();
        new |= &contrast.only_b;
        new &= mask;
        self.validated |= &new;
    }
}
