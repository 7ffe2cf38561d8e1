//! Runs rounds, with one worker each, and another whenever it is lost.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use metacov_core::{Context, Cover, Group, Reading, Setup, Verdict};
use metacov_run::RunError;

use super::campaign::{Campaign, CampaignObserver, known_rounds};
use super::done::{Done, Kept, Summary};
use super::knowledge::{Knowledge, KnowledgeDelta};
use super::round::{Changed, Round, RoundBatch, RoundPosition, Stagnation};
use super::sketch_hashes::SketchHashes;
use crate::finding::{Finding, Triage};
use crate::stored_inputs::stored;
use crate::worker::answers::{Activity, Answers, WorkerLoss};
use crate::worker::host::{WorkerOptions, WorkerProcess, unexpected_reply};
use crate::worker::protocol::{Answer, Request, SetupDone};

/// A thread of a campaign.
pub(crate) struct RoundRunner<'l, 'c> {
    pub(crate) campaign: &'l Campaign,
    pub(crate) options: &'l WorkerOptions<'c>,
    pub(crate) observer: &'l dyn CampaignObserver,
    /// Starts a triage, when there is something to examine.
    pub(crate) triage: &'l (dyn Fn() -> Result<Triage<'c>, RunError> + Sync),
    pub(crate) started: Option<Triage<'c>>,
    /// It has been sent all of `known`.
    pub(crate) worker: Option<WorkerProcess>,
    pub(crate) known: Knowledge,
}

/// How many workers are started for a round before one must have survived until it starts.
const STARTS_MAX: u32 = 5;

/// A running round, as metacov sees it.
pub(super) struct RoundProgress {
    pub(super) number: u64,
    pub(super) point: RoundPosition,
    pub(super) summary: Summary,
    pub(super) kept: Vec<Kept>,
    /// The statements that made the database, and the sites that they ran.
    pub(super) setup: Vec<String>,
    pub(super) executed: Cover,
    /// The same, as it is stored.
    pub(super) stored: Option<Arc<Setup>>,
    pub(super) findings: Vec<Finding>,
    /// How many failing cases were examined, by relation and kind.
    pub(super) examined: BTreeMap<(String, &'static str), u64>,
    /// How often violations of each kind occurred, in this round and in those that it knows.
    pub(super) likenesses: SketchHashes,
}

/// Until when the answers of a worker were read.
enum Followed {
    /// To the end of the round.
    Done,
    /// Until the campaign was over: the round ends early.
    Over,
    /// Until it was lost.
    Lost(WorkerLoss),
}

impl RoundRunner<'_, '_> {
    /// Runs a round. `news` is what the rounds that it knows have added since the last one.
    pub(crate) fn round(
        &mut self,
        number: u64,
        news: &[Arc<KnowledgeDelta>],
    ) -> Result<Done, RunError> {
        let is_lost = self.learn(news)?;
        let mut progress = RoundProgress {
            number,
            point: RoundPosition::default(),
            summary: Summary { restarts: u64::from(is_lost), ..Summary::default() },
            kept: Vec::new(),
            setup: Vec::new(),
            executed: Cover::default(),
            stored: None,
            findings: Vec::new(),
            examined: BTreeMap::new(),
            likenesses: self.known.likenesses.clone(),
        };
        let schedule = self.campaign.schedule_of(number);
        let mut is_cautious = false;
        while progress.point.pairs < schedule.pairs {
            let mut worker = match self.worker.take() {
                Some(worker) => worker,
                None => self.start(&mut progress.summary.restarts)?,
            };
            worker.ask(&Request::Explore(Box::new(Round {
                seed: self.campaign.seed,
                number,
                relations: self.campaign.relations.clone(),
                guidance: self.campaign.guidance,
                observes: self.campaign.observes,
                schedule,
                knows: known_rounds(number),
                start: progress.point.clone(),
                is_cautious,
            })));
            let loss = match self.follow(&mut worker, &mut progress)? {
                Followed::Lost(loss) => loss,
                Followed::Over => break,
                Followed::Done => {
                    self.worker = Some(worker);
                    break;
                }
            };
            progress.summary.restarts += 1;
            self.worker = (!loss.is_gone).then_some(worker);
            // Rerun and announce each pair, to find the one that ends the worker.
            is_cautious = !is_cautious;
            if is_cautious {
                continue;
            }
            let is_over = matches!(loss.activity, Activity::Setup(_));
            self.take_loss(loss, &mut progress)?;
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
        } = progress;
        (summary.pairs, summary.changes) = (pairs, changes.len() as u64);
        Ok(Done { number, summary, lesson, kept, findings })
    }

    /// Adds to what is known, here and in the worker. Returns whether the worker was lost.
    fn learn(&mut self, news: &[Arc<KnowledgeDelta>]) -> Result<bool, RunError> {
        for lesson in news {
            self.known.learn(lesson);
        }
        if let Some(worker) = &mut self.worker
            && !news.is_empty()
        {
            let news = news.iter().map(|lesson| KnowledgeDelta::clone(lesson)).collect();
            if !worker.teach(&Request::Learn(news), self.options)? {
                self.worker = None;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Starts a worker and sends it all that is known. A worker that is killed meanwhile is counted
    /// and replaced.
    fn start(&self, restarts: &mut u64) -> Result<WorkerProcess, RunError> {
        for _ in 0..STARTS_MAX {
            let mut worker = WorkerProcess::start(self.options)?;
            if worker.teach(&Request::Know(Box::new(self.known.clone())), self.options)? {
                return Ok(worker);
            }
            *restarts += 1;
        }
        let what = format!("{STARTS_MAX} workers were lost one after the other before a round");
        Err(RunError::Failed(what))
    }

    /// Reads the answers of a worker to a request for a round.
    fn follow(
        &mut self,
        worker: &mut WorkerProcess,
        progress: &mut RoundProgress,
    ) -> Result<Followed, RunError> {
        // Earlier changes are repeated first.
        let mut repeated = progress.point.changes.len();
        let mut answers = Answers::new();
        loop {
            match answers.next(worker, self.options)? {
                Ok(Answer::Built(SetupDone { setup, executed, .. })) => {
                    progress.setup = setup;
                    progress.set_executed(worker, self.options, &executed)?;
                }
                Ok(Answer::Changed(Changed { mutators, statements, executed })) => {
                    progress.setup.extend(statements);
                    progress.set_executed(worker, self.options, &executed)?;
                    if repeated > 0 {
                        repeated -= 1;
                    } else {
                        progress.point.changes.push(mutators);
                        progress.point.pace = Stagnation::default();
                    }
                }
                Ok(Answer::Explored(stretch)) => {
                    self.take(*stretch, worker, progress)?;
                    if self.options.interrupted.load(Relaxed) {
                        return Err(RunError::Interrupted);
                    }
                    if self.observer.is_over() {
                        return Ok(Followed::Over);
                    }
                }
                Ok(Answer::Done(times)) => {
                    progress.summary.times.add(&times);
                    return Ok(Followed::Done);
                }
                Ok(_) => return Err(unexpected_reply()),
                Err(lost) => return Ok(Followed::Lost(lost)),
            }
        }
    }

    /// Adds the results of some pairs.
    fn take(
        &mut self,
        batch: RoundBatch,
        worker: &WorkerProcess,
        progress: &mut RoundProgress,
    ) -> Result<(), RunError> {
        let RoundBatch { pairs, counts, kept, violations, pace, lesson } = batch;
        for (relation, counts) in counts {
            let name = self.options.relation(relation)?;
            progress.summary.relations.entry(name.to_owned()).or_default().add(&counts);
        }
        for (number, relation, result) in kept {
            let (Verdict::Holds | Verdict::Violated(_), Some(covers)) =
                (&result.verdict, &result.covers)
            else {
                continue;
            };
            let sides = result.sides.as_ref();
            let inputs = sides.map(|sides| stored(self.options.language(), sides));
            let group: Group<Reading> = worker.sites()?.group(&progress.executed, covers)?;
            progress.kept.push(Kept {
                place: progress.number * self.campaign.schedule.pairs + number,
                relation: self.options.relation(relation)?,
                pair: format!("{}-{}-{number}", self.campaign.trial, progress.number),
                group,
                sites: worker.sites()?.clone(),
                context: Context {
                    setup: progress.stored.clone(),
                    inputs: inputs.unwrap_or_default(),
                    verdict: Some(result.verdict),
                    judge: result.judge.map(|judge| judge.name().to_owned()),
                    outputs: Vec::new(),
                },
                micros: result.micros,
            });
        }
        progress.point.pairs += pairs;
        progress.point.pace = pace;
        progress.point.lesson.add(lesson);
        self.observer.tested(pairs);
        for violated in violations {
            self.look_into(violated, progress)?;
        }
        Ok(())
    }
}

impl RoundProgress {
    fn set_executed(
        &mut self,
        worker: &WorkerProcess,
        options: &WorkerOptions<'_>,
        bytes: &[u8],
    ) -> io::Result<()> {
        if options.config.coverage.is_some() {
            self.executed = worker.sites()?.cover(bytes)?;
            let script = options.language().script(&self.setup);
            self.stored = Some(Arc::new(Setup::new(script.into_bytes())));
        }
        Ok(())
    }
}
