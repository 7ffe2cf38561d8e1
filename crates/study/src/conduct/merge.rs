//! Unites the parts of a study in one folder.

use std::path::{Path, PathBuf};

use metacov_core::counted;
use metacov_run::RunError;

use super::{Message, StudyFolder, TrialFolder, read_shards, read_trials};
use crate::{Study, United, unite, unite_trials};

/// Unites the parts of a study in a folder, which must be new or one of theirs.
pub fn merge_studies(
    parts: &[PathBuf],
    output: &Path,
    on_message: &dyn Fn(Message),
) -> Result<(), RunError> {
    let same = |one: &Path, other: &Path| {
        let canonical = |path: &Path| std::fs::canonicalize(path).ok();
        canonical(one).is_some_and(|one| canonical(other) == Some(one))
    };
    if output.exists() && !parts.iter().any(|part| same(output, part)) {
        let name = output.display();
        let what = "exists and is not among the folders to merge: choose another name";
        return Err(RunError::Invalid(format!("{name} {what}")));
    }
    let [first, ..] = parts else { return Ok(()) };
    let study = StudyFolder(first).study()?;
    let merged = match Study::parse(&study).map_err(|fault| fault.of(StudyFolder(first).plan()))? {
        Study::Suites(_) => suites(parts, output, on_message)?,
        Study::Campaigns(_) => campaigns(parts, output, &study, on_message)?,
    };
    on_message(Message::Note(format!("{merged} in {}", output.display())));
    Ok(())
}

fn suites(
    parts: &[PathBuf],
    output: &Path,
    on_message: &dyn Fn(Message),
) -> Result<String, RunError> {
    let United { part, disputed: count } = unite(&read_shards(parts)?)?;
    StudyFolder(output).keep(&part)?;
    disputed(count, "suite").into_iter().for_each(on_message);
    Ok(counted(part.outcomes.len() as u64, "suite", "suites"))
}

fn campaigns(
    parts: &[PathBuf],
    output: &Path,
    study: &str,
    on_message: &dyn Fn(Message),
) -> Result<String, RunError> {
    let (outcomes, repeated, count) = unite_trials(&read_trials(study, parts)?)?;
    StudyFolder(output).keep_study(study)?;
    let folder = TrialFolder(output);
    folder.create()?;
    outcomes.iter().try_for_each(|outcome| folder.keep(outcome))?;
    disputed(count, "trial").into_iter().for_each(on_message);
    self::repeated(repeated as u64).into_iter().for_each(on_message);
    Ok(counted(outcomes.len() as u64, "trial", "trials"))
}

/// Says that parts contradict each other, if they do.
pub fn disputed(count: usize, what: &str) -> Option<Message> {
    let disputed = counted(count as u64, what, &format!("{what}s"));
    (count > 0).then(|| {
        Message::Warning(format!(
            "{disputed} with different results in the parts: one result is kept, a measured one if there is one"
        ))
    })
}

/// Says that trials are in several parts, if they are.
pub fn repeated(count: u64) -> Option<Message> {
    let repeated = counted(count, "trial is", "trials are");
    (count > 0).then(|| Message::Note(format!("{repeated} there more than once, counted once")))
}
