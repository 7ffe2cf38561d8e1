//! The connection to a worker, whatever it runs in. The messages are the same bytes either way.

use std::ffi::OsString;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_exec::{ALLOCATOR_VARIABLE, ExecError, HelperEvent, HelperProcess, LARGE_PAGES};

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
const NO_RANDOM_KEY: &str = "glibc.malloc.tcache_count=0";

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
            // The user's own settings come first.
            Launch::Process if std::env::var_os(ALLOCATOR_VARIABLE).is_some() => {
                start(Vec::new(), memory_bytes)
            }
            Launch::Process => {
                start(vec![(ALLOCATOR_VARIABLE.into(), LARGE_PAGES.into())], memory_bytes)
            }
            Launch::MutantProcess => {
                start(vec![(ALLOCATOR_VARIABLE.into(), NO_RANDOM_KEY.into())], memory_bytes)
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
