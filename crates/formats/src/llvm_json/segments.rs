//! From the segments of a file to its lines, as llvm-cov itself does it (`LineCoverageStats` in
//! LLVM's `CoverageMapping.cpp`).
//!
//! A line takes part in the region that reaches into it from above, and in those that start on it.

use std::io::Read;

use super::read::{element, rest};
use crate::json::Json;
use crate::{Fault, Record, Recorder};

/// Lines without a segment of their own that any report may have.
const SPARE_LINES: u64 = 1 << 22;

/// How many more it may have for each segment. Real code has a segment every few lines.
const SPARE_LINES_PER_SEGMENT: u64 = 64;

/// A place where the count changes.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    line: u32,
    ran: bool,
    /// Whether there is a count, or code that the preprocessor left out.
    has_count: bool,
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
        let has_count = element(json)?.bool()?;
        let is_entry = element(json)?.bool()?;
        let mut is_gap = false;
        if json.next_element()? {
            is_gap = json.bool()?;
            rest(json)?;
        }
        Ok(Segment { line, ran, has_count, is_entry, is_gap })
    }

    fn starts_region(self) -> bool {
        self.has_count && self.is_entry && !self.is_gap
    }
}

/// The lines of a file, made from its segments as they come.
pub(super) struct Lines {
    /// The last segment above the line.
    wrapped: Option<Segment>,
    /// The line of the latest segment.
    line: Option<Line>,
    /// How many lines without a segment may still come: a few bytes of a broken report must not
    /// stand for billions of lines.
    spare: u64,
}

/// What the segments of one line say.
struct Line {
    last: Segment,
    starts_left_out: bool,
    has_entry: bool,
    has_start: bool,
    start_ran: bool,
}

impl Lines {
    pub(super) fn new() -> Self {
        Lines { wrapped: None, line: None, spare: SPARE_LINES }
    }

    /// The next segment of the file.
    pub(super) fn take(
        &mut self,
        segment: Segment,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), String> {
        self.spare = self.spare.saturating_add(SPARE_LINES_PER_SEGMENT);
        let above = self.line.as_ref().map(|line| line.last);
        if above.is_none_or(|above| above.line < segment.line) {
            self.end_line(recorder);
            if let Some(above) = above.filter(|above| above.has_count) {
                self.spare = self
                    .spare
                    .checked_sub(u64::from(segment.line - above.line))
                    .ok_or("far more lines than segments")?;
                for line in above.line + 1..segment.line {
                    recorder.add(Record::line(line, above.ran));
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

    /// No segment of this file follows.
    pub(super) fn end_file(&mut self, recorder: &mut Recorder<'_>) {
        self.end_line(recorder);
        self.wrapped = None;
    }

    fn end_line(&mut self, recorder: &mut Recorder<'_>) {
        let Some(line) = self.line.take() else { return };
        let wrapped = self.wrapped.replace(line.last);
        let reaches_in = wrapped.is_some_and(|wrapped| wrapped.has_count);
        let is_code = line.has_entry || (!line.starts_left_out && (reaches_in || line.has_start));
        if is_code {
            let ran = line.start_ran || wrapped.is_some_and(|wrapped| wrapped.ran);
            recorder.add(Record::line(line.last.line, ran));
        }
    }
}

impl Line {
    fn new(first: Segment) -> Self {
        let starts_left_out = first.is_entry && !first.has_count;
        let (has_entry, has_start, start_ran) = (false, false, false);
        Line { last: first, starts_left_out, has_entry, has_start, start_ran }
    }

    fn add(&mut self, segment: Segment) {
        self.last = segment;
        self.has_entry |= segment.is_entry && segment.has_count;
        self.has_start |= segment.starts_region();
        self.start_ran |= segment.starts_region() && segment.ran;
    }
}
