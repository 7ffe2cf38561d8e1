//! Reads the changes of a fix: from a unified diff, or a list of lines.

use std::collections::BTreeMap;

use metacov_formats::{DiffLine, Fault, Location, read_diff};

use crate::corpus::{Change, FixLines};

/// The changes of a fix in a file, in lines of the version before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// The file, as the fix names it.
    pub path: String,
    /// Its lines, ascending.
    pub lines: Vec<FixLines>,
}

/// Parses a fix: a unified diff, as `git diff` or `diff -u` write it, or lines such as `src/a.c:12`
/// and `src/a.c:12-15`.
pub fn parse(text: &str) -> Result<Vec<FileFix>, Fault> {
    let is_diff = text.lines().any(|line| line.starts_with("@@ "));
    let mut files: BTreeMap<String, Vec<FixLines>> = BTreeMap::new();
    if is_diff {
        diff(text, &mut files)?;
    } else {
        list(text, &mut files)?;
    }
    let mut changed = Vec::new();
    for (path, mut lines) in files {
        lines.sort_by_key(|fix| fix.lines);
        changed.push(FileFix { path, lines });
    }
    Ok(changed)
}

fn list(text: &str, files: &mut BTreeMap<String, Vec<FixLines>>) -> Result<(), Fault> {
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let error = |what: &str| Fault::malformed(Location::Line(at as u64 + 1), what);
        let no_lines = "expected a diff, or FILE:LINE or FILE:FIRST-LAST in each line";
        let (path, lines) = line.rsplit_once(':').ok_or_else(|| error(no_lines))?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| error(no_lines));
        let (first, last) = (number(first)?, number(last)?);
        if first == 0 || last < first {
            return Err(error("lines are counted from one on, the first before the last"));
        }
        let fix = FixLines { kind: Change::Modified, lines: [first, last] };
        files.entry(path.to_owned()).or_default().push(fix);
    }
    Ok(())
}

fn diff(text: &str, files: &mut BTreeMap<String, Vec<FixLines>>) -> Result<(), Fault> {
    for file in read_diff(text)? {
        let Some(path) = file.old else { continue };
        let of_file = files.entry(path).or_default();
        // Everything between two unchanged lines is one change.
        for change in file.hunks.iter().flat_map(|hunk| hunk.split(|line| *line == DiffLine::Kept))
        {
            let removed = change.iter().filter_map(|line| match line {
                DiffLine::Removed(line) => {
                    Some(FixLines { kind: Change::Modified, lines: [*line; 2] })
                }
                _ => None,
            });
            let removed: Vec<FixLines> = removed.collect();
            match change.first() {
                Some(DiffLine::Added { before, .. }) if removed.is_empty() => {
                    let lines = [before.saturating_sub(1).max(1), (*before).max(1)];
                    of_file.push(FixLines { kind: Change::InsertionContext, lines });
                }
                _ => of_file.extend(removed),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kind of change, and the lines around it.
    type Changed = (Change, u32, u32);

    fn check(text: &str, expected: &[(&str, &[Changed])]) {
        let fixes = parse(text).unwrap();
        let found: Vec<_> = fixes
            .iter()
            .map(|fix| {
                let lines: Vec<_> =
                    fix.lines.iter().map(|fix| (fix.kind, fix.lines[0], fix.lines[1])).collect();
                (fix.path.as_str(), lines)
            })
            .collect();
        let expected: Vec<_> =
            expected.iter().map(|(path, lines)| (*path, lines.to_vec())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_diff_lists_removed_lines_and_the_lines_around_insertions() {
        let text = "diff --git a/src/expr.c b/src/expr.c\n--- a/src/expr.c\n+++ b/src/expr.c\n\
                    @@ -10,4 +10,5 @@ int f(void){\n one\n-two\n+TWO\n three\n+new\n four\n\
                    @@ -30 +31,0 @@\n-gone\n\
                    --- a/b.c\t2019-01-01\n+++ b/b.c\n@@ -7,0 +8,2 @@\n+x\n+y\n";
        check(
            text,
            &[
                ("b.c", &[(Change::InsertionContext, 7, 8)]),
                (
                    "src/expr.c",
                    &[
                        (Change::Modified, 11, 11),
                        (Change::InsertionContext, 12, 13),
                        (Change::Modified, 30, 30),
                    ],
                ),
            ],
        );
    }

    #[test]
    fn a_list_names_lines() {
        check(
            "# mine\nsrc/a.c:12\n\nsrc/a.c:3-5\n",
            &[("src/a.c", &[(Change::Modified, 3, 5), (Change::Modified, 12, 12)])],
        );
    }

    #[test]
    fn other_text_is_refused_with_its_position() {
        let check = |text: &str, place: &str| {
            let said = parse(text).unwrap_err().to_string();
            assert!(said.starts_with(place), "{said}");
        };
        check("a.c:1\nnonsense\n", "line 2: ");
        check("a.c:0\n", "line 1: ");
        check("--- a\n+++ b\n@@ -1,1 +1,1 @@\n@@ -1 +1 @@\n", "line 4: ");
    }
}
