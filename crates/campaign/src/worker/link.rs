//! The connection to a worker, whatever it runs in. The messages are the same bytes either way.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_exec::{ExecError, HelperEvent, HelperProcess};

#[cfg(any(test, feature = "scripted"))]
use super::thread::ThreadWorker;
#[cfg(any(test, feature = "scripted"))]
use crate::scripted::ScriptedTarget;

/// What workers run in.
#[derive(Clone, Copy)]
pub enum Launch {
    /// A process each, which loads the target.
    Process,
    /// The same, whose heap has the same bytes in each run, wherever a mutant reads it.
    MutantProcess,
    /// A thread each, on a target that can do no harm.
    #[cfg(any(test, feature = "scripted"))]
    Thread(&'static ScriptedTarget),
}

/// glibc marks free memory in its caches with a number that is random in each process.
const NO_RANDOM_KEY: [&str; 2] = ["GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"];

/// The connection to a worker.
pub(crate) enum Link {
    Process(HelperProcess),
    #[cfg(any(test, feature = "scripted"))]
    Thread(ThreadWorker),
}

impl Link {
    /// Starts a worker.
    pub(crate) fn start(launch: Launch, memory_bytes: Option<u64>) -> Result<Self, ExecError> {
        match launch {
            Launch::Process => start(Vec::new(), memory_bytes),
            Launch::MutantProcess => {
                let [name, value] = NO_RANDOM_KEY.map(OsString::from);
                start(vec![(name, value)], memory_bytes)
            }
            #[cfg(any(test, feature = "scripted"))]
            Launch::Thread(target) => Ok(Link::Thread(ThreadWorker::start(target)?)),
        }
    }

    /// Sends a message. Errors are ignored: `hear` reports that the worker has ended.
    pub(crate) fn say(&mut self, message: &[u8]) {
        match self {
            Link::Process(helper) => helper.say(message),
            #[cfg(any(test, feature = "scripted"))]
            Link::Thread(worker) => worker.say(message),
        }
    }

    /// Waits for the next message, for this long at most.
    pub(crate) fn hear(
        &mut self,
        time: Duration,
        interrupted: &AtomicBool,
    ) -> Result<HelperEvent, ExecError> {
        match self {
            Link::Process(helper) => helper.hear(time, interrupted),
            #[cfg(any(test, feature = "scripted"))]
            Link::Thread(worker) => worker.hear(interrupted),
        }
    }
}

fn start(
    environment: Vec<(OsString, OsString)>,
    memory_bytes: Option<u64>,
) -> Result<Link, ExecError> {
    HelperProcess::start(vec!["work".into()], environment, memory_bytes).map(Link::Process)
}
