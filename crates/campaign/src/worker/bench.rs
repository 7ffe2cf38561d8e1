//! Runs tests in a worker, in a separate process for each state.

use std::io;
use std::time::Duration;

use metacov_core::{
    Cover, Facts, Input, Method, Outcome, Pair, Rng, Subject, Test, Verdict, codec, seed,
};
use metacov_exec::{Capture, Mark, Session, Trace};

use super::protocol::{Answer, Port, Script, SetupDone, TestBatch, TestResult};
use super::setup::{self, BuiltSubject};
use crate::timing::{Phase, Stopwatch};

/// Results are reported in batches of this many tests, or when this much time has passed.
const BATCH_MAX: usize = 512;
const BATCH_TIME: Duration = Duration::from_millis(50);

/// A loaded target, and what running tests on it requires.
pub(crate) struct TestBench<'s> {
    pub(crate) session: Box<dyn Session>,
    pub(crate) measuring: Option<Measuring<'s>>,
    pub(crate) method: &'static dyn Method,
    pub(crate) facts: Facts,
    /// Whether the session ends inputs that take too long: some may take seconds.
    pub(crate) limits_time: bool,
}

/// What measuring the coverage of a test requires.
pub(crate) struct Measuring<'s> {
    pub(crate) capture: Box<dyn Capture + 's>,
    /// The sites that run only when the target is first used.
    pub(crate) once: Cover,
    /// Whether the target has run since the last reset.
    pub(crate) has_run: bool,
}

impl Measuring<'_> {
    /// Discards what ran so far.
    fn reset(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_run) { self.capture.reset() } else { Ok(()) }
    }
}

/// A state, and what running tests on it requires.
pub(crate) struct PreparedState<'b, 's> {
    bench: &'b mut TestBench<'s>,
    /// The cover of the setup, if it is measured.
    setup: Option<Cover>,
    pub(crate) watch: Stopwatch,
}

impl<'s> TestBench<'s> {
    /// Creates a state: `fill` runs its statements.
    pub(crate) fn prepare<T>(
        &mut self,
        fill: impl FnOnce(&mut TestBench<'s>) -> io::Result<T>,
    ) -> io::Result<(PreparedState<'_, 's>, T)> {
        let mut watch = Stopwatch::start();
        if let Some(measuring) = &mut self.measuring {
            measuring.capture.reset()?;
        }
        self.session.begin()?;
        let filled = fill(self)?;
        let setup = match &mut self.measuring {
            Some(Measuring { capture, once, has_run }) => {
                *has_run = false;
                let mut executed = capture.read()?;
                executed |= once;
                self.session.keep(Mark::Start)?;
                Some(executed)
            }
            None => None,
        };
        watch.lap(Phase::Build);
        watch.take();
        Ok((PreparedState { bench: self, setup, watch }, filled))
    }

    /// Creates the state of these seeds; `announce` gets each statement before it runs.
    pub(crate) fn build(
        &mut self,
        seeds: [u64; 2],
        announce: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> io::Result<BuiltSubject> {
        setup::build(&mut *self.session, self.method, &self.facts, seeds, announce)
    }

    /// Creates a state and runs tests on it.
    pub(crate) fn run(&mut self, batch: &TestBatch, port: &mut dyn Port) -> io::Result<()> {
        let relations = self.method.relations().len();
        let (mut state, built) =
            self.prepare(|bench| bench.build([batch.seed, batch.subject], &mut |_| Ok(())))?;
        let subject = built.subject;
        let done = SetupDone::of(built.setup, built.successes, state.setup());
        port.report(&Answer::Built(done))?;
        let (mut results, mut waited) = (Vec::new(), Duration::ZERO);
        let mut tested = Vec::new();
        for (relation, number) in &batch.tests {
            let test = derive(&*subject, batch, *relation, *number, relations)?;
            state.watch.lap(Phase::Derive);
            let announced = batch.is_cautious.then_some(&mut *port as &mut dyn Port);
            tested.push(state.run_test(test, announced)?);
            if !batch.is_cautious && state.has_room() {
                continue;
            }
            let solved = state.solve(std::mem::take(&mut tested))?;
            waited += solved.iter().map(|result| Duration::from_micros(result.micros)).sum();
            results.extend(solved);
            if batch.is_cautious || results.len() >= BATCH_MAX || waited > BATCH_TIME {
                port.report(&Answer::Tested(std::mem::take(&mut results)))?;
                waited = Duration::ZERO;
            }
            state.watch.lap(Phase::Report);
            state.watch.take();
        }
        results.extend(state.solve(tested)?);
        port.report(&Answer::Tested(results))?;
        state.watch.lap(Phase::Report);
        port.report(&Answer::Done(state.watch.times))
    }

    /// Creates a state and returns the tests on it as text.
    pub(crate) fn write(&mut self, batch: &TestBatch) -> io::Result<Script> {
        self.session.begin()?;
        let built = self.build([batch.seed, batch.subject], &mut |_| Ok(()))?;
        let relations = self.method.relations().len();
        let test = |(relation, number): &(usize, u64)| {
            Ok(derive(&*built.subject, batch, *relation, *number, relations)?.sides)
        };
        let tests = batch.tests.iter().map(test).collect::<io::Result<_>>()?;
        Ok(Script { setup: built.setup, tests })
    }
}

impl PreparedState<'_, '_> {
    /// The cover of the setup, with what the target runs only once; empty if coverage is not
    /// measured.
    pub(crate) fn setup(&self) -> &Cover {
        static NOTHING: std::sync::LazyLock<Cover> = std::sync::LazyLock::new(Cover::default);
        self.setup.as_ref().unwrap_or(&NOTHING)
    }

    /// Whether coverage is measured.
    pub(crate) fn is_measured(&self) -> bool {
        self.bench.measuring.is_some()
    }

    /// Whether the session ends inputs that take too long.
    pub(crate) fn limits_time(&self) -> bool {
        self.bench.limits_time
    }

    /// The opened target.
    pub(crate) fn session(&mut self) -> &mut dyn Session {
        self.set_run();
        &mut *self.bench.session
    }

    /// Restores the state that each side starts from.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        self.bench.session.restore(Mark::Start)
    }

    /// Runs a side from the state that the last one has left. This is fast, and correct for inputs
    /// that only read.
    pub(crate) fn run(&mut self, side: &[Input]) -> io::Result<Vec<Outcome>> {
        self.set_run();
        side.iter().map(|input| self.bench.session.run(input)).collect()
    }

    /// Notes that the target may run, so that the next reset is not skipped.
    fn set_run(&mut self) {
        if let Some(measuring) = &mut self.bench.measuring {
            measuring.has_run = true;
        }
    }

    /// Stores which counters are not zero since the last trace or reset.
    pub(crate) fn take_trace(&mut self, trace: &mut Trace) {
        if let Some(measuring) = &mut self.bench.measuring {
            measuring.capture.take_trace(trace);
        }
    }

    /// Changes the state that sides start from: `change` runs statements.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut dyn Session) -> io::Result<T>,
    ) -> io::Result<T> {
        self.restore()?;
        let TestBench { session, measuring, .. } = &mut *self.bench;
        if let Some(measuring) = measuring {
            measuring.reset()?;
        }
        let changed = change(&mut **session)?;
        if let (Some(measuring), Some(executed)) = (measuring, &mut self.setup) {
            *executed |= &measuring.capture.read()?;
            session.keep(Mark::Start)?;
        }
        Ok(changed)
    }

    /// Runs a test and judges it; [`Self::solve`] returns its result. With a port, each step is announced before it
    /// runs.
    pub(crate) fn run_test(
        &mut self,
        test: Test,
        mut port: Option<&mut dyn Port>,
    ) -> io::Result<Tested> {
        if let Some(port) = &mut port {
            port.report(&Answer::Next(test.sides.clone()))?;
        }
        let mut side = |state: &mut Self, number: usize, side: &[Input]| {
            if let Some(port) = &mut port {
                port.report(&Answer::Side(number))?;
            }
            state.run_side(side)
        };
        self.bench.session.begin_test();
        let (a, a_ran) = side(self, 0, &test.sides.a)?;
        let (b, b_ran) = side(self, 1, &test.sides.b)?;
        let worked = [&a, &b].map(|side| side.iter().all(Outcome::is_success));
        let verdict = test.judge.judge(&Pair { a, b });
        self.watch.lap(Phase::Judge);
        let micros = u64::try_from(self.watch.take().as_micros()).unwrap_or(u64::MAX);
        Ok(Tested { micros, test, worked, verdict, ran: [a_ran, b_ran] })
    }

    /// Whether the counters of another test can be taken before those of earlier ones are solved.
    pub(crate) fn has_room(&self) -> bool {
        self.bench.measuring.as_ref().is_some_and(|measuring| measuring.capture.has_room(2))
    }

    /// Solves the counters of tests, all that have run since the last call.
    pub(crate) fn solve(&mut self, tested: Vec<Tested>) -> io::Result<Vec<TestResult>> {
        let mut covers = self.solved().into_iter();
        let mut results = Vec::with_capacity(tested.len());
        for Tested { micros, test, worked, verdict, ran } in tested {
            let [a, b] = ran.map(|ran| ran.cover(&mut covers));
            let is_shown = self.is_measured() || matches!(verdict, Verdict::Violated(_));
            // A test without a verdict has no covers.
            let ran = a?.zip(b?).filter(|_| !matches!(verdict, Verdict::Invalid(_)));
            let covers = ran.map(|(a, b)| encode_sides(a, b, self.setup()));
            let Test { sides, judge, .. } = test;
            let sides = is_shown.then_some(sides);
            results.push(TestResult { micros, sides, worked, verdict, judge: Some(judge), covers });
        }
        self.watch.lap(Phase::Decode);
        // The time of solving belongs to all of them alike.
        let solving =
            self.watch.take().as_micros() / u128::try_from(results.len().max(1)).unwrap_or(1);
        for result in &mut results {
            result.micros += u64::try_from(solving).unwrap_or(u64::MAX);
        }
        Ok(results)
    }

    /// Runs each input of a side from the state that sides start from. Returns the outcomes and, if
    /// measured, the cover of all inputs: their counts add up.
    pub(crate) fn side(&mut self, inputs: &[Input]) -> io::Result<(Vec<Outcome>, Option<Cover>)> {
        let (outcomes, ran) = self.run_side(inputs)?;
        let cover = ran.cover(&mut self.solved().into_iter())?;
        self.watch.lap(Phase::Decode);
        Ok((outcomes, cover))
    }

    /// The covers of the executions that were taken.
    fn solved(&mut self) -> Vec<io::Result<Cover>> {
        self.bench.measuring.as_mut().map_or_else(Vec::new, |measuring| measuring.capture.solve())
    }

    /// Runs each input of a side from the state that sides start from, and takes their counters.
    fn run_side(&mut self, inputs: &[Input]) -> io::Result<(Vec<Outcome>, SideRan)> {
        let TestBench { session, measuring, .. } = &mut *self.bench;
        if let Some(measuring) = measuring {
            measuring.reset()?;
        }
        self.watch.lap(Phase::Capture);
        let mut outcomes = Vec::with_capacity(inputs.len());
        for input in inputs {
            outcomes.push(session.run(input)?);
            self.watch.lap(Phase::Engine);
            // Without coverage, inputs only read, and leave nothing to restore.
            if measuring.is_some() {
                session.restore(Mark::Start)?;
                self.watch.lap(Phase::Capture);
            }
        }
        let ran = match measuring.as_mut().filter(|_| !inputs.is_empty()) {
            None => SideRan::Unmeasured,
            Some(measuring) => {
                measuring.capture.take()?;
                self.watch.lap(Phase::Capture);
                if outcomes.iter().all(Outcome::is_success) {
                    SideRan::ToTheEnd
                } else {
                    SideRan::Failed
                }
            }
        };
        Ok((outcomes, ran))
    }
}

/// A test that has run, and whose counters were taken.
pub(crate) struct Tested {
    micros: u64,
    test: Test,
    worked: [bool; 2],
    verdict: Verdict,
    ran: [SideRan; 2],
}

/// What is known of the counters of a side.
#[derive(Clone, Copy, Debug)]
enum SideRan {
    /// They were not taken.
    Unmeasured,
    /// They must add up.
    ToTheEnd,
    /// They need not add up: an input may have been ended in the middle of a function.
    Failed,
}

impl SideRan {
    /// Its cover, which is the next one if its counters were taken.
    fn cover(
        self,
        covers: &mut impl Iterator<Item = io::Result<Cover>>,
    ) -> io::Result<Option<Cover>> {
        let mut next =
            || covers.next().unwrap_or_else(|| Err(io::Error::other("a side was not solved")));
        match self {
            SideRan::Unmeasured => Ok(None),
            SideRan::ToTheEnd => next().map(Some),
            SideRan::Failed => Ok(next().ok()),
        }
    }
}

/// A test on a state.
fn derive(
    subject: &dyn Subject,
    batch: &TestBatch,
    relation: usize,
    number: u64,
    relations: usize,
) -> io::Result<Test> {
    if relation >= relations {
        return Err(io::Error::other("unknown relation"));
    }
    let mut rng = Rng::new(seed(&[batch.seed, batch.subject, relation as u64, number]));
    Ok(subject.derive(relation, &mut rng))
}

/// The encoded covers of the sides, including the setup: the first as its difference from the
/// setup, the second as its difference from the first.
fn encode_sides(mut a: Cover, mut b: Cover, setup: &Cover) -> [Vec<u8>; 2] {
    a |= setup;
    b |= setup;
    b ^= &a;
    a ^= setup;
    [codec::encode(&a), codec::encode(&b)]
}
