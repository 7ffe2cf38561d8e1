//! The thread pool: workers that take jobs in their order until there are none left, one of them
//! fails, or an interrupt ends the run.

use std::io::ErrorKind;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use metacov_formats::{Error, Fault};

/// Why a run came to an early end.
#[derive(Debug, thiserror::Error)]
pub enum StopReason {
    /// A group could not be run or read.
    #[error(transparent)]
    Input(Error),
    /// An observer could not take in a group.
    #[error(transparent)]
    Observer(Error),
}

impl StopReason {
    /// Whether it was asked for: an interrupt, which loses nothing.
    fn is_interrupt(&self) -> bool {
        matches!(self, StopReason::Input(Error { fault: Fault::Io(error), .. })
            if error.kind() == ErrorKind::Interrupted)
    }

    /// The error, whoever met it.
    pub fn into_error(self) -> Error {
        match self {
            StopReason::Input(error) | StopReason::Observer(error) => error,
        }
    }
}

/// Whether the workers of a pool go on.
#[derive(Default)]
pub struct PoolState(Mutex<Ends>);

#[derive(Default)]
struct Ends {
    is_interrupted: bool,
    /// The first failure, by the place of its job.
    failed: Option<(u64, StopReason)>,
}

impl PoolState {
    /// Whether no job is to be begun any more.
    pub fn is_over(&self) -> bool {
        let ends = self.lock();
        ends.is_interrupted || ends.failed.is_some()
    }

    /// Notes why a job did not come to its end. Jobs are given out in their order, so all jobs before
    /// it have begun, and of several failures the first by place is the result.
    pub fn stop(&self, place: u64, reason: StopReason) {
        let mut ends = self.lock();
        if reason.is_interrupt() {
            ends.is_interrupted = true;
        } else if ends.failed.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
            ends.failed = Some((place, reason));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a worker takes its jobs from.
pub struct JobQueue<'q, J> {
    /// The number of the worker, from zero.
    pub worker: usize,
    state: &'q PoolState,
    next: &'q (dyn Fn(&PoolState) -> Option<(u64, J)> + Sync),
}

impl<J> JobQueue<'_, J> {
    /// Runs jobs until there are none left. A job that fails, or that is interrupted, ends the run for
    /// all workers.
    pub fn run(&self, mut job: impl FnMut(u64, J) -> Result<(), StopReason>) {
        while !self.state.is_over()
            && let Some((place, next)) = (self.next)(self.state)
        {
            if let Err(reason) = job(place, next) {
                self.state.stop(place, reason);
            }
        }
    }

    /// Ends the run before the first job.
    pub fn fail(&self, error: Error) {
        self.state.stop(0, StopReason::Input(error));
    }
}

/// Runs jobs on threads; what each worker leaves. `next` gives out jobs with their places, in order,
/// and may wait for one; it stops the state if it fails itself. An interrupt is not a failure: the
/// result is what was done until then.
pub fn run_jobs<J, R: Send>(
    workers: usize,
    next: impl Fn(&PoolState) -> Option<(u64, J)> + Sync,
    work: impl Fn(&JobQueue<'_, J>) -> R + Sync,
) -> Result<Vec<R>, StopReason> {
    let state = PoolState::default();
    let results = thread::scope(|scope| {
        let start = |worker| {
            let (state, next, work) = (&state, &next, &work);
            scope.spawn(move || work(&JobQueue { worker, state, next }))
        };
        let threads: Vec<_> = (0..workers).map(start).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, R>| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    });
    let Ends { failed, .. } = state.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(results), |(_, reason)| Err(reason))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    /// Runs 100 jobs, of which these fail; how many were run.
    fn run(workers: usize, failing: &[(u64, ErrorKind)]) -> Result<u64, String> {
        let given = AtomicU64::new(0);
        let next = |_: &PoolState| {
            let at = given.fetch_add(1, Relaxed);
            (at < 100).then_some((at, at))
        };
        let done = run_jobs(workers, next, |jobs| {
            let mut count = 0;
            jobs.run(|place, job| {
                assert_eq!(place, job);
                count += 1;
                match failing.iter().find(|(at, _)| *at == place) {
                    Some((_, kind)) => {
                        let fault = Fault::Io(io::Error::from(*kind));
                        Err(StopReason::Input(fault.of(place.to_string())))
                    }
                    None => Ok(()),
                }
            });
            count
        });
        let counts = done.map_err(|reason| reason.into_error().name)?;
        Ok(counts.into_iter().sum())
    }

    #[test]
    fn every_job_is_run_once() {
        for workers in [1, 2, 7, 200] {
            assert_eq!(run(workers, &[]), Ok(100));
        }
    }

    #[test]
    fn the_first_failure_by_place_is_the_result() {
        for workers in [1, 4] {
            let failing = [(90, ErrorKind::NotFound), (40, ErrorKind::NotFound)];
            assert_eq!(run(workers, &failing), Err("40".to_owned()));
        }
    }

    #[test]
    fn an_interrupt_ends_the_run_and_is_no_failure() {
        assert_eq!(run(1, &[(40, ErrorKind::Interrupted)]), Ok(41));
    }
}
