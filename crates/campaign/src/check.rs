//! A plan whose pairs are only judged: nobody looks at what they run.

use std::collections::BTreeMap;
use std::io;

use metacov_core::{Failure, Input, Missing, Violation};
use metacov_formats::Error;
use metacov_run::StopReason;

use crate::crew::{self, Desk, Ended, RunLog};
use crate::message::{Judged, SetupDone};
use crate::plan::Plan;
use crate::script::script;
use crate::worker::{Worker, WorkerOptions};

/// What came of the pairs of a plan.
#[derive(Debug, Default)]
pub struct Checks {
    /// By relation.
    pub relations: BTreeMap<&'static str, Counts>,
    /// By place: the pairs that violate their relation.
    pub violations: BTreeMap<u64, Violation>,
}

/// What came of the pairs of a relation.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// How many of them hold.
    pub held: u64,
    /// How many are violated.
    pub violated: u64,
    /// How many say nothing, and why.
    pub missing: BTreeMap<(Failure, String), u64>,
}

impl Counts {
    /// How many there are.
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
    }
}

/// Runs all tests of a plan; `each` is called behind each of them. An interrupt ends it early.
pub fn check(
    plan: &Plan,
    conditions: &WorkerOptions<'_>,
    each: &(dyn Fn() + Sync),
) -> Result<(Checks, RunLog), StopReason> {
    let desk = || Counting { checks: Checks::default(), each };
    let (desks, log) = crew::run(plan, conditions, desk)?;
    let mut checks = Checks::default();
    for desk in desks {
        checks.add(desk.checks);
    }
    Ok((checks, log))
}

/// A desk that counts.
struct Counting<'c> {
    checks: Checks,
    each: &'c (dyn Fn() + Sync),
}

impl Desk for Counting<'_> {
    fn wants(&self, _: u64, _: &'static str, _: u64) -> Result<bool, Error> {
        Ok(true)
    }

    fn set_database(&mut self, _: SetupDone, _: &Worker) -> io::Result<()> {
        Ok(())
    }

    fn take(&mut self, ended: Ended<'_>) -> Result<(), StopReason> {
        let Ended { place, relation, number, tested, .. } = ended;
        let counts = self.checks.relations.entry(relation).or_default();
        match tested.outcome {
            Ok(Judged { violated: None, .. }) => counts.held += 1,
            Ok(Judged { violated: Some(how), .. }) => {
                counts.violated += 1;
                let input =
                    |side: &Vec<String>| vec![Input::new(String::new(), script(side).into_bytes())];
                let inputs = tested.statements.iter().flatten().map(input).collect();
                let (relation, pair) = (relation.to_owned(), number.to_string());
                let violation = Violation { relation, pair, how, inputs };
                self.checks.violations.insert(place, violation);
            }
            Err((_, lost)) => {
                let Missing { failure, output_tail, .. } = lost;
                *counts.missing.entry((failure, output_tail)).or_default() += 1;
            }
        }
        (self.each)();
        Ok(())
    }
}
