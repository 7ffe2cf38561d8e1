//! What a worker runs tests with, in the process that a database has to itself.

use std::io;
use std::time::Duration;

use metacov_core::{Cover, Exit, Failure, Missing, Outcome, Pair, codec};
use metacov_exec::{Connection, Engine, HelperPort, Meter, State, Trace};
use metacov_formats::CoverageLoader;
use metacov_relations::{
    ALL, Database, Dialect, Invalid, Rng, Schema, Side, SuccessRates, Test, Verdict,
};

use crate::message::{
    Answer, Judged, Script, SetupDone, TestBatch, TestResult, WorkerConfig, encode,
};
use crate::script::written;
use crate::time::{Phase, Stopwatch};

/// Results are told when there are so many, or when so much time has gone by.
const BATCH_MAX: usize = 512;
const BATCH_TIME: Duration = Duration::from_millis(50);

/// What tests need.
pub(crate) struct TestBench<'s> {
    pub(crate) gauge: Option<Gauge<'s>>,
    pub(crate) dialect: Dialect,
    pub(crate) setting: &'s WorkerConfig,
}

/// What is needed to know what a test runs.
pub(crate) struct Gauge<'s> {
    pub(crate) intake: CoverageLoader<'s>,
    pub(crate) meter: Meter,
    /// What the engine does when it is used for the first time.
    pub(crate) once: Cover,
}

impl Gauge<'_> {
    /// What ran since the last reset.
    fn read(&mut self) -> io::Result<Cover> {
        self.meter.read_executed(&mut self.intake).map_err(io::Error::other)
    }
}

/// A database, and all that is needed to run tests on it.
pub(crate) struct PreparedState<'p, 's> {
    gauge: Option<&'p mut Gauge<'s>>,
    connection: Connection<'p>,
    operations_max: u64,
    /// The state that each side starts from, and what it took to get there; if that is measured.
    start: Option<(State, Cover)>,
    pub(crate) watch: Stopwatch,
}

impl<'s> TestBench<'s> {
    /// Makes a database: `fill` runs what makes it.
    pub(crate) fn place<'p, T>(
        &'p mut self,
        engine: &'p Engine,
        fill: impl FnOnce(&mut Connection<'p>, u64) -> T,
    ) -> io::Result<(PreparedState<'p, 's>, T)> {
        let mut watch = Stopwatch::start();
        let mut gauge = self.gauge.as_mut();
        if let Some(gauge) = &mut gauge {
            gauge.meter.reset()?;
        }
        let mut connection = engine.open()?;
        let operations_max = self.setting.operations_max;
        let filled = fill(&mut connection, operations_max);
        let start = match &mut gauge {
            Some(gauge) => {
                let mut executed = gauge.read()?;
                executed |= &gauge.once;
                Some((engine.state()?, executed))
            }
            None => None,
        };
        watch.lap(Phase::Build);
        watch.take();
        Ok((PreparedState { gauge, connection, operations_max, start, watch }, filled))
    }

    /// Makes a database and runs tests on it.
    pub(crate) fn run(
        &mut self,
        engine: &Engine,
        job: &TestBatch,
        master: &mut HelperPort,
    ) -> io::Result<()> {
        let dialect = self.dialect;
        let (mut place, made) = self.place(engine, |connection, max| {
            make(connection, max, [job.seed, job.database], dialect, &mut |_| ())
        })?;
        let BuiltSubject { database, setup, successes } = made;
        let kinds = successes.by_kind.into_iter();
        let kinds = kinds.map(|(kind, success)| (kind, success.tried, success.worked)).collect();
        let executed = codec::encode(place.setup());
        master.say(&encode(&Answer::SetupDone(SetupDone { setup, kinds, executed })))?;
        let (mut batch, mut waited) = (Vec::new(), Duration::ZERO);
        for (relation, number) in &job.tests {
            let test = derive(job, *relation, *number, database.schema())?;
            place.watch.lap(Phase::Derive);
            let tested = place.test(&test, job.is_cautious.then_some(&mut *master))?;
            waited += Duration::from_micros(tested.micros);
            batch.push(tested);
            if job.is_cautious || batch.len() == BATCH_MAX || waited > BATCH_TIME {
                master.say(&encode(&Answer::TestResult(std::mem::take(&mut batch))))?;
                waited = Duration::ZERO;
            }
            place.watch.lap(Phase::Tell);
            place.watch.take();
        }
        master.say(&encode(&Answer::TestResult(batch)))?;
        place.watch.lap(Phase::Tell);
        master.say(&encode(&Answer::Done(place.watch.spent)))
    }

    /// Makes a database and writes tests on it down.
    pub(crate) fn write(&mut self, engine: &Engine, job: &TestBatch) -> io::Result<Script> {
        let max = self.setting.operations_max;
        let (seeds, dialect) = ([job.seed, job.database], self.dialect);
        let BuiltSubject { database, setup, .. } =
            make(&mut engine.open()?, max, seeds, dialect, &mut |_| ());
        let test = |(relation, number): &(usize, u64)| {
            let Pair { a, b } = derive(job, *relation, *number, database.schema())?.sides;
            Ok([&a, &b].map(written))
        };
        let tests = job.tests.iter().map(test).collect::<io::Result<_>>()?;
        Ok(Script { setup, tests })
    }
}

impl PreparedState<'_, '_> {
    /// What making the database ran, and what an engine does only once; nothing if that is not
    /// measured.
    pub(crate) fn setup(&self) -> &Cover {
        static NOTHING: std::sync::LazyLock<Cover> = std::sync::LazyLock::new(Cover::default);
        self.start.as_ref().map_or(&NOTHING, |(_, executed)| executed)
    }

    /// Whether what runs is measured.
    pub(crate) fn is_measured(&self) -> bool {
        self.gauge.is_some()
    }

    /// Goes back to the state that each side starts from, for whoever has left it.
    pub(crate) fn restore(&self) {
        if let Some((state, _)) = &self.start {
            state.restore();
        }
    }

    /// Runs a side from the state that the last one has left: quick, and as good as the other for
    /// what only reads.
    pub(crate) fn run(&mut self, side: &Side) -> Outcome {
        if let Some(mask) = side.optimizations_off {
            self.connection.disable_optimizations(mask);
        }
        let statements = side.statements.iter().map(String::as_str);
        let outcome = self.connection.run(statements, self.operations_max);
        if side.optimizations_off.is_some() {
            self.connection.disable_optimizations(0);
        }
        outcome
    }

    /// Runs a statement that only reads, in the same way.
    pub(crate) fn ask(&mut self, statement: &str) -> Outcome {
        self.connection.run([statement], self.operations_max)
    }

    /// Which counters counted since somebody last asked.
    pub(crate) fn take_trace(&mut self, trace: &mut Trace) {
        if let Some(gauge) = &mut self.gauge {
            gauge.meter.take_trace(trace);
        }
    }

    /// Changes the database: `change` has statements run. Sides start from there then.
    pub(crate) fn change(
        &mut self,
        engine: &Engine,
        change: impl FnOnce(&mut dyn FnMut(&str) -> Outcome),
    ) -> io::Result<()> {
        self.restore();
        if let Some(gauge) = &mut self.gauge {
            gauge.meter.reset()?;
        }
        change(&mut |statement| self.connection.run([statement], self.operations_max));
        if let (Some(gauge), Some((state, executed))) = (&mut self.gauge, &mut self.start) {
            *executed |= &gauge.read()?;
            *state = engine.state()?;
        }
        Ok(())
    }

    pub(crate) fn test(
        &mut self,
        test: &Test,
        mut master: Option<&mut HelperPort>,
    ) -> io::Result<TestResult> {
        let statements = || [&test.sides.a, &test.sides.b].map(written);
        if let Some(master) = &mut master {
            master.say(&encode(&Answer::Next(statements())))?;
        }
        let mut side = |place: &mut Self, number: usize, side: &Side| {
            if let Some(master) = &mut master {
                master.say(&encode(&Answer::Side(number)))?;
            }
            place.side(side)
        };
        let (a, a_ran) = side(self, 0, &test.sides.a)?;
        let (b, b_ran) = side(self, 1, &test.sides.b)?;
        let worked = [&a, &b].map(|outcome| matches!(outcome, Outcome::Rows(_)));
        let verdict = test.judge(&Pair { a, b });
        self.watch.lap(Phase::Judge);
        let outcome = match verdict {
            Verdict::Holds => Ok(None),
            Verdict::Violated(how) => Ok(Some(how)),
            Verdict::Invalid(reason) => {
                let (exit, last_words) = (Exit::Success, reason.to_string());
                let missing = Missing { failure: Failure::Invalid, exit, last_words };
                Err((usize::from(matches!(reason, Invalid::SecondFailed(_))), missing))
            }
        };
        let sides = a_ran.zip(b_ran).map(|(a, b)| encode_sides(a, b, self.setup()));
        let is_shown = sides.is_some() || matches!(outcome, Ok(Some(_)));
        let statements = is_shown.then(statements);
        let outcome = outcome.map(|violated| Judged { violated, sides });
        self.watch.lap(Phase::Decode);
        let micros = u64::try_from(self.watch.take().as_micros()).unwrap_or(u64::MAX);
        Ok(TestResult { micros, statements, worked, outcome })
    }

    /// Runs a side from the state that the database was left in: what it gives, and what it runs if
    /// that is measured.
    pub(crate) fn side(&mut self, side: &Side) -> io::Result<(Outcome, Option<Cover>)> {
        if let Some(gauge) = &mut self.gauge {
            gauge.meter.reset()?;
        }
        self.watch.lap(Phase::Capture);
        if let Some(mask) = side.optimizations_off {
            self.connection.disable_optimizations(mask);
        }
        let statements = side.statements.iter().map(String::as_str);
        let outcome = self.connection.run(statements, self.operations_max);
        self.watch.lap(Phase::Engine);
        let executed = self.gauge.as_mut().map(|gauge| gauge.read()).transpose()?;
        self.watch.lap(Phase::Decode);
        match &self.start {
            Some((state, _)) => state.restore(),
            // Queries leave nothing behind.
            None if side.optimizations_off.is_some() => self.connection.disable_optimizations(0),
            None => {}
        }
        self.watch.lap(Phase::Capture);
        Ok((outcome, executed))
    }
}

/// A database that was made.
pub(crate) struct BuiltSubject {
    pub(crate) database: Database,
    pub(crate) setup: Vec<String>,
    pub(crate) successes: SuccessRates,
}

/// Makes the database of these seeds; `each` is told each statement before it is run.
pub(crate) fn make(
    connection: &mut Connection<'_>,
    operations_max: u64,
    seeds: [u64; 2],
    dialect: Dialect,
    each: &mut dyn FnMut(&str),
) -> BuiltSubject {
    let mut rng = Rng::new(seed(&seeds));
    let mut database = Database::new(dialect);
    let (mut setup, mut successes) = (Vec::new(), SuccessRates::default());
    while let Some(statement) = database.next_statement(&mut rng) {
        each(&statement.sql);
        let outcome = connection.run([statement.sql.as_str()], operations_max);
        let has_worked = matches!(outcome, Outcome::Rows(_));
        if has_worked {
            database.accept();
        } else {
            database.reject();
        }
        successes.statement(statement.kind, has_worked);
        setup.push(statement.sql);
    }
    BuiltSubject { database, setup, successes }
}

/// A test on a database.
fn derive(job: &TestBatch, relation: usize, number: u64, schema: &Schema) -> io::Result<Test> {
    let mut rng = Rng::new(seed(&[job.seed, job.database, relation as u64, number]));
    let known = ALL.get(relation).ok_or_else(|| io::Error::other("no such relation"))?;
    Ok(known.derive(schema, &mut rng))
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

/// One seed from several numbers (splitmix64).
pub(crate) fn seed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |state: u64, number| {
        let mut mixed = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}
