//! A worker: a process that makes databases and tests, runs them on a library that it has loaded,
//! and tells what came of them. Whatever the library does, it does to this process alone.

use std::io;

use metacov_core::{Exit, Failure, Missing};
use metacov_exec::{
    Engine, HelperPort, Meter, fix_addresses, give_back_memory, in_child, keep_memory,
};
use metacov_formats::{CoverageLoader, Scope};
use metacov_relations::Dialect;

use crate::bench::{Gauge, TestBench};
use crate::message::{Answer, Counters, Coverage, Request, WorkerConfig, decode, encode};

/// The minor version that has mathematical functions first; older ones do not mind the option.
const MATH_SINCE: u16 = 35;

/// What a child says when it has come to the end of a request.
const MET: &[u8] = b"met";

/// Works until nobody has work any more.
pub fn work() -> io::Result<()> {
    // What depends on where something lies in memory should not differ from run to run.
    fix_addresses();
    // The supervisor made this folder for us, and it goes with us: a statement that makes a file makes it there.
    std::env::set_current_dir(std::env::temp_dir())?;
    let mut master = HelperPort::of_this_process()?;
    let Some(setting) = master.hear()? else { return Ok(()) };
    let setting: WorkerConfig = decode(&setting)?;
    let scope = setting.coverage.as_ref().map(Coverage::scope).transpose()?;
    let (engine, mut gauge) = load(&setting, scope.as_ref())?;
    let counters = gauge.as_ref().map(|gauge| {
        let table = gauge.intake.table();
        let (sites, build) = (table.len(), table.build_id().number());
        Counters { layouts: gauge.meter.layouts(), sites, build }
    });
    master.say(&encode(&Answer::Ready(counters)))?;
    // From here on this process forks, which takes the longer the more memory it has.
    if let Some(gauge) = &mut gauge {
        gauge.intake.forget_notes();
    }
    give_back_memory();
    keep_memory();
    // The first time takes memory of its own, and the first database should not be alone with that.
    let _ = in_child(Vec::new)?;
    // Asked now, when nobody counts any more what is not done for a database.
    let dialect = dialect(&engine);
    // What the first reset sets up, it sets up here, and not anew for each database.
    if let Some(gauge) = &mut gauge {
        gauge.meter.reset()?;
    }
    let mut bench = TestBench { gauge, dialect, setting: &setting };
    // Each request is read and met in a child, and this process does nothing in between, so that no
    // database sees what another has left, down to where its memory lies.
    while master.is_asked()? {
        let met = in_child(|| {
            let met = bench.meet(&engine, &mut master);
            let what = met.err().map_or_else(String::new, |error| error.to_string());
            [MET, what.as_bytes()].concat()
        })?;
        match met.as_deref().map(|said| said.strip_prefix(MET)) {
            Ok(Some([])) => {}
            Ok(Some(error)) => {
                let what = String::from_utf8_lossy(error).into_owned();
                master.say(&encode(&Answer::Failed(what)))?;
            }
            // An engine may also end its process with success, which is no answer.
            ended => {
                let exit = ended.err().copied().unwrap_or(Exit::Success);
                let (failure, output_tail) = (Failure::Crashed, String::new());
                let missing = Missing { failure, exit, output_tail };
                master.say(&encode(&Answer::Lost(missing)))?;
            }
        }
    }
    Ok(())
}

/// The engine, and what it takes to know what it runs.
fn load<'s>(
    setting: &WorkerConfig,
    scope: Option<&'s Scope>,
) -> io::Result<(Engine, Option<Gauge<'s>>)> {
    let Some(scope) = scope else { return Ok((Engine::load(&setting.library)?, None)) };
    let meter = Meter::new()?;
    let engine = Engine::load(&setting.library)?;
    engine.set_apart()?;
    // What an engine does only once would be done each time if each test had a process of its own.
    // It stays open: a process of its own would not get to closing it before it is read.
    std::mem::forget(engine.open()?);
    let mut intake = CoverageLoader::new(scope);
    let once = meter.read(&mut intake).map_err(io::Error::other)?.executed;
    Ok((engine, Some(Gauge { intake, meter, once })))
}

impl TestBench<'_> {
    /// Meets the next request.
    fn meet(&mut self, engine: &Engine, master: &mut HelperPort) -> io::Result<()> {
        let Some(request) = master.hear()? else { return Ok(()) };
        let answer = match decode(&request)? {
            Request::Run(job) => return self.run(engine, &job, master),
            Request::Explore(round) => return self.explore(engine, &round, master),
            Request::Write(job) => Answer::Written(self.write(engine, &job)?),
            Request::Try(experiment) => Answer::CaseResult(self.attempt(engine, &experiment)?),
        };
        master.say(&encode(&answer))
    }
}

/// What an engine understands.
fn dialect(engine: &Engine) -> Dialect {
    let minor = engine.minor_version();
    Dialect {
        fts4: engine.has_option(c"ENABLE_FTS4"),
        fts5: engine.has_option(c"ENABLE_FTS5"),
        rtree: engine.has_option(c"ENABLE_RTREE"),
        dbstat: engine.has_option(c"ENABLE_DBSTAT_VTAB"),
        math: engine.has_option(c"ENABLE_MATH_FUNCTIONS") && minor >= MATH_SINCE,
        soundex: engine.has_option(c"SOUNDEX"),
        ..Dialect::plain_sqlite(minor)
    }
}
