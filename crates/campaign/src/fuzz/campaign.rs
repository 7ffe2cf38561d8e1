//! The rounds of a campaign: given out in their order, closed in their order.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metacov_core::{Operation, SiteTable};
use metacov_formats::Error;
use metacov_run::{GroupRead, Observer, PoolState, SharedTable, WorkerFold, run_jobs};

use super::done::{Done, Kept};
use super::knowledge::{Knowledge, KnowledgeDelta};
use super::round::Schedule;
use super::round_runner::RoundRunner;
use crate::error::CampaignError;
use crate::finding::{Finding, Triage};
use crate::worker::host::WorkerOptions;

/// A round builds on what was found out up to this many rounds before it, so at most this many rounds run at once,
/// whatever the number of workers: with another number it would be another campaign.
pub const ROUND_LAG: u64 = 8;

/// How often somebody who waits looks whether it is over.
const LOOK: Duration = Duration::from_millis(100);

/// Which pairs, and what guides them.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seed of all.
    pub seed: u64,
    /// As positions in the method's table.
    pub relations: Vec<usize>,
    /// As it stands in the table of all.
    pub guidance: usize,
    /// Whether traces and plans are looked at even if nothing is guided by them.
    pub observes: bool,
    /// Whether what violates its relation is looked into.
    pub examines: bool,
    /// How rounds go.
    pub schedule: Schedule,
    /// How many pairs there are to be, if that ends it.
    pub pairs: Option<u64>,
    /// What tells its pairs from those of other campaigns.
    pub trial: String,
}

/// Receives what a campaign does.
pub trait CampaignObserver: Sync {
    /// So many pairs more were tested.
    fn tested(&self, pairs: u64);
    /// Something was found: to be kept at once, so that it outlasts whatever comes. It may have been found before.
    fn found(&self, finding: &Finding) -> io::Result<()>;
    /// A round is over, and all before it are. The observer has heard of the pairs that it keeps.
    fn close(&self, done: &Done) -> Result<(), Error>;
    /// Whether it has had its time: no round is begun any more, and those on their way end as they are.
    fn is_over(&self) -> bool;
}

impl Campaign {
    /// How a round goes: the last one may be shorter.
    pub(crate) fn schedule_of(&self, round: u64) -> Schedule {
        let left =
            self.pairs.map_or(u64::MAX, |pairs| pairs.saturating_sub(round * self.schedule.pairs));
        Schedule { pairs: self.schedule.pairs.min(left), ..self.schedule }
    }

    /// How many rounds there are, if that is known.
    fn rounds(&self) -> u64 {
        self.pairs.map_or(u64::MAX, |pairs| pairs.div_ceil(self.schedule.pairs))
    }
}

/// Goes on with a campaign of which some rounds are closed, until it is over; all sites. An interrupt ends
/// it early: rounds that are not over then are gone through again next time.
pub fn fuzz<'c, O: Observer + CampaignObserver>(
    campaign: &Campaign,
    options: &WorkerOptions<'c>,
    closed: Vec<KnowledgeDelta>,
    table: SharedTable,
    observer: &O,
    triage: &(dyn Fn() -> Result<Triage<'c>, CampaignError> + Sync),
) -> Result<SiteTable, CampaignError> {
    let rounds = closed.len() as u64;
    let state = State {
        next: rounds,
        closed: rounds,
        waiting: BTreeMap::new(),
        lessons: closed.into(),
        known: Knowledge::default(),
        folded: 0,
        fold: WorkerFold::new(&table, Operation::Xor),
    };
    let rounds = Rounds {
        campaign,
        group_observer: observer,
        observer,
        state: Mutex::new(state),
        changed: Condvar::new(),
    };
    // No more rounds run at once than that, whatever the number of workers.
    let workers = options.workers.get().min(usize::try_from(ROUND_LAG).unwrap_or(usize::MAX));
    run_jobs(
        workers,
        |pool| rounds.next(pool),
        |jobs| {
            let (started, worker) = (None, None);
            let mut runner = RoundRunner { campaign, options, observer, triage, started, worker };
            jobs.run(|number, known| {
                let done = runner.round(number, &known);
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
    /// Rounds that are over, while one before them is not.
    waiting: BTreeMap<u64, Done>,
    /// What closed rounds have added, as far as the next round does not know it.
    lessons: VecDeque<KnowledgeDelta>,
    /// What the next round knows, and of how many rounds.
    known: Knowledge,
    folded: u64,
    fold: WorkerFold<'n>,
}

impl<'n> Rounds<'_, 'n> {
    fn state(&self) -> MutexGuard<'_, State<'n>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next round, and what it knows, once the rounds that it builds on are closed.
    fn next(&self, pool: &PoolState<CampaignError>) -> Option<(u64, Knowledge)> {
        let mut state = self.state();
        loop {
            if pool.is_over() || self.observer.is_over() || state.next >= self.campaign.rounds() {
                return None;
            }
            if state.next < state.closed + ROUND_LAG {
                break;
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let State { next, known, lessons, folded, .. } = &mut *state;
        while *folded + ROUND_LAG <= *next {
            let Some(lesson) = lessons.pop_front() else { break };
            known.learn(&lesson);
            *folded += 1;
        }
        let round = *next;
        *next += 1;
        Some((round, known.clone()))
    }

    /// Takes in a round that is over.
    fn end(&self, number: u64, done: Done) -> Result<(), CampaignError> {
        let mut state = self.state();
        state.waiting.insert(number, done);
        self.close(&mut state)
    }

    /// Closes the rounds that are over and have none before them that is not.
    fn close(&self, state: &mut State<'_>) -> Result<(), CampaignError> {
        while let Some(mut done) = state.waiting.remove(&state.closed) {
            for kept in std::mem::take(&mut done.kept) {
                self.fold(state, kept)?;
            }
            self.observer.close(&done).map_err(CampaignError::Output)?;
            state.lessons.push_back(done.lesson);
            state.closed += 1;
        }
        Ok(())
    }

    fn fold(&self, state: &mut State<'_>, kept: Kept) -> Result<(), CampaignError> {
        let Kept { place, relation, pair, group, sites, context, micros } = kept;
        if self.group_observer.is_done(place, relation, &pair)? {
            return Ok(());
        }
        let sides = ["a", "b"].map(|side| format!("side {side} of pair {pair} of {relation}"));
        let took = Duration::from_micros(micros);
        let (pair, sides) = (&pair, &sides);
        let readings = Ok(group);
        let read = GroupRead { place, relation, pair, sides, readings, context, took };
        Ok(state.fold.add(read, &sites.table, self.group_observer)?)
    }
}
