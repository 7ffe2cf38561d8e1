//! The connection to a worker, whatever it runs in. The messages are the same bytes either way.

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
    /// A thread each, on a target that can do no harm.
    #[cfg(any(test, feature = "scripted"))]
    Thread(&'static ScriptedTarget),
}

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
            Launch::Process => {
                HelperProcess::start(vec!["work".into()], memory_bytes).map(Link::Process)
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
