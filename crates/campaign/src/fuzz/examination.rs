//! Failures in a round, and what becomes of them.

use metacov_core::{Case, Failure, Judge, Pair};
use metacov_run::RunError;

use super::round::Violated;
use super::round_runner::{RoundProgress, RoundRunner};
use crate::finding::{Examined, FailingCase, FailureKind};
use crate::worker::answers::{Activity, WorkerLoss};

/// The most failing cases of one kind and one relation that are examined in a round: most later
/// ones are duplicates. All are counted.
const EXAMINED_MAX: u64 = 4;

impl RoundRunner<'_, '_> {
    /// Examines a violation.
    pub(super) fn look_into(
        &mut self,
        violated: Violated,
        progress: &mut RoundProgress,
    ) -> Result<(), RunError> {
        let Violated { pair, how, case } = violated;
        let suspect = FailingCase {
            case: Case { setup: progress.setup.clone(), ..case },
            what: FailureKind::Violated(how),
            seed: self.campaign.seed,
            database: progress.number,
            pair,
        };
        self.examine(suspect, progress)
    }

    /// Records the loss of a worker, at a statement that is known by now.
    pub(super) fn take_loss(
        &mut self,
        loss: WorkerLoss,
        progress: &mut RoundProgress,
    ) -> Result<(), RunError> {
        let WorkerLoss { missing, activity, .. } = loss;
        let pair = progress.point.pairs;
        let (sides, side, relation) = match activity {
            Activity::Setup(mut statements) => {
                progress.setup.append(&mut statements);
                (Pair::default(), None, None)
            }
            Activity::Test(sides, side) => {
                progress.point.pairs += 1;
                progress.point.pace.stale += 1;
                progress.point.pace.pairs += 1;
                self.observer.tested(1);
                let at = usize::try_from(pair).unwrap_or_default() % self.campaign.relations.len();
                (sides.unwrap_or_default(), Some(side), Some(self.campaign.relations[at]))
            }
        };
        let name = relation.map_or(Ok("setup"), |relation| self.options.relation(relation))?;
        let counts = progress.summary.relations.entry(name.to_owned()).or_default();
        *counts.lost.entry(missing.failure.name().to_owned()).or_default() += 1;
        let what = match missing.failure {
            Failure::TimedOut => FailureKind::Hung { side },
            _ => FailureKind::Crashed { side, exit: missing.exit },
        };
        let case = Case {
            relation: name.to_owned(),
            setup: progress.setup.clone(),
            sides,
            parts: Vec::new(),
            judge: Judge::Bag,
        };
        let (seed, database) = (self.campaign.seed, progress.number);
        self.examine(FailingCase { case, what, seed, database, pair }, progress)
    }

    /// Examines a failing case, if it is one of the first.
    fn examine(
        &mut self,
        suspect: FailingCase,
        progress: &mut RoundProgress,
    ) -> Result<(), RunError> {
        let examined = (suspect.case.relation.clone(), suspect.what.name());
        let examined = progress.examined.entry(examined).or_default();
        if !self.campaign.examines || *examined == EXAMINED_MAX {
            return Ok(());
        }
        *examined += 1;
        let triage = match &mut self.started {
            Some(triage) => triage,
            none => none.insert((self.triage)()?),
        };
        let sketch = match triage.sketch(suspect)? {
            Ok(sketch) => sketch,
            Err(reason) => {
                *progress.summary.unconfirmed.entry(reason).or_default() += 1;
                return Ok(());
            }
        };
        if let Some(likeness) = sketch.likeness {
            progress.point.lesson.meet(likeness);
            if !progress.likenesses.meet(likeness) {
                progress.summary.alike += 1;
                return Ok(());
            }
        }
        match triage.examine(sketch)? {
            Examined::Known(name, _) => *progress.summary.known.entry(name).or_default() += 1,
            Examined::Found(finding) => {
                self.observer.found(&finding)?;
                progress.findings.push(*finding);
            }
        }
        Ok(())
    }
}
