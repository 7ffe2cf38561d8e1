//! Runs the pairs of a plan and judges them, without measuring coverage.

use std::collections::BTreeMap;
use std::io;

use metacov_core::{Failure, Language, Missing, Verdict, Violation};
use metacov_formats::Error;
use metacov_run::{FailedPairs, RunError};

use crate::plan::TestPlan;
use crate::stored_inputs::stored;
use crate::worker::batches::{self, ResultSink, RunLog, TestDone};
use crate::worker::host::{WorkerOptions, WorkerProcess};
use crate::worker::protocol::SetupDone;

/// The results of the pairs of a plan.
#[derive(Debug, Default)]
pub struct Checks {
    /// By relation.
    pub relations: BTreeMap<&'static str, Counts>,
    /// The pairs that violate their relation, by place.
    pub violations: BTreeMap<u64, Violation>,
    /// The pairs that ended the target or took too long, by the reason.
    pub lost: BTreeMap<(Failure, String), FailedPairs>,
}

/// The results of the pairs of one relation.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How many hold.
    pub held: u64,
    /// How many are violated.
    pub violated: u64,
    /// How many have no verdict, and why.
    pub missing: BTreeMap<(Failure, String), u64>,
}

impl Counts {
    /// Returns how many pairs there are.
    pub fn total(&self) -> u64 {
        self.held + self.violated + self.missing.values().sum::<u64>()
    }
}

impl Checks {
    fn add(&mut self, other: Checks) {
        for (relation, counts) in other.relations {
            let own = self.relations.entry(relation).or_default();
            own.held += counts.held;
            own.violated += counts.violated;
            for (reason, count) in counts.missing {
                *own.missing.entry(reason).or_default() += count;
            }
        }
        self.violations.extend(other.violations);
        for (reason, pairs) in other.lost {
            pairs.add_to(&mut self.lost, reason);
        }
    }
}

/// Runs all tests of a plan, and calls `each` after each of them. An interrupt ends it early.
pub fn check(
    plan: &TestPlan,
    options: &WorkerOptions<'_>,
    each: &(dyn Fn() + Sync),
) -> Result<(Checks, RunLog), RunError> {
    let language = options.language();
    let sink = || Counting { checks: Checks::default(), each, language };
    let (sinks, log) = batches::run(plan, options, sink)?;
    let mut checks = Checks::default();
    for sink in sinks {
        checks.add(sink.checks);
    }
    Ok((checks, log))
}

/// Counts the pairs of one worker.
struct Counting<'c> {
    checks: Checks,
    each: &'c (dyn Fn() + Sync),
    language: &'static dyn Language,
}

impl ResultSink for Counting<'_> {
    fn wants(&self, _: u64, _: &'static str, _: u64) -> Result<bool, Error> {
        Ok(true)
    }

    fn set_state(&mut self, _: SetupDone, _: &WorkerProcess) -> io::Result<()> {
        Ok(())
    }

    fn take(&mut self, done: TestDone<'_>) -> Result<(), RunError> {
        let TestDone { place, relation, number, result, .. } = done;
        let counts = self.checks.relations.entry(relation).or_default();
        let missing = match result.verdict {
            Verdict::Holds => {
                counts.held += 1;
                None
            }
            Verdict::Violated(how) => {
                counts.violated += 1;
                let inputs = result.sides.map(|sides| stored(self.language, &sides));
                let inputs = inputs.unwrap_or_default();
                let (relation, pair) = (relation.to_owned(), number.to_string());
                let violation = Violation { relation, pair, how, inputs };
                self.checks.violations.insert(place, violation);
                None
            }
            Verdict::Invalid(reason) => Some(reason.missing()),
            Verdict::Lost { side, missing } => {
                let reason = (missing.failure, missing.output_tail.clone());
                let first = (place, relation.to_owned(), number.to_string());
                let side = (side.unwrap_or_default(), missing.clone());
                FailedPairs { pairs: 1, first, side }.add_to(&mut self.checks.lost, reason);
                Some(missing)
            }
        };
        if let Some(Missing { failure, output_tail, .. }) = missing {
            *counts.missing.entry((failure, output_tail)).or_default() += 1;
        }
        (self.each)();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use metacov_core::Exit;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

    use super::*;
    use crate::scripted::{Effect, Reply, Scene, Scripted, ScriptedTarget};

    /// Side b of a test whose number ends in 1 returns something else, in 2 fails, and in 3
    /// crashes.
    fn faulty(scene: &Scene<'_>) -> Reply {
        let effect = match scene.statement.as_bytes() {
            [b'b', .., b'1'] => Effect::Rows(vec![-1]),
            [b'b', .., b'2'] => Effect::Error(7),
            [b'b', .., b'3'] => Effect::Crash(11),
            _ => return Reply::usual(scene),
        };
        Reply::with(scene, effect)
    }

    #[test]
    fn every_pair_is_counted_once_by_its_verdict() {
        static TARGET: ScriptedTarget = ScriptedTarget { method: &Scripted, script: faulty };
        let plan = TestPlan { seed: 5, relations: vec![1, 0], pairs: 60, subjects: 7 };
        let (config, interrupted) = (ScriptedTarget::config(false), AtomicBool::new(false));
        let mut all = Vec::new();
        for workers in [1, 3] {
            let (options, called) =
                (TARGET.options(&config, workers, &interrupted), AtomicU64::new(0));
            let count = || {
                called.fetch_add(1, Relaxed);
            };
            let (checks, log) = check(&plan, &options, &count).unwrap();
            assert_eq!(called.into_inner(), 120);
            assert!(checks.relations.keys().eq(["other", "same"].iter()));
            for counts in checks.relations.values() {
                assert_eq!(counts.total(), 60);
                let failures: Vec<Failure> = counts.missing.keys().map(|(why, _)| *why).collect();
                assert_eq!(failures, [Failure::Crashed, Failure::Invalid]);
            }
            let violated: u64 = checks.relations.values().map(|counts| counts.violated).sum();
            assert!(violated > 0);
            assert_eq!(checks.violations.len() as u64, violated);
            let crashed = |counts: &Counts| {
                counts
                    .missing
                    .iter()
                    .filter(|((why, _), _)| *why == Failure::Crashed)
                    .map(|it| it.1)
                    .sum::<u64>()
            };
            let lost: u64 = checks.lost.values().map(|lost| lost.pairs).sum();
            assert_eq!(lost, checks.relations.values().map(crashed).sum::<u64>());
            for FailedPairs { first: (place, relation, pair), side, .. } in checks.lost.values() {
                assert_eq!((side.0, side.1.exit), (1, Exit::Signalled(11)));
                let first = if relation == "other" { 0 } else { 60 };
                assert_eq!(first + pair.parse::<u64>().unwrap(), *place);
            }
            for (place, Violation { relation, pair, inputs, .. }) in &checks.violations {
                // The relations of the plan come one after the other, in its order.
                let first = if relation == "other" { 0 } else { 60 };
                assert_eq!(first + pair.parse::<u64>().unwrap(), *place);
                assert!(inputs[1][0].content.ends_with(b"1\n"), "{inputs:?}");
            }
            assert_eq!(log.successes.by_kind["step"].tried, 3 * 7, "each state is made of three");
            all.push(format!("{checks:?}"));
        }
        assert_eq!(all[0], all[1]);
    }
}
