//! A study as plain numbers.

use std::collections::BTreeMap;

use metacov_formats::Fault;
use metacov_study::Results;

use super::{bugs, efficiency, mutation};
use crate::csv::line;

/// Returns all numbers as CSV, by file name.
pub fn numbers(results: &Results) -> Result<BTreeMap<String, String>, Fault> {
    let mut texts = BTreeMap::from([("results.csv".to_owned(), suites_csv(results)?)]);
    if results.outcomes.iter().any(|outcome| outcome.mutants.is_some()) {
        texts.insert("mutants.csv".to_owned(), mutation::csv(results));
    }
    if let Some(bugs) = &results.bugs {
        texts.insert("overlap.csv".to_owned(), bugs::overlaps_csv(bugs));
        let correlation = bugs::correlation_csv(bugs).map(|text| ("bugs.csv".to_owned(), text));
        texts.extend(correlation);
    }
    if let Some(of) = &results.efficiency {
        texts.insert("efficiency.csv".to_owned(), efficiency::pipeline_csv(of));
    }
    Ok(texts)
}

fn suites_csv(results: &Results) -> Result<String, Fault> {
    let headings = [
        "target",
        "build",
        "size",
        "suite",
        "seed",
        "relation",
        "criterion",
        "pairs",
        "failed",
        "sites",
        "executed",
        "mc_sites",
    ];
    let mut text = line(&headings.map(str::to_owned));
    for outcome in &results.outcomes {
        for of in outcome.record()?.measurements {
            text.push_str(&line(&[
                outcome.target.clone(),
                outcome.build.clone(),
                outcome.size.to_string(),
                outcome.number.to_string(),
                outcome.seed.to_string(),
                of.relation,
                of.criterion.to_string(),
                of.pairs.to_string(),
                of.failed.to_string(),
                of.sites.to_string(),
                of.executed.to_string(),
                of.mc_sites.to_string(),
            ]));
        }
    }
    Ok(text)
}
