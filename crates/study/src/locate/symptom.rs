//! The covers of a violating pair and of its variants.

use std::io;

use metacov_campaign::{CaseBatch, CaseResult, PairResult};
use metacov_core::{Case, Cover, Language, Missing, Renumbering, Variant, Verdict};
use metacov_run::RunError;

use super::Frequency;

/// How many pairs on one database are run together.
const PAIRS_PER_TRIAL: usize = 32;

/// The covers of a violating pair and of similar pairs.
#[derive(Clone, Debug)]
pub struct Symptom {
    /// The sites that either side ran, including the setup.
    pub executed: Cover,
    /// The sites that one side ran and the other did not.
    pub difference: Cover,
    /// The sites of the variants that still violate the relation, including the pair itself.
    pub violating: Frequency,
    /// The sites of the near misses: the variants that do not violate it.
    pub near_misses: Frequency,
    /// How many more variants have no verdict, because they do not run completely.
    pub invalid: u32,
    /// How the results of the pair differ.
    pub how: String,
}

/// Why a pair has no symptom.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    /// The pair holds.
    #[error("the relation holds: the sides agree")]
    Holds,
    /// A side fails, or its result does not have the required shape.
    #[error("{0}")]
    Invalid(String),
    /// A side, or the setup, ends the engine.
    #[error("no coverage: {0}")]
    Lost(String),
}

impl From<Missing> for Unfit {
    fn from(missing: Missing) -> Self {
        Unfit::Lost(missing.failure.name().to_owned())
    }
}

/// Runs a pair and a limited number of variants. `run` runs experiments; `numbers` converts site
/// numbers to those of the table of the result.
pub fn explore(
    case: &Case,
    language: &dyn Language,
    most: usize,
    numbers: &Renumbering,
    mut run: impl FnMut(&[CaseBatch]) -> Result<Vec<Result<CaseResult, Missing>>, RunError>,
) -> Result<Result<Symptom, Unfit>, RunError> {
    let whole = CaseBatch { setup: case.setup.clone(), tests: vec![case.sides.clone()] };
    let tried = match run(&[whole])?.pop() {
        Some(Ok(tried)) => tried,
        Some(Err(missing)) => return Ok(Err(missing.into())),
        None => return Err(without_result("a variant")),
    };
    let ran = match tried.pairs.first() {
        Some(Ok(ran)) => ran,
        Some(Err((_, missing))) => return Ok(Err(missing.clone().into())),
        None => return Err(without_result("a pair")),
    };
    let how = match case.judge.judge(&ran.outcomes) {
        Verdict::Violated(how) => how,
        Verdict::Holds => return Ok(Err(Unfit::Holds)),
        Verdict::Invalid(reason) => return Ok(Err(Unfit::Invalid(reason.to_string()))),
        Verdict::Lost { missing, .. } => return Ok(Err(missing.into())),
    };
    let covers = ran.covers(tried.setup.as_ref())?.map(|cover| numbers.cover(cover));
    let (executed, difference) = (covers.union(), covers.difference());
    let mut violating = Frequency::default();
    violating.add(&executed);
    let near_misses = Frequency::default();
    let mut symptom = Symptom { executed, difference, violating, near_misses, invalid: 0, how };
    let (batches, groups) = batches(case, language.variants(case, most));
    for (result, variants) in run(&batches)?.into_iter().zip(groups) {
        let Ok(other) = result else {
            symptom.invalid += u32::try_from(variants.len()).unwrap_or(u32::MAX);
            continue;
        };
        for (pair, variant) in other.pairs.iter().zip(&variants) {
            let runs_as_before =
                variant.origins.iter().zip(&other.worked).all(|(origin, works)| {
                    origin.is_none_or(|at| tried.worked.get(at) == Some(works))
                });
            let judged = pair.as_ref().ok().filter(|_| runs_as_before);
            let judged = judged.map(|ran| (ran, case.judge.judge(&ran.outcomes)));
            let executed = |ran: &PairResult| {
                let covers = ran.covers(other.setup.as_ref())?;
                Ok::<_, io::Error>(numbers.cover(covers.union()))
            };
            match judged {
                Some((ran, Verdict::Violated(_))) => symptom.violating.add(&executed(ran)?),
                Some((ran, Verdict::Holds)) => symptom.near_misses.add(&executed(ran)?),
                Some((_, Verdict::Invalid(_) | Verdict::Lost { .. })) | None => {
                    symptom.invalid += 1;
                }
            }
        }
    }
    Ok(Ok(symptom))
}

fn without_result(what: &str) -> RunError {
    RunError::Failed(format!("worker returned no result for {what}"))
}

/// The batches for the variants of a case, and the variants of each batch.
fn batches(case: &Case, variants: Vec<Variant>) -> (Vec<CaseBatch>, Vec<Vec<Variant>>) {
    let (same, other): (Vec<Variant>, Vec<Variant>) =
        variants.into_iter().partition(|variant| variant.setup == case.setup);
    let mut groups: Vec<Vec<Variant>> = other.into_iter().map(|variant| vec![variant]).collect();
    groups.extend(same.chunks(PAIRS_PER_TRIAL).map(<[Variant]>::to_vec));
    let batch = |group: &Vec<Variant>| CaseBatch {
        setup: group.first().map_or_else(Vec::new, |variant| variant.setup.clone()),
        tests: group.iter().map(|variant| variant.sides.clone()).collect(),
    };
    (groups.iter().map(batch).collect(), groups)
}
