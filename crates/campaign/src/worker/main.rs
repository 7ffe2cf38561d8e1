//! The main loop of a worker: a process that creates databases and tests, runs them on a library
//! that it has loaded, and reports the results. Whatever the library does affects only this
//! process.

use std::io;

use metacov_core::{Exit, Facts, Failure, Method, Missing};
use metacov_exec::{
    Capture, GcovCapture, HelperPort, OpenOptions, Session, Target, fix_addresses,
    give_back_memory, in_child, keep_memory,
};
use metacov_formats::Scope;

use super::bench::{Measuring, TestBench};
use super::protocol::{Answer, Coverage, Port, Request, WorkerConfig, decode, encode, ready};
use crate::fuzz::WorkerKnowledge;

/// What a child sends when it has completed a request.
const MET: &[u8] = b"met";

/// Serves requests until metacov closes the connection.
pub fn work(targets: &'static [&'static dyn Target]) -> io::Result<()> {
    // Behaviour that depends on addresses must not differ from run to run.
    fix_addresses();
    // The supervisor made this folder for this process and removes it afterwards: files that
    // statements create are created there.
    std::env::set_current_dir(std::env::temp_dir())?;
    let mut port = HelperPort::of_this_process()?;
    let Some(config) = port.hear()? else { return Ok(()) };
    let config: WorkerConfig = decode(&config)?;
    let target = targets.iter().find(|target| target.name() == config.target);
    let target = *target.ok_or_else(|| io::Error::other("unknown target"))?;
    let scope = config.coverage.as_ref().map(Coverage::scope).transpose()?;
    let (mut bench, ready) = open(target, &config, scope.as_ref())?;
    port.send(ready)?;
    // From here on this process forks, which takes longer with more memory.
    if let Some(measuring) = &mut bench.measuring {
        measuring.capture.release_notes();
    }
    give_back_memory();
    keep_memory();
    // The first fork allocates memory itself, and must not affect only the first state.
    let _ = in_child(Vec::new)?;
    // Query the facts after the coverage of the first use is captured.
    bench.facts = bench.session.facts();
    // The first reset allocates. Do that here, not for each state.
    if let Some(measuring) = &mut bench.measuring {
        measuring.capture.reset()?;
    }
    let known = WorkerKnowledge::new()?;
    // Each request is read and served in a child, and this process does nothing in between, so that
    // no state is affected by an earlier one, not even in its addresses.
    while port.is_asked()? {
        let met = in_child(|| {
            let met = match Port::hear(&mut port) {
                Ok(Some(request)) => bench.serve(&request, &known, &mut port),
                other => other.map(drop),
            };
            let what = met.err().map_or_else(String::new, |error| error.to_string());
            [MET, what.as_bytes()].concat()
        });
        let met = match met {
            Ok(met) => met,
            // Otherwise this would be taken for a crash of the engine.
            Err(error) => {
                port.report(&Answer::Failed(format!("no process for a batch of tests: {error}")))?;
                return Err(error);
            }
        };
        match met.as_deref().map(|said| said.strip_prefix(MET)) {
            Ok(Some([])) => {}
            Ok(Some(error)) => {
                let what = String::from_utf8_lossy(error).into_owned();
                port.report(&Answer::Failed(what))?;
            }
            // An engine may also end its process with success, without an answer.
            ended => {
                let exit = ended.err().copied().unwrap_or(Exit::Success);
                let (failure, output_tail) = (Failure::Crashed, String::new());
                let missing = Missing { failure, exit, output_tail };
                port.report(&Answer::Lost(missing))?;
            }
        }
    }
    Ok(())
}

/// Opens the target. Returns what running tests requires, and the first message.
fn open<'s>(
    target: &dyn Target,
    config: &WorkerConfig,
    scope: Option<&'s Scope>,
) -> io::Result<(TestBench<'s>, Vec<u8>)> {
    // The capture comes first: it prepares the process that the library is loaded into.
    let capture = scope.map(GcovCapture::new).transpose()?;
    let options = OpenOptions {
        is_measured: capture.is_some(),
        steps_max: config.steps_max,
        time_max: config.time_max,
        arguments: config.options.arguments.as_deref(),
        seeds: config.options.seeds.as_deref(),
        compared: &config.compared,
    };
    let session = target.open(&config.library, &options)?;
    let capture = capture.map(|capture| Box::new(capture) as Box<dyn Capture>);
    let (mut bench, message) = TestBench::of(target.method(), session, capture)?;
    bench.limits_time = target.limits_time();
    Ok((bench, message))
}

impl<'s> TestBench<'s> {
    /// Returns what running tests on an opened target requires, and the first message, with the sites if
    /// coverage is measured.
    pub(crate) fn of(
        method: &'static dyn Method,
        session: Box<dyn Session>,
        capture: Option<Box<dyn Capture + 's>>,
    ) -> io::Result<(Self, Vec<u8>)> {
        let (measuring, message) = match capture {
            Some(mut capture) => {
                let reading = capture.read_all()?;
                let message = ready(capture.table(), &reading);
                (Some(Measuring { capture, once: reading.executed, has_run: true }), message)
            }
            None => (None, encode(&Answer::Ready(None))),
        };
        let (facts, limits_time) = (Facts::default(), false);
        Ok((TestBench { session, measuring, method, facts, limits_time }, message))
    }

    /// Serves a request.
    pub(crate) fn serve(
        &mut self,
        request: &[u8],
        known: &WorkerKnowledge,
        port: &mut dyn Port,
    ) -> io::Result<()> {
        let answer = match decode(request)? {
            Request::Run(batch) => return self.run(&batch, port),
            Request::Explore(round) => {
                return self.explore(&round, known.of_rounds(round.knows)?, port);
            }
            Request::Know(all) => known.set(&all).map(|()| Answer::Learned)?,
            Request::Learn(lessons) => known.learn(&lessons).map(|()| Answer::Learned)?,
            Request::Write(batch) => Answer::Written(self.write(&batch)?),
            Request::Mutate(task) => Answer::Mutated(self.mutate(&task)?),
            Request::RunCases(batch) => Answer::RanCases(self.run_cases(&batch)?),
        };
        port.report(&answer)
    }
}
