//! Signs that a number may be misleading.

use std::fmt;

use crate::{Criteria, Criterion, Suite, counted};

/// A sign that a number may be misleading. Shown with the numbers, never silently corrected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// In every pair one side ran all that the other ran, and more: typical of counters that were
    /// not reset between the two runs.
    Residue {
        /// Whether the first side is a subset of the second; else the second is one of the first.
        a_within_b: bool,
        /// How many pairs.
        pairs: u64,
    },
    /// Some groups have a side that ran less than a tenth of what another side ran: typical of a
    /// run that crashed early, or never reached the code.
    Lopsided {
        /// How many groups.
        groups: u64,
    },
    /// Some sites are reported to exist by one side of a group and not by another.
    OneSided {
        /// Which criterion.
        criterion: Criterion,
        /// How many sites.
        sites: u64,
    },
    /// Some sides report criteria that others do not.
    NotReportedByAll(Criteria),
    /// No side reports these criteria, which most producers do report.
    ReportedByNone(Criteria),
    /// Some sides name their branches in another way than others.
    BranchNaming,
    /// Files list only what ran, so no percentage of all code is known.
    Partial(Criteria),
}

impl Suite {
    /// All signs that the numbers of the suite may be misleading.
    pub fn warnings(&self) -> Vec<Warning> {
        let total = self.total();
        let criteria = self.criteria();
        let mut warnings = Vec::new();
        let counts = |site| {
            criteria.contains(self.table.get(site).criterion()) && !self.table.is_excluded(site)
        };
        let a_within_b = !total.a_only.iter().any(counts);
        let b_within_a = !total.b_only.iter().any(counts);
        if a_within_b != b_within_a {
            warnings.push(Warning::Residue { a_within_b, pairs: total.pairs });
        }
        if total.lopsided > 0 {
            warnings.push(Warning::Lopsided { groups: total.lopsided });
        }
        for criterion in criteria.iter() {
            let of_criterion = |site| {
                self.table.get(site).criterion() == criterion && !self.table.is_excluded(site)
            };
            let sites = total.one_sided.iter().filter(|site| of_criterion(*site)).count() as u64;
            if sites > 0 && !self.table.partial().contains(criterion) {
                warnings.push(Warning::OneSided { criterion, sites });
            }
        }
        if !self.agreement.reported_by_some().is_empty() {
            warnings.push(Warning::NotReportedByAll(self.agreement.reported_by_some()));
        }
        if !self.agreement.reported_by_none().is_empty() {
            warnings.push(Warning::ReportedByNone(self.agreement.reported_by_none()));
        }
        if self.agreement.names_branches_in_different_ways() {
            warnings.push(Warning::BranchNaming);
        }
        let partial = self.table.partial().intersection(criteria);
        if !partial.is_empty() {
            warnings.push(Warning::Partial(partial));
        }
        warnings
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Residue { a_within_b, pairs } => {
                let (inner, outer) = if *a_within_b { ("a", "b") } else { ("b", "a") };
                match pairs {
                    1 => write!(f, "{outer} runs all that {inner} runs, and more")?,
                    _ => write!(f, "in all {pairs} pairs {outer} runs all that {inner} runs")?,
                }
                write!(f, "; were the counters reset between the runs?")
            }
            Warning::Lopsided { groups } => write!(
                f,
                "in {} one side runs less than a tenth of what the other runs; did it end early?",
                counted(*groups, "pair", "pairs"),
            ),
            Warning::OneSided { criterion, sites } => write!(
                f,
                "{} known to one side only; the other side counts as not having run {}",
                counted(*sites, &format!("{criterion} site is"), &format!("{criterion} sites are")),
                if *sites == 1 { "it" } else { "them" },
            ),
            Warning::NotReportedByAll(criteria) => {
                write!(f, "left out: {criteria} (some of the files do not have it)")
            }
            Warning::ReportedByNone(criteria) => {
                write!(f, "left out: {criteria} (the files do not say which of them ran)")
            }
            Warning::BranchNaming => write!(
                f,
                "left out: branch (the files name branches in different ways; make all of them with one tool)"
            ),
            Warning::Partial(criteria) => write!(
                f,
                "the files list only what ran ({criteria}), so no percentage of all code can be given; \
                 name a file that lists all code with --universe"
            ),
        }
    }
}
