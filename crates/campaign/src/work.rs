//! A worker: a process that makes databases and tests, runs them on a library that it has loaded,
//! and tells what they ran. Whatever the library does, it does to this process alone.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use metacov_core::{Cover, Exit, Failure, Missing, Outcome, Pair, runs};
use metacov_exec::{Connection, Engine, Master, Meter, fix_addresses, give_back_memory, in_child};
use metacov_formats::{Intake, Scope};
use metacov_relations::{ALL, Database, Dialect, Invalid, Rng, Schema, Side, Test, Verdict};

use regex::Regex;

use crate::message::{
    Answer, Job, Measured, Request, Script, Setting, Tested, Told, decode, encode,
};

/// The minor version that has mathematical functions first; older ones do not mind the option.
const MATH_SINCE: i32 = 35;

/// Works until nobody has work any more.
pub fn work() -> io::Result<()> {
    // What depends on where something lies in memory should not differ from run to run.
    fix_addresses();
    let mut master = Master::of_this_process()?;
    let Some(setting) = master.hear()? else { return Ok(()) };
    let setting: Setting = decode(&setting)?;
    let mut meter = Meter::new()?;
    let engine = Engine::load(&setting.library)?;
    let scope = scope(&setting);
    // What an engine does only once would be done each time if each test had a process of its own.
    // It stays open: a process of its own would not get to closing it before it is read.
    std::mem::forget(engine.open()?);
    let mut intake = Intake::new(&scope);
    let once = meter.read(&mut intake).map_err(io::Error::other)?.executed;
    let (sites, build) = (intake.table().len(), intake.table().build_id().number());
    master.say(&encode(&Answer::Ready { layouts: meter.layouts(), sites, build }))?;
    // From here on this process forks, which takes the longer the more memory it has.
    intake.forget_notes();
    give_back_memory();
    // The first time takes memory of its own, and the first database should not be alone with that.
    let _ = in_child(Vec::new)?;
    // Asked now, when nobody counts any more what is not done for a database.
    let dialect = dialect(&engine);
    // What the first reset sets up, it sets up here, and not anew for each database.
    meter.reset()?;
    let mut bench = Bench { intake, meter, once, dialect, setting: &setting };
    // Each request is read and met in a child, and this process does nothing in between, so that no
    // database sees what another has left, down to where its memory lies.
    while master.is_asked()? {
        let met = in_child(|| {
            let met = bench.meet(&engine, &mut master);
            met.err().map_or_else(Vec::new, |error| error.to_string().into_bytes())
        })?;
        match met {
            Ok(error) if error.is_empty() => {}
            Ok(error) => {
                let what = String::from_utf8_lossy(&error).into_owned();
                master.say(&encode(&Answer::Failed(what)))?;
            }
            Err(exit) => {
                let (failure, last_words) = (Failure::Crashed, String::new());
                let missing = Missing { failure, exit, last_words };
                master.say(&encode(&Answer::Lost(missing.into())))?;
            }
        }
    }
    Ok(())
}

/// Which code counts: the same for a worker and for metacov, so that both number sites alike.
pub(crate) fn scope(setting: &Setting) -> Scope {
    // Patterns were patterns before they were sent.
    let patterns =
        |texts: &[String]| texts.iter().filter_map(|text| Regex::new(text).ok()).collect();
    Scope {
        root: PathBuf::from("/"),
        prefix_map: setting.prefix_map.clone(),
        filter: patterns(&setting.filter),
        exclude: patterns(&setting.exclude),
        blocks: setting.blocks,
        notes: Some(setting.notes.clone()),
        ..Scope::default()
    }
}

/// What a test needs.
pub(crate) struct Bench<'s> {
    pub(crate) intake: Intake<'s>,
    pub(crate) meter: Meter,
    /// What the engine does when it is used for the first time.
    pub(crate) once: Cover,
    dialect: Dialect,
    pub(crate) setting: &'s Setting,
}

impl Bench<'_> {
    /// Meets the next request.
    fn meet(&mut self, engine: &Engine, master: &mut Master) -> io::Result<()> {
        let Some(request) = master.hear()? else { return Ok(()) };
        let answer = match decode(&request)? {
            Request::Run(job) => self.run(engine, &job, master).map(|()| Answer::Done),
            Request::Write(job) => self.write(engine, &job).map(Answer::Written),
            Request::Try(trial) => self.attempt(engine, &trial).map(Answer::Tried),
        };
        master.say(&encode(&answer?))
    }

    /// Makes a database and runs tests on it.
    fn run(&mut self, engine: &Engine, job: &Job, master: &mut Master) -> io::Result<()> {
        self.meter.reset()?;
        let mut connection = engine.open()?;
        let built = self.build(&mut connection, job);
        let Built { schema, setup, worked } = built;
        master.say(&encode(&Answer::Built { setup, worked }))?;
        let mut setup = self.meter.read(&mut self.intake).map_err(io::Error::other)?.executed;
        setup |= &self.once;
        for (relation, number) in &job.tests {
            let (relation, number) = (*relation, *number);
            let test = derive(job, relation, number, &schema)?;
            let sides = [&test.sides.a, &test.sides.b].map(written);
            master.say(&encode(&Answer::Next { relation, number, sides }))?;
            let tested = self.test(&mut connection, &setup, &test)?;
            master.say(&encode(&Answer::Tested(tested)))?;
        }
        Ok(())
    }

    /// Makes a database and writes tests on it down.
    fn write(&mut self, engine: &Engine, job: &Job) -> io::Result<Script> {
        let Built { schema, setup, .. } = self.build(&mut engine.open()?, job);
        let test = |(relation, number): &(usize, u64)| {
            let Pair { a, b } = derive(job, *relation, *number, &schema)?.sides;
            Ok([&a, &b].map(written))
        };
        let tests = job.tests.iter().map(test).collect::<io::Result<_>>()?;
        Ok(Script { setup, tests })
    }

    fn build(&mut self, connection: &mut Connection<'_>, job: &Job) -> Built {
        let mut rng = Rng::new(seed(&[job.seed, job.database]));
        let mut database = Database::new(self.dialect);
        let (mut setup, mut worked) = (Vec::new(), 0);
        while let Some(statement) = database.next_statement(&mut rng) {
            match connection.run([statement.sql.as_str()], self.setting.operations_max) {
                Outcome::Rows(_) => {
                    worked += 1;
                    database.accept();
                }
                Outcome::Error { .. } => database.reject(),
            }
            setup.push(statement.sql);
        }
        Built { schema: database.schema().clone(), setup, worked }
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "how long it took is told, and part of no result"
    )]
    fn test(
        &mut self,
        connection: &mut Connection<'_>,
        setup: &Cover,
        test: &Test,
    ) -> io::Result<Tested> {
        let start = Instant::now();
        let micros = || u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let lost = |side: usize, missing: Missing| {
            Ok(Tested { micros: micros(), outcome: Err((side, missing.into())) })
        };
        let (a, a_ran) = match self.side(connection, &test.sides.a)? {
            Ok(side) => side,
            Err(missing) => return lost(0, missing),
        };
        let (b, b_ran) = match self.side(connection, &test.sides.b)? {
            Ok(side) => side,
            Err(missing) => return lost(1, missing),
        };
        let violated = match test.judge(&Pair { a, b }) {
            Verdict::Holds => None,
            Verdict::Violated(how) => Some(how),
            Verdict::Invalid(reason) => {
                let (exit, last_words) = (Exit::Success, reason.to_string());
                let missing = Missing { failure: Failure::Invalid, exit, last_words };
                let side = usize::from(matches!(reason, Invalid::SecondFailed(_)));
                return lost(side, missing);
            }
        };
        let sides = encode_sides(a_ran, b_ran, setup);
        let outcome = Ok(Measured { sides, violated });
        Ok(Tested { micros: micros(), outcome })
    }

    /// Runs a side; what it gave and what it ran, or how it ended.
    pub(crate) fn side(
        &mut self,
        connection: &mut Connection<'_>,
        side: &Side,
    ) -> io::Result<Result<(Outcome, Cover), Missing>> {
        let operations_max = self.setting.operations_max;
        let mut run = || {
            side.optimizations_off.inspect(|mask| connection.disable_optimizations(*mask));
            connection.run(side.statements.iter().map(String::as_str), operations_max)
        };
        self.meter.reset()?;
        // In a child, so that both sides start from the same state.
        let outcome = match in_child(|| encode(&Told::from(run())))? {
            Ok(bytes) => decode::<Told>(&bytes)?.into(),
            Err(exit) => {
                let last_words = String::new();
                return Ok(Err(Missing { failure: Failure::Crashed, exit, last_words }));
            }
        };
        let reading = self.meter.read(&mut self.intake).map_err(io::Error::other)?;
        Ok(Ok((outcome, reading.executed)))
    }
}

/// What an engine understands.
fn dialect(engine: &Engine) -> Dialect {
    let minor = engine.version() / 1000 % 1000;
    Dialect {
        fts4: engine.has_option(c"ENABLE_FTS4"),
        fts5: engine.has_option(c"ENABLE_FTS5"),
        rtree: engine.has_option(c"ENABLE_RTREE"),
        dbstat: engine.has_option(c"ENABLE_DBSTAT_VTAB"),
        math: engine.has_option(c"ENABLE_MATH_FUNCTIONS") && minor >= MATH_SINCE,
        soundex: engine.has_option(c"SOUNDEX"),
        ..Dialect::plain_sqlite(u16::try_from(minor).unwrap_or_default())
    }
}

/// A database that was made.
struct Built {
    schema: Schema,
    setup: Vec<String>,
    /// How many statements of the setup worked.
    worked: u64,
}

/// A test on a database.
fn derive(job: &Job, relation: usize, number: u64, schema: &Schema) -> io::Result<Test> {
    let mut rng = Rng::new(seed(&[job.seed, job.database, relation as u64, number]));
    let known = ALL.get(relation).ok_or_else(|| io::Error::other("no such relation"))?;
    Ok(known.derive(schema, &mut rng))
}

/// The statements of a side, in the words of SQLite's shell.
fn written(side: &Side) -> Vec<String> {
    let switches = side.optimizations_off.map(|off| format!(".testctrl optimizations {off:#x}"));
    switches.into_iter().chain(side.statements.iter().cloned()).collect()
}

/// The sides as bytes, with the setup, which both have run.
fn encode_sides(mut a: Cover, mut b: Cover, setup: &Cover) -> [Vec<u8>; 2] {
    a |= setup;
    b |= setup;
    b ^= &a;
    [runs::encode(&a), runs::encode(&b)]
}

/// One seed from several numbers (splitmix64).
fn seed(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0, |state: u64, number| {
        let mut mixed = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}
