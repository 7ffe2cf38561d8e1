//! What a worker runs tests with, in the process that a state has to itself.

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

/// What tests need.
pub(crate) struct TestBench<'s> {
    pub(crate) session: Box<dyn Session>,
    pub(crate) measuring: Option<Measuring<'s>>,
    pub(crate) method: &'static dyn Method,
    pub(crate) facts: Facts,
}

/// What is needed to know what a test runs.
pub(crate) struct Measuring<'s> {
    pub(crate) capture: Box<dyn Capture + 's>,
    /// What the target does when it is used for the first time.
    pub(crate) once: Cover,
}

/// A state, and all that is needed to run tests on it.
pub(crate) struct PreparedState<'b, 's> {
    bench: &'b mut TestBench<'s>,
    /// What making the state ran, if that is measured.
    setup: Option<Cover>,
    pub(crate) watch: Stopwatch,
}

impl<'s> TestBench<'s> {
    /// Makes a state: `fill` runs what makes it.
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
            Some(Measuring { capture, once }) => {
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

    /// Makes the state of these seeds; `announce` gets each statement before it is run.
    pub(crate) fn build(
        &mut self,
        seeds: [u64; 2],
        announce: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> io::Result<BuiltSubject> {
        setup::build(&mut *self.session, self.method, &self.facts, seeds, announce)
    }

    /// Makes a state and runs tests on it.
    pub(crate) fn run(&mut self, batch: &TestBatch, port: &mut dyn Port) -> io::Result<()> {
        let relations = self.method.relations().len();
        let (mut state, built) =
            self.prepare(|bench| bench.build([batch.seed, batch.subject], &mut |_| Ok(())))?;
        let subject = built.subject;
        let done = SetupDone::of(built.setup, built.successes, state.setup());
        port.report(&Answer::Built(done))?;
        let (mut results, mut waited) = (Vec::new(), Duration::ZERO);
        for (relation, number) in &batch.tests {
            let test = derive(&*subject, batch, *relation, *number, relations)?;
            state.watch.lap(Phase::Derive);
            let result =
                state.test(&test, batch.is_cautious.then_some(&mut *port as &mut dyn Port))?;
            waited += Duration::from_micros(result.micros);
            results.push(result);
            if batch.is_cautious || results.len() == BATCH_MAX || waited > BATCH_TIME {
                port.report(&Answer::Tested(std::mem::take(&mut results)))?;
                waited = Duration::ZERO;
            }
            state.watch.lap(Phase::Report);
            state.watch.take();
        }
        port.report(&Answer::Tested(results))?;
        state.watch.lap(Phase::Report);
        port.report(&Answer::Done(state.watch.times))
    }

    /// Makes a state and writes tests on it down.
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
    /// What making the state ran, and what a target does only once; nothing if that is not
    /// measured.
    pub(crate) fn setup(&self) -> &Cover {
        static NOTHING: std::sync::LazyLock<Cover> = std::sync::LazyLock::new(Cover::default);
        self.setup.as_ref().unwrap_or(&NOTHING)
    }

    /// Whether what runs is measured.
    pub(crate) fn is_measured(&self) -> bool {
        self.bench.measuring.is_some()
    }

    /// The opened target.
    pub(crate) fn session(&mut self) -> &mut dyn Session {
        &mut *self.bench.session
    }

    /// Goes back to the state that each side starts from.
    pub(crate) fn restore(&mut self) -> io::Result<()> {
        self.bench.session.restore(Mark::Start)
    }

    /// Runs a side from the state that the last one has left: fast, and correct for inputs that only read.
    pub(crate) fn run(&mut self, side: &[Input]) -> io::Result<Vec<Outcome>> {
        side.iter().map(|input| self.bench.session.run(input)).collect()
    }

    /// Which counters counted since the last trace or reset.
    pub(crate) fn take_trace(&mut self, trace: &mut Trace) {
        if let Some(measuring) = &mut self.bench.measuring {
            measuring.capture.take_trace(trace);
        }
    }

    /// Changes the state: `change` runs statements. Sides start from there then.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut dyn Session) -> io::Result<T>,
    ) -> io::Result<T> {
        self.restore()?;
        let TestBench { session, measuring, .. } = &mut *self.bench;
        if let Some(measuring) = measuring {
            measuring.capture.reset()?;
        }
        let changed = change(&mut **session)?;
        if let (Some(measuring), Some(executed)) = (measuring, &mut self.setup) {
            *executed |= &measuring.capture.read()?;
            session.keep(Mark::Start)?;
        }
        Ok(changed)
    }

    /// Runs a test and judges it. With a port, each step is announced before it is taken.
    pub(crate) fn test(
        &mut self,
        test: &Test,
        mut port: Option<&mut dyn Port>,
    ) -> io::Result<TestResult> {
        if let Some(port) = &mut port {
            port.report(&Answer::Next(test.sides.clone()))?;
        }
        let mut side = |state: &mut Self, number: usize, side: &[Input]| {
            if let Some(port) = &mut port {
                port.report(&Answer::Side(number))?;
            }
            state.side(side)
        };
        let (a, a_ran) = side(self, 0, &test.sides.a)?;
        let (b, b_ran) = side(self, 1, &test.sides.b)?;
        let worked = [&a, &b].map(|side| side.iter().all(Outcome::is_success));
        let verdict = test.judge.judge(&Pair { a, b });
        self.watch.lap(Phase::Judge);
        let is_shown = self.is_measured() || matches!(verdict, Verdict::Violated(_));
        // A test that says nothing has no covers.
        let ran = a_ran.zip(b_ran).filter(|_| !matches!(verdict, Verdict::Invalid(_)));
        let covers = ran.map(|(a, b)| encode_sides(a, b, self.setup()));
        let sides = is_shown.then(|| test.sides.clone());
        self.watch.lap(Phase::Decode);
        let micros = u64::try_from(self.watch.take().as_micros()).unwrap_or(u64::MAX);
        Ok(TestResult { micros, sides, worked, verdict, judge: Some(test.judge), covers })
    }

    /// Runs each input of a side from the state that sides start from: what they return, and what
    /// they run if that is measured.
    pub(crate) fn side(&mut self, inputs: &[Input]) -> io::Result<(Vec<Outcome>, Option<Cover>)> {
        let (mut outcomes, mut executed) = (Vec::with_capacity(inputs.len()), None::<Cover>);
        for input in inputs {
            let TestBench { session, measuring, .. } = &mut *self.bench;
            if let Some(measuring) = measuring {
                measuring.capture.reset()?;
            }
            self.watch.lap(Phase::Capture);
            outcomes.push(session.run(input)?);
            self.watch.lap(Phase::Engine);
            // Without coverage, inputs only read, and leave nothing to restore.
            if let Some(measuring) = measuring {
                let cover = measuring.capture.read()?;
                match &mut executed {
                    Some(executed) => *executed |= &cover,
                    None => executed = Some(cover),
                }
                self.watch.lap(Phase::Decode);
                session.restore(Mark::Start)?;
                self.watch.lap(Phase::Capture);
            }
        }
        Ok((outcomes, executed))
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

/// The sides as bytes, with the setup, which both have run: the first as what it adds to the setup,
/// the second as what it differs in from the first.
fn encode_sides(mut a: Cover, mut b: Cover, setup: &Cover) -> [Vec<u8>; 2] {
    a |= setup;
    b |= setup;
    b ^= &a;
    a ^= setup;
    [codec::encode(&a), codec::encode(&b)]
}
