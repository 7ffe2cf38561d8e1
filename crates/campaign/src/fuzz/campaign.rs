//! The rounds of a campaign, started and closed in order.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metacov_core::{Operation, SiteTable};
use metacov_formats::Error;
use metacov_run::{GroupRead, Observer, PoolState, RunError, SharedTable, WorkerFold, run_jobs};

use super::done::{Done, Kept};
use super::knowledge::{Knowledge, KnowledgeDelta};
use super::round::Schedule;
use super::round_runner::RoundRunner;
use crate::finding::{Finding, Triage};
use crate::worker::host::WorkerOptions;

/// A round knows what was found up to this many rounds before it, so at most this many rounds run
/// at once, whatever the number of workers. Another value would give other campaigns.
pub const ROUND_LAG: u64 = 8;

/// Returns how many rounds a round knows: the first ones.
pub(super) fn known_rounds(number: u64) -> u64 {
    (number + 1).saturating_sub(ROUND_LAG)
}

/// How often a waiting thread checks whether the campaign is over.
const LOOK: Duration = Duration::from_millis(100);

/// What a campaign tests, and what guides it.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seed of all databases and pairs.
    pub seed: u64,
    /// Positions in the method's table.
    pub relations: Vec<usize>,
    /// The position in the table of guidances.
    pub guidance: usize,
    /// Whether traces and plans are observed even if nothing is guided by them.
    pub observes: bool,
    /// Whether violations are examined.
    pub examines: bool,
    /// The lengths of rounds.
    pub schedule: Schedule,
    /// How many pairs to test, if that ends the campaign.
    pub pairs: Option<u64>,
    /// The tag that distinguishes its pairs from those of other campaigns.
    pub trial: String,
}

/// Receives the results of a campaign.
pub trait CampaignObserver: Sync {
    /// Called after this many more pairs were tested.
    fn tested(&self, pairs: u64);
    /// Stores a finding at once, so that it is kept even if the campaign is killed. It may have
    /// been found before.
    fn found(&self, finding: &Finding) -> io::Result<()>;
    /// Called in order when a round is complete, after the pairs that it keeps were observed.
    fn close(&self, done: &Done) -> Result<(), Error>;
    /// Whether the time limit is reached: no more rounds begin, and running ones end early.
    fn is_over(&self) -> bool;
}

impl Campaign {
    /// The length of a round: the last one may be shorter.
    pub(crate) fn schedule_of(&self, round: u64) -> Schedule {
        let left =
            self.pairs.map_or(u64::MAX, |pairs| pairs.saturating_sub(round * self.schedule.pairs));
        Schedule { pairs: self.schedule.pairs.min(left), ..self.schedule }
    }

    /// The number of rounds, if it is limited.
    fn rounds(&self) -> u64 {
        self.pairs.map_or(u64::MAX, |pairs| pairs.div_ceil(self.schedule.pairs))
    }
}

/// Continues a campaign, some rounds of which may be closed, until it is over. Returns all sites.
/// An interrupt ends it early: incomplete rounds are repeated next time.
pub fn fuzz<'c, O: Observer + CampaignObserver>(
    campaign: &Campaign,
    options: &WorkerOptions<'c>,
    closed: Vec<KnowledgeDelta>,
    table: SharedTable,
    observer: &O,
    triage: &(dyn Fn() -> Result<Triage<'c>, RunError> + Sync),
) -> Result<SiteTable, RunError> {
    // More rounds than this never run at once.
    let workers = options.workers.get().min(usize::try_from(ROUND_LAG).unwrap_or(usize::MAX));
    let rounds = closed.len() as u64;
    let state = State {
        next: rounds,
        closed: rounds,
        waiting: BTreeMap::new(),
        news: vec![closed.into_iter().map(Arc::new).collect(); workers],
        fold: WorkerFold::new(&table, Operation::Xor),
    };
    let rounds = Rounds {
        campaign,
        group_observer: observer,
        observer,
        state: Mutex::new(state),
        changed: Condvar::new(),
    };
    run_jobs(
        workers,
        |pool| rounds.next(pool),
        |jobs| {
            let (started, worker, known) = (None, None, Knowledge::default());
            let mut runner =
                RoundRunner { campaign, options, observer, triage, started, worker, known };
            jobs.run(|number, ()| {
                let news = rounds.news(jobs.worker, known_rounds(number) - runner.known.rounds);
                let done = runner.round(number, &news);
                let done = done.map_err(|error| error.of(&format!("round {number}")));
                let ended = done.and_then(|done| rounds.end(number, done));
                rounds.changed.notify_all();
                ended
            });
        },
    )?;
    drop(rounds);
    Ok(table.into_table())
}

/// The rounds of a campaign, shared by all workers.
struct Rounds<'r, 'n> {
    campaign: &'r Campaign,
    group_observer: &'r dyn Observer,
    observer: &'r dyn CampaignObserver,
    state: Mutex<State<'n>>,
    changed: Condvar,
}

struct State<'n> {
    /// The next round to begin.
    next: u64,
    /// How many rounds are closed.
    closed: u64,
    /// Rounds that are complete, but wait for an earlier one.
    waiting: BTreeMap<u64, Done>,
    /// By worker: what closed rounds have added and the worker does not know yet.
    news: Vec<VecDeque<Arc<KnowledgeDelta>>>,
    fold: WorkerFold<'n>,
}

impl<'n> Rounds<'_, 'n> {
    fn state(&self) -> MutexGuard<'_, State<'n>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the next round, once the rounds that it depends on are closed.
    fn next(&self, pool: &PoolState) -> Option<(u64, ())> {
        let mut state = self.state();
        loop {
            if pool.is_over() || self.observer.is_over() || state.next >= self.campaign.rounds() {
                return None;
            }
            if known_rounds(state.next) <= state.closed {
                break;
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.next += 1;
        Some((state.next - 1, ()))
    }

    /// Takes what the next rounds that a worker does not know have added, for this many rounds.
    fn news(&self, worker: usize, rounds: u64) -> Vec<Arc<KnowledgeDelta>> {
        let news = &mut self.state().news[worker];
        (0..rounds).map_while(|_| news.pop_front()).collect()
    }

    /// Accepts a complete round.
    fn end(&self, number: u64, done: Done) -> Result<(), RunError> {
        let mut state = self.state();
        state.waiting.insert(number, done);
        self.close(&mut state)
    }

    /// Closes complete rounds up to the first that is not.
    fn close(&self, state: &mut State<'_>) -> Result<(), RunError> {
        while let Some(mut done) = state.waiting.remove(&state.closed) {
            for kept in std::mem::take(&mut done.kept) {
                self.fold(state, kept)?;
            }
            self.observer.close(&done).map_err(RunError::Output)?;
            let lesson = Arc::new(done.lesson);
            for news in &mut state.news {
                news.push_back(Arc::clone(&lesson));
            }
            state.closed += 1;
        }
        Ok(())
    }

    fn fold(&self, state: &mut State<'_>, kept: Kept) -> Result<(), RunError> {
        let Kept { place, relation, pair, group, sites, context, micros } = kept;
        if self.group_observer.is_done(place, relation, &pair)? {
            return Ok(());
        }
        let sides = ["a", "b"].map(|side| format!("side {side} of pair {pair} of {relation}"));
        let took = Duration::from_micros(micros);
        let (pair, sides) = (&pair, &sides);
        let readings = Ok(group);
        let read = GroupRead { place, relation, pair, sides, readings, context, took };
        state.fold.add(read, &sites.table, self.group_observer)
    }
}
