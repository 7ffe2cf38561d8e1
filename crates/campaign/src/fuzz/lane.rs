//! Rounds one after the other, with a worker for each, and as many more as are lost on the way.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use metacov_core::{Context, Cover, Failure, Group, Input, Judgement, Missing, Reading, Setup};
use metacov_relations::{ALL, Case, Comparison};

use super::campaign::{Campaign, Clerk};
use super::done::{Done, Kept, Summary};
use super::known::Known;
use super::round::{Changed, Ended, Point, Round, Stretch, Violated};
use crate::finding::{Examined, Investigator, Suspect, What};
use crate::message::{Answer, Built, Judged, Request};
use crate::script::script;
use crate::worker::{Conditions, Heard, Worker};

/// Violations that are looked into, of one relation in one round, at most: most of those behind them are the same. All
/// are counted.
const EXAMINED_MAX: u64 = 2;

/// A thread of a campaign.
pub(crate) struct Lane<'l, 'c> {
    pub(crate) campaign: &'l Campaign,
    pub(crate) conditions: &'l Conditions<'c>,
    pub(crate) clerk: &'l dyn Clerk,
    /// Started when there is something to look into.
    pub(crate) investigator: &'l (dyn Fn() -> io::Result<Investigator<'c>> + Sync),
    pub(crate) started: Option<Investigator<'c>>,
    pub(crate) worker: Option<Worker>,
}

/// A round on its way.
struct Way {
    number: u64,
    point: Point,
    summary: Summary,
    kept: Vec<Kept>,
    /// What made the database, and what that ran.
    setup: Vec<String>,
    executed: Cover,
    /// The same, to store.
    stored: Option<Arc<Setup>>,
    findings: Vec<crate::finding::Finding>,
    /// By relation: how many violations were looked into.
    examined: BTreeMap<usize, u64>,
}

/// How far a worker was followed.
enum Followed {
    /// To the end of the round.
    Done,
    /// Until the campaign was over: the round ends here.
    Over,
    /// Until it was lost.
    Lost(Loss),
}

/// How a worker was lost.
struct Loss {
    missing: Missing,
    /// Whether the worker itself has ended, and not only its child.
    is_gone: bool,
    at: At,
}

/// What a worker was doing when it was lost, as far as it told.
enum At {
    /// Making or changing the database: the last statements.
    Database(Vec<String>),
    /// A pair: its statements, and the side.
    Pair(Option<[Vec<String>; 2]>, usize),
}

impl Lane<'_, '_> {
    /// Goes through a round.
    pub(crate) fn round(&mut self, number: u64, known: &Known) -> io::Result<Done> {
        let mut way = Way {
            number,
            point: Point::default(),
            summary: Summary::default(),
            kept: Vec::new(),
            setup: Vec::new(),
            executed: Cover::default(),
            stored: None,
            findings: Vec::new(),
            examined: BTreeMap::new(),
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
        let Way {
            point: Point { lesson, pairs, changes, .. }, mut summary, kept, findings, ..
        } = way;
        (summary.pairs, summary.changes) = (pairs, changes.len() as u64);
        Ok(Done { number, summary, lesson, kept, findings })
    }

    /// Hears what a worker says of a round.
    fn follow(&mut self, worker: &mut Worker, way: &mut Way) -> io::Result<Followed> {
        // Changes that were made before are made again.
        let mut repeated = way.point.changes.len();
        let mut at = At::Database(Vec::new());
        let (missing, is_gone) = loop {
            match worker.hear(self.conditions)? {
                Heard::Answer(Answer::Built(Built { setup, executed, .. })) => {
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
                        way.point.pace = super::round::Pace::default();
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
                    self.take(stretch, worker, way)?;
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
                Heard::Answer(Answer::Lost(lost)) => break (Missing::from(lost), false),
                Heard::Answer(_) => return Err(io::Error::other("a worker that makes no sense")),
                Heard::Gone(missing) => break (missing, true),
            }
        };
        Ok(Followed::Lost(Loss { missing, is_gone, at }))
    }

    /// Takes in what came of some pairs.
    fn take(&mut self, stretch: Stretch, worker: &Worker, way: &mut Way) -> io::Result<()> {
        let Stretch { pairs, counts, kept, violations, pace, lesson } = stretch;
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

    /// Looks into a violation, if it is one of the first.
    fn look_into(&mut self, violated: Violated, way: &mut Way) -> io::Result<()> {
        let Violated { pair, relation, how, sides, parts, comparison } = violated;
        let examined = way.examined.entry(relation).or_default();
        if *examined == EXAMINED_MAX {
            return Ok(());
        }
        *examined += 1;
        let suspect = Suspect {
            relation: relation_name(relation)?.to_owned(),
            case: Case { setup: way.setup.clone(), sides, parts, comparison },
            what: What::Violated(how),
            seed: self.campaign.seed,
            database: way.number,
            pair,
        };
        self.examine(&suspect, way)
    }

    /// Takes in that a worker was lost, on a statement that is known now.
    fn take_loss(&mut self, loss: Loss, way: &mut Way) -> io::Result<()> {
        let Loss { missing, at, .. } = loss;
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
            Failure::TimedOut => What::Hung { side },
            _ => What::Crashed { side, exit: missing.exit },
        };
        let case = Case {
            setup: way.setup.clone(),
            sides,
            parts: Vec::new(),
            comparison: Comparison::Bag,
        };
        let (seed, database, pair) = (self.campaign.seed, way.number, way.point.pairs);
        let relation = name.to_owned();
        self.examine(&Suspect { relation, case, what, seed, database, pair }, way)
    }

    fn examine(&mut self, suspect: &Suspect, way: &mut Way) -> io::Result<()> {
        if !self.campaign.examines {
            return Ok(());
        }
        let investigator = match &mut self.started {
            Some(investigator) => investigator,
            none => none.insert((self.investigator)()?),
        };
        match investigator.examine(suspect)? {
            Examined::Unconfirmed(reason) => {
                *way.summary.unconfirmed.entry(reason).or_default() += 1;
            }
            Examined::Known(name, _) => *way.summary.known.entry(name).or_default() += 1,
            Examined::Found(finding) => {
                self.clerk.found(&finding)?;
                way.findings.push(*finding);
            }
        }
        Ok(())
    }
}

impl Way {
    fn set_executed(
        &mut self,
        worker: &Worker,
        conditions: &Conditions<'_>,
        bytes: &[u8],
    ) -> io::Result<()> {
        if conditions.setting.coverage.is_some() {
            self.executed = worker.sites()?.cover(bytes)?;
            self.stored = Some(Arc::new(Setup::new(script(&self.setup).into_bytes())));
        }
        Ok(())
    }
}

fn relation_name(relation: usize) -> io::Result<&'static str> {
    let known = ALL.get(relation).ok_or_else(|| io::Error::other("no such relation"))?;
    Ok(known.name())
}
