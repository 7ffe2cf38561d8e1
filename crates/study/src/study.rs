//! The two kinds of studies.

use metacov_formats::Fault;

use crate::plan::malformed;
use crate::{CampaignPlan, StudyPlan};

/// A study, as its file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Study {
    /// It measures suites.
    Suites(Box<StudyPlan>),
    /// It runs campaigns: `kind = "campaign"`.
    Campaigns(Box<CampaignPlan>),
}

impl Study {
    /// Reads a study.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let table: toml::Table = text.parse().map_err(|error| malformed(text, &error))?;
        match table.get("kind") {
            Some(kind) if kind.as_str() == Some(CampaignPlan::KIND) => {
                CampaignPlan::parse(text).map(|plan| Study::Campaigns(Box::new(plan)))
            }
            Some(kind) => Err(Fault::malformed(
                metacov_formats::Location::Whole,
                format!("unknown `kind` {kind}: it is \"{}\", or absent", CampaignPlan::KIND),
            )),
            None => StudyPlan::parse(text).map(|plan| Study::Suites(Box::new(plan))),
        }
    }
}
