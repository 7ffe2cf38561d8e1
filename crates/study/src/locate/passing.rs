//! Passing pairs: those that do not violate their relation.

use std::sync::{Mutex, PoisonError};

use metacov_core::{Group, Reading, Verdict};
use metacov_formats::Error;
use metacov_run::{GroupDone, Observer};
use metacov_store::Run;

use super::Frequency;

/// Counts the sites that passing pairs run while they are measured.
#[derive(Default)]
pub struct Passing(Mutex<Frequency>);

impl Passing {
    /// Returns the frequencies of the sites.
    pub fn into_frequency(self) -> Frequency {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Passing {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        if let (Ok(group), Some(Verdict::Holds)) = (done.outcome, &done.context.verdict) {
            add(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), group);
        }
        Ok(())
    }
}

/// Counts the sites that the passing pairs of a run executed.
pub fn passing(run: &Run) -> Result<Frequency, Error> {
    let mut frequency = Frequency::default();
    for stored in run.pairs()? {
        let stored = stored?;
        if let (Ok(group), Some(Verdict::Holds)) = (&stored.outcome, &stored.verdict) {
            add(&mut frequency, group);
        }
    }
    Ok(frequency)
}

/// A pair ran the union of its sides.
fn add(frequency: &mut Frequency, group: &Group<Reading>) {
    let [first, others @ ..] = group.sides() else { return };
    let mut executed = first.executed.clone();
    for side in others {
        executed |= &side.executed;
    }
    frequency.add(&executed);
}
