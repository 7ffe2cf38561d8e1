//! The results of a study of campaigns.

use std::collections::BTreeSet;

use metacov_campaign::families;

use super::{CampaignPlan, TrialOutcome};
use crate::stats::{MannWhitney, a12, holm, mann_whitney, mean, standard_deviation};

/// The guidance that the others are compared with.
const MAIN: &str = "mix";

/// The results of a study of campaigns.
pub struct CampaignResults {
    /// The plan.
    pub plan: CampaignPlan,
    /// By engine, relations and guidance, in the order of the plan.
    pub rows: Vec<GuidanceRow>,
    /// All trials, in the order of the plan.
    pub trials: Vec<TrialOutcome>,
}

/// The trials of one engine, set of relations and guidance.
pub struct GuidanceRow {
    /// The engine.
    pub engine: String,
    /// The relations.
    pub relations: String,
    /// The guidance.
    pub guidance: String,
    /// Its trials, by seed.
    pub trials: Vec<TrialOutcome>,
    /// The comparison with the main guidance, unless it is that one.
    pub against: Option<Rival>,
}

/// The comparison of a guidance with another, by the bugs of trials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rival {
    /// The probability that a trial of this guidance finds more bugs.
    pub a12: f64,
    /// The significance of the difference.
    pub test: MannWhitney,
    /// Its probability, adjusted for all guidances of the engine and relations (Holm).
    pub p_holm: f64,
}

impl GuidanceRow {
    /// Whether both are rows of one table: they have the same engine and relations.
    pub fn is_of_same_table(&self, other: &Self) -> bool {
        (&self.engine, &self.relations) == (&other.engine, &other.relations)
    }

    /// The mean over trials.
    pub fn mean(&self, of: impl Fn(&TrialOutcome) -> f64) -> Option<f64> {
        mean(&self.trials.iter().map(of).collect::<Vec<_>>())
    }

    /// Returns the standard deviation over trials.
    pub fn deviation(&self, of: impl Fn(&TrialOutcome) -> f64) -> Option<f64> {
        standard_deviation(&self.trials.iter().map(of).collect::<Vec<_>>())
    }

    /// Returns the mean over trials; none if the number is not known for all of them.
    pub fn mean_if_known(&self, of: impl Fn(&TrialOutcome) -> Option<u64>) -> Option<f64> {
        let values: Option<Vec<f64>> =
            self.trials.iter().map(|trial| of(trial).map(real)).collect();
        mean(&values?)
    }

    /// Returns the number of distinct bugs of all trials together.
    pub fn bugs_of_all(&self) -> u64 {
        let groups = self.trials.iter().flat_map(|trial| trial.groups.keys());
        families(groups.map(String::as_str)).len() as u64
    }

    /// Returns how many pairs were compared per second of processor time.
    pub fn checks_per_second(&self) -> Option<f64> {
        let seconds: f64 = self.trials.iter().map(|trial| trial.time.processor).sum();
        let checks: u64 = self.trials.iter().map(|trial| trial.checks).sum();
        (seconds > 0.0).then(|| real(checks) / seconds)
    }

    /// Returns how many bugs are found with how many pairs, on average: a point for each number of
    /// pairs at which one was found. It ends where the shortest trial ends.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let end = self.trials.iter().map(|trial| trial.pairs).min().unwrap_or_default();
        let found: Vec<u64> =
            self.trials.iter().flat_map(|trial| trial.bugs().into_values()).collect();
        let mut places: BTreeSet<u64> =
            found.iter().copied().filter(|pairs| *pairs <= end).collect();
        places.extend([0, end]);
        let trials = real(self.trials.len() as u64);
        let bugs =
            |pairs: u64| real(found.iter().filter(|of| **of <= pairs).count() as u64) / trials;
        places.into_iter().map(|pairs| (real(pairs), bugs(pairs))).collect()
    }

    fn bugs(&self) -> Vec<f64> {
        self.trials.iter().map(|trial| real(trial.bugs().len() as u64)).collect()
    }
}

impl CampaignResults {
    /// Evaluates the trials of a study.
    pub fn of(plan: CampaignPlan, outcomes: &[TrialOutcome]) -> Self {
        let mut rows: Vec<GuidanceRow> = Vec::new();
        let mut trials = Vec::new();
        for trial in plan.trials() {
            let Some(outcome) = outcomes.iter().find(|of| of.trial == trial) else { continue };
            trials.push(outcome.clone());
            let is_there = |row: &&mut GuidanceRow| {
                (&row.engine, &row.relations, &row.guidance)
                    == (&trial.engine, &trial.relations, &trial.guidance)
            };
            if let Some(row) = rows.iter_mut().find(is_there) {
                row.trials.push(outcome.clone());
            } else {
                let (engine, relations, guidance) = (trial.engine, trial.relations, trial.guidance);
                let trials = vec![outcome.clone()];
                rows.push(GuidanceRow { engine, relations, guidance, trials, against: None });
            }
        }
        // Trials may be missing, so the first of a row may come late.
        let place = |names: &[String], name: &String| names.iter().position(|of| of == name);
        rows.sort_by_key(|row| {
            let (engine, relations) =
                (place(&plan.engines, &row.engine), place(&plan.relations, &row.relations));
            (engine, relations, place(&plan.guidances, &row.guidance))
        });
        let rivals: Vec<Option<Rival>> = rows.iter().map(|row| rival(row, &rows)).collect();
        for (row, rival) in rows.iter_mut().zip(rivals) {
            row.against = rival;
        }
        rows.chunk_by_mut(GuidanceRow::is_of_same_table).for_each(correct);
        CampaignResults { plan, rows, trials }
    }

    /// Returns how many trials have no result.
    pub fn missing(&self) -> usize {
        self.plan.trials().len() - self.trials.len()
    }
}

fn rival(row: &GuidanceRow, rows: &[GuidanceRow]) -> Option<Rival> {
    let is_main = |of: &&GuidanceRow| {
        (&of.engine, &of.relations, of.guidance.as_str()) == (&row.engine, &row.relations, MAIN)
    };
    let main = rows.iter().find(is_main).filter(|main| main.guidance != row.guidance)?;
    let (own, others) = (row.bugs(), main.bugs());
    let test = mann_whitney(&own, &others)?;
    Some(Rival { a12: a12(&own, &others)?, test, p_holm: test.p })
}

/// Adjusts the probabilities of the rows of a table.
fn correct(rows: &mut [GuidanceRow]) {
    let probabilities = rows.iter().filter_map(|row| row.against).map(|rival| rival.test.p);
    let adjusted = holm(&probabilities.collect::<Vec<_>>());
    let rivals = rows.iter_mut().filter_map(|row| row.against.as_mut());
    for (rival, p_holm) in rivals.zip(adjusted) {
        rival.p_holm = p_holm;
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are under 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}
