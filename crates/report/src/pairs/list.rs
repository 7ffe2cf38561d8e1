//! The pairs of a run, as a list.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use metacov_core::{Criterion, counted, thousands};
use metacov_formats::Error;
use metacov_store::{Run, StoredPair};
use regex::bytes::Regex;
use serde::Serialize;

use super::{excluded, mc_sites, primary};
use crate::{Column, Table};

/// How pairs end, what needs attention first: as they are called on command lines, and in tables.
pub const VERDICTS: [(&str, &str); 8] = [
    ("violated", "violated"),
    ("crashed", "crashed"),
    ("timed-out", "timed out"),
    ("invalid", "invalid"),
    ("no-counters", "no counters"),
    ("not-run", "did not run"),
    ("not-checked", "not checked"),
    ("holds", "holds"),
];

/// The position of a pair's verdict among all.
pub(super) fn verdict(stored: &StoredPair) -> usize {
    let name = match stored.verdict_name() {
        "measured" => "not checked",
        name => name,
    };
    VERDICTS.iter().position(|(_, known)| *known == name).unwrap_or(VERDICTS.len() - 1)
}

/// Which pairs are listed. What is empty does not matter.
#[derive(Clone, Debug, Default)]
pub struct PairFilter {
    /// Names of relations.
    pub relations: Vec<String>,
    /// Names of verdicts, as on command lines.
    pub verdicts: Vec<String>,
    /// What an input of the pair must contain.
    pub text: Option<Regex>,
}

impl PairFilter {
    fn accepts(&self, stored: &StoredPair) -> bool {
        let accepts = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|known| known == name)
        };
        let has_text = |text: &Regex| {
            stored.inputs.iter().flatten().any(|input| text.is_match(&input.content))
        };
        accepts(&self.relations, &stored.relation)
            && accepts(&self.verdicts, VERDICTS[verdict(stored)].0)
            && self.text.as_ref().is_none_or(has_text)
    }
}

/// Pairs of a run: violated and failed ones first, and then those that differ most.
pub struct PairIndex {
    run: String,
    /// How many pairs the run has.
    all: u64,
    criterion: Criterion,
    pairs: Vec<PairSummary>,
}

/// A pair, in a line.
#[derive(Serialize)]
struct PairSummary {
    relation: String,
    name: String,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mc_sites: Option<BTreeMap<&'static str, u64>>,
}

/// The JSON format of the list.
#[derive(Serialize)]
struct IndexJson<'p> {
    format: &'static str,
    version: u32,
    run: &'p str,
    all_pairs: u64,
    matching_pairs: usize,
    pairs: &'p [PairSummary],
}

impl PairIndex {
    /// The pairs of a run that a filter accepts.
    pub fn of(run: &Run, filter: &PairFilter) -> Result<Self, Error> {
        let (criterion, excluded) = (primary(&run.table), excluded(&run.table));
        let mut pairs = Vec::new();
        for stored in run.pairs()? {
            let stored = stored?;
            if !filter.accepts(&stored) {
                continue;
            }
            let counts = stored.outcome.as_ref().ok();
            let counts = counts.map(|group| mc_sites(&run.table, group, &excluded));
            let of = |wanted| {
                let counts = counts.iter().flatten();
                counts.filter(|(known, _)| *known == wanted).map(|(_, count)| *count).sum::<u64>()
            };
            let (verdict, most) = (verdict(&stored), Reverse(of(criterion)));
            let summary = PairSummary {
                verdict: VERDICTS[verdict].1,
                violation: stored.violation().map(ToOwned::to_owned),
                mc_sites: counts.map(|counts| {
                    counts.into_iter().map(|(known, count)| (known.name(), count)).collect()
                }),
                relation: stored.relation,
                name: stored.name,
            };
            pairs.push(((verdict, most, stored.place), summary));
        }
        pairs.sort_by_key(|(order, _)| *order);
        let pairs = pairs.into_iter().map(|(_, summary)| summary).collect();
        Ok(PairIndex { run: run.name.clone(), all: run.groups()?, criterion, pairs })
    }

    /// The first pairs as a table.
    pub fn table(&self, limit: usize) -> Table {
        let columns = vec![
            Column::word("relation"),
            Column::word("name"),
            Column::word("verdict").emphasized(),
            Column::number(format!("MC sites ({})", self.criterion.name())),
            Column::word("violation"),
        ];
        let row = |pair: &PairSummary| {
            let count = |counts: &BTreeMap<&str, u64>| {
                thousands(counts.get(self.criterion.name()).copied().unwrap_or(0))
            };
            vec![
                pair.relation.clone(),
                pair.name.clone(),
                pair.verdict.to_owned(),
                pair.mc_sites.as_ref().map_or_else(|| "-".to_owned(), count),
                pair.violation.clone().unwrap_or_default(),
            ]
        };
        let mut table = Table { columns, rows: self.pairs.iter().take(limit).map(row).collect() };
        if table.rows.iter().all(|row| row[4].is_empty()) {
            table.columns.pop();
            for row in &mut table.rows {
                row.pop();
            }
        }
        table
    }

    /// What the table does not show.
    pub fn note(&self, limit: usize) -> Option<String> {
        let (all, matching) = (self.all, self.pairs.len());
        if matching == 0 {
            let all = counted(all, "pair", "pairs");
            return Some(format!("no pair of {} matches, of {all}", self.run));
        }
        let more = matching.saturating_sub(limit) as u64;
        (more > 0).then(|| {
            let of = thousands(matching as u64);
            format!(
                "{} of {of}: --limit {matching} shows all",
                counted(more, "more pair", "more pairs")
            )
        })
    }

    /// The first pairs as JSON.
    pub fn to_json(&self, limit: usize) -> String {
        let json = IndexJson {
            format: "metacov-pairs",
            version: 1,
            run: &self.run,
            all_pairs: self.all,
            matching_pairs: self.pairs.len(),
            pairs: &self.pairs[..limit.min(self.pairs.len())],
        };
        serde_json::to_string_pretty(&json).unwrap_or_default() + "\n"
    }
}
