//! Unified diffs, as far as they tell which lines are new.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Fault, Place};

/// By the path of the new file: the lines that a diff adds or changes, as they are numbered there.
///
/// Paths are those behind `+++`, without the `b/` that git writes; files that are deleted have no
/// lines.
pub fn added_lines(diff: &str) -> Result<BTreeMap<String, BTreeSet<u32>>, Fault> {
    let mut files = BTreeMap::<String, BTreeSet<u32>>::new();
    let mut path: Option<String> = None;
    // Of the hunk that is being read: the next new line, and how many old and new ones are left.
    let (mut next, mut old_left, mut new_left) = (0_u32, 0_u32, 0_u32);
    for (at, line) in diff.lines().enumerate() {
        let fault = |what: &str| Fault::malformed(Place::Line(at as u64 + 1), what);
        if old_left == 0 && new_left == 0 {
            if let Some(name) = line.strip_prefix("+++ ") {
                path = new_path(name);
            } else if let Some(ranges) = line.strip_prefix("@@ -") {
                let range = hunk(ranges).ok_or_else(|| fault("this is no heading of a hunk"))?;
                (old_left, (next, new_left)) = range;
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') if new_left > 0 => {
                if let Some(path) = &path {
                    files.entry(path.clone()).or_default().insert(next);
                }
                next = next.checked_add(1).ok_or_else(|| fault("there are no such lines"))?;
                new_left -= 1;
            }
            Some(b'-') if old_left > 0 => old_left -= 1,
            Some(b' ') | None if old_left > 0 && new_left > 0 => {
                next = next.checked_add(1).ok_or_else(|| fault("there are no such lines"))?;
                old_left -= 1;
                new_left -= 1;
            }
            Some(b'\\') => {}
            _ => return Err(fault("this does not belong to a hunk")),
        }
    }
    if old_left > 0 || new_left > 0 {
        return Err(Fault::malformed(Place::Whole, "the diff ends within a hunk"));
    }
    Ok(files)
}

/// The path behind `+++`: without a time behind it, quotes that git puts around odd names, and `b/`.
fn new_path(name: &str) -> Option<String> {
    let name = name.split('\t').next().unwrap_or(name);
    let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
    (name != "/dev/null").then(|| name.strip_prefix("b/").unwrap_or(name).to_owned())
}

/// `12,3 +14,2 @@`: how many old lines, and the first new one and how many.
fn hunk(ranges: &str) -> Option<(u32, (u32, u32))> {
    let (old, new) = ranges.split_once(" +")?;
    let new = new.split_once(" @@")?.0;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (_, old): (u32, u32) = range(old)?;
    Some((old, range(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_and_changed_lines_are_told_by_file() {
        let diff = "diff --git a/x.c b/x.c\nindex 1..2 100644\n--- a/x.c\n+++ b/x.c\n\
                    @@ -1,3 +1,4 @@ int f()\n one\n-two\n+2\n+2.5\n three\n@@ -9 +10 @@\n-x\n+--- y\n\
                    \\ No newline at end of file\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    --- /dev/null\n+++ new.c\t2026-01-01\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        let lines = added_lines(diff).unwrap();
        let told: Vec<String> =
            lines.iter().map(|(path, lines)| format!("{path} {lines:?}")).collect();
        assert_eq!(told, ["new.c {1, 2}", "x.c {2, 3, 10}"]);
    }

    #[test]
    fn broken_diffs_are_errors_with_their_line() {
        let message = |diff: &str| added_lines(diff).unwrap_err().to_string();
        assert_eq!(message("+++ x\n@@ -1 +x @@\n"), "line 2: this is no heading of a hunk");
        assert_eq!(message("+++ x\n@@ -1 +1 @@\n?\n"), "line 3: this does not belong to a hunk");
        assert_eq!(message("+++ x\n@@ -1,2 +1 @@\n"), "the diff ends within a hunk");
        assert!(message("+++ x\n@@ -1 +4294967295,2 @@\n-x\n+a\n+b\n").contains("line"));
    }
}
