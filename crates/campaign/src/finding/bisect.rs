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
}

/// Replays a finding on all installed versions, from the one that it was found on. There are few
/// versions, and a bug may return, so all of them are tried.
pub(super) fn bisect(
    finding: &FindingFile,
    targets: &TargetList,
    replay: &mut impl FnMut(&FindingFile, &str) -> Result<Verdict, RunError>,
) -> Result<Bisected, RunError> {
    let all = targets.installed(&finding.target)?;
    let (known, version) = targets.parse(&finding.target)?;
    let target = format!("{}@{version}", known.name());
    let from = all.iter().position(|name| *name == target).unwrap_or(0);
    let mut bisected = Bisected { last_failing: "none".to_owned(), fixed: None };
    for name in &all[from..] {
        let verdict = replay(finding, name)?;
        if FailureKind::of(&verdict).is_some() {
            bisected = Bisected { last_failing: name.clone(), fixed: None };
        } else if verdict == Verdict::Holds && bisected.fixed.is_none() {
            bisected.fixed = Some(name.clone());
        }
    }
    Ok(bisected)
}
