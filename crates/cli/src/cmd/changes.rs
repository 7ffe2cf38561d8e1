//! Code that was changed, as git tells.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use metacov_core::{SiteId, SiteTable};
use metacov_formats::added_lines;

use crate::console::Console;

/// Leaves out all sites but those on lines that were changed since `base`. Whether any is left.
pub fn keep(
    table: &mut SiteTable,
    base: &str,
    root: &Path,
    console: &Console,
) -> anyhow::Result<bool> {
    if base.starts_with('-') {
        bail!("`{base}` is no commit");
    }
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?.trim_end());
    // Without colours, programs and prefixes that somebody may have configured.
    let diff = git(&[
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
    ])?;
    let changed = added_lines(&diff).map_err(|fault| fault.of(format!("git diff {base}")))?;
    let changed: BTreeMap<PathBuf, _> =
        changed.into_iter().map(|(path, lines)| (top.join(path), lines)).collect();
    let is_changed = |id: SiteId| {
        let site = table.get(id);
        let path = table.path(site.file);
        // Paths are relative to where it was measured, which may have been another machine.
        let lines = changed.get(&root.join(path)).or_else(|| changed.get(&top.join(path)));
        lines.is_some_and(|lines| lines.contains(&site.line))
    };
    let (kept, left_out): (Vec<SiteId>, Vec<SiteId>) =
        table.sites().map(|(id, _)| id).partition(|id| is_changed(*id));
    for id in left_out {
        table.exclude(id);
    }
    let lines: usize = changed.values().map(std::collections::BTreeSet::len).sum();
    console
        .detail(|| format!("{lines} lines of {} files were changed since {base}", changed.len()));
    Ok(!kept.is_empty())
}

/// What git says.
fn git(args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").args(args).output().context("--diff needs git")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("git {}: {}", args[0], said.lines().next().unwrap_or("failed"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
