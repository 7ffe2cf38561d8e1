//! What a round meets that is wrong, and what becomes of it.

use std::io;

use metacov_core::Failure;
use metacov_relations::{Case, Comparison};

use super::lane::{At, RoundProgress, RoundRunner, WorkerLoss, relation_name};
use super::round::Violated;
use crate::finding::{Examined, FailingCase, FailureKind};

/// Suspects that are looked at, of one kind and one relation in one round, at most: most of those behind them are the
/// same. All are counted.
const EXAMINED_MAX: u64 = 4;

impl RoundRunner<'_, '_> {
    /// Looks into a violation.
    pub(super) fn look_into(
        &mut self,
        violated: Violated,
        way: &mut RoundProgress,
    ) -> io::Result<()> {
        let Violated { pair, relation, how, sides, parts, comparison } = violated;
        let suspect = FailingCase {
            relation: relation_name(relation)?.to_owned(),
            case: Case { setup: way.setup.clone(), sides, parts, comparison },
            what: FailureKind::Violated(how),
            seed: self.campaign.seed,
            database: way.number,
            pair,
        };
        self.examine(suspect, way)
    }

    /// Takes in that a worker was lost, on a statement that is known now.
    pub(super) fn take_loss(
        &mut self,
        loss: WorkerLoss,
        way: &mut RoundProgress,
    ) -> io::Result<()> {
        let WorkerLoss { missing, at, .. } = loss;
        let (sides, side, relation) = match at {
            At::Database(mut statements) => {
                way.setup.append(&mut statements);
                ([Vec::new(), Vec::new()], None, None)
            }
            At::Pair(sides, side) => {
                let pair = way.point.pairs;
                way.point.pairs += 1;
                way.point.pace.stale += 1;
                way.point.pace.pairs += 1;
                self.clerk.tested(1);
                let at = usize::try_from(pair).unwrap_or_default() % self.campaign.relations.len();
                (sides.unwrap_or_default(), Some(side), Some(self.campaign.relations[at]))
            }
        };
        let name = relation.map_or(Ok("setup"), relation_name)?;
        let counts = way.summary.relations.entry(name.to_owned()).or_default();
        *counts.lost.entry(missing.failure.name().to_owned()).or_default() += 1;
        let what = match missing.failure {
            Failure::TimedOut => FailureKind::Hung { side },
            _ => FailureKind::Crashed { side, exit: missing.exit },
        };
        let case = Case {
            setup: way.setup.clone(),
            sides,
            parts: Vec::new(),
            comparison: Comparison::Bag,
        };
        let (seed, database, pair) = (self.campaign.seed, way.number, way.point.pairs);
        let relation = name.to_owned();
        self.examine(FailingCase { relation, case, what, seed, database, pair }, way)
    }

    /// Looks into a suspect, if it is one of the first.
    fn examine(&mut self, suspect: FailingCase, way: &mut RoundProgress) -> io::Result<()> {
        let examined = (suspect.relation.clone(), suspect.what.name());
        let examined = way.examined.entry(examined).or_default();
        if !self.campaign.examines || *examined == EXAMINED_MAX {
            return Ok(());
        }
        *examined += 1;
        let investigator = match &mut self.started {
            Some(investigator) => investigator,
            none => none.insert((self.investigator)()?),
        };
        let sketch = match investigator.sketch(suspect)? {
            Ok(sketch) => sketch,
            Err(reason) => {
                *way.summary.unconfirmed.entry(reason).or_default() += 1;
                return Ok(());
            }
        };
        if let Some(likeness) = sketch.likeness {
            way.point.lesson.meet(likeness);
            if !way.likenesses.meet(likeness) {
                way.summary.alike += 1;
                return Ok(());
            }
        }
        match investigator.examine(sketch)? {
            Examined::Known(name, _) => *way.summary.known.entry(name).or_default() += 1,
            Examined::Found(finding) => {
                self.clerk.found(&finding)?;
                way.findings.push(*finding);
            }
        }
        Ok(())
    }
}
