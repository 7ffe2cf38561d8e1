//! The rounds of a campaign: given out in their order, closed in their order.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use metacov_core::{Operation, SiteTable};
use metacov_formats::{Audience, Error, Fault, Halt, Hand, Numbering, Read};

use super::done::{Done, Kept};
use super::known::{Known, Lesson};
use super::lane::Lane;
use super::round::Schedule;
use crate::finding::{Finding, Investigator};
use crate::worker::Conditions;

/// A round knows what was found out up to so many rounds before it, if there are no more workers than that. The number
/// is a part of the campaign: with another one it would be another campaign.
pub const DISTANCE: u64 = 8;

/// How often somebody who waits looks whether it is over.
const LOOK: Duration = Duration::from_millis(100);

/// Which pairs, and what guides them.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seed of all.
    pub seed: u64,
    /// As they stand in the table of all.
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
    /// How far a round is from those that it builds on.
    pub distance: u64,
    /// What tells its pairs from those of other campaigns.
    pub trial: String,
}

/// Is told how a campaign goes on.
pub trait Clerk: Sync {
    /// So many pairs more were tested.
    fn tested(&self, pairs: u64);
    /// Something was found: to be kept at once, so that it outlasts whatever comes. It may have been found before.
    fn found(&self, finding: &Finding) -> io::Result<()>;
    /// A round is over, and all before it are. The audience has heard of the pairs that it keeps.
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
pub fn fuzz<'c>(
    campaign: &Campaign,
    conditions: &Conditions<'c>,
    closed: Vec<Lesson>,
    numbering: Numbering,
    audience: &dyn Audience,
    clerk: &dyn Clerk,
    investigator: &(dyn Fn() -> io::Result<Investigator<'c>> + Sync),
) -> Result<SiteTable, Halt> {
    let rounds = closed.len() as u64;
    let state = State {
        next: rounds,
        closed: rounds,
        stopped: false,
        failed: None,
        waiting: BTreeMap::new(),
        lessons: closed.into(),
        known: Known::default(),
        folded: 0,
        hand: Hand::new(&numbering, Operation::Xor),
    };
    let room =
        Room { campaign, audience, clerk, state: Mutex::new(state), changed: Condvar::new() };
    thread::scope(|scope| {
        for _ in 0..conditions.workers.get() {
            scope.spawn(|| {
                let (started, worker) = (None, None);
                room.work(Lane { campaign, conditions, clerk, investigator, started, worker });
            });
        }
    });
    let State { failed, .. } = room.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    match failed {
        Some((_, halt)) => Err(halt),
        None => Ok(numbering.into_table()),
    }
}

/// What all threads share.
struct Room<'r, 'n> {
    campaign: &'r Campaign,
    audience: &'r dyn Audience,
    clerk: &'r dyn Clerk,
    state: Mutex<State<'n>>,
    changed: Condvar,
}

struct State<'n> {
    /// The next round to begin.
    next: u64,
    /// How many rounds are closed.
    closed: u64,
    stopped: bool,
    /// The first failure, by round.
    failed: Option<(u64, Halt)>,
    /// Rounds that are over, while one before them is not.
    waiting: BTreeMap<u64, Done>,
    /// What closed rounds have added, as far as the next round does not know it.
    lessons: VecDeque<Lesson>,
    /// What the next round knows, and of how many rounds.
    known: Known,
    folded: u64,
    hand: Hand<'n>,
}

impl<'n> Room<'_, 'n> {
    fn state(&self) -> MutexGuard<'_, State<'n>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next round, and what it knows, once the rounds that it builds on are closed.
    fn next(&self) -> Option<(u64, Known)> {
        let mut state = self.state();
        loop {
            let is_over = state.stopped || state.failed.is_some() || self.clerk.is_over();
            if is_over || state.next >= self.campaign.rounds() {
                return None;
            }
            if state.next < state.closed + self.campaign.distance {
                break;
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let State { next, known, lessons, folded, .. } = &mut *state;
        while *folded + self.campaign.distance <= *next {
            let Some(lesson) = lessons.pop_front() else { break };
            known.learn(&lesson);
            *folded += 1;
        }
        let round = *next;
        *next += 1;
        Some((round, known.clone()))
    }

    fn work(&self, mut lane: Lane<'_, '_>) {
        while let Some((number, known)) = self.next() {
            let done = lane.round(number, &known).map_err(|error| {
                let is_interrupt = error.kind() == io::ErrorKind::Interrupted;
                (is_interrupt, Halt::Input(Fault::Io(error).of(format!("round {number}"))))
            });
            let mut state = self.state();
            let closed = done.and_then(|done| {
                state.waiting.insert(number, done);
                self.close(&mut state).map_err(|halt| (false, halt))
            });
            match closed {
                Ok(()) => {}
                Err((true, _)) => state.stopped = true,
                Err((false, halt)) => {
                    if state.failed.as_ref().is_none_or(|(earlier, _)| number < *earlier) {
                        state.failed = Some((number, halt));
                    }
                }
            }
            self.changed.notify_all();
        }
    }

    /// Closes the rounds that are over and have none before them that is not.
    fn close(&self, state: &mut State<'_>) -> Result<(), Halt> {
        while let Some(mut done) = state.waiting.remove(&state.closed) {
            for kept in std::mem::take(&mut done.kept) {
                self.fold(state, kept)?;
            }
            self.clerk.close(&done).map_err(Halt::Audience)?;
            state.lessons.push_back(done.lesson);
            state.closed += 1;
        }
        Ok(())
    }

    fn fold(&self, state: &mut State<'_>, kept: Kept) -> Result<(), Halt> {
        let Kept { place, relation, pair, group, sites, context, micros } = kept;
        if self.audience.knows(place, relation, &pair).map_err(Halt::Input)? {
            return Ok(());
        }
        let sides = ["a", "b"].map(|side| format!("side {side} of pair {pair} of {relation}"));
        let took = Duration::from_micros(micros);
        let (pair, sides) = (&pair, &sides);
        let read = Read { place, relation, pair, sides, outcome: Ok(group), context, took };
        state.hand.fold(read, &sites.table, self.audience)
    }
}
