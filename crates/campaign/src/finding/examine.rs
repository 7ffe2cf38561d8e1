//! Cases, run again.

use std::io;

use metacov_core::{Cover, Exit, Failure, Missing, Outcome, Pair, Value};
use metacov_relations::{Case, Verdict};

use super::suspect::FailureKind;
use crate::experiment::{CaseBatch, CaseResult, CaseRunner, PairResult};

/// What came of a case.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// The sides agree.
    Holds,
    /// Something is wrong.
    Wrong(FailureKind),
    /// It says nothing: why.
    Nothing(String),
}

/// A case that was run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) seen: Seen,
    /// What the sides gave, if both came to an end.
    pub(crate) outcomes: Option<Pair<Outcome>>,
    /// What the sides ran, the setup included, if that is measured.
    pub(crate) covers: Option<Pair<Cover>>,
}

/// Runs cases, those on the same database together.
pub(crate) fn run(laboratory: &mut CaseRunner<'_>, cases: &[Case]) -> io::Result<Vec<Run>> {
    let groups: Vec<&[Case]> = cases.chunk_by(|a, b| a.setup == b.setup).collect();
    let experiment = |group: &&[Case]| CaseBatch {
        setup: group.first().map_or_else(Vec::new, |case| case.setup.clone()),
        pairs: group.iter().map(|case| case.sides.clone()).collect(),
    };
    let experiments: Vec<CaseBatch> = groups.iter().map(experiment).collect();
    let mut runs = Vec::new();
    for (group, result) in groups.iter().zip(laboratory.run(&experiments)?) {
        match result {
            Ok(tried) => {
                runs.extend(
                    group.iter().zip(&tried.pairs).map(|(case, pair)| judged(case, &tried, pair)),
                );
            }
            Err(missing) => runs.extend(group.iter().map(|_| lost(None, &missing))),
        }
    }
    if runs.len() == cases.len() {
        Ok(runs)
    } else {
        Err(io::Error::other("a case without a result"))
    }
}

/// Runs a case.
pub(crate) fn one(laboratory: &mut CaseRunner<'_>, case: &Case) -> io::Result<Run> {
    let run = run(laboratory, std::slice::from_ref(case))?.pop();
    run.ok_or_else(|| io::Error::other("a case without a result"))
}

fn judged(case: &Case, tried: &CaseResult, pair: &Result<PairResult, (usize, Missing)>) -> Run {
    match pair {
        Err((side, missing)) => lost(Some(*side), missing),
        Ok(ran) => {
            let seen = match case.comparison.judge(&ran.outcomes) {
                Verdict::Holds => Seen::Holds,
                Verdict::Violated(how) => Seen::Wrong(FailureKind::Violated(how)),
                Verdict::Invalid(reason) => Seen::Nothing(reason.to_string()),
            };
            let covers = ran.covers(tried.setup.as_ref()).ok();
            Run { seen, outcomes: Some(ran.outcomes.clone()), covers }
        }
    }
}

fn lost(side: Option<usize>, missing: &Missing) -> Run {
    let seen = match (missing.failure, missing.exit) {
        (Failure::Crashed, exit) => Seen::Wrong(FailureKind::Crashed { side, exit }),
        (Failure::TimedOut, _) | (_, Exit::Timeout) => Seen::Wrong(FailureKind::Hung { side }),
        (failure, _) => Seen::Nothing(failure.name().to_owned()),
    };
    Run { seen, outcomes: None, covers: None }
}

/// What a side gave, line by line.
pub(crate) fn text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Error { code, message } => format!("error {code}: {message}\n"),
        Outcome::Rows(rows) => {
            let row = |row: &Vec<Value>| {
                let values: Vec<String> = row.iter().map(ToString::to_string).collect();
                values.join("|") + "\n"
            };
            rows.iter().map(row).collect()
        }
    }
}
