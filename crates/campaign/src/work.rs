//! A worker: a process that makes databases and tests, runs them on a library that it has loaded,
//! and tells what they ran. Whatever the library does, it does to this process alone.

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use metacov_core::{Cover, Exit, Failure, Missing, Outcome, Pair, runs};
use metacov_exec::{Connection, Engine, Master, Meter, fix_addresses, in_child};
use metacov_formats::{Intake, Scope};
use metacov_relations::{ALL, Database, Dialect, Invalid, Rng, Schema, Side, Verdict};

use crate::message::{Answer, Job, Measured, Setting, Tested, Told, decode, encode};

/// Works until nobody has work any more.
pub fn work() -> io::Result<()> {
    // What depends on where something lies in memory should not differ from run to run.
    fix_addresses();
    let mut master = Master::of_this_process()?;
    let Some(setting) = master.hear()? else { return Ok(()) };
    let setting: Setting = decode(&setting)?;
    let meter = Meter::new()?;
    let engine = Engine::load(&setting.library)?;
    let scope = scope(&setting);
    // What an engine does only once would be done each time if each test had a process of its own.
    drop(engine.open()?);
    let mut intake = Intake::new(&scope);
    let once = meter.read(&mut intake).map_err(io::Error::other)?.executed;
    let (sites, build) = (intake.table().len(), intake.table().build_id().number());
    master.say(&encode(&Answer::Ready { layouts: meter.layouts(), sites, build }))?;
    let mut bench = Bench { intake, meter, once, setting: &setting };
    while let Some(job) = master.hear()? {
        let job: Job = decode(&job)?;
        // In a child, so that no database sees what another has left in this process.
        let done = in_child(|| match bench.run(&engine, &job, &mut master) {
            Ok(()) => encode(&Answer::Done),
            Err(error) => encode(&Answer::Failed(error.to_string())),
        })?;
        let answer = done.unwrap_or_else(|exit| {
            let missing = Missing { failure: Failure::Crashed, exit, last_words: String::new() };
            encode(&Answer::Lost(missing.into()))
        });
        master.say(&answer)?;
    }
    Ok(())
}

/// Which code counts: the same for a worker and for metacov, so that both number sites alike.
pub(crate) fn scope(setting: &Setting) -> Scope {
    Scope {
        root: PathBuf::from("/"),
        prefix_map: setting.prefix_map.clone(),
        blocks: setting.blocks,
        notes: Some(setting.notes.clone()),
        ..Scope::default()
    }
}

/// What a test needs.
struct Bench<'s> {
    intake: Intake<'s>,
    meter: Meter,
    /// What the engine does when it is used for the first time.
    once: Cover,
    setting: &'s Setting,
}

impl Bench<'_> {
    /// Makes a database and runs tests on it.
    fn run(&mut self, engine: &Engine, job: &Job, master: &mut Master) -> io::Result<()> {
        self.meter.reset()?;
        let mut connection = engine.open()?;
        let schema = self.build(&mut connection, job, master)?;
        let mut setup = self.meter.read(&mut self.intake).map_err(io::Error::other)?.executed;
        setup |= &self.once;
        for (relation, number) in &job.tests {
            master.say(&encode(&Answer::Next(*relation, *number)))?;
            let tested = self.test(&mut connection, &schema, &setup, (job, *relation, *number))?;
            master.say(&encode(&Answer::Tested(tested)))?;
        }
        Ok(())
    }

    fn build(
        &mut self,
        connection: &mut Connection<'_>,
        job: &Job,
        master: &mut Master,
    ) -> io::Result<Schema> {
        let mut rng = Rng::new(seed(&[job.seed, job.database]));
        let mut database = Database::new(Dialect::SQLITE);
        let (mut statements, mut worked) = (0, 0);
        while let Some(statement) = database.next_statement(&mut rng) {
            statements += 1;
            match connection.run([statement.sql.as_str()], self.setting.operations_max) {
                Outcome::Rows(_) => {
                    worked += 1;
                    database.accept();
                }
                Outcome::Error { .. } => database.reject(),
            }
        }
        master.say(&encode(&Answer::Built { statements, worked }))?;
        Ok(database.schema().clone())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "how long it took is told, and part of no result"
    )]
    fn test(
        &mut self,
        connection: &mut Connection<'_>,
        schema: &Schema,
        setup: &Cover,
        (job, relation, number): (&Job, usize, u64),
    ) -> io::Result<Tested> {
        let start = Instant::now();
        let mut rng = Rng::new(seed(&[job.seed, job.database, relation as u64, number]));
        let Some(known) = ALL.get(relation) else {
            return Err(io::Error::other("no such relation"));
        };
        let test = known.derive(schema, &mut rng);
        let mut sides = Vec::new();
        let mut lost = None;
        for (at, side) in [&test.sides.a, &test.sides.b].into_iter().enumerate() {
            match self.side(connection, side)? {
                Ok(side) => sides.push(side),
                Err(missing) => {
                    lost = Some((at, missing.into()));
                    break;
                }
            }
        }
        let micros = || u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let (Ok([(a, a_ran), (b, b_ran)]), None) = (<[_; 2]>::try_from(sides), &lost) else {
            let lost = lost.unwrap_or_else(|| unreachable!("two sides, or one that is lost"));
            return Ok(Tested { micros: micros(), outcome: Err(lost) });
        };
        let violated = match test.judge(&Pair { a, b }) {
            Verdict::Holds => None,
            Verdict::Violated(how) => Some(how),
            Verdict::Invalid(reason) => {
                let (exit, last_words) = (Exit::Success, reason.to_string());
                let missing = Missing { failure: Failure::Invalid, exit, last_words };
                let side = usize::from(matches!(reason, Invalid::SecondFailed(_)));
                return Ok(Tested { micros: micros(), outcome: Err((side, missing.into())) });
            }
        };
        let sides = encode_sides(a_ran, b_ran, setup);
        let outcome = Ok(Measured { sides, violated });
        Ok(Tested { micros: micros(), outcome })
    }

    /// Runs a side; what it gave and what it ran, or how it ended.
    fn side(
        &mut self,
        connection: &mut Connection<'_>,
        side: &Side,
    ) -> io::Result<Result<(Outcome, Cover), Missing>> {
        let operations_max = self.setting.operations_max;
        let mut run = || {
            connection.disable_optimizations(side.optimizations_off.unwrap_or(0));
            let outcome =
                connection.run(side.statements.iter().map(String::as_str), operations_max);
            connection.disable_optimizations(0);
            outcome
        };
        self.meter.reset()?;
        let outcome = if self.setting.forks {
            match in_child(|| encode(&Told::from(run())))? {
                Ok(bytes) => decode::<Told>(&bytes)?.into(),
                Err(exit) => {
                    let last_words = String::new();
                    return Ok(Err(Missing { failure: Failure::Crashed, exit, last_words }));
                }
            }
        } else {
            run()
        };
        let reading = self.meter.read(&mut self.intake).map_err(io::Error::other)?;
        Ok(Ok((outcome, reading.executed)))
    }
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
