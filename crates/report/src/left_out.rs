//! What the tables do not contain, in words.

use metacov_core::{Failure, Tally, counted};
use metacov_formats::{Error, Fault, LeftOutCounts, Location};

/// Returns how much code exclusion markers in the sources exclude, which the table does not show;
/// none if there is none.
pub fn left_out_note(counts: LeftOutCounts) -> Option<String> {
    let LeftOutCounts { lines, branch_lines, files } = counts;
    let count = |number: usize, one: &str| counted(number as u64, one, &format!("{one}s"));
    let what = match (lines, branch_lines) {
        (0, 0) => return None,
        (lines, 0) => count(lines, "line"),
        (0, branches) => format!("the branches of {}", count(branches, "line")),
        (lines, branches) => {
            format!("{} and the branches of {branches} more", count(lines, "line"))
        }
    };
    let (files, verb) =
        (count(files, "file"), if (lines, branch_lines) == (1, 0) { "is" } else { "are" });
    Some(format!(
        "{what} in {files} {verb} left out by exclusion markers in the sources (measure and diff count them with \
         --no-markers)"
    ))
}

/// The error of a suite none of whose pairs could be measured.
pub fn nothing_measured(total: &Tally) -> Error {
    let failed = Failure::ALL.into_iter().filter(|failure| total.failed(*failure) > 0);
    let failed: Vec<String> = failed
        .map(|failure| match failure {
            Failure::Crashed => format!("{} crashed", total.failed(failure)),
            Failure::TimedOut => format!("{} timed out", total.failed(failure)),
            Failure::Invalid => format!("{} invalid", total.failed(failure)),
            Failure::NoCounters => {
                let count = total.failed(failure);
                format!("{count} left no counters (is it built with metacov cc or gcc --coverage?)")
            }
            Failure::NotRun => format!("{} did not run", total.failed(failure)),
        })
        .collect();
    Fault::malformed(Location::Whole, failed.join(", ")).of("no pair could be measured")
}
