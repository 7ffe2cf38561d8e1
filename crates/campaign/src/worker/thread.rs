//! A worker in a thread of this process, on a scripted target.
//!
//! It serves the same requests with the same code as a process. Where a process would end, a thread
//! unwinds: a script that crashes ends the request, like the child that a worker forks for it; a
//! script that exits or hangs ends the worker.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use metacov_core::{Exit, Failure, Missing};
use metacov_exec::{Capture, ExecError, HelperEvent};

use super::bench::TestBench;
use super::protocol::{Answer, Port, WorkerConfig, decode};
use crate::fuzz::WorkerKnowledge;
use crate::scripted::ScriptedTarget;

/// A worker in a thread.
pub(crate) struct ThreadWorker {
    requests: Sender<Vec<u8>>,
    events: Receiver<HelperEvent>,
    /// How many bytes it was sent.
    pub(crate) sent: usize,
}

/// How a script ends its worker.
pub(crate) enum ScriptedEnd {
    /// The child that runs a request is killed by a signal.
    Crash(i32),
    /// The worker exits with this code.
    Exit(i32),
    /// The worker stops answering.
    Hang,
}

impl ThreadWorker {
    pub(crate) fn start(target: &'static ScriptedTarget) -> io::Result<Self> {
        let (requests, their_requests) = channel();
        let (their_events, events) = channel();
        let mut port = ThreadPort { requests: their_requests, events: their_events };
        thread::Builder::new().spawn(move || {
            // Without a receiver there is nothing to report to.
            let _ = serve(target, &mut port);
        })?;
        Ok(ThreadWorker { requests, events, sent: 0 })
    }

    pub(crate) fn say(&mut self, message: &[u8]) {
        self.sent += message.len();
        let _ = self.requests.send(message.to_vec());
    }

    /// There is no time limit: a script that hangs says so.
    pub(crate) fn hear(&mut self, interrupted: &AtomicBool) -> Result<HelperEvent, ExecError> {
        if interrupted.load(Relaxed) {
            return Err(ExecError::Interrupted);
        }
        let panicked = || HelperEvent::Ended(Exit::Failure(101), "the worker panicked".to_owned());
        Ok(self.events.recv().unwrap_or_else(|_| panicked()))
    }
}

/// The worker's end.
struct ThreadPort {
    requests: Receiver<Vec<u8>>,
    events: Sender<HelperEvent>,
}

impl ThreadPort {
    fn event(&mut self, event: HelperEvent) -> io::Result<()> {
        self.events.send(event).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Port for ThreadPort {
    fn hear(&mut self) -> io::Result<Option<Vec<u8>>> {
        Ok(self.requests.recv().ok())
    }

    fn send(&mut self, message: Vec<u8>) -> io::Result<()> {
        self.event(HelperEvent::Message(message))
    }
}

fn serve(target: &'static ScriptedTarget, port: &mut ThreadPort) -> io::Result<()> {
    let Some(config) = port.hear()? else { return Ok(()) };
    let config: WorkerConfig = decode(&config)?;
    let (_, ready) = open(target, &config)?;
    port.send(ready)?;
    let known = WorkerKnowledge::new()?;
    while let Some(request) = port.hear()? {
        let (mut bench, _) = open(target, &config)?;
        bench.facts = bench.session.facts();
        match catch_unwind(AssertUnwindSafe(|| bench.serve(&request, &known, port))) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => port.report(&Answer::Failed(error.to_string()))?,
            Err(payload) => match scripted_end(payload) {
                ScriptedEnd::Crash(signal) => port.report(&Answer::Lost(Missing {
                    failure: Failure::Crashed,
                    exit: Exit::Signalled(signal),
                    output_tail: String::new(),
                }))?,
                ScriptedEnd::Exit(code) => {
                    return port.event(HelperEvent::Ended(Exit::Failure(code), String::new()));
                }
                ScriptedEnd::Hang => return port.event(HelperEvent::Late),
            },
        }
    }
    Ok(())
}

/// Returns how a script has ended its worker. Other panics continue.
fn scripted_end(payload: Box<dyn Any + Send>) -> ScriptedEnd {
    match payload.downcast() {
        Ok(end) => *end,
        Err(panic) => resume_unwind(panic),
    }
}

/// Opens the target anew, so that no request is affected by an earlier one.
fn open(
    target: &'static ScriptedTarget,
    config: &WorkerConfig,
) -> io::Result<(TestBench<'static>, Vec<u8>)> {
    let (session, capture) = target.session(config.coverage.is_some());
    let capture = capture.map(|capture| Box::new(capture) as Box<dyn Capture>);
    TestBench::of(target.method, Box::new(session), capture)
}
