//! Reports sides without a cover to users.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use metacov_core::{Failure, counted};
use metacov_formats::Error;
use metacov_report::failed_side;
use metacov_run::{GroupDone, Observer};

use crate::console::Console;

/// How many reasons are shown for each kind of failure.
const REASONS_MAX: usize = 5;

/// Counts the pairs by kind of failure and, if they are invalid or did not run, by the reason.
pub struct Failures<'t> {
    console: &'t Console,
    reasons: Mutex<BTreeMap<(Failure, String), Reason>>,
}

/// How many pairs, and the first of them by its place, whichever worker ran it.
struct Reason {
    pairs: u64,
    place: u64,
    example: String,
}

impl<'t> Failures<'t> {
    pub fn new(console: &'t Console) -> Self {
        Failures { console, reasons: Mutex::default() }
    }

    /// Reports how many there are of each kind, with an example: the most frequent reasons first.
    pub fn finish(self) {
        let reasons = self.reasons.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut kinds: BTreeMap<Failure, Vec<Reason>> = BTreeMap::new();
        for ((failure, _), reason) in reasons {
            kinds.entry(failure).or_default().push(reason);
        }
        for (failure, mut reasons) in kinds {
            reasons.sort_by_key(|reason| (std::cmp::Reverse(reason.pairs), reason.place));
            for Reason { pairs, example, .. } in reasons.iter().take(REASONS_MAX) {
                let times = if *pairs == 1 { String::new() } else { format!(" ({pairs} pairs)") };
                self.console.note(&format!("{}{times}, for example: {example}", failure.name()));
            }
            if let Some(others @ 1..) = reasons.len().checked_sub(REASONS_MAX) {
                let others = counted(others as u64, "other reason", "other reasons");
                self.console.note(&format!("{}: {others}", failure.name()));
            }
        }
    }
}

impl Observer for Failures<'_> {
    fn on_group(&self, done: &GroupDone<'_>) -> Result<(), Error> {
        let Err((side, missing)) = done.outcome else { return Ok(()) };
        let what = failed_side(done.relation, done.pair, side, missing);
        self.console.detail(|| format!("{}: {what}", missing.failure.name()));
        let is_told = matches!(missing.failure, Failure::Invalid | Failure::NotRun);
        let words = if is_told { missing.output_tail.clone() } else { String::new() };
        let mut reasons = self.reasons.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = reasons.entry((missing.failure, words)).or_insert_with(|| Reason {
            pairs: 0,
            place: done.place,
            example: what.clone(),
        });
        reason.pairs += 1;
        if done.place < reason.place {
            (reason.place, reason.example) = (done.place, what);
        }
        Ok(())
    }
}
