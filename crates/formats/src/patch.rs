//! Unified diffs, as `git diff` and `diff -u` write them.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Fault, Location};

/// What a diff does to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// The old file, if there was one, without git's prefix `a/`.
    pub old: Option<String>,
    /// The new file, if there is one, without git's prefix `b/`.
    pub new: Option<String>,
    /// The lines of each hunk.
    pub hunks: Vec<Vec<DiffLine>>,
}

/// A line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// Both files have it.
    Kept,
    /// Only the old file has it: its number there.
    Removed(u32),
    /// Only the new file has it.
    Added {
        /// The number of the old line that follows it.
        before: u32,
        /// Its own number.
        line: u32,
    },
}

/// The state of a hunk: the next line numbers, and how many lines are still to come.
#[derive(Clone, Copy)]
struct Hunk {
    old: u32,
    new: u32,
    old_left: u32,
    new_left: u32,
}

/// Parses a diff, file by file. Text between the hunks is ignored.
pub fn read_diff(diff: &str) -> Result<Vec<FileDiff>, Fault> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut old = None;
    let mut hunk: Option<Hunk> = None;
    for (at, text) in diff.lines().enumerate() {
        let fault = |what: &str| Fault::malformed(Location::Line(at as u64 + 1), what);
        let Some(open) = &mut hunk else {
            if let Some(name) = text.strip_prefix("--- ") {
                old = path(name, "a/");
            } else if let Some(name) = text.strip_prefix("+++ ") {
                files.push(FileDiff { old: old.take(), new: path(name, "b/"), hunks: Vec::new() });
            } else if let Some(ranges) = text.strip_prefix("@@ -") {
                let file = files.last_mut().ok_or_else(|| fault("a hunk before any file"))?;
                file.hunks.push(Vec::new());
                let heading =
                    heading(ranges).ok_or_else(|| fault("not a valid heading of a hunk"))?;
                hunk = Some(heading);
            }
            continue;
        };
        // A note about the line before: no newline follows.
        if text.starts_with('\\') {
            continue;
        }
        let line = open.take(text).ok_or_else(|| fault("unexpected line in a hunk"))?;
        let lines = files.last_mut().and_then(|file| file.hunks.last_mut());
        if let Some(lines) = lines {
            lines.push(line);
        }
        if open.old_left == 0 && open.new_left == 0 {
            hunk = None;
        }
    }
    if hunk.is_some() {
        return Err(Fault::malformed(Location::Whole, "the diff ends within a hunk"));
    }
    Ok(files)
}

/// Returns the lines that a diff adds or changes, by the path of the new file, as they are numbered
/// there.
pub fn added_lines(diff: &str) -> Result<BTreeMap<String, BTreeSet<u32>>, Fault> {
    let mut added = BTreeMap::<String, BTreeSet<u32>>::new();
    for FileDiff { new, hunks, .. } in read_diff(diff)? {
        let lines = hunks.into_iter().flatten().filter_map(|line| match line {
            DiffLine::Added { line, .. } => Some(line),
            _ => None,
        });
        let lines: Vec<u32> = lines.collect();
        if let (Some(path), false) = (new, lines.is_empty()) {
            added.entry(path).or_default().extend(lines);
        }
    }
    Ok(added)
}

impl Hunk {
    /// Accepts a line of the hunk; none if it does not belong to it.
    fn take(&mut self, text: &str) -> Option<DiffLine> {
        let Hunk { old, new, old_left, new_left } = self;
        let line = match text.as_bytes().first() {
            Some(b'+') if *new_left > 0 => DiffLine::Added { before: *old, line: *new },
            Some(b'-') if *old_left > 0 => DiffLine::Removed(*old),
            Some(b' ') | None if *old_left > 0 && *new_left > 0 => DiffLine::Kept,
            _ => return None,
        };
        // The heading has ensured that there are such lines.
        if !matches!(line, DiffLine::Added { .. }) {
            (*old, *old_left) = (*old + 1, *old_left - 1);
        }
        if !matches!(line, DiffLine::Removed(_)) {
            (*new, *new_left) = (*new + 1, *new_left - 1);
        }
        Some(line)
    }
}

/// The path after `---` or `+++`: without a time after it, the quotes that git puts around special
/// names, and its prefix; none if there is no such file.
fn path(name: &str, prefix: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or(name).trim_end();
    let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    (name != "/dev/null").then(|| name.strip_prefix(prefix).unwrap_or(name).to_owned())
}

/// `12,3 +14,2 @@`: the first lines, and how many.
fn heading(ranges: &str) -> Option<Hunk> {
    let (old, new) = ranges.split_once(" +")?;
    let new = new.split_once(" @@")?.0;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
        // A side without lines gives the line before it.
        let start = if count == 0 { start.checked_add(1)? } else { start };
        start.checked_add(count)?;
        Some((start, count))
    };
    let ((old, old_left), (new, new_left)) = (range(old)?, range(new)?);
    (old_left > 0 || new_left > 0).then_some(Hunk { old, new, old_left, new_left })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DIFF: &str = "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\n+++ b/x.c\n\
                        @@ -1,3 +1,4 @@ int f()\n one\n-two\n+2\n+2.5\n three\n@@ -9 +10 @@\n-x\n+--- y\n\
                        \\ No newline at end of file\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                        --- /dev/null\n+++ new.c\t2026-01-01\n@@ -0,0 +1,2 @@\n+a\n+b\n";

    #[test]
    fn added_and_changed_lines_are_listed_by_file() {
        let lines = added_lines(DIFF).unwrap();
        let added: Vec<String> =
            lines.iter().map(|(path, lines)| format!("{path} {lines:?}")).collect();
        assert_eq!(added, ["new.c {1, 2}", "x.c {2, 3, 10}"]);
    }

    #[test]
    fn lines_are_numbered_on_both_sides() {
        use DiffLine::{Added, Kept, Removed};
        let files = read_diff(DIFF).unwrap();
        let paths: Vec<_> =
            files.iter().map(|file| (file.old.as_deref(), file.new.as_deref())).collect();
        assert_eq!(
            paths,
            [(Some("x.c"), Some("x.c")), (Some("gone.c"), None), (None, Some("new.c"))]
        );
        assert_eq!(
            files[0].hunks,
            [
                vec![
                    Kept,
                    Removed(2),
                    Added { before: 3, line: 2 },
                    Added { before: 3, line: 3 },
                    Kept
                ],
                vec![Removed(9), Added { before: 10, line: 10 }],
            ]
        );
        assert_eq!(files[1].hunks, [vec![Removed(1)]]);
        assert_eq!(files[2].hunks[0][1], Added { before: 1, line: 2 });
    }

    #[test]
    fn broken_diffs_are_errors_with_their_line() {
        let message = |diff: &str| added_lines(diff).unwrap_err().to_string();
        assert_eq!(message("+++ x\n@@ -1 +x @@\n"), "line 2: not a valid heading of a hunk");
        assert_eq!(message("+++ x\n@@ -1 +1 @@\n?\n"), "line 3: unexpected line in a hunk");
        assert_eq!(message("+++ x\n@@ -1,2 +1 @@\n"), "the diff ends within a hunk");
        assert_eq!(message("@@ -1 +1 @@\n-x\n+y\n"), "line 1: a hunk before any file");
        assert!(message("+++ x\n@@ -1 +4294967295,2 @@\n-x\n+a\n+b\n").contains("line 2"));
    }

    proptest! {
        #[test]
        fn arbitrary_text_is_read_or_refused(
            lines in prop::collection::vec(
                prop::sample::select(vec![
                    "--- a/x", "+++ b/x", "@@ -1,2 +1 @@", "@@ -1 +1,2 @@ f", "@@ -0,0 +1 @@",
                    "@@ -4294967295 +1 @@", "@@ -1,0 +2,0 @@", "+a", "-b", " c", "", "\\ No", "?",
                ]),
                0..12,
            ),
        ) {
            let _ = read_diff(&lines.join("\n"));
        }
    }
}
