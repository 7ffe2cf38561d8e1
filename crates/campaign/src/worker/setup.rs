//! Creates the state that tests run on, statement by statement.

use std::io;

use metacov_core::{Facts, Input, Method, Rng, Subject, SuccessRates, seed};
use metacov_exec::Session;

/// A state that was created, and its subject.
pub(crate) struct BuiltSubject {
    pub(crate) subject: Box<dyn Subject>,
    /// The statements of the setup, including those that failed.
    pub(crate) setup: Vec<String>,
    pub(crate) successes: SuccessRates,
}

/// Creates the state of these seeds; `announce` gets each statement before it runs.
pub(crate) fn build(
    session: &mut dyn Session,
    method: &dyn Method,
    facts: &Facts,
    seeds: [u64; 2],
    announce: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<BuiltSubject> {
    let mut rng = Rng::new(seed(&seeds));
    let mut subject = method.subject(facts);
    let mut successes = SuccessRates::default();
    let mut setup = Vec::new();
    while let Some(ran) = step(session, &mut *subject, &mut rng, announce)? {
        successes.statement(ran.kind, ran.has_worked);
        setup.push(ran.statement);
    }
    Ok(BuiltSubject { subject, setup, successes })
}

/// A statement that was run.
pub(crate) struct RanStep {
    kind: &'static str,
    pub(crate) statement: String,
    pub(crate) has_worked: bool,
}

/// Runs the next statement of a subject, if it has one.
pub(crate) fn step(
    session: &mut dyn Session,
    subject: &mut dyn Subject,
    rng: &mut Rng,
    announce: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<Option<RanStep>> {
    let Some(step) = subject.next_setup(rng) else { return Ok(None) };
    announce(&step.statement)?;
    let input = Input::of(step.statement);
    let outcome = session.run(&input)?;
    subject.accept(&outcome);
    let statement = input.statements.into_iter().next().unwrap_or_default();
    Ok(Some(RanStep { kind: step.kind, statement, has_worked: outcome.is_success() }))
}
