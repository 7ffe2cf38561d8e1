//! Converts the segments of a file to lines, as llvm-cov does (`LineCoverageStats` in LLVM's
//! `CoverageMapping.cpp`).
//!
//! A line belongs to the region that continues from above, and to those that start on it.

use std::io::Read;

use super::read::{element, rest};
use crate::syntax::json::Json;
use crate::{Fault, Record, SiteRecorder};

/// Lines without a segment that any report may have.
const SPARE_LINES: u64 = 1 << 18;

/// How many more such lines are allowed for each segment. Real code has a segment every few lines.
const SPARE_LINES_PER_SEGMENT: u64 = 64;

/// A position where the count changes.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    line: u32,
    /// Whether the following code ran; none for skipped code and for text that is not code.
    ran: Option<bool>,
    is_entry: bool,
    is_gap: bool,
}

impl Segment {
    /// `[line, column, count, has count, is entry, is gap]`; version 2.0.0 has no gaps.
    pub(super) fn read<R: Read>(json: &mut Json<R>) -> Result<Self, Fault> {
        json.begin_array()?;
        let line = element(json)?.uint32()?;
        element(json)?.uint32()?;
        let ran = element(json)?.uint()? > 0;
        let ran = element(json)?.bool()?.then_some(ran);
        let is_entry = element(json)?.bool()?;
        let mut is_gap = false;
        if json.next_element()? {
            is_gap = json.bool()?;
            rest(json)?;
        }
        Ok(Segment { line, ran, is_entry, is_gap })
    }
}

/// The lines of a file, converted from its segments one by one.
pub(super) struct Lines {
    /// The last segment before the line.
    wrapped: Option<Segment>,
    /// The line of the latest segment.
    line: Option<Line>,
    /// How many lines without a segment may still come: a few bytes of a broken report must not
    /// stand for billions of lines.
    spare: u64,
    /// Whether code that starts anywhere on a line makes it a line of code. Before LLVM 18, it did
    /// not if the line starts with a comment or with skipped code.
    entries_count: bool,
}

/// The segments of one line, combined.
struct Line {
    last: Segment,
    /// Whether the first of them starts skipped code.
    is_left_out: bool,
    /// Whether code starts on the line.
    has_entry: bool,
    /// Whether the code that starts on the line ran, not counting gaps.
    ran: Option<bool>,
}

impl Lines {
    pub(super) fn new() -> Self {
        Lines { wrapped: None, line: None, spare: SPARE_LINES, entries_count: false }
    }

    /// Records that the report is one of LLVM 18 or later.
    pub(super) fn count_entries(&mut self) {
        self.entries_count = true;
    }

    /// Adds the next segment of the file.
    pub(super) fn take(
        &mut self,
        segment: Segment,
        recorder: &mut SiteRecorder<'_>,
    ) -> Result<(), String> {
        self.spare = self.spare.saturating_add(SPARE_LINES_PER_SEGMENT);
        let above = self.line.as_ref().map(|line| line.last);
        if above.is_none_or(|above| above.line < segment.line) {
            self.end_line(recorder);
            if let Some((above, ran)) = above.and_then(|above| Some((above.line, above.ran?))) {
                let between = u64::from(segment.line - above) - 1;
                let spare = self.spare.checked_sub(between);
                self.spare = spare.ok_or("far more lines than segments")?;
                for line in above + 1..segment.line {
                    recorder.add(Record::line(line, ran));
                }
            }
            self.line = Some(Line::new(segment));
        } else if above.is_some_and(|above| above.line > segment.line) {
            return Err("segments out of order".to_owned());
        }
        if let Some(line) = &mut self.line {
            line.add(segment);
        }
        Ok(())
    }

    /// Ends the file: no more segments follow.
    pub(super) fn end_file(&mut self, recorder: &mut SiteRecorder<'_>) {
        self.end_line(recorder);
        self.wrapped = None;
    }

    fn end_line(&mut self, recorder: &mut SiteRecorder<'_>) {
        let Some(line) = self.line.take() else { return };
        let wrapped = self.wrapped.replace(line.last).and_then(|wrapped| wrapped.ran);
        let is_code = (self.entries_count && line.has_entry)
            || (!line.is_left_out && (wrapped.is_some() || line.ran.is_some()));
        if is_code {
            let ran = wrapped == Some(true) || line.ran == Some(true);
            recorder.add(Record::line(line.last.line, ran));
        }
    }
}

impl Line {
    fn new(first: Segment) -> Self {
        let is_left_out = first.is_entry && first.ran.is_none();
        Line { last: first, is_left_out, has_entry: false, ran: None }
    }

    fn add(&mut self, segment: Segment) {
        self.last = segment;
        if segment.is_entry && segment.ran.is_some() {
            self.has_entry = true;
            if !segment.is_gap {
                self.ran = self.ran.max(segment.ran);
            }
        }
    }
}
