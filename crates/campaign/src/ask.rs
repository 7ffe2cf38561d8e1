//! Runs inputs that are not part of a test, each alone.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use metacov_core::{Input, Missing, Outcome, Pair};
use metacov_exec::Flavour;
use metacov_formats::Scope;
use metacov_run::RunError;

use crate::target_list::TargetList;
use crate::worker::cases::{CaseBatch, CaseRunner};
use crate::worker::host::{WorkerOptions, unexpected_reply};
use crate::worker::protocol::{TargetOptions, WorkerConfig};

/// How many inputs a worker runs before it answers. If one of them ends the target, some of the
/// others run again.
const BATCH: usize = 16;

/// The outcome of an input and its processor time, or how it ended the target.
pub type AskedResult = Result<(Outcome, Duration), Missing>;

/// A target without coverage that inputs are run on.
pub struct AskedTarget {
    /// Its name.
    pub engine: String,
    /// The program or library of the user, if it is not one that metacov provides.
    pub library: Option<PathBuf>,
    /// What the user has chosen for it.
    pub options: TargetOptions,
    /// How long an input may take.
    pub timeout: Duration,
    /// How many workers.
    pub workers: NonZero<usize>,
    /// Set to end all workers.
    pub interrupted: Arc<AtomicBool>,
}

impl AskedTarget {
    /// Runs inputs, and returns the result of each.
    pub fn ask(
        &self,
        targets: &TargetList,
        inputs: Vec<Input>,
    ) -> Result<Vec<AskedResult>, RunError> {
        let (library, scope) = (self.library.as_deref(), Scope::default());
        let (target, config) = targets.config(&self.engine, library, Flavour::Plain, &scope)?;
        let config = WorkerConfig { options: self.options.clone(), ..config };
        let options = WorkerOptions::new(target, &config, &self.interrupted);
        let options = WorkerOptions { workers: self.workers, timeout: self.timeout, ..options };
        outcomes(inputs, &options)
    }
}

fn outcomes(inputs: Vec<Input>, options: &WorkerOptions<'_>) -> Result<Vec<AskedResult>, RunError> {
    let tests: Vec<_> =
        inputs.into_iter().map(|input| Pair { a: vec![input], b: Vec::new() }).collect();
    let batch = |tests: &[_]| CaseBatch { setup: Vec::new(), tests: tests.to_vec() };
    let batches: Vec<CaseBatch> = tests.chunks(BATCH).map(batch).collect();
    let mut all = Vec::new();
    for (batch, result) in batches.iter().zip(CaseRunner::new(options)?.run(&batches)?) {
        match result {
            Ok(result) => {
                for pair in result.pairs {
                    all.push(match pair {
                        Ok(mut pair) => {
                            let outcome = pair.outcomes.a.pop().ok_or_else(unexpected_reply)?;
                            Ok((outcome, pair.times.a))
                        }
                        Err((_, missing)) => Err(missing),
                    });
                }
            }
            Err(missing) => all.extend(batch.tests.iter().map(|_| Err(missing.clone()))),
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use metacov_core::{Failure, Value};

    use super::*;
    use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget};

    fn numbered(scene: &Scene<'_>) -> Reply {
        let effect = match scene.statement.parse() {
            Ok(13) => Effect::Crash(11),
            Ok(number) => Effect::Rows(vec![number]),
            Err(_) => Effect::Error(7),
        };
        Reply::with(scene, effect)
    }

    #[test]
    fn each_input_has_its_outcome_in_order_and_a_crash_costs_one() {
        static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: numbered };
        let (config, interrupted) = (ScriptedTarget::config(false), AtomicBool::new(false));
        let options = TARGET.options(&config, 2, &interrupted);
        let mut inputs: Vec<Input> = (0..50).map(|number| Input::of(number.to_string())).collect();
        inputs.push(Input::of("rubbish".to_owned()));
        let outcomes = outcomes(inputs, &options).unwrap();
        assert_eq!(outcomes.len(), 51);
        for (at, outcome) in (0..).zip(&outcomes) {
            match (at, outcome) {
                (13, Err(missing)) => assert_eq!(missing.failure, Failure::Crashed),
                (50, Ok((Outcome::Error { code, .. }, _))) => assert_eq!(*code, 7),
                (_, Ok((Outcome::Rows(rows), _))) => assert_eq!(*rows, [[Value::Integer(at)]]),
                other => panic!("{other:?}"),
            }
        }
    }
}
