//! Exclusion markers in source comments: `LCOV_EXCL_LINE` and similar.
//!
//! The prefixes `GCOV`, `GCOVR`, `LCOV` and `LCOVR` are equivalent, as in gcovr. Markers that
//! depend on hits (`GCOVR_EXCL_BR_WITHOUT_HIT`) are ignored: they would differ between the sides.

use std::collections::BTreeSet;
use std::path::Path;

use memchr::memmem;

/// Larger sources are generated data, and have no markers.
const SOURCE_BYTES_MAX: u64 = 64 << 20;

/// What the markers of one source file exclude.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exclusions {
    lines: Vec<Range>,
    branches: Vec<Range>,
    functions: Vec<u32>,
    /// Lines of which something was excluded so far.
    met: BTreeSet<u32>,
}

/// First and last line.
type Range = (u32, u32);

impl Exclusions {
    /// Reads the markers of a file; none if it cannot be read. Only regular files are opened: the
    /// path comes from a report, and a report may name a device or a pipe.
    pub(crate) fn of_file(path: &Path) -> Self {
        let readable = std::fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= SOURCE_BYTES_MAX);
        let source = if readable { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
        Exclusions::of_source(&source)
    }

    fn of_source(source: &[u8]) -> Self {
        let mut exclusions = Exclusions::default();
        let (mut lines, mut branches) = (None, None);
        let mut line = 1;
        let mut counted = 0;
        for at in memmem::find_iter(source, b"_EXCL_") {
            line += memchr::memchr_iter(b'\n', &source[counted..at]).count();
            counted = at;
            let number = u32::try_from(line).unwrap_or(u32::MAX);
            let prefixed = [&b"GCOV"[..], b"GCOVR", b"LCOV", b"LCOVR"]
                .iter()
                .any(|prefix| source[..at].ends_with(prefix));
            if !prefixed {
                continue;
            }
            let rest = &source[at + b"_EXCL_".len()..];
            let (open, ranges, word) = match rest.strip_prefix(b"BR_") {
                Some(word) => (&mut branches, &mut exclusions.branches, word),
                None => (&mut lines, &mut exclusions.lines, rest),
            };
            if word.starts_with(b"LINE") {
                ranges.push((number, number));
            } else if word.starts_with(b"START") {
                open.get_or_insert(number);
            } else if word.starts_with(b"STOP") {
                // The line of the closing marker counts again, as in gcovr and lcov.
                ranges.extend(open.take().map(|start| (start, number - 1)));
            } else if word.starts_with(b"FUNCTION") {
                exclusions.functions.push(number);
            }
        }
        // A range that is never closed reaches to the end, as in lcov.
        exclusions.lines.extend(lines.map(|start| (start, u32::MAX)));
        exclusions.branches.extend(branches.map(|start| (start, u32::MAX)));
        exclusions
    }

    /// Whether nothing is excluded.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.branches.is_empty() && self.functions.is_empty()
    }

    /// Whether the line, with everything on it, is excluded.
    pub(crate) fn hold_line(&self, line: u32) -> bool {
        within(&self.lines, line)
    }

    /// Whether the branches of the line are excluded.
    pub(crate) fn hold_branches(&self, line: u32) -> bool {
        within(&self.branches, line)
    }

    /// Records that something on the line was excluded. Returns whether that is new.
    pub(crate) fn meet(&mut self, line: u32) -> bool {
        self.met.insert(line)
    }

    /// Extends a function marker to all lines from the function's start to the next function.
    pub(crate) fn spread_functions(&mut self, starts: impl Iterator<Item = u32>) {
        if self.functions.is_empty() {
            return;
        }
        let mut starts: Vec<u32> = starts.collect();
        starts.sort_unstable();
        for marked in std::mem::take(&mut self.functions) {
            if starts.binary_search(&marked).is_ok() {
                let next = starts.iter().find(|start| **start > marked);
                self.lines.push((marked, next.map_or(u32::MAX, |next| next - 1)));
            }
        }
    }
}

fn within(ranges: &[Range], line: u32) -> bool {
    ranges.iter().any(|(first, last)| (*first..=*last).contains(&line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_of_all_prefixes_are_found_with_their_lines() {
        let source = "\
int a; // LCOV_EXCL_LINE
int b; // GCOVR_EXCL_START
int c;
int d; // GCOV_EXCL_STOP
int e; // LCOVR_EXCL_BR_LINE
int f; // MY_EXCL_LINE
int g; // GCOVR_EXCL_BR_WITHOUT_HIT: 1/2
int h; // LCOV_EXCL_START
";
        let exclusions = Exclusions::of_source(source.as_bytes());
        let held: Vec<u32> = (1..=9).filter(|line| exclusions.hold_line(*line)).collect();
        assert_eq!(held, [1, 2, 3, 8, 9]);
        let held: Vec<u32> = (1..=9).filter(|line| exclusions.hold_branches(*line)).collect();
        assert_eq!(held, [5]);
    }

    #[test]
    fn a_marked_function_reaches_to_the_next_one() {
        let source = "int f() { // GCOVR_EXCL_FUNCTION\n}\n\nint g() {\n}\n";
        let mut exclusions = Exclusions::of_source(source.as_bytes());
        exclusions.spread_functions([4, 1].into_iter());
        let held: Vec<u32> = (1..=5).filter(|line| exclusions.hold_line(*line)).collect();
        assert_eq!(held, [1, 2, 3]);
    }

    #[test]
    fn devices_are_not_opened() {
        assert!(Exclusions::of_file(Path::new("/dev/zero")).is_empty());
    }
}
