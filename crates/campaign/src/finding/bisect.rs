//! Finds the version that fixed a finding.

use metacov_core::Verdict;
use metacov_run::RunError;

use super::failing_case::FailureKind;
use super::file::FindingFile;
use crate::target_list::TargetList;

/// The versions on which a finding fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bisected {
    /// The last version that it fails on, or `none`.
    pub last_failing: String,
    /// The first one after it on which it holds.
    pub fixed: Option<String>,
    /// The versions between these two, or after the first, that have no verdict: one of them may have
    /// the fix.
    pub unknown: Vec<String>,
}

/// Replays a finding on all installed versions, from the one that it was found on. There are few
/// versions, and a bug may return, so all of them are tried.
pub(super) fn bisect(
    finding: &FindingFile,
    targets: &TargetList,
    replay: &mut impl FnMut(&FindingFile, &str) -> Result<Verdict, RunError>,
) -> Result<Bisected, RunError> {
    let mut bisected = Bisected::after("none");
    for name in &targets.installed_from(&finding.target)? {
        let verdict = replay(finding, name)?;
        if FailureKind::of(&verdict).is_some() {
            bisected = Bisected::after(name);
        } else if bisected.fixed.is_none() {
            match verdict {
                Verdict::Holds => bisected.fixed = Some(name.clone()),
                _ => bisected.unknown.push(name.clone()),
            }
        }
    }
    Ok(bisected)
}

impl Bisected {
    fn after(last_failing: &str) -> Self {
        Bisected { last_failing: last_failing.to_owned(), fixed: None, unknown: Vec::new() }
    }
}
