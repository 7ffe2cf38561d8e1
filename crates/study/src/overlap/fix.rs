//! What a fix changed: from a unified diff, or a list of lines.
//!
//! Only the numbers of old lines are needed, which are in the heads of hunks and the first letters
//! of lines: no library for that is smaller than this.

use std::collections::BTreeMap;

use crate::corpus::{Change, FixLines};

/// What a fix changed in a file, in lines of the version before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFix {
    /// The file, as the fix calls it.
    pub path: String,
    /// Its lines, ascending.
    pub lines: Vec<FixLines>,
}

/// Why something is not a fix.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct FixError {
    /// Where.
    pub line: usize,
    /// Why.
    pub what: &'static str,
}

/// A fix: a unified diff, as `git diff` or `diff -u` write it, or lines such as `src/a.c:12` and
/// `src/a.c:12-15`.
pub fn parse(text: &str) -> Result<Vec<FileFix>, FixError> {
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

fn list(text: &str, files: &mut BTreeMap<String, Vec<FixLines>>) -> Result<(), FixError> {
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let error = |what| FixError { line: at + 1, what };
        let no_lines = "neither FILE:LINE nor FILE:FIRST-LAST, and no diff has it";
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

/// Where a hunk stands: the next old line, and how many lines of each side are still to come.
struct Hunk {
    next: u32,
    old: u32,
    new: u32,
    /// Whether a line was inserted and none removed since the last one that both sides have.
    inserts: bool,
    removes: bool,
}

fn diff(text: &str, files: &mut BTreeMap<String, Vec<FixLines>>) -> Result<(), FixError> {
    let mut path: Option<String> = None;
    let mut hunk: Option<Hunk> = None;
    for (at, line) in text.lines().enumerate() {
        let error = |what| FixError { line: at + 1, what };
        if let Some(open) = &mut hunk {
            let of_file = path.as_ref().map(|path| files.entry(path.clone()).or_default());
            let of_file = of_file.ok_or_else(|| error("a hunk of no file"))?;
            match line.as_bytes().first() {
                Some(b'-') if open.old > 0 => {
                    of_file.push(FixLines { kind: Change::Modified, lines: [open.next; 2] });
                    (open.next, open.old) = (open.next + 1, open.old - 1);
                    open.removes = true;
                }
                Some(b'+') if open.new > 0 => {
                    open.new -= 1;
                    open.inserts = true;
                }
                Some(b' ') | None if open.old > 0 && open.new > 0 => {
                    of_file.extend(open.insertion());
                    (open.next, open.old, open.new) = (open.next + 1, open.old - 1, open.new - 1);
                }
                Some(b'\\') => {}
                _ => return Err(error("the hunk has other lines than its head says")),
            }
            if open.old == 0 && open.new == 0 {
                of_file.extend(open.insertion());
                hunk = None;
            }
        } else if let Some(name) = line.strip_prefix("--- ") {
            path = Some(old_path(name).to_owned());
        } else if line.starts_with("@@ ") {
            hunk = Some(head(line).ok_or_else(|| error("not the head of a hunk"))?);
        }
    }
    if hunk.is_some() {
        let line = text.lines().count();
        return Err(FixError { line, what: "the last hunk has no end" });
    }
    files.retain(|path, _| path != "/dev/null");
    Ok(())
}

impl Hunk {
    /// The lines around a place where lines were only inserted.
    fn insertion(&mut self) -> Option<FixLines> {
        let is_pure = self.inserts && !self.removes;
        (self.inserts, self.removes) = (false, false);
        let lines = [self.next.saturating_sub(1).max(1), self.next.max(1)];
        is_pure.then_some(FixLines { kind: Change::InsertionContext, lines })
    }
}

/// `@@ -5034,11 +5034,11 @@ ...`
fn head(line: &str) -> Option<Hunk> {
    let mut words = line.split(' ').skip(1);
    let mut range = |sign: char| {
        let word = words.next()?.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse::<u32>().ok()?, count.parse::<u32>().ok()?))
    };
    let (start, old) = range('-')?;
    let (_, new) = range('+')?;
    // A hunk that only inserts names the line before it.
    let next = if old == 0 { start.checked_add(1)? } else { start };
    next.checked_add(old)?;
    Some(Hunk { next, old, new, inserts: false, removes: false })
}

/// The name of the old file, without what diffs put around it.
fn old_path(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim();
    name.strip_prefix("a/").unwrap_or(name)
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
    fn a_diff_names_removed_lines_and_the_lines_around_insertions() {
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
    fn what_is_neither_is_refused_with_its_place() {
        let line = |text: &str| parse(text).unwrap_err().line;
        assert_eq!(line("a.c:1\nnonsense\n"), 2);
        assert_eq!(line("a.c:0\n"), 1);
        assert_eq!(line("--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n"), 4);
        assert_eq!(line("--- a\n+++ b\n@@ -1,1 +1,1 @@\n@@ -1 +1 @@\n"), 4);
        assert_eq!(line("@@ -1 +1 @@\n-x\n+y\n"), 2, "a hunk of no file");
        assert_eq!(line("--- a\n@@ -x +1 @@\n"), 2);
    }
}
