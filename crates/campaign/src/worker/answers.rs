//! The answers of a worker to a request, and what it was doing when it was lost.

use metacov_core::{Input, Missing, Pair};
use metacov_run::RunError;

use super::host::{Heard, WorkerOptions, WorkerProcess};
use super::protocol::Answer;

/// What a worker is doing, as far as it has announced it.
pub(crate) enum Activity {
    /// It makes or changes the state: the last statements.
    Setup(Vec<String>),
    /// It runs a test: the inputs, and the side.
    Test(Option<Pair<Vec<Input>>>, usize),
}

/// How a worker was lost.
pub(crate) struct WorkerLoss {
    pub(crate) missing: Missing,
    /// Whether the worker itself has ended, and not only its child.
    pub(crate) is_gone: bool,
    pub(crate) activity: Activity,
}

/// Reads the answers to a request for tests.
pub(crate) struct Answers {
    activity: Activity,
}

impl Answers {
    /// Starts before the state is made.
    pub(crate) fn new() -> Self {
        Answers { activity: Activity::Setup(Vec::new()) }
    }

    /// The next answer that is not an announcement; or how the worker was lost.
    pub(crate) fn next(
        &mut self,
        worker: &mut WorkerProcess,
        options: &WorkerOptions<'_>,
    ) -> Result<Result<Answer, WorkerLoss>, RunError> {
        let (missing, is_gone) = loop {
            match worker.hear(options)? {
                Heard::Answer(Answer::Step(statement)) => match &mut self.activity {
                    Activity::Setup(statements) => statements.push(statement),
                    Activity::Test(..) => self.activity = Activity::Setup(vec![statement]),
                },
                Heard::Answer(Answer::Next(sides)) => {
                    self.activity = Activity::Test(Some(sides), 0);
                }
                Heard::Answer(Answer::Side(side)) => {
                    if let Activity::Test(_, number) = &mut self.activity {
                        *number = side;
                    }
                }
                Heard::Answer(Answer::Lost(lost)) => break (lost, false),
                Heard::Gone(missing) => break (missing, true),
                Heard::Answer(answer) => {
                    if matches!(answer, Answer::Built(_) | Answer::Changed(_)) {
                        self.activity = Activity::Test(None, 0);
                    }
                    return Ok(Ok(answer));
                }
            }
        };
        let activity = std::mem::replace(&mut self.activity, Activity::Setup(Vec::new()));
        Ok(Err(WorkerLoss { missing, is_gone, activity }))
    }
}
