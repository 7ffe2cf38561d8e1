//! Runs cases again.

use metacov_core::{Case, Cover, Missing, Outcome, Pair, Value, Verdict};
use metacov_run::RunError;

use crate::worker::cases::{CaseBatch, CaseResult, CaseRunner, PairResult};

/// The result of a case.
#[derive(Clone, Debug)]
pub(crate) struct CaseRun {
    pub(crate) verdict: Verdict,
    /// The outcomes of the sides, if both finished.
    pub(crate) outcomes: Option<Pair<Vec<Outcome>>>,
    /// The covers of the sides, including the setup, if they were measured.
    pub(crate) covers: Option<Pair<Cover>>,
}

/// Runs cases; those with the same setup run together.
pub(crate) fn run(runner: &mut CaseRunner<'_>, cases: &[Case]) -> Result<Vec<CaseRun>, RunError> {
    let groups: Vec<&[Case]> = cases.chunk_by(|a, b| a.setup == b.setup).collect();
    let batch = |group: &&[Case]| CaseBatch {
        setup: group.first().map_or_else(Vec::new, |case| case.setup.clone()),
        tests: group.iter().map(|case| case.sides.clone()).collect(),
    };
    let batches: Vec<CaseBatch> = groups.iter().map(batch).collect();
    let mut runs = Vec::new();
    for (group, result) in groups.iter().zip(runner.run(&batches)?) {
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
        Err(RunError::Failed("worker returned no result for a case".to_owned()))
    }
}

/// Runs a case.
pub(crate) fn one(runner: &mut CaseRunner<'_>, case: &Case) -> Result<CaseRun, RunError> {
    let run = run(runner, std::slice::from_ref(case))?.pop();
    run.ok_or_else(|| RunError::Failed("worker returned no result for a case".to_owned()))
}

fn judged(
    case: &Case,
    result: &CaseResult,
    pair: &Result<PairResult, (usize, Missing)>,
) -> CaseRun {
    match pair {
        Err((side, missing)) => lost(Some(*side), missing),
        Ok(ran) => {
            let verdict = case.judge.judge(&ran.outcomes);
            let covers = ran.covers(result.setup.as_ref()).ok();
            CaseRun { verdict, outcomes: Some(ran.outcomes.clone()), covers }
        }
    }
}

fn lost(side: Option<usize>, missing: &Missing) -> CaseRun {
    let verdict = Verdict::Lost { side, missing: missing.clone() };
    CaseRun { verdict, outcomes: None, covers: None }
}

/// The outcomes of a side as text.
pub(crate) fn text(outcomes: &[Outcome]) -> String {
    outcomes.iter().map(outcome_text).collect()
}

fn outcome_text(outcome: &Outcome) -> String {
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
