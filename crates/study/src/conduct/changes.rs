//! Restricts a run to code that was changed, as git reports it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_core::{SiteId, SiteTable};
use metacov_formats::added_lines;

use super::{ConductError, Message};

/// Excludes all sites except those on lines that were changed since `base`. Returns whether any is
/// left.
pub fn keep_changed(
    table: &mut SiteTable,
    base: &str,
    root: &Path,
    on_message: &dyn Fn(Message),
) -> Result<bool, ConductError> {
    if base.starts_with('-') {
        return Err(ConductError::Invalid(format!("--diff {base}: not a commit or branch")));
    }
    let top = PathBuf::from(git(base, &["rev-parse", "--show-toplevel"])?.trim_end());
    // Without the colours, programs and prefixes of the user's configuration.
    let diff = git(
        base,
        &[
            "-c",
            "core.quotePath=false",
            "diff",
            "--no-color",
            "--no-ext-diff",
            "--unified=0",
            "--src-prefix=a/",
            "--dst-prefix=b/",
            "--merge-base",
            base,
            "--",
        ],
    )?;
    let changed = added_lines(&diff).map_err(|fault| fault.of(format!("git diff {base}")))?;
    let changed: BTreeMap<PathBuf, _> =
        changed.into_iter().map(|(path, lines)| (top.join(path), lines)).collect();
    let is_changed = |id: SiteId| {
        let site = table.get(id);
        let path = table.path(site.file);
        // Paths are relative to the folder of the measurement, which may have been on another
        // machine.
        let lines = changed.get(&root.join(path)).or_else(|| changed.get(&top.join(path)));
        lines.is_some_and(|lines| lines.contains(&site.line))
    };
    let (kept, left_out): (Vec<SiteId>, Vec<SiteId>) =
        table.sites().map(|(id, _)| id).partition(|id| is_changed(*id));
    for id in left_out {
        table.exclude(id);
    }
    let lines: usize = changed.values().map(std::collections::BTreeSet::len).sum();
    let files = changed.len();
    let what = format!("{lines} lines of {files} files were changed since {base}");
    on_message(Message::Detail(what));
    Ok(!kept.is_empty())
}

/// The output of git, for `--diff BASE`.
fn git(base: &str, args: &[&str]) -> Result<String, ConductError> {
    let output = Command::new("git").args(args).output();
    let needed = |error| ConductError::Failed(format!("--diff needs git: {error}"));
    let output = output.map_err(needed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git failed");
        let said = said.strip_prefix("fatal: ").unwrap_or(said);
        let what = format!("--diff {base}: git says: {said}");
        return Err(ConductError::Invalid(what));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
