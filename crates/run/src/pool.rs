//! The thread pool: workers that take jobs in order until there are none left, one of them fails,
//! or an interrupt ends the run.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::RunError;

/// Whether the workers of a pool continue.
pub struct PoolState(Mutex<Ends>);

struct Ends {
    is_interrupted: bool,
    /// The first failure, by the place of its job.
    failed: Option<(u64, RunError)>,
}

impl PoolState {
    /// Whether no more jobs are to be started.
    pub fn is_over(&self) -> bool {
        let ends = self.lock();
        ends.is_interrupted || ends.failed.is_some()
    }

    /// Records why a job did not finish. Jobs are started in order, so all jobs before it have
    /// started, and of several failures the first by place is the result.
    pub fn stop(&self, place: u64, reason: RunError) {
        let mut ends = self.lock();
        if matches!(reason, RunError::Interrupted) {
            ends.is_interrupted = true;
        } else if ends.failed.as_ref().is_none_or(|(earlier, _)| place < *earlier) {
            ends.failed = Some((place, reason));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns jobs with their places, in order.
type NextJob<'q, J> = dyn Fn(&PoolState) -> Option<(u64, J)> + Sync + 'q;

/// The queue from which a worker takes its jobs.
pub struct JobQueue<'q, J> {
    /// The number of the worker, from zero.
    pub worker: usize,
    state: &'q PoolState,
    next: &'q NextJob<'q, J>,
}

impl<J> JobQueue<'_, J> {
    /// Runs jobs until there are none left. A job that fails, or that is interrupted, ends the run
    /// for all workers.
    pub fn run(&self, mut job: impl FnMut(u64, J) -> Result<(), RunError>) {
        while !self.state.is_over()
            && let Some((place, next)) = (self.next)(self.state)
        {
            if let Err(reason) = job(place, next) {
                self.state.stop(place, reason);
            }
        }
    }

    /// Ends the run for all workers, because the job at this place failed.
    pub fn fail(&self, place: u64, reason: RunError) {
        self.state.stop(place, reason);
    }
}

/// Runs jobs on threads, and returns the results of the workers. `next` returns jobs with their
/// places, in order, and may wait for one; it stops the state if it fails itself. An interrupt is
/// not a failure: the result is what was done until then.
pub fn run_jobs<J, R: Send>(
    workers: usize,
    next: impl Fn(&PoolState) -> Option<(u64, J)> + Sync,
    work: impl Fn(&JobQueue<'_, J>) -> R + Sync,
) -> Result<Vec<R>, RunError> {
    let state = PoolState(Mutex::new(Ends { is_interrupted: false, failed: None }));
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
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::*;

    #[derive(Clone, Copy)]
    enum End {
        Interrupted,
        Failed,
    }

    impl End {
        fn at(self, place: u64) -> RunError {
            match self {
                End::Interrupted => RunError::Interrupted,
                End::Failed => RunError::Failed(format!("job {place}")),
            }
        }
    }

    /// Runs 100 jobs, of which these end early. Returns how many were run.
    fn run(workers: usize, ends: &[(u64, End)]) -> Result<u64, String> {
        let given = AtomicU64::new(0);
        let next = |_: &PoolState| {
            let at = given.fetch_add(1, Relaxed);
            (at < 100).then_some((at, at))
        };
        let counts = run_jobs(workers, next, |jobs| {
            let mut count = 0;
            jobs.run(|place, job| {
                assert_eq!(place, job);
                count += 1;
                ends.iter()
                    .find(|(at, _)| *at == place)
                    .map_or(Ok(()), |(_, end)| Err(end.at(place)))
            });
            count
        })
        .map_err(|error| error.to_string())?;
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
            let ends = [(90, End::Failed), (40, End::Failed)];
            assert_eq!(run(workers, &ends), Err("job 40".to_owned()));
        }
    }

    #[test]
    fn an_interrupt_ends_the_run_and_is_not_a_failure() {
        assert_eq!(run(1, &[(40, End::Interrupted)]), Ok(41));
    }

    #[test]
    fn a_failure_is_the_result_even_if_the_run_is_interrupted() {
        let ends = [(0, End::Interrupted), (1, End::Failed)];
        let both = run_jobs(
            1,
            |_: &PoolState| None::<(u64, ())>,
            |jobs| {
                for (place, end) in ends {
                    jobs.state.stop(place, end.at(place));
                }
            },
        );
        assert_eq!(both.unwrap_err().to_string(), "job 1");
    }
}
