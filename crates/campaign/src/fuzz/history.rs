//! The history of a campaign, computed from its rounds.

use std::collections::BTreeMap;

use metacov_formats::{Error, Fault, Location};
use metacov_store::{Run, StoredRound};
use serde::{Deserialize, Serialize};

use super::done::{Done, Summary};
use super::knowledge::{Knowledge, KnowledgeDelta};
use crate::finding::{Finding, Signature, families};
use crate::worker::protocol::{decode, encode};

/// What a round stores about a finding; the rest is in the folder of the finding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FindingSummary {
    /// The name of its folder.
    pub name: String,
    /// The name of its group.
    pub group: String,
    /// The relation.
    pub relation: String,
    /// Whether it is a violation, a crash or a hang.
    pub what: String,
    /// How long the reduced case is, in bytes.
    pub bytes: usize,
}

impl FindingSummary {
    /// Summarises a finding.
    pub fn of(finding: &Finding) -> Self {
        FindingSummary {
            name: finding.signature.to_string(),
            group: finding.group(),
            relation: finding.suspect.case.relation.clone(),
            what: finding.suspect.what.name().to_owned(),
            bytes: finding.suspect.case.size().bytes,
        }
    }
}

/// A stored round: its summary and its findings as JSON, and what it adds to what is known as
/// bytes.
pub struct Record {
    /// The summary.
    pub summary: String,
    /// The findings.
    pub findings: String,
    /// What it adds to what is known.
    pub lesson: Vec<u8>,
}

impl Record {
    /// Encodes a complete round.
    ///
    /// # Panics
    /// If a summary has a type that JSON cannot represent, such as a map with numbers as keys. None
    /// has.
    pub fn of(done: &Done) -> Self {
        let noted: Vec<FindingSummary> = done.findings.iter().map(FindingSummary::of).collect();
        Record {
            summary: json(&done.summary),
            findings: json(&noted),
            lesson: encode(&done.lesson),
        }
    }

    /// Returns the error for a round of a run file that cannot be read.
    pub fn damaged(number: u64, what: &str, name: &str) -> Error {
        let what = format!("damaged run file: round {number}: {what}");
        Fault::malformed(Location::Whole, what).of(name)
    }

    /// Decodes what it adds to what is known.
    pub fn lesson(&self) -> Result<KnowledgeDelta, String> {
        decode(&self.lesson).map_err(|error| error.to_string())
    }
}

/// A part of a record as JSON.
fn json(part: &impl Serialize) -> String {
    serde_json::to_string(part).expect("records have only maps with text as keys")
}

impl From<StoredRound> for Record {
    fn from(StoredRound { summary, findings, lesson, .. }: StoredRound) -> Self {
        Record { summary, findings, lesson }
    }
}

/// The results of all rounds of a campaign.
#[derive(Default)]
pub struct History {
    /// The sum of all counts.
    pub summary: Summary,
    /// The distinct findings, by group.
    pub findings: BTreeMap<String, Vec<FindingSummary>>,
    /// The totals after each round.
    pub curve: Vec<CampaignStats>,
    known: Knowledge,
}

/// The totals of a campaign after a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CampaignStats {
    /// Pairs tested.
    pub pairs: u64,
    /// Counters in the differences of pairs.
    pub differing: u64,
    /// Counters that were not zero.
    pub executed: u64,
    /// Query plans.
    pub plans: u64,
    /// Families of findings.
    pub bugs: u64,
}

impl History {
    /// Reads the rounds of a run file.
    pub fn of(run: &Run) -> Result<Self, Error> {
        let mut history = History::default();
        for round in run.rounds()? {
            history.add_stored(round, &run.name)?;
        }
        Ok(history)
    }

    /// Adds the next round of a run file, which is called `name`.
    pub fn add_stored(&mut self, round: StoredRound, name: &str) -> Result<(), Error> {
        let number = round.number;
        self.add(&Record::from(round)).map_err(|what| Record::damaged(number, &what, name))
    }

    /// Adds the next round.
    pub fn add(&mut self, record: &Record) -> Result<(), String> {
        let words = |error: serde_json::Error| error.to_string();
        let summary: Summary = serde_json::from_str(&record.summary).map_err(words)?;
        let findings: Vec<FindingSummary> =
            serde_json::from_str(&record.findings).map_err(words)?;
        // Names become paths, also of folders that are removed.
        if let Some(other) = findings.iter().find(|one| Signature::parse(&one.name).is_none()) {
            return Err(format!("`{}` is not the name of a finding", other.name));
        }
        self.take(&summary, &findings, &record.lesson()?);
        Ok(())
    }

    /// Adds a round that was just closed.
    pub fn close(&mut self, done: &Done) {
        let noted: Vec<FindingSummary> = done.findings.iter().map(FindingSummary::of).collect();
        self.take(&done.summary, &noted, &done.lesson);
    }

    fn take(&mut self, summary: &Summary, findings: &[FindingSummary], lesson: &KnowledgeDelta) {
        self.summary.add(summary);
        for finding in findings {
            let group = self.findings.entry(finding.group.clone()).or_default();
            if !group.iter().any(|known| known.name == finding.name) {
                group.push(finding.clone());
            }
        }
        self.known.learn(lesson);
        let (differing, executed, plans) = self.known.sizes();
        let pairs = self.summary.pairs;
        let bugs = families(self.findings.keys().map(String::as_str)).len() as u64;
        self.curve.push(CampaignStats { pairs, differing, executed, plans, bugs });
    }

    /// Whether an earlier finding belongs to the same group.
    pub fn has_group(&self, finding: &Finding) -> bool {
        self.findings.contains_key(&finding.group())
    }

    /// Returns all cases of the group of a finding.
    pub fn cases(&self, finding: &Finding) -> Option<&Vec<FindingSummary>> {
        self.findings.get(&finding.group())
    }

    /// Returns the current totals.
    pub fn stand(&self) -> CampaignStats {
        self.curve.last().copied().unwrap_or_default()
    }
}
