//! Restricts a run to code that was changed, as git reports it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use metacov_core::{SiteId, SiteTable};
use metacov_formats::added_lines;
use metacov_run::RunError;

use super::Message;

/// Excludes all sites except those on lines that were changed since `base`. Returns whether any is left.
///
/// `measured` returns the text of a file that has changed since it was measured: lines are numbered as in that text.
pub fn keep_changed(
    table: &mut SiteTable,
    base: &str,
    root: &Path,
    measured: &dyn Fn(&str) -> Option<Vec<u8>>,
    on_message: &dyn Fn(Message),
) -> Result<bool, RunError> {
    if base.starts_with('-') {
        return Err(RunError::Invalid(format!("--diff {base}: not a commit or branch")));
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
    let mut changed: BTreeMap<PathBuf, BTreeSet<u32>> =
        changed.into_iter().map(|(path, lines)| (top.join(path), lines)).collect();
    for path in table.paths() {
        // Paths are relative to where it was measured, which may have been another machine.
        let at = root.join(path);
        let below = at.strip_prefix(&top).unwrap_or(Path::new(path));
        if below.is_absolute() {
            continue;
        }
        if let Some(text) = measured(path) {
            let lines = lines_since(base, below, &text)?;
            changed.insert(top.join(below), lines);
        }
    }
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
    let lines: usize = changed.values().map(BTreeSet::len).sum();
    let files = changed.len();
    let what = format!("{lines} lines of {files} files were changed since {base}");
    on_message(Message::Detail(what));
    Ok(!kept.is_empty())
}

/// The lines of a text that are not in the file of the merge base. As for `git diff`, a file that git does not know has
/// none.
fn lines_since(base: &str, path: &Path, text: &[u8]) -> Result<BTreeSet<u32>, RunError> {
    let commit = git(base, &["merge-base", base, "HEAD"])?;
    let object = format!("{}:{}", commit.trim_end(), path.display());
    let old = git_bytes(base, &["cat-file", "blob", &object]);
    if old.is_err() {
        let pattern = format!(":(top,literal){}", path.display());
        if git(base, &["ls-files", "--", &pattern])?.is_empty() {
            return Ok(BTreeSet::new());
        }
    }
    let failed = |error: std::io::Error| RunError::Failed(format!("--diff {base}: {error}"));
    let folder = tempfile::tempdir().map_err(failed)?;
    let [before, now] = ["before", "now"].map(|name| folder.path().join(name));
    std::fs::write(&before, old.unwrap_or_default())
        .and_then(|()| std::fs::write(&now, text))
        .map_err(failed)?;
    let mut diff = Command::new("git");
    diff.args(["diff", "--no-index", "--no-color", "--no-ext-diff", "--unified=0"]);
    let diff = diff.args(["--src-prefix=a/", "--dst-prefix=b/"]).args([before, now]).output();
    let diff = String::from_utf8_lossy(&diff.map_err(failed)?.stdout).into_owned();
    let lines = added_lines(&diff).map_err(|fault| fault.of(format!("git diff {base}")))?;
    Ok(lines.into_values().next().unwrap_or_default())
}

/// The output of git, for `--diff BASE`.
fn git(base: &str, args: &[&str]) -> Result<String, RunError> {
    git_bytes(base, args).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn git_bytes(base: &str, args: &[&str]) -> Result<Vec<u8>, RunError> {
    let output = Command::new("git").args(args).output();
    let needed = |error| RunError::Failed(format!("--diff needs git: {error}"));
    let output = output.map_err(needed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or("git failed");
        let said = said.strip_prefix("fatal: ").unwrap_or(said);
        let what = format!("--diff {base}: git says: {said}");
        return Err(RunError::Invalid(what));
    }
    Ok(output.stdout)
}
