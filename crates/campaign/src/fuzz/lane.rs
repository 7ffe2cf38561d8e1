//! Rounds one after the other, with a worker for each, and as many more as are lost on the way.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use metacov_core::{Context, Cover, Group, Input, Judgement, Missing, Reading, Setup};
use metacov_relations::ALL;

use super::campaign::{Campaign, CampaignObserver};
use super::done::{Done, Kept, Summary};
use super::known::Knowledge;
use super::likeness::SketchHashes;
use super::round::{Changed, Ended, Round, RoundBatch, RoundPosition};
use crate::finding::{Finding, Triage};
use crate::message::{Answer, Judged, Request, SetupDone};
use crate::script::script;
use crate::worker::{Heard, Worker, WorkerOptions};

/// A thread of a campaign.
pub(crate) struct RoundRunner<'l, 'c> {
    pub(crate) campaign: &'l Campaign,
    pub(crate) conditions: &'l WorkerOptions<'c>,
    pub(crate) clerk: &'l dyn CampaignObserver,
    /// Started when there is something to look into.
    pub(crate) investigator: &'l (dyn Fn() -> io::Result<Triage<'c>> + Sync),
    pub(crate) started: Option<Triage<'c>>,
    pub(crate) worker: Option<Worker>,
}

/// A round on its way.
pub(super) struct RoundProgress {
    pub(super) number: u64,
    pub(super) point: RoundPosition,
    pub(super) summary: Summary,
    pub(super) kept: Vec<Kept>,
    /// What made the database, and what that ran.
    pub(super) setup: Vec<String>,
    pub(super) executed: Cover,
    /// The same, to store.
    pub(super) stored: Option<Arc<Setup>>,
    pub(super) findings: Vec<Finding>,
    /// By relation and kind: how many suspects were looked at.
    pub(super) examined: BTreeMap<(String, &'static str), u64>,
    /// What violations look like, in this round and those that it builds on.
    pub(super) likenesses: SketchHashes,
}

/// How far a worker was followed.
enum Followed {
    /// To the end of the round.
    Done,
    /// Until the campaign was over: the round ends here.
    Over,
    /// Until it was lost.
    Lost(WorkerLoss),
}

/// How a worker was lost.
pub(super) struct WorkerLoss {
    pub(super) missing: Missing,
    /// Whether the worker itself has ended, and not only its child.
    pub(super) is_gone: bool,
    pub(super) at: At,
}

/// What a worker was doing when it was lost, as far as it told.
pub(super) enum At {
    /// Making or changing the database: the last statements.
    Database(Vec<String>),
    /// A pair: its statements, and the side.
    Pair(Option<[Vec<String>; 2]>, usize),
}

impl RoundRunner<'_, '_> {
    /// Goes through a round.
    pub(crate) fn round(&mut self, number: u64, known: &Knowledge) -> io::Result<Done> {
        let mut way = RoundProgress {
            number,
            point: RoundPosition::default(),
            summary: Summary::default(),
            kept: Vec::new(),
            setup: Vec::new(),
            executed: Cover::default(),
            stored: None,
            findings: Vec::new(),
            examined: BTreeMap::new(),
            likenesses: known.likenesses.clone(),
        };
        let schedule = self.campaign.schedule_of(number);
        let mut is_cautious = false;
        while way.point.pairs < schedule.pairs {
            let mut worker = match self.worker.take() {
                Some(worker) => worker,
                None => Worker::start(self.conditions)?,
            };
            worker.ask(&Request::Explore(Box::new(Round {
                seed: self.campaign.seed,
                number,
                relations: self.campaign.relations.clone(),
                guidance: self.campaign.guidance,
                observes: self.campaign.observes,
                schedule,
                known: known.clone(),
                start: way.point.clone(),
                is_cautious,
            })));
            let loss = match self.follow(&mut worker, &mut way)? {
                Followed::Lost(loss) => loss,
                Followed::Over => break,
                Followed::Done => {
                    self.worker = Some(worker);
                    break;
                }
            };
            way.summary.restarts += 1;
            self.worker = (!loss.is_gone).then_some(worker);
            // Which pair it was shows if each is told before it is run.
            is_cautious = !is_cautious;
            if is_cautious {
                continue;
            }
            let is_over = matches!(loss.at, At::Database(_));
            self.take_loss(loss, &mut way)?;
            if is_over {
                break;
            }
        }
        let RoundProgress {
            point: RoundPosition { lesson, pairs, changes, .. },
            mut summary,
            kept,
            findings,
            ..
        } = way;
        (summary.pairs, summary.changes) = (pairs, changes.len() as u64);
        Ok(Done { number, summary, lesson, kept, findings })
    }

    /// Hears what a worker says of a round.
    fn follow(&mut self, worker: &mut Worker, way: &mut RoundProgress) -> io::Result<Followed> {
        // Changes that were made before are made again.
        let mut repeated = way.point.changes.len();
        let mut at = At::Database(Vec::new());
        let (missing, is_gone) = loop {
            match worker.hear(self.conditions)? {
                Heard::Answer(Answer::SetupDone(SetupDone { setup, executed, .. })) => {
                    way.setup = setup;
                    way.set_executed(worker, self.conditions, &executed)?;
                    at = At::Pair(None, 0);
                }
                Heard::Answer(Answer::Changed(Changed { mutators, statements, executed })) => {
                    way.setup.extend(statements);
                    way.set_executed(worker, self.conditions, &executed)?;
                    if repeated > 0 {
                        repeated -= 1;
                    } else {
                        way.point.changes.push(mutators);
                        way.point.pace = super::round::Stagnation::default();
                    }
                    at = At::Pair(None, 0);
                }
                Heard::Answer(Answer::Step(statement)) => match &mut at {
                    At::Database(statements) => statements.push(statement),
                    At::Pair(..) => at = At::Database(vec![statement]),
                },
                Heard::Answer(Answer::Next(sides)) => at = At::Pair(Some(sides), 0),
                Heard::Answer(Answer::Side(side)) => {
                    if let At::Pair(_, number) = &mut at {
                        *number = side;
                    }
                }
                Heard::Answer(Answer::Explored(stretch)) => {
                    self.take(*stretch, worker, way)?;
                    if self.conditions.interrupted.load(Relaxed) {
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                    if self.clerk.is_over() {
                        return Ok(Followed::Over);
                    }
                }
                Heard::Answer(Answer::Done(spent)) => {
                    way.summary.spent.add(&spent);
                    return Ok(Followed::Done);
                }
                Heard::Answer(Answer::Failed(what)) => return Err(io::Error::other(what)),
                Heard::Answer(Answer::Lost(lost)) => break (lost, false),
                Heard::Answer(_) => return Err(io::Error::other("a worker that makes no sense")),
                Heard::Gone(missing) => break (missing, true),
            }
        };
        Ok(Followed::Lost(WorkerLoss { missing, is_gone, at }))
    }

    /// Takes in what came of some pairs.
    fn take(
        &mut self,
        stretch: RoundBatch,
        worker: &Worker,
        way: &mut RoundProgress,
    ) -> io::Result<()> {
        let RoundBatch { pairs, counts, kept, violations, pace, lesson } = stretch;
        for (relation, ended, count) in counts {
            let name = relation_name(relation)?;
            let counts = way.summary.relations.entry(name.to_owned()).or_default();
            match ended {
                Ended::Held => counts.held += count,
                Ended::Violated => counts.violated += count,
                Ended::Invalid(reason) => *counts.invalid.entry(reason).or_default() += count,
            }
        }
        for (number, relation, tested) in kept {
            let Ok(Judged { violated, sides: Some(sides) }) = tested.outcome else { continue };
            let input =
                |side: &Vec<String>| vec![Input::new(String::new(), script(side).into_bytes())];
            let inputs = tested.statements.iter().flatten().map(input).collect();
            let judgement = Some(violated.map_or(Judgement::Holds, Judgement::Violated));
            let group: Group<Reading> = worker.sites()?.group(&way.executed, &sides)?;
            way.kept.push(Kept {
                place: way.number * self.campaign.schedule.pairs + number,
                relation: relation_name(relation)?,
                pair: format!("{}-{}-{number}", self.campaign.trial, way.number),
                group,
                sites: worker.shared_sites()?,
                context: Context { setup: way.stored.clone(), inputs, judgement },
                micros: tested.micros,
            });
        }
        way.point.pairs += pairs;
        way.point.pace = pace;
        way.point.lesson.add(lesson);
        self.clerk.tested(pairs);
        for violated in violations {
            self.look_into(violated, way)?;
        }
        Ok(())
    }
}

impl RoundProgress {
    fn set_executed(
        &mut self,
        worker: &Worker,
        conditions: &WorkerOptions<'_>,
        bytes: &[u8],
    ) -> io::Result<()> {
        if conditions.setting.coverage.is_some() {
            self.executed = worker.sites()?.cover(bytes)?;
            self.stored = Some(Arc::new(Setup::new(script(&self.setup).into_bytes())));
        }
        Ok(())
    }
}

pub(super) fn relation_name(relation: usize) -> io::Result<&'static str> {
    let known = ALL.get(relation).ok_or_else(|| io::Error::other("no such relation"))?;
    Ok(known.name())
}
